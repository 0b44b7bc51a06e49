package io.ringmaster.service.cli;

import io.ringmaster.service.ServiceApplication;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ringmaster serve}: the job service with its own database and workers, in this process. */
@Command(
    name = "serve",
    description = {
      "Starts the job service on loopback.",
      "RINGMASTER_DATA names its data folder, SERVER_PORT its port (8080);",
      "every other setting is given as Spring takes it, e.g. -- --ringmaster.workers.embedded=4"
    },
    mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "SETTING", arity = "0..*", description = "after --: --name=value")
  private List<String> settings = List.of();

  @Override
  public Integer call() throws InterruptedException {
    var stopped = new CountDownLatch(1);
    var context = ServiceApplication.run(settings.toArray(String[]::new));
    context.addApplicationListener(
        (ApplicationListener<ContextClosedEvent>) event -> stopped.countDown());
    PrintWriter out = Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
    if (context instanceof WebServerApplicationContext web && web.getWebServer() != null) {
      out.println("Ringmaster listens on http://localhost:" + web.getWebServer().getPort());
      out.flush();
    }
    stopped.await();
    return ExitCodes.PASSED;
  }
}
