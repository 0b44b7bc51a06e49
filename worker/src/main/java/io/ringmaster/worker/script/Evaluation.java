package io.ringmaster.worker.script;

import io.ringmaster.worker.script.ScriptResult.Outcome;
import io.ringmaster.worker.script.builtin.Numbers;
import io.ringmaster.worker.script.eval.Interpreter;
import io.ringmaster.worker.script.eval.StaticChecker;
import io.ringmaster.worker.script.module.Modules;
import io.ringmaster.worker.script.pytest.PytestOptions;
import io.ringmaster.worker.script.pytest.TestRun;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Session;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Module;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.Sizes;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One reading of a script, from its top to wherever it ends, and what is to be said of that. */
final class Evaluation {

  private Evaluation() {}

  /**
   * Reads a script.
   *
   * @throws DiagnosticException when it is refused
   */
  static ScriptResult of(Module module, Session session) {
    Modules modules = new Modules(session);
    try {
      StaticChecker.check(module, modules);
    } catch (DiagnosticException problems) {
      throw new Interpreter(session, modules).refused(problems, module, true);
    }
    List<String> arguments = session.argv().subList(1, session.argv().size());
    boolean asTests = ScriptRunner.isFileOfTests(module, arguments);
    Interpreter interp =
        new Interpreter(session, modules, asTests ? stem(module.source().name()) : "__main__");
    try {
      return interpret(module, session, interp, asTests);
    } catch (LimitExceeded limit) {
      session.budget().moveTo(limit.place());
      return result(
          session,
          Outcome.LIMIT_EXCEEDED,
          limit.getMessage() + " at " + limit.place(),
          Optional.empty());
    } catch (KernelRuntime.RunStopped stopped) {
      return result(session, Outcome.STOPPED, text(stopped.getMessage()), Optional.empty());
    } catch (StopOrder.Stopped stopped) {
      return result(
          session,
          Outcome.CANCELLED,
          "the script was at " + session.budget().here(),
          Optional.empty());
    } catch (StackOverflowError error) {
      return result(
          session,
          Outcome.LIMIT_EXCEEDED,
          "recursion limit: nested too deeply at " + session.budget().here(),
          Optional.empty());
    } catch (Sizes.TooLarge size) {
      return result(
          session,
          Outcome.LIMIT_EXCEEDED,
          "size limit: a size or a number of elements above "
              + Long.MAX_VALUE
              + " at "
              + session.budget().here(),
          Optional.empty());
    } catch (OutOfMemoryError error) {
      return result(
          session,
          Outcome.LIMIT_EXCEEDED,
          "memory limit: the script's values don't fit at " + session.budget().here(),
          Optional.empty());
    }
  }

  private static ScriptResult interpret(
      Module module, Session session, Interpreter interp, boolean asTests) {
    try {
      interp.run(module);
      if (asTests && !TestRun.of(session).hasBegun()) {
        List<String> arguments = session.argv().subList(1, session.argv().size());
        TestRun.of(session).run(PytestOptions.parse(arguments, Span.NONE), interp);
      }
      return result(session, Outcome.FINISHED, "", Optional.empty());
    } catch (PyError error) {
      // Telling what it says runs the script's own methods, which may reach a limit.
      return escaped(session, error, interp);
    }
  }

  /** A file's name as a module: {@code test_x} for {@code some/test_x.py}. */
  private static String stem(String name) {
    String file = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
    return file.endsWith(".py") ? file.substring(0, file.length() - 3) : file;
  }

  private static String text(@Nullable String message) {
    return message == null ? "" : message;
  }

  private static ScriptResult escaped(Session session, PyError error, Interp interp) {
    if (error.refusal().isPresent()) {
      throw error.refusal().get();
    }
    if (error.limit().isPresent()) {
      throw error.limit().get();
    }
    Optional<String> skipped = TestRun.skipReason(error);
    if (skipped.isPresent()) {
      return result(session, Outcome.FINISHED, "", Optional.empty(), skipped);
    }
    ScriptResult.Escaped escaped = Tracebacks.of(error, interp);
    if (error.is(Exceptions.SYSTEM_EXIT)) {
      return exited(session, error, escaped);
    }
    if (!error.is(Exceptions.ASSERTION_ERROR)) {
      return result(
          session,
          Outcome.RAISED,
          escaped.type() + (escaped.message().isEmpty() ? "" : ": " + escaped.message()),
          Optional.of(escaped));
    }
    Tracebacks.recordAssertion(escaped, 0, session.checks());
    return result(
        session,
        Outcome.ASSERTION_FAILED,
        escaped.message().isEmpty() ? "assertion failed" : escaped.message(),
        Optional.of(escaped));
  }

  private static ScriptResult exited(Session session, PyError error, ScriptResult.Escaped escaped) {
    Value code = error.exception().attributes().getOrDefault("code", Value.NONE);
    // A member of an IntEnum is a number as well.
    Optional<BigInteger> status = Numbers.whole(code);
    if (code instanceof Value.None || status.filter(one -> one.signum() == 0).isPresent()) {
      return result(session, Outcome.FINISHED, "", Optional.empty());
    }
    boolean number = status.isPresent();
    if (!number) {
      // Python prints such a message on its way out.
      session.log().write(escaped.message() + "\n");
    }
    int compared = session.checks().glimpsed();
    if (number && compared > 0 && !TestRun.of(session).hasBegun()) {
      return result(
          session,
          Outcome.ASSERTION_FAILED,
          "it exits with code "
              + status.get()
              + " after the comparison in line "
              + compared
              + session
                  .checks()
                  .firstDifference()
                  .map(words -> "; " + words)
                  .orElseGet(() -> lastWords(session)),
          Optional.of(escaped));
    }
    return result(
        session,
        Outcome.EXITED,
        number
            ? "the script exited with code " + status.get() + lastWords(session)
            : escaped.message(),
        Optional.of(escaped));
  }

  /** The last line that the script printed: of a refused command line, the reason. */
  private static String lastWords(Session session) {
    return session
        .log()
        .text()
        .lines()
        .filter(line -> !line.isBlank())
        .reduce((before, last) -> last)
        .map(line -> ": " + line)
        .orElse("");
  }

  private static ScriptResult result(
      Session session, Outcome outcome, String message, Optional<ScriptResult.Escaped> exception) {
    return result(session, outcome, message, exception, Optional.empty());
  }

  private static ScriptResult result(
      Session session,
      Outcome outcome,
      String message,
      Optional<ScriptResult.Escaped> exception,
      Optional<String> skipped) {
    TestRun run = TestRun.of(session);
    return new ScriptResult(
        outcome,
        message,
        session.checks().checks(),
        session.log().text(),
        exception,
        session.warnings(),
        session.budget().steps(),
        run.hasBegun() || skipped.isPresent()
            ? Optional.of(
                new ScriptResult.Tests(run.collected(), run.cases(), run.listed(), skipped))
            : Optional.empty(),
        List.of(),
        Map.of());
  }
}
