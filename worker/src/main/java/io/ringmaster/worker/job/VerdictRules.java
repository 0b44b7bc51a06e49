package io.ringmaster.worker.job;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.script.check.Claim;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * One verdict out of everything a run found, cause before consequence: when several apply, the one
 * that comes first in {@link Verdict} wins and the others stay as findings.
 */
final class VerdictRules {

  /** What is said of every cancelled run, before it is said where it was. */
  static final String CANCELLED = "cancelled before it finished";

  private VerdictRules() {}

  /** A verdict and the one sentence that says why. */
  record Decision(Verdict verdict, String sentence) {}

  /** How the driver script ended, with the message of what ended it. */
  enum Ending {
    COMPLETED,
    CHECK_FAILED,
    RAISED,
    CANCELLED,
    TIMED_OUT,
    RESOURCE
  }

  /**
   * Decides a run.
   *
   * @param rejections errors of the source or the request; any of them is REJECTED
   * @param endMessage what ended the script when it didn't complete; of a cancelled one, where it
   *     was
   */
  static Decision decide(
      List<String> rejections,
      List<Finding> findings,
      List<JobReport.Check> checks,
      int verifyingChecks,
      long operations,
      Ending ending,
      String endMessage) {
    if (ending == Ending.CANCELLED) {
      return new Decision(Verdict.CANCELLED, endMessage);
    }
    if (!rejections.isEmpty()) {
      return new Decision(Verdict.REJECTED, rejections.getFirst());
    }
    // A credit that went astray is the cause of the accesses that it leaves in no order.
    Optional<Finding> worst =
        findings.stream()
            .filter(f -> f.severity() == Finding.Severity.ERROR)
            .min(
                Comparator.comparing((Finding f) -> verdictOf(f.kind()))
                    .thenComparing(f -> f.kind() == Finding.Kind.RACE));
    if (worst.isPresent() && verdictOf(worst.get().kind()).compareTo(Verdict.RACE) <= 0) {
      return new Decision(verdictOf(worst.get().kind()), worst.get().message());
    }
    Optional<JobReport.Check> failed = checks.stream().filter(c -> !c.passed()).findFirst();
    if (failed.isPresent()) {
      return new Decision(Verdict.WRONG_RESULT, wrongResult(failed.get(), findings));
    }
    if (ending == Ending.CHECK_FAILED) {
      return new Decision(Verdict.WRONG_RESULT, "the script's assertion failed: " + endMessage);
    }
    if (worst.isPresent()) {
      return new Decision(verdictOf(worst.get().kind()), worst.get().message());
    }
    return switch (ending) {
      case TIMED_OUT -> new Decision(Verdict.TIMED_OUT, endMessage);
      case RESOURCE -> new Decision(Verdict.RESOURCE, endMessage);
      case RAISED -> new Decision(Verdict.ERROR, endMessage);
      case COMPLETED, CHECK_FAILED, CANCELLED -> verified(checks, verifyingChecks, operations);
    };
  }

  private static Decision verified(
      List<JobReport.Check> checks, int verifyingChecks, long operations) {
    Optional<JobReport.Check> blind = checks.stream().filter(VerdictRules::isBlind).findFirst();
    if (operations == 0) {
      return new Decision(
          Verdict.NOT_VERIFIED,
          "no kernel ran, so nothing was verified" + blind.map(c -> ": " + why(c)).orElse(""));
    }
    if (checks.isEmpty()) {
      return new Decision(
          Verdict.NOT_VERIFIED,
          "it ran, but the script compared nothing, or nothing that can fail: add assert"
              + " torch.allclose(output, golden)");
    }
    if (verifyingChecks == 0 && blind.isPresent()) {
      return new Decision(
          Verdict.NOT_VERIFIED,
          "it ran, but nothing was verified: "
              + why(blind.get())
              + "; compare the output with a golden made from the inputs");
    }
    if (verifyingChecks == 0) {
      return new Decision(
          Verdict.NOT_VERIFIED,
          "it ran, but no check looked at a kernel's output: compare an output with its golden");
    }
    return new Decision(
        Verdict.PASSED,
        checks.size() == 1 ? "1 check holds" : "all " + checks.size() + " checks hold");
  }

  private static String why(JobReport.Check blind) {
    return blind.name() + " (line " + blind.line() + "): " + blind.explanation();
  }

  /** True for a check that says of itself that it proves nothing of a kernel. */
  static boolean isBlind(JobReport.Check check) {
    return check.explanation().startsWith(Claim.CAN_NOT_FAIL)
        || check.explanation().startsWith(Claim.DOES_NOT_COUNT)
        || check.explanation().equals(Claim.WANTED_DIFFERENCE);
  }

  private static String wrongResult(JobReport.Check check, List<Finding> findings) {
    String why =
        check.explanation().isEmpty()
            ? check.mismatches() + " of " + check.elements() + " elements differ"
            : check.explanation();
    // What was read before anybody wrote it is the likeliest cause that isn't an error by itself.
    String cause =
        findings.stream()
            .filter(f -> f.kind() == Finding.Kind.UNINITIALISED_READ)
            .findFirst()
            .map(f -> "; " + f.message())
            .orElse("");
    return check.name() + ": " + why + cause;
  }

  /** The verdict that an error finding of a kind stands for. */
  static Verdict verdictOf(Finding.Kind kind) {
    return switch (kind) {
      case OUT_OF_BOUNDS, SIGNAL_WRAPPED -> Verdict.OUT_OF_BOUNDS;
      case MISMATCH -> Verdict.MISMATCH;
      case DEADLOCK -> Verdict.DEADLOCK;
      case RACE, STALE_CREDIT, LOST_CREDIT -> Verdict.RACE;
      case NEVER_WRITTEN,
          UNINITIALISED_READ,
          REDUNDANT_STAGING,
          RESIDUE,
          NOTIFY_DROPPED,
          SCHEDULE_SEARCH,
          ORDER_UNCHECKED,
          OUTPUT_OVERWRITTEN,
          UNCOMPARED_OUTPUT,
          PREFILLED_OUTPUT,
          ALIKE_INPUTS,
          COARSE_COMPARISON,
          IDLE_RANK ->
          Verdict.WRONG_RESULT;
      case RULE_BROKEN, LAYOUT_CONFLICT, NEGATIVE_DIVIDEND -> Verdict.REJECTED;
      case LIMIT -> Verdict.RESOURCE;
    };
  }
}
