package io.ringmaster.worker.external;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The folder in which runs have their files, owned by one worker at a time. It has an id that
 * lasts, by which the processes of an earlier worker are known.
 */
final class WorkFolder implements AutoCloseable {

  private static final String HARNESS = "harness.py";

  private final Path root;
  private final FileChannel channel;
  private final String id;

  private WorkFolder(Path root, FileChannel channel, String id) {
    this.root = root;
    this.channel = channel;
    this.id = id;
  }

  /**
   * Takes a folder, makes it when it isn't there, and removes what earlier runs left in it.
   *
   * @throws IllegalArgumentException when another process has it, or it can't be written
   */
  static WorkFolder take(Path root) {
    FileChannel channel = null;
    try {
      makePrivate(root);
      channel =
          FileChannel.open(
              root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!isLocked(channel)) {
        channel.close();
        throw new IllegalArgumentException(
            "folder " + root + " is another worker's; give each worker one of its own");
      }
      var folder = new WorkFolder(root, channel, id(root));
      remove(root.resolve("runs"));
      makePrivate(root.resolve("runs"));
      folder.writeHarness();
      return folder;
    } catch (IOException e) {
      close(channel);
      throw new IllegalArgumentException("folder " + root + " can't be used: " + e, e);
    }
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private static String id(Path root) throws IOException {
    Path file = root.resolve("id");
    if (!Files.exists(file)) {
      Files.writeString(file, UUID.randomUUID().toString());
    }
    return Files.readString(file).strip();
  }

  private void writeHarness() throws IOException {
    try (var in =
        Objects.requireNonNull(
            WorkFolder.class.getResourceAsStream(HARNESS), "the harness is in this build")) {
      Files.write(harness(), in.readAllBytes());
    }
  }

  String id() {
    return id;
  }

  /** A Python program that runs a script and signs what its comparisons say. */
  Path harness() {
    return root.resolve(HARNESS);
  }

  /** The files of one run; gone when it is closed. */
  record RunFiles(String name, Path root, String scriptName) implements AutoCloseable {

    Path script() {
      return workFolder().resolve(fileName(scriptName));
    }

    Path record() {
      return results().resolve("record.json");
    }

    private Path results() {
      return root.resolve("result");
    }

    Path workFolder() {
      return root.resolve("work");
    }

    Path temporary() {
      return root.resolve("tmp");
    }

    void write(ExternalRunner.Request request) throws IOException {
      makePrivate(workFolder());
      makePrivate(temporary());
      makePrivate(results());
      Files.writeString(script(), request.script());
    }

    @Override
    public void close() throws IOException {
      remove(root);
    }
  }

  RunFiles makeRun(String name, String scriptName) throws IOException {
    Path run = root.resolve("runs").resolve(name);
    makePrivate(run);
    return new RunFiles(name, run, scriptName);
  }

  /** A name for the file that says what the user called it, and is one wherever it comes from. */
  private static String fileName(String scriptName) {
    String last = scriptName.substring(scriptName.lastIndexOf('/') + 1);
    String plain = last.replaceAll("[^A-Za-z0-9._-]", "_");
    String some = plain.substring(Math.max(0, plain.length() - 100));
    return some.startsWith(".") || some.startsWith("-") || some.isEmpty() ? "script" + some : some;
  }

  private static void makePrivate(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
  }

  /** Removes a folder with all that is in it; links aren't followed. */
  private static void remove(Path folder) throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(dir);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static void close(@Nullable FileChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void close() {
    close(channel);
  }
}
