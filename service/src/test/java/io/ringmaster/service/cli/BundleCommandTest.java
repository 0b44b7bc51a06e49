package io.ringmaster.service.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.util.FileSystemUtils;

/** What is carried to a machine without Java is small, and works there. */
@TestInstance(Lifecycle.PER_CLASS)
class BundleCommandTest {

  private static final long MOST_BYTES = 60L << 20;
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  private Path folder = Path.of("");
  private Path jar = Path.of("");
  private Path packed = Path.of("");

  private record Ended(int code, String out) {}

  private static Ended run(Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    var process = builder.start();
    process.getOutputStream().close();
    var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    return new Ended(process.exitValue(), out);
  }

  /** The program as a build leaves it: a jar that names those beside it. */
  @BeforeAll
  void bundle() throws IOException, InterruptedException {
    folder = Files.createTempDirectory("bundle");
    var lib = Files.createDirectory(folder.resolve("lib"));
    var names = new ArrayList<String>();
    List<Path> own = new ArrayList<>();
    for (var part : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      var path = Path.of(part).toAbsolutePath();
      if (Files.isDirectory(path)) {
        own.add(path);
      } else if (Files.exists(path)) {
        var name = names.size() + "-" + path.getFileName();
        Files.createSymbolicLink(lib.resolve(name), path);
        names.add("lib/" + name);
      }
    }
    jar = folder.resolve("ringmaster.jar");
    // What comes first on a class path counts, and so is packed last.
    for (var path : own.reversed()) {
      pack(jar, "Class-Path: " + String.join(" ", names), path);
    }
    packed = folder.resolve("carried.tar.gz");
    var made = make(packed.toString());
    assertThat(made.code()).as(made.out()).isZero();
    assertThat(made.out()).contains("carried.tar.gz: ", " MiB, ", "Java modules java.base");
    var unpacked =
        run(
            Map.of("PATH", "/usr/bin:/bin"),
            "tar",
            "-xzf",
            packed.toString(),
            "-C",
            folder.toString());
    assertThat(unpacked.code()).as(unpacked.out()).isZero();
  }

  private Ended make(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(JAVA.toString(), "-cp", jar.toString(), Main.class.getName(), "bundle"));
    command.addAll(List.of(arguments));
    return run(Map.of("PATH", "/usr/bin:/bin"), command.toArray(String[]::new));
  }

  private static void pack(Path to, String header, Path from) throws IOException {
    var manifest = Files.createTempFile("manifest", ".mf");
    var lines = new StringBuilder();
    // Lines of a manifest have 72 bytes, and go on behind a space.
    for (int at = 0; at < header.length(); at += 60) {
      lines.append(at == 0 ? "" : " ").append(header, at, Math.min(at + 60, header.length()));
      lines.append('\n');
    }
    Files.writeString(manifest, lines);
    var said = new StringWriter();
    int code =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(
                new PrintWriter(said),
                new PrintWriter(said),
                Files.exists(to) ? "--update" : "--create",
                "--file",
                to.toString(),
                "--manifest",
                manifest.toString(),
                "-C",
                from.toString(),
                ".");
    Files.delete(manifest);
    assertThat(code).as(said.toString()).isZero();
  }

  @AfterAll
  void clean() throws IOException {
    FileSystemUtils.deleteRecursively(folder);
  }

  /** With nothing in the environment: no PATH on which a Java could be, no JAVA_HOME. */
  private Ended carried(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(folder + "/ringmaster/ringmaster"));
    command.addAll(List.of(arguments));
    return run(Map.of(), command.toArray(String[]::new));
  }

  @Test
  void itIsSmallEnoughToCarry() throws IOException {
    assertThat(Files.size(packed)).isBetween(10L << 20, MOST_BYTES);
  }

  @Test
  void aKernelRunsOnTheAccelerator() throws IOException, InterruptedException {
    var script = "../examples/ladder/16_putting_it_together.py";
    var ended = carried("run", script, "-p", "a2a3sim", "-p", "opencl", "-d", "0,1,2,3");
    assertThat(ended.code()).as(ended.out()).isZero();
    assertThat(ended.out()).contains("PASSED  all 2 runs passed", "SAME");
    // A red one needs other classes: findings, and their words.
    var wrong = "../examples/wrong/gather_without_barrier.py";
    var red = carried("run", wrong, "-p", "opencl", "-d", "0,1,2", "--json");
    assertThat(red.code()).as(red.out()).isEqualTo(ExitCodes.NOT_PASSED);
    assertThat(red.out()).contains("\"verdict\" : \"RACE\"");
  }

  @Test
  void theDeviceIsChecked() throws IOException, InterruptedException {
    var ended = carried("device-check", "-p", "opencl", "--quick");
    assertThat(ended.code()).as(ended.out()).isZero();
    assertThat(ended.out()).contains("6 of 6 kernels").containsPattern("\ngood, in ");
  }

  /** Each command's classes are there, and no others are offered. */
  @Test
  void whatIsOfferedIsThere() throws IOException, InterruptedException {
    for (var command : BundleCommand.COMMANDS) {
      var ended = carried(command, "--help");
      assertThat(ended.code()).as(ended.out()).isZero();
      assertThat(ended.out()).contains("Usage: ringmaster " + command);
    }
    var none = carried("serve");
    assertThat(none.code()).isEqualTo(ExitCodes.USAGE_OR_REJECTED);
    assertThat(none.out()).contains("serve").contains("device-check").doesNotContain("NoClass");
  }

  @Test
  void nothingIsOverwrittenUnasked() throws IOException, InterruptedException {
    var there = make(packed.toString());
    assertThat(there.code()).isEqualTo(ExitCodes.USAGE_OR_REJECTED);
    assertThat(there.out()).contains("is there already");
    var nowhere = make(folder + "/no/such/folder");
    assertThat(nowhere.code()).isEqualTo(ExitCodes.USAGE_OR_REJECTED);
    assertThat(nowhere.out()).contains("its folder isn't there");
  }

  /** Classes in folders aren't what a build leaves. */
  @Test
  void withoutAJarThereIsNothingToBundle() {
    var outcome = CommandCall.of("bundle", folder.resolve("other").toString());
    assertThat(outcome.exitCode()).isEqualTo(ExitCodes.USAGE_OR_REJECTED);
    assertThat(outcome.err()).contains("only a built Ringmaster can be bundled");
  }
}
