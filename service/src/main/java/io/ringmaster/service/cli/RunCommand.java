package io.ringmaster.service.cli;

import io.ringmaster.worker.isolated.ChildRunner;
import io.ringmaster.worker.job.Bundle;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.job.SideBySide;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ringmaster run}: one script, here and now. */
@Command(
    description = "Runs a kernel script and reports whether it is right.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:PASSED; compiled, where -- --compile-only asks for no more",
      "1:any other verdict",
      "2:bad usage or REJECTED",
      "3:infrastructure, not the kernel"
    })
final class RunCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ScriptOptions script = new ScriptOptions();
  @Mixin private ConditionOptions conditions = new ConditionOptions();
  @Mixin private ExplorationOptions exploration = new ExplorationOptions();
  @Mixin private CardOptions cards = new CardOptions();
  @Mixin private ReportOptions report = new ReportOptions();

  @Option(
      names = "--bundle",
      paramLabel = "FILE",
      description = "also write all that ringmaster replay needs to repeat the run exactly")
  private @Nullable Path bundle;

  @Option(
      names = "--timeline",
      paramLabel = "FILE",
      description = "also write what each rank did when, as a Chrome trace for Perfetto")
  private @Nullable Path timeline;

  @Override
  public Integer call() throws IOException {
    List<String> platforms = script.platforms();
    JobSpec plain = script.onFirst();
    JobSpec asked = plain.under(conditions.conditions(plain.fewestRanks()));
    JobSpec job = asked.exploring(exploration.exploration(asked.seed()));
    report.requireWritable();
    if (bundle != null) {
      report.requireWritable("--bundle", bundle);
    }
    CommandLine line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    if (platforms.size() > 1 && (bundle != null || timeline != null)) {
      throw new ParameterException(line, "--bundle and --timeline hold one platform; give -p once");
    }
    if (timeline != null) {
      report.requireWritable("--timeline", timeline);
      if (job.devices().size() > 1) {
        throw new ParameterException(line, "--timeline: it holds one run; give -d once");
      }
    }
    PrintWriter out = line.getOut();
    var control = new Live(out, report.isJson(), timeline != null);
    var runner = ChildRunner.jobs(cards.runner(), 1);
    JobReport made =
        platforms.size() == 1
            ? runner.run(job, control)
            : new SideBySide(runner).run(job, platforms, control);
    if (timeline != null) {
      writeTimeline(line, timeline, control.timeline);
    }
    if (bundle != null) {
      Files.writeString(bundle, Bundle.of(job, made).json());
    }
    return report.show(made, script.file().toString(), out);
  }

  private static void writeTimeline(CommandLine line, Path file, String json) throws IOException {
    if (json.isEmpty()) {
      line.getErr().println("--timeline: no kernel ran, so " + file + " isn't written");
      line.getErr().flush();
    } else {
      Files.writeString(file, json);
    }
  }

  /** Passes on what the script prints, as it prints it, and keeps the timeline. */
  private static final class Live implements RunControl {

    private static final int MOST_EVENTS = 2_000_000;

    private final PrintWriter out;
    private final boolean quiet;
    private final boolean recorded;
    private String timeline = "";

    Live(PrintWriter out, boolean quiet, boolean recorded) {
      this.out = out;
      this.quiet = quiet;
      this.recorded = recorded;
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void log(int runIndex, String text) {
      if (!quiet) {
        out.print(text);
        out.flush();
      }
    }

    @Override
    public long mostOutputBytes() {
      return 0;
    }

    @Override
    public int timelineEvents() {
      return recorded ? MOST_EVENTS : 0;
    }

    @Override
    public void timeline(int runIndex, String json) {
      timeline = json;
    }
  }
}
