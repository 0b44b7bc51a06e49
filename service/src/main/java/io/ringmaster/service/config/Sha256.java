package io.ringmaster.service.config;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names contents by their digest. */
public final class Sha256 {

  private Sha256() {}

  /** The SHA-256, hexadecimal. */
  public static String hex(byte[] content) {
    return HexFormat.of().formatHex(digest().digest(content));
  }

  /** Makes one of a content that comes in parts. */
  public static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
