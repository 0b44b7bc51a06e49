package io.ringmaster.service.security;

import io.ringmaster.service.jobs.Requester;
import java.util.Optional;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;

/** The requester, by login. Where there is none, all belongs to the one user of the machine. */
@Component
class LoggedIn implements Requester {

  private static final String NOBODY = "local";

  private static Optional<TokenAuthentication> current() {
    return SecurityContextHolder.getContext().getAuthentication() instanceof TokenAuthentication one
        ? Optional.of(one)
        : Optional.empty();
  }

  @Override
  public String name() {
    return current().map(TokenAuthentication::getName).orElse(NOBODY);
  }

  @Override
  public Optional<String> seesOnly() {
    return current().filter(one -> !one.seesAll()).map(TokenAuthentication::getName);
  }
}
