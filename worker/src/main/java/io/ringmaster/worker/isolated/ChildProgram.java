package io.ringmaster.worker.isolated;

import io.ringmaster.worker.process.JavaOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is started for a child: this product again, by the same Java and from the same files.
 *
 * @param command its words
 */
record ChildProgram(List<String> command) {

  /** The variable by which a child and all that it starts are known. */
  static final String MARK = "RINGMASTER_CHILD";

  /** How much heap a child gets: {@code -Dringmaster.child.heap=4g}. */
  static final String HEAP = "ringmaster.child.heap";

  private static final long LEAST_HEAP = 256L << 20;

  /** Options of this process that a child gets as well, by how they begin. */
  private static final List<String> PASSED =
      List.of(
          "--add-modules",
          "--add-opens",
          "--add-exports",
          "--module-path",
          "--upgrade-module-path",
          "-XX:AOTCache=",
          "-XX:SharedArchiveFile=",
          "-XX:TieredStopAtLevel=",
          "-XX:+UseSerialGC",
          "-XX:+UseParallelGC",
          "-XX:+UseG1GC",
          "-XX:+UseZGC",
          "-Xlog:",
          "-Dfile.encoding=",
          "-Djava.io.tmpdir=");

  /** Parts of the names of variables that are nothing for a driver. */
  private static final Set<String> SECRETS =
      Set.of("PASSWORD", "SECRET", "TOKEN", "SPRING_", "RINGMASTER_");

  ChildProgram {
    command = List.copyOf(command);
  }

  /**
   * This product.
   *
   * @param atOnce how many children there may be at a time; they share as much heap as this process
   *     may have, unless {@link #HEAP} says what each gets
   */
  static ChildProgram ofThisProduct(int atOnce) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(JavaOptions.NEEDED);
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (PASSED.stream().anyMatch(option::startsWith)) {
        words.add(option);
      }
    }
    words.add("-Xmx" + heapBytes(atOnce));
    words.add("-XX:ErrorFile=/dev/null");
    words.add("-XX:-CreateCoredumpOnCrash");
    words.add("-cp");
    words.add(System.getProperty("java.class.path"));
    words.addAll(entryPoint());
    return new ChildProgram(words);
  }

  /** A jar with jars in it is opened by its own loader only. */
  private static List<String> entryPoint() {
    String place = ChildMain.class.getProtectionDomain().getCodeSource().getLocation().toString();
    return place.startsWith("jar:nested:")
        ? List.of(
            "-Dloader.main=" + ChildMain.class.getName(),
            "org.springframework.boot.loader.launch.PropertiesLauncher")
        : List.of(ChildMain.class.getName());
  }

  /**
   * Bytes of heap for one child.
   *
   * @throws IllegalArgumentException when the setting is no size
   */
  static long heapBytes(int atOnce) {
    String asked = System.getProperty(HEAP, "");
    if (asked.isEmpty()) {
      return Math.max(LEAST_HEAP, Runtime.getRuntime().maxMemory() / atOnce);
    }
    Matcher parts = Pattern.compile("(\\d{1,9})([kmg]?)").matcher(asked.toLowerCase(Locale.ROOT));
    if (parts.matches()) {
      int shift = 10 * ("kmg".indexOf(parts.group(2)) + 1);
      long bytes = Long.parseLong(parts.group(1)) << (parts.group(2).isEmpty() ? 0 : shift);
      if (bytes >= LEAST_HEAP) {
        return bytes;
      }
    }
    throw new IllegalArgumentException(
        "-D" + HEAP + "=" + asked + ": write a size of 256m or more, such as 2g");
  }

  /**
   * Starts it.
   *
   * @param mark what its variable {@link #MARK} holds
   * @throws IOException when that can't be done
   */
  Process start(String mark) throws IOException {
    var builder = new ProcessBuilder(command);
    builder
        .environment()
        .keySet()
        .removeIf(
            name ->
                SECRETS.stream().anyMatch(part -> name.toUpperCase(Locale.ROOT).contains(part)));
    builder.environment().put(MARK, mark);
    return builder.start();
  }
}
