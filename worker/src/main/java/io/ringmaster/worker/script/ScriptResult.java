package io.ringmaster.worker.script;

import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.Span;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a script ended, and what it found.
 *
 * @param message what ended it, for people; empty when it ran to its end
 * @param checks every comparison it made, in order
 * @param log what it printed
 * @param exception the exception that escaped; empty when none did
 * @param warnings what the kernel front end had to say
 * @param steps evaluator steps used
 * @param tests what became of its cases; empty for a script that isn't a file of tests
 * @param remarks what its author should know of its checks
 * @param ranks of the launches that its checks looked at, by case, the one that had most ranks;
 *     under the empty name that of the whole script; none where no check counts
 */
public record ScriptResult(
    Outcome outcome,
    String message,
    List<Check> checks,
    String log,
    Optional<Escaped> exception,
    List<Diagnostic> warnings,
    long steps,
    Optional<Tests> tests,
    List<Remark> remarks,
    Map<String, Integer> ranks) {

  public ScriptResult {
    ranks = Map.copyOf(ranks);
    remarks = List.copyOf(remarks);
    checks = List.copyOf(checks);
    warnings = List.copyOf(warnings);
  }

  /**
   * The cases of a test file.
   *
   * @param collected how many there are, chosen or not
   * @param listed how many were listed instead of being run; empty unless that was asked for
   * @param skipped why the whole file was left out; empty when it wasn't
   */
  public record Tests(
      int collected, List<TestCase> cases, OptionalInt listed, Optional<String> skipped) {
    public Tests {
      cases = List.copyOf(cases);
    }
  }

  /** How it ended; the checks decide apart from that. */
  public enum Outcome {
    /** It ran to its end, or left with exit code 0. */
    FINISHED,
    /** An AssertionError escaped; there is a failed check for it. */
    ASSERTION_FAILED,
    /** Another exception escaped. */
    RAISED,
    /** It left with another exit code or a message. */
    EXITED,
    /** A kernel could not finish; the runtime knows why. */
    STOPPED,
    /** It used more than it may. */
    LIMIT_EXCEEDED,
    /** Its thread was interrupted. */
    CANCELLED
  }

  /**
   * An exception nobody caught.
   *
   * @param trace lines of a traceback, outermost call first
   */
  public record Escaped(String type, String message, Span span, List<String> trace) {
    public Escaped {
      trace = List.copyOf(trace);
    }
  }

  ScriptResult endedBy(Outcome end, String why) {
    return new ScriptResult(
        end, why, checks, log, exception, warnings, steps, tests, remarks, ranks);
  }

  /** The same with what became clear of its checks later. */
  ScriptResult with(List<Check> clearer, List<Remark> more, Map<String, Integer> looked) {
    return new ScriptResult(
        outcome, message, clearer, log, exception, warnings, steps, tests, more, looked);
  }

  /** Cases that ran to their end and of which all checks hold, with what is around them. */
  Set<String> holding(CheckBook book) {
    Stream<String> finished =
        tests.stream()
            .flatMap(all -> all.cases().stream())
            .filter(TestCase::ranToItsEnd)
            .map(TestCase::nodeId);
    return Stream.concat(Stream.of(""), finished).filter(book::holds).collect(Collectors.toSet());
  }

  /** True when some check failed. */
  public boolean hasFailedCheck() {
    return checks.stream().anyMatch(check -> !check.passed());
  }

  /** True when at least one check looked at a kernel's output. */
  public boolean isVerified() {
    return checks.stream().anyMatch(Check::verifies);
  }
}
