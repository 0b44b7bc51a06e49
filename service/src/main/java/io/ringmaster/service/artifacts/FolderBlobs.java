package io.ringmaster.service.artifacts;

import io.ringmaster.service.config.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Contents as files of a folder: one folder a run, spread over 256, and names in hexadecimal, so
 * that no name of an output can lead elsewhere. Several processes may share the folder.
 */
final class FolderBlobs implements Blobs {

  private static final int SPREAD = 2;

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

  private Path file(String runId, String name) {
    var bytes = name.getBytes(StandardCharsets.UTF_8);
    var hex = HexFormat.of().formatHex(bytes);
    return folder(runId).resolve(hex.length() > MOST_NAME ? "sha256-" + Sha256.hex(bytes) : hex);
  }

  @Override
  public void put(String runId, String name, byte[] content) {
    try {
      var folder = Files.createDirectories(folder(runId));
      var half = Files.createTempFile(folder, "half", null);
      Files.write(half, content);
      Files.move(
          half,
          file(runId, name),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot keep %s of %s.".formatted(name, runId), e);
    }
  }

  @Override
  public Optional<byte[]> get(String runId, String name) {
    try {
      return Optional.of(Files.readAllBytes(file(runId, name)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read %s of %s.".formatted(name, runId), e);
    }
  }

  @Override
  public void delete(String runId, String name) {
    try {
      Files.deleteIfExists(file(runId, name));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot remove %s of %s.".formatted(name, runId), e);
    }
  }

  @Override
  public List<String> runsBefore(Instant time) {
    try (Stream<Path> all =
        Files.find(root, 2, (path, _) -> path.getNameCount() == root.getNameCount() + 2)) {
      return all.filter(path -> isBefore(path, time))
          .map(path -> path.getFileName().toString())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot list " + root + ".", e);
    }
  }

  private static boolean isBefore(Path path, Instant time) {
    try {
      return Files.getLastModifiedTime(path).toInstant().isBefore(time);
    } catch (IOException e) {
      return false; // somebody else has just removed it
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
      throw new UncheckedIOException("Cannot remove the files of " + runId + ".", e);
    }
  }
}
