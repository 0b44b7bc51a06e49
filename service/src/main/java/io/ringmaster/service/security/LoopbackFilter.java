package io.ringmaster.service.security;

import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.ProblemWriter;
import io.ringmaster.service.problems.Quoting;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Keeps web pages out of a service without a login. A browser on this machine reaches it like
 * everybody here; but what a page of somewhere else sends says so in {@code Origin}, and a name
 * that somebody let point to this machine stands in {@code Host}.
 */
final class LoopbackFilter extends OncePerRequestFilter {

  private static final Pattern HERE =
      Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1]|\\[0:0:0:0:0:0:0:1]");

  private final ProblemWriter problems;

  LoopbackFilter(ProblemWriter problems) {
    this.problems = problems;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    var fault = fault(request);
    if (fault.isPresent()) {
      problems.write(new ProblemException(ProblemCode.FORBIDDEN, fault.get()), request, response);
      return;
    }
    chain.doFilter(request, response);
  }

  private static Optional<String> fault(HttpServletRequest request) {
    var origin = request.getHeader("Origin");
    if (origin != null && !isHere(host(origin))) {
      return Optional.of(
          "This service has no login, so pages of other sites may not use it; this one is of %s."
              .formatted(Quoting.quote(origin)));
    }
    if (!isHere(request.getServerName())) {
      return Optional.of(
          "This service has no login, so it answers to localhost only, not to %s."
              .formatted(Quoting.quote(request.getServerName())));
    }
    return Optional.empty();
  }

  private static boolean isHere(@Nullable String host) {
    return host != null && HERE.matcher(host).matches();
  }

  private static @Nullable String host(String origin) {
    try {
      return new URI(origin).getHost();
    } catch (URISyntaxException e) {
      return null;
    }
  }
}
