package io.ringmaster.service.artifacts;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.AbstractResource;

/**
 * A file of a run that is passed on as it is read. Parts of it can be asked for without reading
 * what comes before them; who reads all of it gets exactly what was kept, or the end of the line.
 */
public final class StoredFile extends AbstractResource {

  /** Reads from a place. */
  interface Source {
    InputStream from(long offset) throws IOException;
  }

  private final String name;
  private final long size;
  private final Optional<String> sha256;
  private final Source source;

  StoredFile(String name, long size, Optional<String> sha256, Source source) {
    this.name = name;
    this.size = size;
    this.sha256 = sha256;
    this.source = source;
  }

  /** The digest of its content, hexadecimal; empty for what older versions kept. */
  public Optional<String> sha256() {
    return sha256;
  }

  @Override
  public boolean exists() {
    return true;
  }

  @Override
  public long contentLength() {
    return size;
  }

  @Override
  public String getDescription() {
    return name;
  }

  @Override
  public InputStream getInputStream() {
    return new StoredContent(name, size, sha256, source);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
