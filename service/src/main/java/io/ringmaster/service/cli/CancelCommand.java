package io.ringmaster.service.cli;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ringmaster cancel}: ends a job. */
@Command(
    description = "Cancels a job; one that is finished keeps its verdict.",
    mixinStandardHelpOptions = true)
final class CancelCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ClientOptions service = new ClientOptions();

  @Parameters(paramLabel = "JOB", description = "the job's id")
  private String id = "";

  @Override
  public Integer call() {
    var out = Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
    var job = service.client().cancel(id);
    var verdict = job.getVerdict();
    out.println(id + "  " + (verdict == null ? "is being cancelled" : verdict.getValue()));
    out.flush();
    return ExitCodes.PASSED;
  }
}
