package io.ringmaster.service.testing;

import io.ringmaster.service.ServiceApplication;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/** A service in a process of its own, which can be killed. */
public final class ServiceProcess implements AutoCloseable {

  private static final String READY = "listening on ";

  private final Process process;
  private final int port;
  private final String said;

  private ServiceProcess(Process process, int port, String said) {
    this.process = process;
    this.port = port;
    this.said = said;
  }

  /** The process: starts the service and says on which port. */
  public static void main(String[] args) {
    var context = ServiceApplication.application(ScriptedRunner.class).run(args);
    System.out.println(READY + context.getEnvironment().getRequiredProperty("local.server.port"));
  }

  public static ServiceProcess start(Path folder, int workers) {
    return start(folder, workers, Map.of());
  }

  /** The same with further settings, as environment variables. */
  public static ServiceProcess start(Path folder, int workers, Map<String, String> environment) {
    try {
      var builder =
          new ProcessBuilder(
                  ProcessHandle.current().info().command().orElseThrow(),
                  "-XX:TieredStopAtLevel=1",
                  "--enable-native-access=ALL-UNNAMED", // as the launcher does
                  "-cp",
                  System.getProperty("java.class.path"),
                  ServiceProcess.class.getName(),
                  "--server.port=0",
                  "--ringmaster.data=" + folder,
                  "--ringmaster.workers.embedded=" + workers)
              .redirectErrorStream(true);
      builder.environment().putAll(environment);
      var process = builder.start();
      return started(process);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ServiceProcess started(Process process) throws IOException {
    var lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    var output = new StringBuilder();
    String line;
    while ((line = lines.readLine()) != null) {
      if (line.startsWith(READY)) {
        int port = Integer.parseInt(line.substring(READY.length()));
        return new ServiceProcess(process, port, output.toString());
      }
      output.append(line).append('\n');
    }
    throw new IOException("The service did not start: " + output);
  }

  /** What it had printed when it was ready. */
  public String said() {
    return said;
  }

  public Api api() {
    return new Api("http://127.0.0.1:" + port);
  }

  /** SIGKILL: nothing is put away. */
  public void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
