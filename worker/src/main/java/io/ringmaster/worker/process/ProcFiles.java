package io.ringmaster.worker.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the kernel says about processes, in /proc. */
public final class ProcFiles {

  private static final Path PROC = Path.of("/proc");

  private ProcFiles() {}

  /**
   * A process; its number and its start together belong to no other one.
   *
   * @param start when it began, in ticks since the machine was started
   * @param session number of the process that began its session
   */
  public record Entry(long pid, long start, long parent, long session, boolean ended) {

    /** Whether both are the same process, whatever has changed about it. */
    public boolean is(Entry other) {
      return pid == other.pid && start == other.start;
    }
  }

  public static boolean exist() {
    return Files.isReadable(PROC.resolve("self/environ"));
  }

  /** Every process there is now; those that end meanwhile are left out. */
  static List<Entry> all() {
    List<Entry> entries = new ArrayList<>();
    try (var folders = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path folder : folders) {
        entry(Long.parseLong(folder.getFileName().toString())).ifPresent(entries::add);
      }
    } catch (IOException | DirectoryIteratorException e) {
      throw new IllegalStateException("/proc can't be read", e);
    }
    return entries;
  }

  /** The process that has this number now. */
  public static Optional<Entry> entry(long pid) {
    String stat;
    try {
      stat = Files.readString(file(pid, "stat"), StandardCharsets.ISO_8859_1);
    } catch (IOException ended) {
      return Optional.empty();
    }
    // The name is in parentheses and may hold anything; what follows the last one is plain.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
    boolean ended = fields[0].equals("Z") || fields[0].equals("X");
    return Optional.of(
        new Entry(
            pid,
            Long.parseLong(fields[19]),
            Long.parseLong(fields[1]),
            Long.parseLong(fields[3]),
            ended));
  }

  /**
   * The environment a process was started with.
   *
   * @return NAME=VALUE each; empty for one that has ended or that is none of our business
   */
  static List<String> environment(long pid) {
    try {
      var text = new String(Files.readAllBytes(file(pid, "environ")), StandardCharsets.ISO_8859_1);
      return List.of(text.split("\0", -1));
    } catch (IOException hidden) {
      return List.of();
    }
  }

  private static Path file(long pid, String name) {
    return PROC.resolve(Long.toString(pid)).resolve(name);
  }
}
