package io.ringmaster.service.artifacts;

import io.ringmaster.service.config.Sha256;

/** A file that a run has left, before it is kept. */
public final class NewFile {

  private final String name;
  private final String mediaType;
  private final byte[] content;
  private final String sha256;

  /**
   * A file.
   *
   * @param content belongs to this from now on
   */
  public NewFile(String name, String mediaType, byte[] content) {
    this.name = name;
    this.mediaType = mediaType;
    this.content = content;
    this.sha256 = Sha256.hex(content);
  }

  String name() {
    return name;
  }

  String mediaType() {
    return mediaType;
  }

  byte[] content() {
    return content;
  }

  String sha256() {
    return sha256;
  }
}
