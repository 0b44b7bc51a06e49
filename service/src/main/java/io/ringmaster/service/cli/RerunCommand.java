package io.ringmaster.service.cli;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ringmaster rerun}: a job of a service once more, exactly. */
@Command(
    name = "rerun",
    description = "Submits a job of a service once more, with the same seeds and orders.",
    mixinStandardHelpOptions = true)
final class RerunCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ClientOptions service = new ClientOptions();
  @Mixin private ReportOptions report = new ReportOptions();

  @Option(names = "--wait", description = "wait for the verdict; the exit code says it")
  private boolean wait;

  @Parameters(paramLabel = "JOB", description = "the job's id")
  private String id = "";

  @Override
  public Integer call() throws IOException {
    var line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    var client = service.client();
    report.requireWritable();
    if (!wait && report.areGiven()) {
      throw new ParameterException(line, "--json and --junit need --wait: they show the verdict");
    }
    var again = client.rerun(id).getId();
    if (!wait) {
      line.getOut().println(again);
      line.getOut().flush();
      return ExitCodes.PASSED;
    }
    var job = new JobProgress(client, line.getErr()).await(again);
    return report.show(client, again, job.getScript().getName(), line.getOut());
  }
}
