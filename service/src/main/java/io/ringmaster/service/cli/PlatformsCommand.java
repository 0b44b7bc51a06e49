package io.ringmaster.service.cli;

import io.ringmaster.worker.isolated.ChildRunner;
import io.ringmaster.worker.job.Accelerators;
import io.ringmaster.worker.job.JobRunner;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ringmaster platforms}: what this host can run kernels on, and what it lacks. */
@Command(
    description = "Shows the platforms of this host, and its accelerators.",
    mixinStandardHelpOptions = true)
final class PlatformsCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() {
    PrintWriter out = Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
    JobRunner runner = ChildRunner.jobs(Optional.empty(), 1);
    Accelerators accelerators = runner.accelerators();
    runner.platforms().forEach(out::println);
    for (int index = 0; index < accelerators.devices().size(); index++) {
      out.println("  device " + index + ": " + accelerators.devices().get(index));
    }
    if (!accelerators.available()) {
      out.println("opencl isn't available: " + accelerators.reason());
      out.println("  " + accelerators.fix());
    }
    out.flush();
    return ExitCodes.PASSED;
  }
}
