package io.ringmaster.worker.script;

import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.check.Facts;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.List;

/** Says of an exception that nobody caught where it came from, as Python prints it. */
public final class Tracebacks {

  /** Characters of an exception's message that are kept. */
  private static final int LONGEST_MESSAGE = 4_000;

  private Tracebacks() {}

  public static ScriptResult.Escaped of(PyError error, Interp interp) {
    SourceFile source = interp.session().source();
    // Nobody can look into the library's own files, so the place is the script's call.
    List<PyError.Frame> frames =
        error.trace("<module>").stream()
            .filter(frame -> !frame.at().isKnown() || frame.at().file().equals(source.name()))
            .toList();
    List<String> lines = new ArrayList<>();
    lines.add("Traceback (most recent call last):");
    for (PyError.Frame frame : frames) {
      lines.add(
          "  File \""
              + source.name()
              + "\", line "
              + frame.at().line()
              + ", in "
              + frame.function());
      String text = source.line(frame.at().line()).strip();
      if (!text.isEmpty()) {
        lines.add("    " + text);
      }
    }
    String type = error.exception().type().name();
    String message = message(error, interp);
    lines.add(message.isEmpty() ? type : type + ": " + message);
    return new ScriptResult.Escaped(
        type, message, frames.isEmpty() ? Span.NONE : frames.getLast().at(), lines);
  }

  /** The exception's text; computing it runs the script's own methods, which may fail again. */
  private static String message(PyError error, Interp interp) {
    try {
      String text = interp.str(error.exception());
      return text.length() <= LONGEST_MESSAGE
          ? text
          : text.substring(0, LONGEST_MESSAGE - 3) + "...";
    } catch (PyError | LimitExceeded again) {
      return "<exception str() failed>";
    }
  }

  /**
   * Records an assertion whose condition the evaluator can't see through, so that there is a failed
   * check for it; the script's own words explain it.
   *
   * @param since the claims from here on may stand for it already
   */
  public static void recordAssertion(ScriptResult.Escaped escaped, int since, CheckBook checks) {
    if (checks.hasFailureSince(since)) {
      return;
    }
    String why =
        (escaped.message().isEmpty() ? "assertion failed" : escaped.message())
            + checks.firstDifference().map(words -> "; " + words).orElse("");
    int line = escaped.span().line();
    checks.record(
        Claim.of(
            "assert",
            "assert at line " + line,
            line,
            false,
            Origin.NONE,
            () -> Facts.ofNumbers(false, why)));
  }
}
