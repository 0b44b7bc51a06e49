package io.ringmaster.service.cli;

import io.ringmaster.worker.job.Bundle;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunControl;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ringmaster run}: one script, here and now, in this process. */
@Command(
    name = "run",
    description = "Runs a kernel script and reports whether it is right.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:PASSED",
      "1:any other verdict",
      "2:bad usage or REJECTED",
      "3:infrastructure, not the kernel"
    })
final class RunCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ScriptOptions script = new ScriptOptions();
  @Mixin private ConditionOptions conditions = new ConditionOptions();
  @Mixin private ExplorationOptions exploration = new ExplorationOptions();
  @Mixin private ReportOptions report = new ReportOptions();

  @Option(
      names = "--bundle",
      paramLabel = "FILE",
      description = "also write all that ringmaster replay needs to repeat the run exactly")
  private @Nullable Path bundle;

  @Override
  public Integer call() throws IOException {
    JobSpec asked = script.toSpec().under(conditions.conditions());
    JobSpec job = asked.exploring(exploration.exploration(asked.seed()));
    report.requireWritable();
    if (bundle != null) {
      report.requireWritable("--bundle", bundle);
    }
    PrintWriter out = Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
    RunControl control = report.isJson() ? RunControl.none() : new Live(out);
    JobReport made = new JobRunner().run(job, control);
    if (bundle != null) {
      Files.writeString(bundle, Bundle.of(job, made).json());
    }
    return report.show(made, script.file().toString(), out);
  }

  /** Passes on what the script prints, as it prints it. */
  private record Live(PrintWriter out) implements RunControl {
    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void log(int runIndex, String text) {
      out.print(text);
      out.flush();
    }
  }
}
