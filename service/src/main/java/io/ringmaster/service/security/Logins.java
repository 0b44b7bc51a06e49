package io.ringmaster.service.security;

import java.util.EnumSet;
import java.util.Optional;

/** Everything that lets somebody in: tokens of a file, and tokens of an issuer. */
final class Logins {

  private final Tokens tokens;
  private final Optional<JwtLogin> issuer;

  Logins(Tokens tokens, Optional<JwtLogin> issuer) {
    this.tokens = tokens;
    this.issuer = issuer;
  }

  /** Whether everybody is let in. */
  boolean areNone() {
    return tokens.isEmpty() && issuer.isEmpty();
  }

  /** Whom a secret stands for; those of the file come first. */
  Login find(String secret) {
    var known = tokens.find(secret);
    if (known.isPresent()) {
      return new Login.As(
          new TokenAuthentication(known.get().name(), EnumSet.of(known.get().role())));
    }
    return issuer
        .filter(_ -> JwtLogin.isMeant(secret))
        .map(some -> some.find(secret))
        .orElseGet(() -> new Login.Refused("This token is not known here."));
  }
}
