package io.ringmaster.service.artifacts;

import io.ringmaster.service.config.Sha256;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Contents as files of a folder: one folder a run, spread over 256, and names in hexadecimal, so
 * that no name of an output can lead elsewhere. Several processes may share the folder.
 */
final class FolderBlobs implements Blobs {

  private static final int SPREAD = 2;

  private static final long RETRY_SECONDS = 5;

  /** What file systems take as a name; longer ones are known by their digest. */
  private static final int MOST_NAME = 255;

  private final Path root;

  FolderBlobs(Path root) {
    this.root = root.toAbsolutePath().normalize();
    try {
      Files.createDirectories(this.root);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Cannot make the folder %s; set ringmaster.artifacts.folder to a writable one."
              .formatted(this.root),
          e);
    }
  }

  private Path folder(String runId) {
    return root.resolve(runId.substring(runId.length() - SPREAD)).resolve(runId);
  }

  private Path file(String runId, String key) {
    var bytes = key.getBytes(StandardCharsets.UTF_8);
    var hex = HexFormat.of().formatHex(bytes);
    return folder(runId).resolve(hex.length() > MOST_NAME ? "sha256-" + Sha256.hex(bytes) : hex);
  }

  @Override
  public String place() {
    return "folder " + root;
  }

  @Override
  public void check() {
    if (!Files.isDirectory(root) || !Files.isWritable(root)) {
      throw unusable("it is no folder that this process may write to", null);
    }
  }

  private ProblemException unusable(String why, @Nullable IOException cause) {
    var problem =
        new ProblemException(
                ProblemCode.UNAVAILABLE,
                "The folder of artifacts %s can't be used: %s. See that it is mounted, writable and not full; what waits for it goes on by itself then."
                    .formatted(root, why))
            .withRetryAfter(RETRY_SECONDS);
    if (cause != null) {
      problem.initCause(cause);
    }
    return problem;
  }

  private ProblemException unusable(IOException cause) {
    return unusable(cause.toString(), cause);
  }

  @Override
  public void put(String runId, String key, byte[] content) {
    try {
      // A folder that isn't mounted must not be made anew below its mount point.
      check();
      var folder = Files.createDirectories(folder(runId));
      var half = Files.createTempFile(folder, "half", null);
      Files.write(half, content);
      Files.move(
          half,
          file(runId, key),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  @Override
  public Optional<byte[]> get(String runId, String key) {
    try {
      return Optional.of(Files.readAllBytes(file(runId, key)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  @Override
  public boolean has(String runId, String key) {
    return Files.isRegularFile(file(runId, key));
  }

  @Override
  public Optional<InputStream> open(String runId, String key, long from) {
    try {
      var channel = Files.newByteChannel(file(runId, key));
      return Optional.of(Channels.newInputStream(channel.position(from)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  @Override
  public void delete(String runId, String key) {
    try {
      Files.deleteIfExists(file(runId, key));
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  @Override
  public void eachRun(Consumer<String> seer) {
    try (Stream<Path> all =
        Files.find(root, 2, (path, _) -> path.getNameCount() == root.getNameCount() + 2)) {
      all.map(path -> path.getFileName().toString()).forEach(seer);
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  @Override
  public Optional<Instant> lastPut(String runId) {
    try (Stream<Path> files = Files.list(folder(runId))) {
      return Stream.concat(Stream.of(folder(runId)), files)
          .map(FolderBlobs::changed)
          .max(Comparator.naturalOrder());
    } catch (NoSuchFileException e) {
      return Optional.empty(); // somebody else has just removed it
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  private static Instant changed(Path path) {
    try {
      return Files.getLastModifiedTime(path).toInstant();
    } catch (IOException e) {
      return Instant.MIN; // somebody else has just removed it
    }
  }

  @Override
  public void deleteAll(String runId) {
    var folder = folder(runId);
    try (Stream<Path> files = Files.list(folder)) {
      for (var file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(folder);
    } catch (NoSuchFileException e) {
      return; // somebody else has just removed it
    } catch (IOException e) {
      throw unusable(e);
    }
  }
}
