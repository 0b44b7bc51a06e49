package io.ringmaster.worker.job;

import io.ringmaster.worker.engine.RunOutcome;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.job.JobReport.Outcome;
import io.ringmaster.worker.job.VerdictRules.Decision;
import io.ringmaster.worker.job.VerdictRules.Ending;
import io.ringmaster.worker.script.Check;
import io.ringmaster.worker.script.ScriptResult;
import io.ringmaster.worker.script.TestCase;
import io.ringmaster.worker.source.Diagnostic;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The verdicts of a file of tests: one for each case, by the same rules as for a run, and the worst
 * of them for the file. Cases that were skipped or proved nothing don't spoil the others, but they
 * never make a file PASSED by themselves.
 */
final class CaseVerdicts {

  private final ScriptResult result;
  private final ObservedRun observed;
  private final SimulatedKernels kernels;
  private final RunControl control;
  private final List<JobReport.Check> checks;
  private final List<TestCase> cases;
  private final List<JobReport.TestCase> tests = new ArrayList<>();

  /**
   * Decides each case.
   *
   * @param checks the checks of {@code result}, in the report's form
   */
  CaseVerdicts(
      ScriptResult result,
      ObservedRun observed,
      SimulatedKernels kernels,
      RunControl control,
      List<JobReport.Check> checks) {
    this.result = result;
    this.observed = observed;
    this.kernels = kernels;
    this.control = control;
    this.checks = checks;
    this.cases = result.tests().map(ScriptResult.Tests::cases).orElse(List.of());
    for (int i = 0; i < cases.size(); i++) {
      tests.add(test(cases.get(i), kernels.shares().get(i)));
    }
  }

  /** The cases for the report. */
  List<JobReport.TestCase> tests() {
    return tests;
  }

  /** What the cases break of the rules. */
  List<Diagnostic> refusals() {
    return cases.stream().flatMap(one -> one.refusal().stream()).toList();
  }

  /** For each finding the test during which it was found; empty for none. */
  List<String> testOfFindings() {
    String[] names = new String[observed.findings().size()];
    java.util.Arrays.fill(names, "");
    for (int i = 0; i < cases.size(); i++) {
      SimulatedKernels.CaseShare share = kernels.shares().get(i);
      java.util.Arrays.fill(
          names, share.firstFinding(), share.findingsEnd(), cases.get(i).nodeId());
    }
    return List.of(names);
  }

  private JobReport.TestCase test(TestCase one, SimulatedKernels.CaseShare share) {
    List<JobReport.Check> own = checksOf(one.nodeId());
    Decision decision =
        Qualified.by(
            decide(one, share, own),
            result.remarks().stream()
                .distinct()
                .filter(remark -> remark.tests().contains(one.nodeId()))
                .toList(),
            ranks(one.nodeId()));
    return new JobReport.TestCase(
        one.nodeId(),
        one.className(),
        one.name(),
        outcome(one, decision),
        decision.verdict(),
        decision.sentence(),
        one.line(),
        own.size(),
        one.wallNanos());
  }

  /** Ranks of what a case has verified; 0 for one that looked at no launch. */
  private int ranks(String nodeId) {
    return result.ranks().getOrDefault(nodeId, 0);
  }

  /**
   * Most ranks that anything green was verified with: what proves nothing on more doesn't count.
   */
  int ranks() {
    return tests.stream()
        .filter(test -> test.verdict() == Verdict.PASSED)
        .mapToInt(test -> ranks(test.nodeId()))
        .max()
        .orElse(ranks(""));
  }

  private List<JobReport.Check> checksOf(String nodeId) {
    return checks.stream().filter(c -> nodeId.equals(c.test() == null ? "" : c.test())).toList();
  }

