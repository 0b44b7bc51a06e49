package io.ringmaster.service.cli;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ringmaster watch}: waits for a job and shows it. */
@Command(
    description = "Waits for a job and shows its report; the exit code says the verdict.",
    mixinStandardHelpOptions = true)
final class WatchCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ClientOptions service = new ClientOptions();
  @Mixin private ReportOptions report = new ReportOptions();

  @Parameters(paramLabel = "JOB", description = "the job's id")
  private String id = "";

  @Override
  public Integer call() throws IOException {
    var line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    var client = service.client();
    report.requireWritable();
    var job = new JobProgress(client, line.getErr()).await(id);
    return report.show(client, id, job.getScript().getName(), line.getOut());
  }
}
