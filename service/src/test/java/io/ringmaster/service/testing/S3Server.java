package io.ringmaster.service.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A server that speaks S3, in a process of its own, with its objects in a folder. It knows one key,
 * and checks signatures and digests. It can go away and come back at the same address.
 */
public final class S3Server implements AutoCloseable {

  /** The name of the key that it knows, and the key. */
  public static final String ACCESS = "ringmaster-tests";

  public static final String SECRET = "planted-secret-of-the-bucket";

  /** Where the build puts it. */
  private static final Path JAR = Path.of("target", "s3", "s3proxy.jar").toAbsolutePath();

  private final Path folder;
  private final String address;
  private final List<String> settings = new ArrayList<>();
  private Process process;

  private S3Server(Path folder, String scheme, List<String> more) throws IOException {
    this.folder = folder;
    try (var socket = new ServerSocket(0)) {
      this.address = scheme + "://localhost:" + socket.getLocalPort();
    }
    Files.createDirectories(folder.resolve("objects"));
    settings.add("s3proxy.authorization=aws-v2-or-v4");
    settings.add("s3proxy.identity=" + ACCESS);
    settings.add("s3proxy.credential=" + SECRET);
    settings.add("jclouds.provider=filesystem");
    settings.add("jclouds.filesystem.basedir=" + folder.resolve("objects"));
    settings.add(
        (scheme.equals("https") ? "s3proxy.secure-endpoint=" : "s3proxy.endpoint=") + address);
    settings.addAll(more);
    process = begin();
  }

  public static S3Server start(Path folder) {
    try {
      return new S3Server(folder, "http", List.of());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One that speaks TLS only. */
  public static S3Server start(Path folder, TestCertificate certificate) {
    try {
      return new S3Server(
          folder,
          "https",
          List.of(
              "s3proxy.keystore-path=" + certificate.keyStore(),
              "s3proxy.keystore-password=" + TestCertificate.PASSWORD));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Process begin() throws IOException {
    var file = Files.write(folder.resolve("s3proxy.conf"), settings);
    var log = folder.resolve("s3proxy.log");
    var begun =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                JAR.toString(),
                "--properties",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    Awaiting.until("the S3 server listens: " + log, () -> isListening() || !begun.isAlive());
    if (!begun.isAlive()) {
      throw new IOException("The S3 server does not start: " + Files.readString(log));
    }
    return begun;
  }

  private boolean isListening() {
    try (var socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(
              "localhost", Integer.parseInt(address.substring(address.lastIndexOf(':') + 1))));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  public String address() {
    return address;
  }

  /** Goes away at once. */
  public void stop() {
    process.destroyForcibly().onExit().join();
  }

  /** Comes back, with the objects that it had. */
  public void startAgain() {
    try {
      process = begin();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void makeBucket(String name) {
    try {
      Files.createDirectories(folder.resolve("objects").resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The objects of a bucket, as files. */
  public List<Path> objects(String bucket) {
    try (Stream<Path> all = Files.walk(folder.resolve("objects").resolve(bucket))) {
      return all.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a service needs to be told to use a bucket of this server, with the key in two files. */
  public String[] settings(String bucket) {
    try {
      var s3 = "--ringmaster.artifacts.s3.";
      return new String[] {
        s3 + "bucket=" + bucket,
        s3 + "endpoint=" + address,
        s3 + "timeout=5s",
        s3 + "access-key-file=" + Files.writeString(folder.resolve("access"), ACCESS + "\n"),
        s3 + "secret-key-file=" + Files.writeString(secretFile(), SECRET + "\n")
      };
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The file that {@link #settings} names for the key. */
  public Path secretFile() {
    return folder.resolve("secret");
  }

  @Override
  public void close() {
    stop();
  }
}
