package io.ringmaster.service.cli;

import io.ringmaster.worker.job.JUnitXml;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.ReportJson;
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
import picocli.CommandLine.ParameterException;
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

  @Option(names = "--json", description = "print the full report as JSON instead")
  private boolean json;

  @Option(names = "--junit", paramLabel = "FILE", description = "also write JUnit XML")
  private @Nullable Path junit;

  @Override
  public Integer call() throws IOException {
    JobSpec job = script.toSpec().under(conditions.conditions());
    requireWritable();
    PrintWriter out = Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
    JobReport report = new JobRunner().run(job, json ? RunControl.none() : new Live(out));
    if (json) {
      out.println(ReportJson.write(report));
    } else {
      boolean printed = report.runs().stream().anyMatch(run -> !run.log().isEmpty());
      out.print(printed ? "\n" : "");
      out.print(ReportPrinter.print(script.file().toString(), report));
    }
    out.flush();
    if (junit != null) {
      Files.writeString(junit, JUnitXml.write(script.file().toString(), report));
    }
    return ExitCodes.of(report.verdict());
  }

  /** A report that can't be written is said before the run, not after it. */
  private void requireWritable() {
    if (junit == null) {
      return;
    }
    Path folder = junit.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(junit)) {
      throw new ParameterException(
          Objects.requireNonNull(spec, "set by picocli").commandLine(),
          "--junit: can't write " + junit + ": name a file in an existing folder");
    }
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
