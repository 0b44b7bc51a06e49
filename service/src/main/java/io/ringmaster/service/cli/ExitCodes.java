package io.ringmaster.service.cli;

import io.ringmaster.api.client.model.ComparisonKind;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.OnlyCompiled;
import io.ringmaster.worker.job.Verdict;

/** What a command tells the shell. */
final class ExitCodes {

  static final int PASSED = 0;
  static final int NOT_PASSED = 1;

  /** The command line, or the submission itself, breaks a rule. */
  static final int USAGE_OR_REJECTED = 2;

  /** The machine's fault, never the kernel's. */
  static final int INFRASTRUCTURE = 3;

  /** PASSED, but not as the baseline. */
  static final int CHANGED = 4;

  private ExitCodes() {}

  /** What a comparison adds to a verdict: of what isn't PASSED, the verdict is what counts. */
  static int of(int verdict, ComparisonKind kind) {
    return verdict == PASSED && kind == ComparisonKind.CHANGED ? CHANGED : verdict;
  }

  /** That of its verdict, but who asked for nothing but compilation has got it. */
  static int of(JobReport report) {
    return OnlyCompiled.asAsked(report) ? PASSED : of(report.verdict());
  }

  private static int of(Verdict verdict) {
    return switch (verdict) {
      case PASSED -> PASSED;
      case REJECTED -> USAGE_OR_REJECTED;
      case WORKER_LOST, INFRA -> INFRASTRUCTURE;
      case CANCELLED,
          OUT_OF_BOUNDS,
          MISMATCH,
          DEADLOCK,
          RACE,
          WRONG_RESULT,
          ERROR,
          TIMED_OUT,
          RESOURCE,
          NOT_VERIFIED ->
          NOT_PASSED;
    };
  }
}
