package io.ringmaster.service.security;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/** A request that came with a token that is let in. */
final class TokenAuthentication extends AbstractAuthenticationToken {

  private static final long serialVersionUID = 1L;

  private final String name;
  private final EnumSet<Role> roles;

  /**
   * Whose token it is.
   *
   * @param name to whom jobs belong
   * @param roles all that hold; with none of them only what is open to everybody is allowed
   */
  TokenAuthentication(String name, Set<Role> roles) {
    super(roles.stream().map(role -> new SimpleGrantedAuthority("ROLE_" + role)).toList());
    this.name = name;
    this.roles = EnumSet.noneOf(Role.class);
    this.roles.addAll(roles);
    setAuthenticated(true);
  }

  boolean hasNoRole() {
    return roles.isEmpty();
  }

  /** Whether jobs of others are to be seen. */
  boolean seesAll() {
    return roles.contains(Role.VIEWER) || roles.contains(Role.OPERATOR);
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
    return other instanceof TokenAuthentication that
        && name.equals(that.name)
        && roles.equals(that.roles);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
