package io.ringmaster.service.cli;

import io.ringmaster.api.client.model.State;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ringmaster get}: a job as it is now. */
@Command(
    description = "Shows a job: its report once it is finished, else where it is.",
    mixinStandardHelpOptions = true)
final class GetCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ClientOptions service = new ClientOptions();

  @Option(names = "--json", description = "print the job as the service has it, as JSON")
  private boolean json;

  @Parameters(paramLabel = "JOB", description = "the job's id")
  private String id = "";

  @Override
  public Integer call() throws IOException {
    var out = Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
    var client = service.client();
    var job = client.job(id).job();
    if (json) {
      out.println(ServiceClient.json(job));
    } else if (job.getState() == State.FINISHED) {
      new ReportOptions().show(client, id, job.getScript().getName(), out);
    } else {
      out.println(JobProgress.line(job));
    }
    out.flush();
    return ExitCodes.PASSED;
  }
}
