package io.ringmaster.worker.job;

import io.ringmaster.worker.external.ExternalRunner;
import io.ringmaster.worker.external.ResultRecord;
import io.ringmaster.worker.job.VerdictRules.Decision;
import io.ringmaster.worker.job.VerdictRules.Ending;
import io.ringmaster.worker.script.ScriptRunner;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.source.PythonParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * One run of a job on cards: first on the simulator, which finds what cards don't show, then by the
 * vendor's tools. What came out is what the run's signed record says; an exit code alone is never a
 * reason to believe anything good.
 */
final class ExternalRun {

  private static final String HINT =
      "compare an output with its golden by torch.allclose(output, golden)";

  private final JobSpec spec;
  private final ExternalRunner runner;
  private final BiFunction<JobSpec, RunControl, JobReport> simulator;
  private final int index;
  private final List<Integer> devices;

  /**
   * A run on the list of devices with this number.
   *
   * @param simulator what runs a submission on a simulated platform
   */
  ExternalRun(
      JobSpec spec,
      ExternalRunner runner,
      BiFunction<JobSpec, RunControl, JobReport> simulator,
      int index) {
    this.spec = spec;
    this.runner = runner;
    this.simulator = simulator;
    this.index = index;
    this.devices = spec.devices().get(index);
  }

  /** A run and what was said of its source. */
  record Result(JobReport.Run run, List<JobReport.DiagnosticLine> diagnostics) {
    Result {
      run = run.saying(diagnostics);
    }
  }

