package io.ringmaster.service.cli;

import io.ringmaster.worker.job.JUnitXml;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.ReportJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How to show a report: shared by every command that ends with a verdict. */
final class ReportOptions {

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  @Option(names = "--json", description = "print the full report as JSON instead")
  private boolean json;

  @Option(names = "--junit", paramLabel = "FILE", description = "also write JUnit XML")
  private @Nullable Path junit;

  /** Whether nothing but the report may be printed. */
  boolean isJson() {
    return json;
  }

  /** Whether more is wanted than what is printed anyway. */
  boolean areGiven() {
    return json || junit != null;
  }

  /** A report that can't be written is said before the run, not after it. */
  void requireWritable() {
    if (junit != null) {
      requireWritable("--junit", junit);
    }
  }

  /** The same for another file that an option names. */
  void requireWritable(String option, Path file) {
    Path parent = file.toAbsolutePath().getParent();
    if (parent == null || !Files.isDirectory(parent) || Files.isDirectory(file)) {
      throw new ParameterException(
          Objects.requireNonNull(spec, "set by picocli").commandLine(),
          option + ": can't write " + file + ": name a file in an existing folder");
    }
  }

  /**
   * Shows a report, below what the script printed.
   *
   * @param file how the script is called in messages
   * @return what the shell is told
   */
  int show(JobReport report, String file, PrintWriter out) throws IOException {
    if (json) {
      out.println(ReportJson.write(report));
    } else {
      boolean printed = report.runs().stream().anyMatch(run -> !run.log().isEmpty());
      out.print(printed ? "\n" : "");
      out.print(ReportPrinter.print(file, report));
    }
    out.flush();
    if (junit != null) {
      Files.writeString(junit, JUnitXml.write(file, report));
    }
    return ExitCodes.of(report);
  }

  /** The same for a job of a service, of which nothing has been printed yet. */
  int show(ServiceClient client, String id, String file, PrintWriter out) throws IOException {
    JobReport report = client.report(id);
    if (!json) {
      report.runs().forEach(run -> out.print(run.log()));
    }
    return show(report, file, out);
  }
}