  private static Outcome outcome(TestCase one, Decision decision) {
    return switch (one.status()) {
      case SKIPPED -> decision.verdict() == Verdict.NOT_VERIFIED ? Outcome.SKIPPED : Outcome.FAILED;
      case XFAILED -> Outcome.XFAILED;
      case NOT_RUN -> Outcome.NOT_RUN;
      case FINISHED,
          XPASSED,
          ASSERTION_FAILED,
          RAISED,
          STOPPED,
          REJECTED,
          LIMIT_EXCEEDED,
          TIMED_OUT,
          CANCELLED -> {
        if (decision.verdict() == Verdict.PASSED || decision.verdict() == Verdict.NOT_VERIFIED) {
          yield one.status() == TestCase.Status.XPASSED ? Outcome.XPASSED : Outcome.PASSED;
        }
        yield one.around() ? Outcome.ERROR : Outcome.FAILED;
      }
    };
  }

  private Decision decide(
      TestCase one, SimulatedKernels.CaseShare share, List<JobReport.Check> own) {
    return switch (one.status()) {
      case SKIPPED -> skipped(one, share, own);
      case XFAILED ->
          new Decision(
              Verdict.NOT_VERIFIED,
              "failed as expected" + (one.message().isEmpty() ? "" : ": " + one.message()));
      case NOT_RUN -> new Decision(Verdict.NOT_VERIFIED, one.message());
      case REJECTED -> new Decision(Verdict.REJECTED, one.message());
      case FINISHED,
          XPASSED,
          ASSERTION_FAILED,
          RAISED,
          STOPPED,
          LIMIT_EXCEEDED,
          TIMED_OUT,
          CANCELLED -> {
        List<Check> made =
            result.checks().stream().filter(c -> c.test().equals(one.nodeId())).toList();
        Ending ending = ending(one, share);
        yield VerdictRules.decide(
            List.of(),
            observed.findings().subList(share.firstFinding(), share.findingsEnd()),
            own,
            (int) made.stream().filter(Check::verifies).count(),
            share.dispatches() + ScriptRun.refusals(made),
            ending,
            switch (ending) {
              case TIMED_OUT -> overLimit(one) + "; " + share.where();
              case CANCELLED -> VerdictRules.CANCELLED + "; " + share.where();
              case COMPLETED, CHECK_FAILED, RAISED, RESOURCE -> one.message();
            });
      }
    };
  }

  /** A case that is skipped once a comparison has failed doesn't hide that. */
  private static Decision skipped(
      TestCase one, SimulatedKernels.CaseShare share, List<JobReport.Check> own) {
    if (own.stream().anyMatch(check -> !check.passed())) {
      return VerdictRules.decide(
          List.of(), List.of(), own, 0, share.dispatches(), Ending.COMPLETED, one.message());
    }
    return new Decision(
        Verdict.NOT_VERIFIED, one.message().isEmpty() ? "skipped" : "skipped: " + one.message());
  }

  private String overLimit(TestCase one) {
    return one.status() == TestCase.Status.CANCELLED
        ? kernels.overLimit()
        : kernels.overCaseLimit();
  }

  private Ending ending(TestCase one, SimulatedKernels.CaseShare share) {
    Optional<RunOutcome> stopped = share.stopped();
    if (stopped.isPresent()) {
      return ScriptRun.ending(stopped.get());
    }
    return switch (one.status()) {
      case ASSERTION_FAILED -> Ending.CHECK_FAILED;
      case RAISED -> Ending.RAISED;
      case LIMIT_EXCEEDED -> Ending.RESOURCE;
      case TIMED_OUT -> Ending.TIMED_OUT;
      case CANCELLED -> ScriptRun.told(kernels, control);
      case FINISHED, XPASSED, STOPPED, REJECTED, SKIPPED, XFAILED, NOT_RUN -> Ending.COMPLETED;
    };
  }

