package io.ringmaster.service.cli;

import io.ringmaster.api.client.model.State;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ringmaster logs}: what a job's script prints. */
@Command(
    description = "Prints what a run of a job has printed, from its first byte.",
    mixinStandardHelpOptions = true)
final class LogsCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ClientOptions service = new ClientOptions();

  @Option(
      names = "--run",
      paramLabel = "N",
      defaultValue = "1",
      description = "which run; default 1")
  private int run;

  @Option(names = "--follow", description = "go on until the job is finished")
  private boolean follow;

  @Parameters(paramLabel = "JOB", description = "the job's id")
  private String id = "";

  @Override
  public Integer call() {
    var out = Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
    var client = service.client();
    int printed = 0;
    var version = client.job(id);
    while (true) {
      boolean last = !follow || version.job().getState() == State.FINISHED;
      var log = client.log(id, run);
      out.print(log.substring(printed));
      out.flush();
      printed = log.length();
      if (last) {
        return ExitCodes.PASSED;
      }
      version = client.changed(id, version.tag()).orElse(version);
    }
  }
}