  Result run(RunControl control) {
    long start = System.nanoTime();
    var limits = runner.settings().limits();
    Duration wall = shorter(spec.limits().wall(), limits.run());
    if (wall.compareTo(limits.device()) <= 0) {
      return rejected(
          "the limit of %d s for the run isn't above the tool chain's limit of %d s for a kernel; ask for more"
              .formatted(wall.toSeconds(), limits.device().toSeconds()));
    }
    if (!spec.conditions().isEmpty()
        || spec.exploration().schedules() > 0
        || spec.exploration().cacheLines()) {
      return rejected(
          "platform '%s' is cards: conditions, schedules and cacheLines are for simulated platforms"
              .formatted(spec.platform()));
    }
    if (DeclaredPlaces.of(spec.source()).isPresent()) {
      return rejected(
          "%s is a declared job, whose driver needs this service's own module, and cards run scripts: give it a driver, or run it on %ssim or opencl"
              .formatted(spec.source().name(), spec.platform()));
    }
    var reading = PythonParser.read(spec.source());
    if (reading.problems().isEmpty()
        && ScriptRunner.isFileOfTests(reading.module(), spec.arguments())) {
      return rejected(
          "%s would be run as a file of tests, and cards run scripts: give it a main part that calls the tests and no options that choose some; as it is, it runs on %ssim and opencl"
              .formatted(spec.source().name(), spec.platform()));
    }
    Optional<JobReport> rehearsal = Optional.empty();
    if (runner.settings().rehearse()) {
      control.phase(index, "rehearsing");
      rehearsal = Optional.of(simulator.apply(simulated(wall), new Quiet(control)));
      if (rehearsal.get().verdict() != Verdict.PASSED) {
        return asRehearsed(rehearsal.get());
      }
    }
    control.phase(index, "running");
    var left = wall.minusNanos(System.nanoTime() - start);
    var outcome =
        runner.run(
            new ExternalRunner.Request(
                spec.source().name(),
                spec.source().text(),
                spec.platform(),
                devices,
                spec.arguments(),
                left.isNegative() ? Duration.ZERO : left),
            control::isCancelled,
            text -> control.log(index, text));
    if (!outcome.immortal().isEmpty()) {
      control.devicesBroken(devices, "processes of a run can't be ended: " + outcome.immortal());
    }
    return report(outcome, rehearsal, wall);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  /** The same submission for the simulator of these cards. */
  private JobSpec simulated(Duration wall) {
    return new JobSpec(
        spec.source(),
        spec.platform() + "sim",
        List.of(devices),
        spec.arguments(),
        new JobSpec.Limits(
            wall,
            spec.limits().scriptSteps(),
            spec.limits().kernelSteps(),
            spec.limits().memoryBytes()),
        spec.seed());
  }

  /** The cards weren't used: what the simulator found is what is wrong. */
  private Result asRehearsed(JobReport report) {
    JobReport.Run run = report.runs().getFirst();
    return new Result(
        run.of(
            "run_" + index,
            spec.platform(),
            "on the simulator, before a card was used: " + run.sentence()),
        report.diagnostics());
  }

  private Result rejected(String sentence) {
    return new Result(ScriptRun.neverBegan(spec, devices, Verdict.REJECTED, sentence), List.of());
  }

  private Result report(
      ExternalRunner.Outcome outcome, Optional<JobReport> rehearsal, Duration wall) {
    List<JobReport.Check> checks = checks(outcome.reading());
    Decision decision =
        Qualified.by(decide(outcome, checks, rehearsal, wall), List.of(), devices.size());
    JobReport.Run nothing =
        ScriptRun.neverBegan(spec, devices, decision.verdict(), decision.sentence());
    Map<String, String> versions = new TreeMap<>(nothing.evidence().versions());
    versions.put(
        "rehearsal",
        rehearsal.map(r -> spec.platform() + "sim " + r.verdict()).orElse("switched off"));
    var evidence =
        new JobReport.Evidence(
            devices.size(),
            nothing.evidence().operations(),
            0,
            0,
            0,
            checks.size(),
            checks.stream().mapToLong(JobReport.Check::elements).sum(),
            nothing.evidence().outputDigest(),
            spec.exploration().scheduleSeed(),
            versions);
    return new Result(
        new JobReport.Run(
            "run_" + index,
            spec.platform(),
            devices,
            spec.arguments(),
            decision.verdict(),
            decision.sentence(),
            List.of(),
            evidence,
            checks,
            List.of(),
            List.of(),
            List.of(),
            nothing.traffic(),
            List.of(),
            new JobReport.Timings(0, outcome.wallNanos(), 0, 0),
            outcome.output()),
        rehearsal.map(JobReport::diagnostics).orElse(List.of()));
  }

  private static List<JobReport.Check> checks(ResultRecord.Reading reading) {
    return switch (reading) {
      case ResultRecord.Found found -> found.result().checks().stream().map(c -> line(c)).toList();
      case ResultRecord.Absent _, ResultRecord.Unusable _ -> List.of();
    };
  }

  private static JobReport.Check line(ResultRecord.Check check) {
    return new JobReport.Check(
        check.name(),
        check.kind(),
        check.passed(),
        check.line(),
        check.elements(),
        check.mismatches(),
        check.maxAbsDifference(),
        List.of(),
        check.rtol(),
        check.atol(),
        explanation(check),
        null);
  }

  private static String explanation(ResultRecord.Check check) {
    if (check.itself()) {
      return Claim.CAN_NOT_FAIL + "both sides are the same tensor";
    }
    return check.wantsDifference() ? Claim.WANTED_DIFFERENCE : "";
  }

  private Decision decide(
      ExternalRunner.Outcome outcome,
      List<JobReport.Check> checks,
      Optional<JobReport> rehearsal,
      Duration wall) {
    if (!outcome.immortal().isEmpty() && outcome.ending() == ExternalRunner.Ending.EXITED) {
      return new Decision(
          Verdict.INFRA, "processes of the run can't be ended: " + outcome.immortal());
    }
    return switch (outcome.ending()) {
      case NOT_STARTED ->
          new Decision(
              Verdict.INFRA,
              "this worker can't start the run: " + outcome.why() + "; see its settings");
      case CANCELLED -> new Decision(Verdict.CANCELLED, VerdictRules.CANCELLED);
      case TIMED_OUT ->
          rules(
              checks,
              0,
              Ending.TIMED_OUT,
              ScriptRun.overLimit(wall) + "; the process of the script was running");
      case EXITED -> exited(outcome, checks, rehearsal);
    };
  }

  private Decision exited(
      ExternalRunner.Outcome outcome, List<JobReport.Check> checks, Optional<JobReport> rehearsal) {
    String code = "exit code " + outcome.exitCode();
    return switch (outcome.reading()) {
      case ResultRecord.Absent _ ->
          outcome.exitCode() == 0
              ? new Decision(
                  Verdict.NOT_VERIFIED,
                  "it ended with exit code 0 but left no result, so nothing was verified; a script"
                      + " that calls os._exit, or a command without {harness}, leaves none")
              : new Decision(
                  Verdict.ERROR, "it ended with " + code + " and left no result; see the log");
      case ResultRecord.Unusable bad ->
          new Decision(
              Verdict.ERROR,
              "its result can't be believed: " + bad.why() + " (it ended with " + code + ")");
      case ResultRecord.Found found ->
          switch (found.result().status()) {
            case ASSERTION -> rules(checks, 0, Ending.CHECK_FAILED, found.result().message());
            case RAISED -> rules(checks, 0, Ending.RAISED, found.result().message());
            case FINISHED ->
                outcome.exitCode() == 0
                    ? rules(checks, verifying(checks, rehearsal), Ending.COMPLETED, "")
                    : rules(
                        checks,
                        0,
                        Ending.RAISED,
                        "the script finished, but its process then ended with " + code);
          };
    };
  }

  /** The checks that prove something: those in lines where they do so on the simulator. */
  private static int verifying(List<JobReport.Check> checks, Optional<JobReport> rehearsal) {
    var lines =
        rehearsal.map(
            report ->
                report.runs().getFirst().checks().stream()
                    .filter(check -> !VerdictRules.isBlind(check))
                    .map(JobReport.Check::line)
                    .toList());
    return (int)
        checks.stream()
            .filter(check -> !VerdictRules.isBlind(check))
            .filter(check -> lines.isEmpty() || lines.get().contains(check.line()))
            .count();
  }

  private static Decision rules(
      List<JobReport.Check> checks, int verifying, Ending ending, String message) {
    if (ending == Ending.COMPLETED && checks.isEmpty()) {
      return new Decision(
          Verdict.NOT_VERIFIED, "it ran, but its result names no comparison: " + HINT);
    }
    return VerdictRules.decide(List.of(), new ArrayList<>(), checks, verifying, 1, ending, message);
  }
}