  /**
   * Decides the file.
   *
   * @param ending how the script around the cases ended
   */
  Decision decide(ScriptResult.Tests file, Ending ending, String message) {
    Decision around = around(ending, message);
    Optional<JobReport.TestCase> worst =
        tests.stream()
            .filter(t -> isFault(t.verdict()))
            .min(Comparator.comparing(JobReport.TestCase::verdict));
    if (isFault(around.verdict())
        && (worst.isEmpty() || around.verdict().compareTo(worst.get().verdict()) < 0)) {
      return around;
    }
    if (worst.isPresent()) {
      return new Decision(worst.get().verdict(), worst.get().nodeId() + ": " + why(worst.get()));
    }
    if (tests.isEmpty()) {
      // A driver with functions that only look like tests has made its checks by itself.
      boolean driver = file.collected() == 0 && around.verdict() == Verdict.PASSED;
      return driver ? around : new Decision(Verdict.NOT_VERIFIED, nothing(file));
    }
    boolean passed = tests.stream().anyMatch(t -> t.verdict() == Verdict.PASSED);
    return passed || around.verdict() == Verdict.PASSED
        ? new Decision(Verdict.PASSED, counts())
        : new Decision(
            Verdict.NOT_VERIFIED, "nothing was verified: " + counts() + firstUnverified());
  }

  /** Why a case that compared something proved nothing: one is enough to know where to look. */
  private String firstUnverified() {
    return tests.stream()
        .filter(t -> t.verdict() == Verdict.NOT_VERIFIED && t.checks() > 0)
        .filter(t -> t.outcome() == Outcome.PASSED || t.outcome() == Outcome.XPASSED)
        .findFirst()
        .map(t -> "; " + t.nodeId() + ": " + t.message())
        .orElse("");
  }

  private String why(JobReport.TestCase test) {
    long faults = tests.stream().filter(t -> isFault(t.verdict())).count();
    return test.message()
        + (faults > 1 ? " (" + faults + " of " + tests.size() + " cases failed)" : "");
  }

  private static boolean isFault(Verdict verdict) {
    return verdict != Verdict.PASSED && verdict != Verdict.NOT_VERIFIED;
  }

  /** What the script did outside of its cases. */
  private Decision around(Ending ending, String message) {
    List<String> names = testOfFindings();
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).isEmpty()) {
        findings.add(observed.findings().get(i));
      }
    }
    List<Check> made = result.checks().stream().filter(c -> c.test().isEmpty()).toList();
    return VerdictRules.decide(
        List.of(),
        findings,
        checksOf(""),
        (int) made.stream().filter(Check::verifies).count(),
        kernels.dispatches(),
        ending,
        message);
  }

  private String nothing(ScriptResult.Tests file) {
    if (file.skipped().isPresent()) {
      return "the whole file was skipped: " + file.skipped().get();
    }
    if (file.listed().orElse(0) > 0) {
      return file.listed().getAsInt()
          + " of "
          + file.collected()
          + " test cases were listed and none was run: leave --collect-only away to verify them";
    }
    return file.collected() == 0
        ? "the file has no test cases"
        : "no test case was selected: none of the " + file.collected() + " matches";
  }

  private String counts() {
    List<String> parts = new ArrayList<>();
    long passed = tests.stream().filter(t -> t.verdict() == Verdict.PASSED).count();
    List<JobReport.TestCase> unverified =
        tests.stream()
            .filter(t -> t.verdict() == Verdict.NOT_VERIFIED)
            .filter(t -> t.outcome() == Outcome.PASSED || t.outcome() == Outcome.XPASSED)
            .toList();
    long silent = unverified.stream().filter(t -> t.checks() == 0).count();
    add(parts, passed, "passed");
    add(parts, silent, "compared nothing");
    add(parts, unverified.size() - silent, "proved nothing");
    add(parts, count(Outcome.SKIPPED), "skipped");
    add(parts, count(Outcome.XFAILED), "failed as expected");
    add(parts, count(Outcome.NOT_RUN), "not run");
    return tests.size() + (tests.size() == 1 ? " case: " : " cases: ") + String.join(", ", parts);
  }

  private long count(Outcome outcome) {
    return tests.stream().filter(t -> t.outcome() == outcome).count();
  }

  private static void add(List<String> parts, long count, String what) {
    if (count > 0) {
      parts.add(count + " " + what);
    }
  }
}
