package io.ringmaster.worker.script;

import io.ringmaster.worker.source.Diagnostic;
import java.util.List;
import java.util.Optional;

/**
 * One case of a test file and how it ended; its checks carry its node id.
 *
 * @param nodeId {@code file.py::TestX::test_y[a-b]}
 * @param className the class name JUnit XML gives it: {@code file.TestX}
 * @param name the last part of the node id
 * @param line where its function is defined
 * @param status how it ended
 * @param around true when a fixture ended it, not the case itself
 * @param message what ended it, or the reason of a skip; empty when it ran to its end
 * @param refusal the rules it breaks, when {@link Status#REJECTED}
 * @param exception the exception that escaped; empty when none did
 * @param wallNanos how long it took on this machine, with its fixtures; no two runs take the same
 */
public record TestCase(
    String nodeId,
    String className,
    String name,
    int line,
    Status status,
    boolean around,
    String message,
    List<Diagnostic> refusal,
    Optional<ScriptResult.Escaped> exception,
    long wallNanos) {

  public TestCase {
    refusal = List.copyOf(refusal);
  }

  /** True when nothing ended it before its end. */
  boolean ranToItsEnd() {
    return status == Status.FINISHED || status == Status.XPASSED;
  }

  /** How a case ended. */
  public enum Status {
    /** It ran to its end; its checks decide. */
    FINISHED,
    /** An assertion failed, or the case said that it fails. */
    ASSERTION_FAILED,
    /** Another exception escaped. */
    RAISED,
    /** It was left out, by its marks or by itself. */
    SKIPPED,
    /** It failed, and was expected to. */
    XFAILED,
    /** It ran to its end although it was expected to fail. */
    XPASSED,
    /** A kernel could not finish; the runtime knows why. */
    STOPPED,
    /** It breaks a rule of the kernel language or of scripts. */
    REJECTED,
    /** It used more than it may. */
    LIMIT_EXCEEDED,
    /** It took longer than a case may; the others went on. */
    TIMED_OUT,
    /** Its thread was interrupted. */
    CANCELLED,
    /** The run ended before it. */
    NOT_RUN
  }
}
