package io.ringmaster.service.security;

import io.ringmaster.service.config.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;

/**
 * Somebody who is let in. The token itself isn't kept; it is random enough that its digest gives
 * nothing away.
 *
 * @param name to whom jobs belong
 * @param digest SHA-256 of the token, hexadecimal
 */
public record Token(String name, Role role, String digest) {

  private static final int BYTES = 32;

  /** The line of the file of tokens: name, role, digest. */
  public String line() {
    return name + " " + role.name().toLowerCase(Locale.ROOT) + " " + digest;
  }

  /** A token that nobody can guess. */
  public static String random() {
    var bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return "rm_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** What is kept of a token. */
  public static String digestOf(String secret) {
    return Sha256.hex(secret.getBytes(StandardCharsets.UTF_8));
  }
}
