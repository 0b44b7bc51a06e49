package io.ringmaster.worker.job;

import java.util.Collections;
import java.util.List;

/**
 * Runs whose script was asked to compile and no more, and did: they verify nothing and claim
 * nothing, but whoever asked has what they wanted, so they are no failure.
 */
public final class OnlyCompiled {

  /** What asks for it: of scripts as of files of tests. */
  private static final List<String> ASKING = List.of("--compile-only", "--codegen-only");

  private OnlyCompiled() {}

  /** True when every run passed or only compiled, as it was asked to. */
  public static boolean asAsked(JobReport report) {
    return report.verdict() == Verdict.NOT_VERIFIED
        && report.runs().stream().allMatch(run -> run.verdict() == Verdict.PASSED || asAsked(run));
  }

  static boolean asAsked(JobReport.Run run) {
    return run.verdict() == Verdict.NOT_VERIFIED
        && !Collections.disjoint(run.arguments(), ASKING)
        && run.evidence().ranks() == 0
        && run.timings().compileNanos() > 0;
  }

  /** The run, with a sentence that says so where it is one of these. */
  static JobReport.Run told(JobReport.Run run) {
    if (!asAsked(run)) {
      return run;
    }
    String flag = run.arguments().stream().filter(ASKING::contains).findFirst().orElseThrow();
    return run.of(
        run.id(),
        run.platform(),
        "it compiled, and " + flag + " asks for no more: no kernel ran, so nothing was verified");
  }
}
