package io.ringmaster.service.security;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/** A request that came with a token that is let in. */
final class TokenAuthentication extends AbstractAuthenticationToken {

  private static final long serialVersionUID = 1L;

  private final String name;
  private final Role role;

  TokenAuthentication(Token token) {
    super(List.of(new SimpleGrantedAuthority("ROLE_" + token.role())));
    this.name = token.name();
    this.role = token.role();
    setAuthenticated(true);
  }

  Role role() {
    return role;
  }

  @Override
  public Object getCredentials() {
    return "";
  }

  @Override
  public Object getPrincipal() {
    return name;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TokenAuthentication that && name.equals(that.name) && role == that.role;
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
