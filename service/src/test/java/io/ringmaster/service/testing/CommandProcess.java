package io.ringmaster.service.testing;

import io.ringmaster.service.cli.Main;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The command line in processes of its own: as a service, and as a program on a shell's path. */
public final class CommandProcess implements AutoCloseable {

  private static final Pattern LISTENS = Pattern.compile("listens on http://localhost:(\\d+)");

  private final Process process;
  private final Path log;

  private CommandProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  private static List<String> java() {
    return List.of(
        ProcessHandle.current().info().command().orElseThrow(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        System.getProperty("java.class.path"),
        Main.class.getName());
  }

  /** {@code ringmaster serve} on a free port with its data in a folder. */
  public static CommandProcess serve(Path folder) {
    var command = new ArrayList<>(java());
    command.add("serve");
    var log = folder.resolve("serve.log");
    var builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("SERVER_PORT", "0");
    builder.environment().put("RINGMASTER_DATA", folder.resolve("data").toString());
    try {
      return new CommandProcess(builder.start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address, once the service answers there. */
  public String url() {
    Awaiting.until("the service listens", () -> LISTENS.matcher(said()).find());
    var match = LISTENS.matcher(said());
    if (!match.find()) {
      throw new IllegalStateException("The service does not say where it listens: " + said());
    }
    return "http://localhost:" + match.group(1);
  }

  private String said() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Puts a program {@code ringmaster} into a folder. */
  public static void install(Path folder) throws IOException {
    var quoted = java().stream().map(word -> "'" + word.replace("'", "'\\''") + "'").toList();
    var program = Files.createDirectories(folder).resolve("ringmaster");
    Files.writeString(program, "#!/bin/sh\nexec " + String.join(" ", quoted) + " \"$@\"\n");
    if (!program.toFile().setExecutable(true)) {
      throw new IOException("cannot make " + program + " executable");
    }
  }

  /** What a shell script said and how it ended. */
  public record Outcome(int exitCode, String output) {}

  /** Runs a script with bash, as a CI server does. */
  public static Outcome bash(String script, Path folder, Map<String, String> environment)
      throws IOException, InterruptedException {
    var builder =
        new ProcessBuilder("bash", "-eo", "pipefail", "-c", script)
            .directory(folder.toFile())
            .redirectErrorStream(true);
    builder.environment().putAll(environment);
    var process = builder.start();
    process.getOutputStream().close();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.waitFor(), output);
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
