package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.KernelRuntime;
import io.ringmaster.worker.script.LimitExceeded;
import io.ringmaster.worker.script.TestCase;
import io.ringmaster.worker.script.TestCase.Status;
import io.ringmaster.worker.script.Tracebacks;
import io.ringmaster.worker.script.builtin.Builtins;
import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.DiagnosticList;
import io.ringmaster.worker.stop.StopOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs cases one after the other; what ends one doesn't end the next. */
final class CaseRunner {

  private final FixtureStack stack;
  private final Interp interp;
  private final CheckBook checks;
  private final List<TestCase> cases;

  CaseRunner(FixtureStack stack, Interp interp, List<TestCase> cases) {
    this.stack = stack;
    this.interp = interp;
    this.checks = interp.session().checks();
    this.cases = cases;
  }

  /** How a case ended, without its name. */
  private record End(
      Status status,
      boolean around,
      String message,
      List<Diagnostic> refusal,
      Optional<io.ringmaster.worker.script.ScriptResult.Escaped> exception) {

    static End of(Status status, String message) {
      return new End(status, false, message, List.of(), Optional.empty());
    }

    End inFixture() {
      return new End(status, true, message, refusal, exception);
    }
  }

  /** Nothing more may run: the run's time or steps are used up, or it was cancelled. */
  private static final class Over extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Over(RuntimeException cause) {
      super("the run is over", cause, false, false);
    }
  }

  /**
   * Runs cases.
   *
   * @param last the case after which no more are run, and nothing is undone; empty for none
   * @param maxFailures so many are enough; 0 for any number
   */
  void run(List<TestItem> items, String last, long maxFailures) {
    long failures = 0;
    for (int i = 0; i < items.size(); i++) {
      TestItem item = items.get(i);
      Optional<TestItem> next =
          i + 1 < items.size() ? Optional.of(items.get(i + 1)) : Optional.empty();
      interp.session().runtime().caseStarts(item.nodeId());
      checks.beginCase(item.nodeId());
      long begun = System.nanoTime();
      End end;
      try {
        end = one(item, next);
      } catch (Over over) {
        add(
            item,
            over.getCause() instanceof LimitExceeded limit
                ? overLimit(limit)
                : End.of(Status.CANCELLED, "cancelled"),
            begun);
        notRun(items.subList(i + 1, items.size()));
        endCases();
        throw over.getCause() instanceof LimitExceeded limit
            ? limit
            : (StopOrder.Stopped) over.getCause();
      }
      add(item, end, begun);
      if (item.nodeId().equals(last)) {
        break;
      }
      failures += failed(cases.getLast()) ? 1 : 0;
      if (maxFailures > 0 && failures >= maxFailures) {
        stack.leave(item, Optional.empty());
        break;
      }
    }
    endCases();
  }

  private void endCases() {
    interp.session().runtime().casesEnd();
    checks.beginCase("");
  }

  private void notRun(List<TestItem> items) {
    for (TestItem item : items) {
      interp.session().runtime().caseStarts(item.nodeId());
      add(item, End.of(Status.NOT_RUN, "the run ended before this case"), System.nanoTime());
    }
  }

  private void add(TestItem item, End end, long begun) {
    cases.add(
        new TestCase(
            item.nodeId(),
            item.junitClass(),
            item.name(),
            item.function().definedAt().line(),
            end.status(),
            end.around(),
            end.message(),
            end.refusal(),
            end.exception(),
            System.nanoTime() - begun));
  }

  static boolean failed(TestCase one) {
    return switch (one.status()) {
      case FINISHED, SKIPPED, XFAILED, XPASSED -> false;
      case ASSERTION_FAILED,
          RAISED,
          STOPPED,
          REJECTED,
          LIMIT_EXCEEDED,
          TIMED_OUT,
          CANCELLED,
          NOT_RUN ->
          true;
    };
  }

  private End one(TestItem item, Optional<TestItem> next) {
    int before = checks.mark();
    End end = guarded(() -> body(item), before);
    End after = guarded(() -> leave(item, next), before);
    boolean quiet = after.status() == Status.FINISHED;
    return quiet || failed(end) ? end : after.inFixture();
  }

  private static boolean failed(End end) {
    return end.status() != Status.FINISHED
        && end.status() != Status.SKIPPED
        && end.status() != Status.XFAILED
        && end.status() != Status.XPASSED;
  }

  private End leave(TestItem item, Optional<TestItem> next) {
    stack.leave(item, next);
    return End.of(Status.FINISHED, "");
  }

  private End body(TestItem item) {
    Optional<String> skip = Conditions.skip(item, interp);
    if (skip.isPresent()) {
      return End.of(Status.SKIPPED, skip.get());
    }
    Optional<Conditions.Expected> expected = Conditions.expectedToFail(item, interp);
    if (expected.filter(e -> !e.run()).isPresent()) {
      return End.of(Status.XFAILED, "[NOTRUN] " + expected.get().reason());
    }
    int before = checks.mark();
    End end = called(item, before);
    return expected.map(e -> held(e, end, before)).orElse(end);
  }

  private End called(TestItem item, int before) {
    List<Value> self = new ArrayList<>();
    Map<String, Value> fixtures = new LinkedHashMap<>();
    End setup =
        guarded(
            () -> {
              Value instance = stack.enter(item);
              if (item.needsInstance()) {
                self.add(instance);
              }
              fixtures.putAll(stack.arguments(item));
              return End.of(Status.FINISHED, "");
            },
            before);
    if (setup.status() != Status.FINISHED) {
      return setup.status() == Status.SKIPPED ? setup : setup.inFixture();
    }
    return guarded(
        () -> {
          interp.call(item.function(), new Arguments(self, fixtures), item.function().definedAt());
          return End.of(Status.FINISHED, "");
        },
        before);
  }

  /** What an expected failure makes of an ending. */
  private End held(Conditions.Expected expected, End end, int before) {
    return switch (end.status()) {
      case SKIPPED, XFAILED, TIMED_OUT, CANCELLED, NOT_RUN, XPASSED -> end;
      case FINISHED -> {
        if (!checks.hasFailureSince(before) && !expected.strict()) {
          yield End.of(Status.XPASSED, expected.reason());
        }
        if (checks.hasFailureSince(before)) {
          yield xfailed(expected, before);
        }
        yield End.of(Status.ASSERTION_FAILED, "[XPASS(strict)] " + expected.reason());
      }
      case ASSERTION_FAILED, RAISED, STOPPED, REJECTED, LIMIT_EXCEEDED -> {
        boolean asExpected =
            expected.raises().isEmpty()
                || (end.exception().isPresent()
                    && Builtins.isInstance(
                        lastRaised
                            .map(PyError::exception)
                            .map(Value.class::cast)
                            .orElse(Value.NONE),
                        expected.raises().get()));
        yield asExpected ? xfailed(expected, before) : end;
      }
    };
  }

  private End xfailed(Conditions.Expected expected, int before) {
    checks.failedAsExpected(before);
    return End.of(Status.XFAILED, expected.reason());
  }

  private Optional<PyError> lastRaised = Optional.empty();

  /** Turns whatever ends some work into an ending; only what ends the whole run comes out. */
  private End guarded(java.util.function.Supplier<End> work, int before) {
    try {
      return work.get();
    } catch (PyError error) {
      return raised(error, before);
    } catch (DiagnosticException refusal) {
      return rejected(refusal);
    } catch (KernelRuntime.RunStopped stopped) {
      return End.of(Status.STOPPED, String.valueOf(stopped.getMessage()));
    } catch (StopOrder.Stopped interrupted) {
      if (interp.session().runtime().endsOnlyThisCase()) {
        return End.of(Status.TIMED_OUT, "");
      }
      throw new Over(interrupted);
    } catch (LimitExceeded limit) {
      if (limit.kind() == LimitExceeded.Kind.STEPS) {
        throw new Over(limit);
      }
      return overLimit(limit);
    } catch (StackOverflowError error) {
      return End.of(
          Status.LIMIT_EXCEEDED,
          "recursion limit: nested too deeply at " + interp.session().budget().here());
    }
  }

  private static End rejected(DiagnosticException refusal) {
    return new End(
        Status.REJECTED,
        false,
        refusal.diagnostics().isEmpty()
            ? "rejected"
            : DiagnosticList.headline(refusal.diagnostics()),
        refusal.diagnostics(),
        Optional.empty());
  }

  private static End overLimit(LimitExceeded limit) {
    return End.of(Status.LIMIT_EXCEEDED, limit.getMessage() + " at " + limit.place());
  }

  private End raised(PyError error, int before) {
    lastRaised = Optional.of(error);
    if (error.refusal().isPresent()) {
      return rejected(error.refusal().get());
    }
    if (error.limit().isPresent()) {
      return overLimit(error.limit().get());
    }
    String reason = Outcomes.reason(error);
    if (error.is(Outcomes.SKIPPED)) {
      return End.of(Status.SKIPPED, reason);
    }
    if (error.is(Outcomes.XFAILED)) {
      checks.failedAsExpected(before);
      return End.of(Status.XFAILED, reason);
    }
    error.at(interp.session().budget().here());
    var escaped = Tracebacks.of(error, interp);
    boolean assertion = error.is(Exceptions.ASSERTION_ERROR) || error.is(Outcomes.FAILED);
    if (assertion) {
      Tracebacks.recordAssertion(escaped, before, checks);
    }
    String message =
        escaped.message().isEmpty()
            ? assertion ? "assertion failed" : escaped.type()
            : assertion ? escaped.message() : escaped.type() + ": " + escaped.message();
    return new End(
        assertion ? Status.ASSERTION_FAILED : Status.RAISED,
        false,
        message,
        List.of(),
        Optional.of(escaped));
  }
}
