package io.ringmaster.service.artifacts;

import io.ringmaster.service.config.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stored content when somebody wants its bytes and not before, so that what is skipped at
 * the beginning need not come over the line. The last bytes of a whole content are given only when
 * all of them are what was kept.
 */
final class StoredContent extends InputStream {

  private final String name;
  private final long size;
  private final StoredFile.Source source;
  private @Nullable MessageDigest digest;
  private final Optional<String> sha256;
  private @Nullable InputStream in;
  private long position;

  StoredContent(String name, long size, Optional<String> sha256, StoredFile.Source source) {
    this.name = name;
    this.size = size;
    this.sha256 = sha256;
    this.source = source;
    this.digest = sha256.isPresent() ? Sha256.digest() : null;
  }

  @Override
  public long skip(long bytes) throws IOException {
    long skipped = Math.clamp(bytes, 0, size - position);
    if (skipped > 0) {
      digest = null;
      position += skipped;
      close();
      in = null;
    }
    return skipped;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] into, int from, int most) throws IOException {
    Objects.checkFromIndexSize(from, most, into.length);
    if (most == 0) {
      return 0;
    }
    if (position == size) {
      return -1;
    }
    if (in == null) {
      in = source.from(position);
    }
    int read = in.read(into, from, (int) Math.min(most, size - position));
    if (read < 0) {
      throw new IOException(
          "%s ends after %d of %d bytes where it is stored".formatted(name, position, size));
    }
    position += read;
    if (digest != null) {
      digest.update(into, from, read);
      if (position == size) {
        verify(digest);
      }
    }
    return read;
  }

  private void verify(MessageDigest all) throws IOException {
    var found = HexFormat.of().formatHex(all.digest());
    if (sha256.filter(found::equals).isEmpty()) {
      throw new IOException(name + " isn't what was kept: its SHA-256 is " + found);
    }
  }

  @Override
  public void close() throws IOException {
    if (in != null) {
      in.close();
    }
  }
}
