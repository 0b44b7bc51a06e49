package io.ringmaster.worker.job;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Runs a job on several platforms and holds what each left against what the first one left, as
 * {@link PlatformCheck} does.
 */
public final class SideBySide {

  /** Outputs beyond this many bytes a run aren't kept, so they are compared only byte by byte. */
  private static final long MOST_BYTES = 512L << 20;

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

  /** Keeps what the launches of each run leave. */
  private static final class Keeping implements RunControl {
    private final RunControl listener;
    private final long mostBytes;
    private final Map<Integer, OutputKeeper> outputs = new HashMap<>();

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
      keeper(runIndex).add(name, tensor);
    }

    private OutputKeeper keeper(int runIndex) {
      return outputs.computeIfAbsent(runIndex, _ -> new OutputKeeper(mostBytes, mostBytes / 2));
    }

    RunOutputs of(int runIndex) {
      Map<String, byte[]> files = keeper(runIndex).files();
      return RunOutputs.read(
          List.copyOf(files.keySet()), name -> Objects.requireNonNull(files.get(name), name));
    }

    @Override
    public long mostOutputBytes() {
      return mostBytes;
    }

    @Override
    public void outputLeftOut(int runIndex, String name, DType dtype, String digest) {
      keeper(runIndex).leftOut(name, dtype, digest);
    }
  }

  /**
   * Runs the submission on each platform; the first is the one that the others are held against.
   *
   * @param spec its own platform doesn't count
   * @return the runs of all, platform by platform, and the comparisons
   */
  public JobReport run(JobSpec spec, List<String> platforms, RunControl control) {
    List<JobReport.Run> runs = new ArrayList<>();
    List<JobReport.DiagnosticLine> diagnostics = new ArrayList<>();
    List<PlatformComparison> comparisons = new ArrayList<>();
    var first = new Keeping(control, mostBytes);
    for (String platform : platforms) {
      var keeping = runs.isEmpty() ? first : new Keeping(control, mostBytes);
      JobReport report = runner.run(spec.on(platform), keeping);
      diagnostics.addAll(report.diagnostics());
      for (int i = 0; i < report.runs().size(); i++) {
        int number = i;
        JobReport.Run run = report.runs().get(i).as("run_" + runs.size());
        runs.add(run);
        if (keeping != first) {
          comparisons.add(
              PlatformCheck.compare(
                  run, () -> keeping.of(number), runs.get(i), () -> first.of(number)));
        }
      }
    }
    JobEnd end = JobEnd.ofRuns(runs, comparisons);
    return new JobReport(
        end.verdict(), end.sentence(), diagnostics.stream().distinct().toList(), runs, comparisons);
  }
}
