package io.ringmaster.service.cli;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.trial.Algorithm;
import io.ringmaster.worker.trial.Bench;
import io.ringmaster.worker.trial.Trial;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ringmaster bench}: what simulating a collective costs on this machine. */
@Command(
    description = "Measures how fast this machine simulates a collective.",
    mixinStandardHelpOptions = true)
final class BenchCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;
  @Mixin private CollectiveOptions collective = new CollectiveOptions();

  @Option(
      names = "--algorithm",
      paramLabel = "A",
      required = true,
      description = "one of those that estimate lists, such as mesh, ring or dissemination")
  private String algorithm = "";

  @Option(names = "--timing-only", description = "let time pass, without values")
  private boolean timingOnly;

  @Option(
      names = "--watch",
      paramLabel = "WHAT",
      defaultValue = "NOTHING",
      description = "NOTHING (default), BYTES between ranks, or all the CHECKS of a job")
  private Bench.Watch watch = Bench.Watch.NOTHING;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "11",
      description = "how many runs; default ${DEFAULT-VALUE}")
  private int runs;

  @Option(
      names = "--warm-ups",
      paramLabel = "N",
      defaultValue = "3",
      description = "how many runs before those; default ${DEFAULT-VALUE}")
  private int warmUps;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "60",
      description = "begin no further run after that; default ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--json", description = "print one JSON object instead")
  private boolean json;

  /** What {@code --json} prints. */
  private record Report(
      String collective,
      String algorithm,
      String platform,
      int ranks,
      long bytes,
      boolean timingOnly,
      Bench.Watch watch,
      int processors,
      Bench.Result result,
      double eventsPerSecond) {}

  @Override
  public Integer call() {
    if (runs < 1 || runs > 100_000 || warmUps < 0 || seconds < 1) {
      throw collective.usage("--runs lies in 1..100000, --warm-ups from 0, --seconds from 1 on");
    }
    Algorithm chosen = collective.algorithm(algorithm);
    Trial trial;
    try {
      trial = new Trial(chosen, collective.ranks(), collective.bytes(), profile(), !timingOnly);
    } catch (DiagnosticException e) {
      throw collective.usage(e.diagnostics().getFirst().message());
    }
    Bench.Result result = measured(chosen, trial);
    PrintWriter out = Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
    if (json) {
      out.println(
          ReportJson.print(
              new Report(
                  collective.collective(),
                  chosen.title(),
                  profile().platform(),
                  trial.ranks(),
                  trial.bytes(),
                  timingOnly,
                  watch,
                  Runtime.getRuntime().availableProcessors(),
                  result,
                  result.eventsPerSecond())));
    } else {
      print(out, chosen, trial, result);
    }
    out.flush();
    return result.right() ? 0 : 1;
  }

  /** A driver isn't loaded into this process. */
  private Bench.Result measured(Algorithm chosen, Trial trial) {
    Duration budget = Duration.ofSeconds(seconds);
    if (profile().isSimulated()) {
      return Bench.measure(trial, watch, warmUps, runs, budget);
    }
    return collective
        .children()
        .bench(chosen, trial.ranks(), trial.bytes(), watch, warmUps, runs, budget);
  }

  /** Where only time passes, there has to be a virtual clock. */
  private HardwareProfile profile() {
    return timingOnly ? collective.profile() : collective.measuredProfile();
  }

  private void print(PrintWriter out, Algorithm chosen, Trial trial, Bench.Result result) {
    out.print(
        "%s %s, %d ranks, %s a rank, %s, watching %s%n"
            .formatted(
                chosen.collective(),
                chosen.title(),
                trial.ranks(),
                Units.bytes(trial.bytes()),
                timingOnly ? "timing only" : "with values",
                watch.name().toLowerCase(java.util.Locale.ROOT)));
    boolean virtual = profile().isSimulated();
    out.print(
        "  median %s of %d runs (%s to %s), processor time %s%s%n"
            .formatted(
                Units.nanos(result.medianNanos()),
                result.runs(),
                Units.nanos(result.bestNanos()),
                Units.nanos(result.worstNanos()),
                Units.nanos(result.cpuNanos()),
                virtual ? ", virtual " + Units.nanos(result.virtualNanos()) : ""));
    out.print(
        "  %d events, %.2f million a second; %d instructions%n"
            .formatted(result.events(), result.eventsPerSecond() / 1e6, result.instructions()));
    if (!result.right()) {
      out.print("  the result is WRONG: please report this\n");
    }
  }
}
