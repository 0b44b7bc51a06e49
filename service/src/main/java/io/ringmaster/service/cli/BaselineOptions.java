package io.ringmaster.service.cli;

import io.ringmaster.api.client.model.ComparisonKind;
import java.io.PrintWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What to hold a job's results against. */
final class BaselineOptions {

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  @Option(
      names = "--baseline",
      paramLabel = "NAME",
      description = "with --wait: say what is new, same, changed or fixed against this baseline")
  private @Nullable String baseline;

  @Option(
      names = "--approve",
      description = "let the results stand in the baseline from now on, if they are PASSED")
  private boolean approve;

  @Option(
      names = "--compare-anyway",
      description = "compare also with what was run on other devices or in another state")
  private boolean anyway;

  /** Refuses what makes no sense together. */
  void check(boolean wait) {
    var line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    if (baseline != null && !wait) {
      throw new ParameterException(line, "--baseline needs --wait: it compares what came out");
    }
    if (baseline == null && (approve || anyway)) {
      throw new ParameterException(
          line, (approve ? "--approve" : "--compare-anyway") + " needs --baseline NAME");
    }
  }

  /**
   * Compares and approves what was asked for.
   *
   * @param verdict what the shell is told of the verdict alone
   * @return what the shell is told
   */
  int compare(ServiceClient client, String job, int verdict, PrintWriter out) {
    if (baseline == null) {
      return verdict;
    }
    ComparisonKind kind = ComparisonKind.NEW;
    // Before the comparison: what changes meanwhile must not be replaced unseen.
    var seen = client.baseline(baseline);
    if (seen.isPresent()) {
      var comparison = client.compare(job, baseline, anyway);
      kind = comparison.getKind();
      out.println(comparison.getSentence());
    } else {
      out.println("new: there is no baseline " + baseline + " yet");
    }
    if (approve && verdict == ExitCodes.PASSED) {
      client.approve(baseline, job, "", false, seen);
      out.println("approved: baseline " + baseline + " has the results of " + job);
      kind = ComparisonKind.SAME; // what was approved isn't a change any more
    }
    out.flush();
    return ExitCodes.of(verdict, kind);
  }
}
