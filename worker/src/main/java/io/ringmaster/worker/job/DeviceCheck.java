package io.ringmaster.worker.job;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Tries out this host's accelerators: kernels whose results are known run there and on the
 * simulator, and everything that both say has to be the same to the last bit; then copies, barriers
 * and collectives are measured.
 */
public final class DeviceCheck {

  private static final List<String> LADDER =
      List.of(
          "01_two_devices",
          "02_windows",
          "03_notify_wait",
          "04_barrier",
          "05_remote_load_store",
          "06_put_get",
          "07_any_rank_count",
          "08_allreduce_mesh",
          "09_allreduce_two_phase",
          "10_allreduce_ring",
          "11_allreduce_builtin",
          "12_broadcast",
          "13_allgather",
          "14_reduce_scatter",
          "15_all_to_all",
          "16_putting_it_together");

  private static final List<String> COLLECTIVES =
      List.of("allreduce", "allgather", "all_to_all", "broadcast", "reduce_scatter");

  /** The conformance set must leave time to measure. */
  private static final double SHARE = 0.75;

  private final JobRunner runner = new JobRunner();
  private final boolean quick;
  private final long start = System.nanoTime();
  private final Duration budget;
  private final Consumer<String> progress;

  /**
   * A check that has not begun.
   *
   * @param quick only a few kernels and small sizes, for a first look
   * @param budget what isn't begun by then isn't run; the check is unfinished then
   * @param progress told what is tried, a line each
   */
  public DeviceCheck(boolean quick, Duration budget, Consumer<String> progress) {
    this.quick = quick;
    this.budget = budget;
    this.progress = progress;
  }

  /** What came out of something that was to be tried. */
  public enum Outcome {
    GOOD,
    /** The accelerator does something else than the simulator. */
    WRONG,
    /** There was no time for it; that says nothing about the accelerator. */
    NOT_RUN
  }

  /**
   * A kernel that was run on both.
   *
   * @param says what differs, or why it wasn't run; empty for nothing
   * @param nanos what the accelerator's run took
   */
  public record Case(
      String name, String arguments, int ranks, Outcome outcome, String says, long nanos) {}

  /** Bytes that were copied; {@code path} says from where to where. */
  public record Copy(String path, long bytes, long nanos, double bytesPerSecond) {}

  /**
   * A collective that was measured.
   *
   * @param bytes what one rank puts in
   * @param nanos median wall time of one run
   * @param bytesPerSecond {@code bytes} by that time; 0 for a barrier
   * @param simulatorNanos the same on this host's simulator
   */
  public record Collective(
      String op,
      String algorithm,
      int ranks,
      long bytes,
      long nanos,
      double bytesPerSecond,
      long simulatorNanos,
      boolean right) {}

  /**
   * What came out.
   *
   * @param outcome of all: wrong if anything is, not run if there wasn't time for everything
   */
  public record Report(
      String platform,
      List<String> devices,
      Outcome outcome,
      List<Case> conformance,
      List<Copy> copies,
      List<Collective> collectives,
      long wallNanos) {}

  /**
   * Runs the check; the host has an accelerator.
   *
   * @throws IllegalStateException when it has none
   */
  public Report run() {
    var accelerators = Accelerators.ofThisProcess();
    if (!accelerators.available()) {
      throw new IllegalStateException(accelerators.reason() + ": " + accelerators.fix());
    }
    List<Case> cases = new ArrayList<>();
    for (Plan plan : plans()) {
      cases.add(tried(plan));
    }
    progress.accept("measuring");
    var measures = new DeviceMeasures(quick, start + budget.toNanos());
    var copies = measures.copies();
    var collectives = measures.collectives();
    Outcome outcome = Outcome.GOOD;
    if (cases.stream().anyMatch(one -> one.outcome() == Outcome.WRONG)
        || !collectives.stream().allMatch(Collective::right)) {
      outcome = Outcome.WRONG;
    } else if (cases.stream().anyMatch(one -> one.outcome() == Outcome.NOT_RUN)
        || !measures.isWhole()) {
      outcome = Outcome.NOT_RUN;
    }
    return new Report(
        HardwareProfile.OPENCL,
        accelerators.devices(),
        outcome,
        cases,
        copies,
        collectives,
        System.nanoTime() - start);
  }

  /** A kernel to run. */
  private record Plan(String file, int ranks, List<String> arguments) {}

