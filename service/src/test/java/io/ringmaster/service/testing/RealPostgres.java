package io.ringmaster.service.testing;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A PostgreSQL server of its own, from the machine's installation, in a temporary folder. */
public final class RealPostgres implements AutoCloseable {

  private static final int START_SECONDS = 120;

  private final Path folder;
  private final int port;

  private RealPostgres(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  public static RealPostgres start() {
    try {
      var folder = Files.createTempDirectory("ringmaster-postgres");
      var postgres = new RealPostgres(folder, freePort());
      if (isRoot()) {
        // The server refuses to run as root.
        postgres.call(List.of("chown", "postgres", folder.toString()));
      }
      postgres.asPostgres(tool("initdb"), "-D", postgres.data(), "-U", "postgres", "-A", "trust");
      postgres.begin();
      return postgres;
    } catch (IOException e) {
      throw new IllegalStateException("No PostgreSQL: ./ringmaster verify installs it.", e);
    }
  }

  private void begin() throws IOException {
    asPostgres(
        tool("pg_ctl"),
        "-D",
        data(),
        "-l",
        folder.resolve("log").toString(),
        "-o",
        "-p %d -k %s -c listen_addresses=127.0.0.1 -c fsync=off".formatted(port, folder),
        "-w",
        "start");
  }

  /** Goes away at once, with all of its connections. */
  public void stop() {
    try {
      asPostgres(tool("pg_ctl"), "-D", data(), "-m", "immediate", "stop");
    } catch (IOException e) {
      throw new IllegalStateException("PostgreSQL does not stop.", e);
    }
  }

  /** Comes back at the same address with what it had. */
  public void startAgain() {
    try {
      begin();
    } catch (IOException e) {
      throw new IllegalStateException("PostgreSQL does not come back.", e);
    }
  }

  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
  }

  private String data() {
    return folder.resolve("data").toString();
  }

  @Override
  public void close() {
    try {
      asPostgres(tool("pg_ctl"), "-D", data(), "-m", "immediate", "stop");
      call(List.of("rm", "-rf", folder.toString()));
    } catch (IOException e) {
      throw new IllegalStateException("PostgreSQL does not stop.", e);
    }
  }

  private void asPostgres(String... command) throws IOException {
    var all = new ArrayList<String>();
    if (isRoot()) {
      all.addAll(List.of("runuser", "-u", "postgres", "--"));
    }
    all.addAll(List.of(command));
    call(all);
  }

  private void call(List<String> command) throws IOException {
    var output = Files.createTempFile("ringmaster", ".out");
    try {
      var process =
          new ProcessBuilder(command)
              .directory(Path.of("/").toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException(command + " failed: " + Files.readString(output));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted", e);
    } finally {
      Files.deleteIfExists(output);
    }
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  /** From the path, or where Debian keeps it. */
  private static String tool(String name) throws IOException {
    var places = new ArrayList<Path>();
    for (var place : System.getenv("PATH").split(":", -1)) {
      places.add(Path.of(place));
    }
    var debian = Path.of("/usr/lib/postgresql");
    if (Files.isDirectory(debian)) {
      try (Stream<Path> versions = Files.list(debian)) {
        versions.map(version -> version.resolve("bin")).forEach(places::add);
      }
    }
    return places.stream()
        .map(place -> place.resolve(name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new IOException("There is no " + name + " on this machine."))
        .toString();
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
