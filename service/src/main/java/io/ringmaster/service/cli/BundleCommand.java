package io.ringmaster.service.cli;

import io.ringmaster.worker.process.JavaOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code ringmaster bundle}: what runs kernels and checks devices, with a Java runtime of its own,
 * small enough to be carried to a machine that has neither.
 */
@Command(
    description = {
      "Writes a folder, or a .tar.gz of one, that runs kernels and checks devices on a machine",
      "without Java. On it: ringmaster/ringmaster device-check -p opencl"
    },
    mixinStandardHelpOptions = true)
final class BundleCommand implements Callable<Integer> {

  /** What works in a bundle; the rest needs a service, or is one. */
  static final List<String> COMMANDS =
      List.of(
          "run",
          "replay",
          "compile",
          "ir-diff",
          "estimate",
          "bench",
          "device-check",
          "calibrate",
          "platforms");

  /** Parts of the service, and of the desktop. Libraries name some in case that they are there. */
  private static final List<String> LEFT_OUT =
      List.of(
          "java/awt/",
          "java/beans/",
          "javax/swing/",
          "org/springframework/",
          "org/apache/",
          "org/h2/",
          "org/postgresql/",
          "com/zaxxer/",
          "io/micrometer/",
          "jakarta/");

  private static final String NAME = "ringmaster";

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "DIR|FILE",
      description = "a folder that isn't there yet, or a file ending in .tar.gz")
  private Path target = Path.of("");

  @Option(names = "--force", description = "replace what is there")
  private boolean force;

  @Override
  public Integer call() throws IOException, InterruptedException {
    CommandLine line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    boolean packed = target.toString().endsWith(".tar.gz");
    if (Files.exists(target) && !force) {
      throw new ParameterException(
          line, target + " is there already; name another place, or give --force");
    }
    Path parent = target.toAbsolutePath().getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      throw new ParameterException(line, target + ": its folder isn't there; make it first");
    }
    Path work = Files.createTempDirectory(parent, ".bundle");
    try {
      Path folder = Files.createDirectory(work.resolve(NAME));
      BundleContents contents = write(line, folder);
      Path made = folder;
      if (packed) {
        made = work.resolve(NAME + ".tar.gz");
        run(line, "tar", "-czf", made.toString(), "-C", work.toString(), NAME);
      }
      long bytes = size(made);
      if (Files.exists(target)) {
        delete(target);
      }
      Files.move(made, target);
      PrintWriter out = line.getOut();
      out.printf(
          "%s: %.1f MiB, %d jars, Java modules %s%n",
          target, bytes / 1048576.0, contents.jars().size(), String.join(" ", contents.modules()));
      out.flush();
      return ExitCodes.PASSED;
    } finally {
      delete(work);
    }
  }

  private static BundleContents write(CommandLine line, Path folder) throws IOException {
    List<Path> classPath = classPath(line);
    BundleContents contents = BundleContents.of(classPath, roots(), excluded());
    // Names of the class path that the main jar's manifest gives stay as they are.
    Path main = classPath.getFirst();
    Path home = Objects.requireNonNull(main.getParent(), "a jar lies in a folder");
    for (Path jar : contents.jars()) {
      Path to = folder.resolve(jar.startsWith(home) ? home.relativize(jar) : jar.getFileName());
      Files.createDirectories(Objects.requireNonNull(to.getParent(), "inside the folder"));
      Files.copy(jar, to, StandardCopyOption.COPY_ATTRIBUTES);
    }
    jlink(line, contents.modules(), folder.resolve("runtime"));
    Path launcher = folder.resolve(NAME);
    Files.writeString(launcher, launcher(String.valueOf(main.getFileName())));
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    return contents;
  }

  private static String launcher(String jar) {
    return """
    #!/bin/sh
    # Runs Ringmaster with the Java runtime beside this file.
    self=$0
    while [ -L "$self" ]; do
      link=$(readlink "$self")
      case $link in
      /*) self=$link ;;
      *) self=$(dirname "$self")/$link ;;
      esac
    done
    here=$(CDPATH= cd -- "$(dirname "$self")" && pwd -P) || exit 3
    # PoCL links what it compiles, and ends the process if it finds no linker.
    export PATH="${PATH:-/usr/local/bin:/usr/bin:/bin}"
    exec "$here/runtime/bin/java" @NEEDED@ -XX:+UseParallelGC \\
      -Xlog:disable -Xlog:all=error:stderr -D@OFFERED@=@COMMANDS@ ${RINGMASTER_JAVA_OPTS-} \\
      -cp "$here/@JAR@" @MAIN@ "$@"
    """
        .replace("@NEEDED@", String.join(" ", JavaOptions.NEEDED))
        .replace("@OFFERED@", Main.OFFERED)
        .replace("@COMMANDS@", String.join(",", COMMANDS))
        .replace("@JAR@", jar)
        .replace("@MAIN@", Main.class.getName());
  }

  /** The jar that this process runs from, and those that its manifest names. */
  private static List<Path> classPath(CommandLine line) throws IOException {
    Path main = Path.of(System.getProperty("java.class.path")).toAbsolutePath();
    if (!main.toString().endsWith(".jar") || !Files.isRegularFile(main)) {
      throw new ParameterException(
          line, "only a built Ringmaster can be bundled: call it as ./ringmaster bundle");
    }
    Set<Path> all = new LinkedHashSet<>(List.of(main));
    try (var jar = new JarFile(main.toFile())) {
      String named =
          Objects.requireNonNullElse(
              jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH), "");
      for (String one : named.split(" ", -1)) {
        Path path = main.resolveSibling(one);
        if (!one.isEmpty() && Files.isRegularFile(path)) {
          all.add(path);
        }
      }
    }
    return List.copyOf(all);
  }

  private static List<String> roots() {
    List<String> roots = new ArrayList<>(List.of(path(Main.class)));
    COMMANDS.forEach(name -> roots.add(path(Main.command(name))));
    return roots;
  }

  private static Set<String> excluded() {
    return Stream.concat(
            LEFT_OUT.stream(),
            Main.names().stream()
                .filter(name -> !COMMANDS.contains(name))
                .map(name -> path(Main.command(name))))
        .collect(Collectors.toSet());
  }

  private static String path(Class<?> type) {
    return type.getName().replace('.', '/');
  }

  private static void jlink(CommandLine line, Set<String> modules, Path to) {
    ToolProvider jlink =
        ToolProvider.findFirst("jlink")
            .orElseThrow(
                () ->
                    new ParameterException(
                        line, "this Java has no jlink; set JAVA_HOME to a JDK 25"));
    var said = new StringWriter();
    var text = new PrintWriter(said);
    int code =
        jlink.run(
            text,
            text,
            "--add-modules",
            String.join(",", modules),
            "--strip-debug",
            "--no-man-pages",
            "--no-header-files",
            "--compress=zip-9",
            "--output",
            to.toString());
    if (code != 0) {
      throw new IllegalStateException("jlink failed: " + said.toString().strip());
    }
  }

  private static void run(CommandLine line, String... command)
      throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(command).inheritIO().start();
    } catch (IOException e) {
      throw new ParameterException(
          line, command[0] + " can't be started; name a folder instead", e, null, command[0]);
    }
    if (process.waitFor() != 0) {
      throw new IOException(command[0] + " ended with exit code " + process.exitValue());
    }
  }

  private static long size(Path made) throws IOException {
    try (var files = Files.walk(made)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private static void delete(Path what) {
    if (!Files.exists(what)) {
      return;
    }
    try (var files = Files.walk(what)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