  private List<Plan> plans() {
    List<Plan> plans = new ArrayList<>();
    for (String step : quick ? List.of(LADDER.getFirst(), LADDER.getLast()) : LADDER) {
      plans.add(new Plan("ladder/" + step + ".py", step.startsWith("16") ? 4 : 2, List.of()));
    }
    if (!quick) {
      plans.add(new Plan("models/allgather_gemm.py", 4, List.of()));
      plans.add(new Plan("models/moe_dispatch_combine.py", 4, List.of("--hidden", "32")));
    }
    for (int ranks = 2; ranks <= (quick ? 3 : 8); ranks++) {
      for (String collective : quick ? COLLECTIVES.subList(0, 2) : COLLECTIVES) {
        plans.add(new Plan("collectives.py", ranks, arguments(collective, ranks)));
      }
    }
    return plans;
  }

  /** Each by hand, called in a kernel and called on HOST, with other types and operators. */
  private static List<String> arguments(String collective, int ranks) {
    boolean half = (ranks + collective.length()) % 2 == 0;
    String op =
        collective.equals("allreduce") ? List.of("sum", "max", "min").get(ranks % 3) : "sum";
    return List.of(
        String.format(
                Locale.ROOT,
                "--collective %s --size %d --dtype %s --op %s --seed %d",
                collective,
                48 * ranks,
                half ? "fp16" : "fp32",
                op,
                ranks)
            .split(" ", -1));
  }

  private Case tried(Plan plan) {
    long left = (long) (budget.toNanos() * SHARE) - (System.nanoTime() - start);
    if (left <= 0) {
      return notRun(plan, 0);
    }
    progress.accept(plan.file() + " on " + plan.ranks() + " ranks " + words(plan));
    var limit = Duration.ofNanos(left);
    var simulated = report(plan, HardwareProfile.sim().platform(), limit);
    long begun = System.nanoTime();
    var accelerated = report(plan, HardwareProfile.OPENCL, limit);
    long nanos = System.nanoTime() - begun;
    if (isUnfinished(simulated) || isUnfinished(accelerated)) {
      return notRun(plan, nanos);
    }
    if (accelerated.verdict() != Verdict.PASSED) {
      return said(plan, accelerated.verdict() + ": " + accelerated.sentence(), nanos);
    }
    var a = simulated.runs().getFirst();
    var b = accelerated.runs().getFirst();
    List<String> differences = new ArrayList<>();
    if (!a.evidence().outputDigest().equals(b.evidence().outputDigest())) {
      differences.add("other bytes in the outputs than on the simulator");
    }
    if (!a.checks().equals(b.checks())) {
      differences.add("other differences to the golden than on the simulator");
    }
    if (!a.traffic().equals(b.traffic())
        || !a.evidence().operations().equals(b.evidence().operations())) {
      differences.add("another traffic than on the simulator");
    }
    if (!a.findings().equals(b.findings())) {
      differences.add("other findings than on the simulator");
    }
    return said(plan, String.join("; ", differences), nanos);
  }

  /** On a busy machine there may be no time; nothing is wrong with the device then. */
  private static boolean isUnfinished(JobReport report) {
    return report.verdict() == Verdict.TIMED_OUT;
  }

  private Case notRun(Plan plan, long nanos) {
    String why = "the time of " + budget.toSeconds() + " s was over";
    return new Case(plan.file(), words(plan), plan.ranks(), Outcome.NOT_RUN, why, nanos);
  }

  private static Case said(Plan plan, String says, long nanos) {
    var outcome = says.isEmpty() ? Outcome.GOOD : Outcome.WRONG;
    return new Case(plan.file(), words(plan), plan.ranks(), outcome, says, nanos);
  }

  private static String words(Plan plan) {
    return String.join(" ", plan.arguments());
  }

  private JobReport report(Plan plan, String platform, Duration limit) {
    var standard = JobSpec.Limits.DEFAULT;
    return runner.run(
        new JobSpec(
            source(plan.file()),
            platform,
            List.of(IntStream.range(0, plan.ranks()).boxed().toList()),
            plan.arguments(),
            new JobSpec.Limits(
                limit, standard.scriptSteps(), standard.kernelSteps(), standard.memoryBytes()),
            0),
        RunControl.none());
  }

  private static SourceFile source(String file) {
    try (var in =
        Objects.requireNonNull(
            DeviceCheck.class.getResourceAsStream("conformance/" + file),
            () -> file + " isn't in this build")) {
      return SourceFile.of(file, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
