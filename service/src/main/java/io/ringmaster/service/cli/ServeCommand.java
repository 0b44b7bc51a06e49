package io.ringmaster.service.cli;

import io.ringmaster.service.ServiceApplication;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ringmaster serve}: the job service with its own database and workers, in this process. */
@Command(
    description = {
      "Starts the job service on loopback.",
      "RINGMASTER_DATA names its data folder, SERVER_PORT its port (8080);",
      "every other setting is given as Spring takes it, e.g. -- --ringmaster.workers.embedded=4"
    },
    mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {

  private static final String CARRIERS = "jdk.virtualThreadScheduler.parallelism";
  private static final int LEAST_CARRIERS = 8;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--rehearse",
      paramLabel = "FILE",
      hidden = true,
      description = "do once what a first client does with this script, then end")
  private @Nullable Path rehearsed;

  @Option(names = "--rehearsal-data", paramLabel = "FOLDER", hidden = true)
  private Path rehearsalData = Path.of("rehearsal");

  @Parameters(paramLabel = "SETTING", arity = "0..*", description = "after --: --name=value")
  private List<String> settings = List.of();

  @Override
  public Integer call() throws InterruptedException, IOException {
    var line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    PrintWriter out = line.getOut();
    out.println("Ringmaster starts ...");
    out.flush();
    // Requests compute, too: with one carrier a processor, two long ones would hold up all others.
    System.getProperties()
        .putIfAbsent(
            CARRIERS,
            Integer.toString(Math.max(LEAST_CARRIERS, Runtime.getRuntime().availableProcessors())));
    var stopped = new CountDownLatch(1);
    var all = rehearsed == null ? settings : Rehearsal.settings(rehearsalData);
    ConfigurableApplicationContext context;
    try {
      context = ServiceApplication.run(all.toArray(String[]::new));
    } catch (RuntimeException e) {
      // Spring has logged all of it; the reason goes last, where people look.
      PrintWriter err = line.getErr();
      err.println("Ringmaster can't start: " + rootMessage(e));
      err.flush();
      return ExitCodes.INFRASTRUCTURE;
    }
    context.addApplicationListener(
        (ApplicationListener<ContextClosedEvent>) event -> stopped.countDown());
    if (context instanceof WebServerApplicationContext web && web.getWebServer() != null) {
      int port = web.getWebServer().getPort();
      out.println("Ringmaster listens on " + scheme(context) + "://localhost:" + port);
      out.flush();
      if (rehearsed != null) {
        Rehearsal.run(port, rehearsed);
        context.close();
      }
    }
    stopped.await();
    return ExitCodes.PASSED;
  }

  private static String scheme(ConfigurableApplicationContext context) {
    var ssl = context.getBean(ServerProperties.class).getSsl();
    return ssl != null && ssl.isEnabled() ? "https" : "http";
  }

  private static String rootMessage(Throwable thrown) {
    Throwable root = thrown;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage() == null ? root.toString() : root.getMessage();
  }
}
