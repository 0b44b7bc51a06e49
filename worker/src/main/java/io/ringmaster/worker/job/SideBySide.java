package io.ringmaster.worker.job;

import io.ringmaster.worker.golden.TensorComparison;
import io.ringmaster.worker.job.VerdictRules.Decision;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.NpyReader;
import io.ringmaster.worker.tensor.NpyWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Runs a job on several platforms and holds what each left against what the first one left: a
 * simulator is believed only when real silicon agrees. Floating-point outputs agree when they are
 * close (see {@link #TOLERANCES}), all others when their bytes are the same.
 */
public final class SideBySide {

  /** What kind of check this is, in the report. */
  public static final String KIND = "platforms";

  /** Outputs beyond this many bytes a run aren't kept, so the run isn't verified. */
  private static final long MOST_BYTES = 512L << 20;

  /** By how much the same sum may differ between platforms, relative and absolute. */
  private static final Map<DType, Double> TOLERANCES =
      Map.of(DType.FP32, 1e-5, DType.FP16, 2e-3, DType.BF16, 1.6e-2);

  private final JobRunner runner;
  private final long mostBytes;

  public SideBySide(JobRunner runner) {
    this(runner, MOST_BYTES);
  }

  /**
   * The same with another limit.
   *
   * @param mostBytes of outputs that are kept of a run
   */
  SideBySide(JobRunner runner, long mostBytes) {
    this.runner = runner;
    this.mostBytes = mostBytes;
  }

  /** What a launch left: the parameter's name and the tensor, empty when it wasn't kept. */
  // An array, because it is a file's content and never compared as a component.
  @SuppressWarnings("ArrayRecordComponent")
  private record Output(String name, byte[] npy) {
    boolean isKept() {
      return npy.length > 0;
    }
  }

  /** Keeps what the launches of each run leave. */
  private static final class Keeping implements RunControl {
    private final RunControl listener;
    private final long mostBytes;
    private final Map<Integer, List<Output>> outputs = new HashMap<>();
    private final Map<Integer, Long> bytes = new HashMap<>();

    Keeping(RunControl listener, long mostBytes) {
      this.listener = listener;
      this.mostBytes = mostBytes;
    }

    @Override
    public boolean isCancelled() {
      return listener.isCancelled();
    }

    @Override
    public void log(int runIndex, String text) {
      listener.log(runIndex, text);
    }

    @Override
    public void phase(int runIndex, String phase) {
      listener.phase(runIndex, phase);
    }

    @Override
    public void output(int runIndex, String name, HostTensor tensor) {
      long size = tensor.elements() * tensor.dtype().bytes();
      boolean kept = bytes.merge(runIndex, size, Long::sum) <= mostBytes;
      of(runIndex).add(new Output(name, kept ? NpyWriter.write(tensor) : new byte[0]));
    }

    List<Output> of(int runIndex) {
      return outputs.computeIfAbsent(runIndex, _ -> new ArrayList<>());
    }
  }

  /**
   * Runs the submission on each platform; the first is the one that the others are held against.
   *
   * @param spec its own platform doesn't count
   * @return the runs of all, platform by platform; a difference is a failed check of kind {@link
   *     #KIND} of the later run
   */
  public JobReport run(JobSpec spec, List<String> platforms, RunControl control) {
    List<JobReport.Run> runs = new ArrayList<>();
    List<JobReport.DiagnosticLine> diagnostics = new ArrayList<>();
    var first = new Keeping(control, mostBytes);
    JobReport reference = runner.run(spec.on(platforms.getFirst()), first);
    runs.addAll(reference.runs());
    diagnostics.addAll(reference.diagnostics());
    for (String platform : platforms.subList(1, platforms.size())) {
      var keeping = new Keeping(control, mostBytes);
      JobReport report = runner.run(spec.on(platform), keeping);
      diagnostics.addAll(report.diagnostics());
      for (int i = 0; i < report.runs().size(); i++) {
        JobReport.Run run = report.runs().get(i);
        runs.add(compared(run, keeping.of(i), reference.runs().get(i), first.of(i)));
      }
    }
    List<JobReport.Run> numbered = new ArrayList<>();
    for (JobReport.Run run : runs) {
      numbered.add(run.as("run_" + numbered.size()));
    }
    JobReport.Run worst =
        numbered.stream().min(Comparator.comparing(JobReport.Run::verdict)).orElseThrow();
    return new JobReport(
        worst.verdict(),
        JobReport.sentence(
            numbered.indexOf(worst) + 1,
            numbered.size(),
            worst.devices(),
            worst.verdict(),
            "on " + worst.platform() + ": " + worst.sentence()),
        diagnostics.stream().distinct().toList(),
        numbered);
  }

  /** Nothing is compared where one of the two never got as far as an output. */
  private JobReport.Run compared(
      JobReport.Run run, List<Output> outputs, JobReport.Run reference, List<Output> expected) {
    if ((outputs.isEmpty() && expected.isEmpty())
        || isOver(run.verdict())
        || isOver(reference.verdict())) {
      return run;
    }
    List<JobReport.Check> checks = new ArrayList<>();
    int common = Math.min(outputs.size(), expected.size());
    List<String> unknown = new ArrayList<>();
    for (int i = 0; i < common; i++) {
      if (outputs.get(i).isKept() && expected.get(i).isKept()) {
        checks.add(check(outputs.get(i), expected.get(i), i, run.platform(), reference.platform()));
      } else {
        unknown.add(outputs.get(i).name() + " (output " + (i + 1) + ")");
      }
    }
    if (outputs.size() != expected.size()) {
      checks.add(
          check(
              "outputs on " + run.platform(),
              false,
              Optional.empty(),
              0,
              "launches left %d outputs here and %d on %s"
                  .formatted(outputs.size(), expected.size(), reference.platform())));
    }
    return run.with(
        checks, failure(checks).or(() -> gap(unknown, outputs.size(), reference.platform())));
  }

  private static Optional<Decision> failure(List<JobReport.Check> checks) {
    return checks.stream()
        .filter(check -> !check.passed())
        .findFirst()
        .map(
            check -> new Decision(Verdict.WRONG_RESULT, check.name() + ": " + check.explanation()));
  }

  private Optional<Decision> gap(List<String> unknown, int all, String reference) {
    return unknown.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Decision(
                Verdict.NOT_VERIFIED,
                "%d of %d outputs, the first is %s, are not compared with those on %s: at most %d"
                        .formatted(unknown.size(), all, unknown.getFirst(), reference, mostBytes)
                    + " bytes of a run are kept for it; use smaller sizes, or run on each platform"
                    + " alone"));
  }

  private static boolean isOver(Verdict verdict) {
    return switch (verdict) {
      case CANCELLED, REJECTED, TIMED_OUT, RESOURCE, WORKER_LOST, INFRA -> true;
      case OUT_OF_BOUNDS, MISMATCH, DEADLOCK, RACE, WRONG_RESULT, ERROR, NOT_VERIFIED, PASSED ->
          false;
    };
  }

  private static JobReport.Check check(
      Output output, Output expected, int place, String platform, String reference) {
    String name =
        "%s (output %d) on %s against %s".formatted(output.name(), place + 1, platform, reference);
    HostTensor actual = NpyReader.read(output.npy());
    if (Arrays.equals(output.npy(), expected.npy())) {
      return check(name, true, Optional.empty(), actual.elements(), "the same bytes");
    }
    HostTensor golden = NpyReader.read(expected.npy());
    if (actual.dtype() != golden.dtype() || !Arrays.equals(actual.shape(), golden.shape())) {
      return check(
          name, false, Optional.empty(), 0, "it is " + actual + " here and " + golden + " there");
    }
    double tolerance = TOLERANCES.getOrDefault(actual.dtype(), 0.0);
    var found = TensorComparison.allclose(actual, golden, tolerance, tolerance, true);
    String says =
        found.holds()
            ? String.format(
                Locale.ROOT, "close: at most %.3g steps of its type apart", found.maxUlps())
            : "%d of %d elements differ from %s, the first at %s: %s here, %s there"
                .formatted(
                    found.mismatches(),
                    found.elements(),
                    reference,
                    found.firstAt(),
                    found.firstActual(),
                    found.firstExpected());
    return check(name, found.holds(), Optional.of(found), actual.elements(), says);
  }

  private static JobReport.Check check(
      String name,
      boolean passed,
      Optional<TensorComparison> found,
      long elements,
      String explanation) {
    return new JobReport.Check(
        name,
        KIND,
        passed,
        0,
        elements,
        found.map(TensorComparison::mismatches).orElse(passed ? 0 : elements),
        found.map(TensorComparison::maxAbsDifference).orElse(null),
        found.map(TensorComparison::maxAt).orElse(List.of()),
        null,
        null,
        explanation,
        null);
  }
}
