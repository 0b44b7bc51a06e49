package io.ringmaster.worker.script;

import io.ringmaster.worker.frontend.Builds;
import io.ringmaster.worker.frontend.ClosureScope;
import io.ringmaster.worker.ir.Draft;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.script.ScriptResult.Outcome;
import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Launch;
import io.ringmaster.worker.script.check.Remarks;
import io.ringmaster.worker.script.eval.Interpreter;
import io.ringmaster.worker.script.eval.StaticChecker;
import io.ringmaster.worker.script.module.Modules;
import io.ringmaster.worker.script.pytest.PytestOptions;
import io.ringmaster.worker.script.pytest.TestRun;
import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.script.value.KernelFrontend;
import io.ringmaster.worker.script.value.OutputLog;
import io.ringmaster.worker.script.value.Session;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Module;
import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.stop.StopOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Runs a driver script: the module's top level, as {@code python script.py ...} would. */
public final class ScriptRunner {

  /** Room for {@link ScriptLimits#callDepth} calls of deeply nested expressions. */
  private static final long STACK_BYTES = 512L << 20;

  private final KernelFrontend frontend;

  /**
   * Makes a runner.
   *
   * @param frontend what {@code @pl.program} classes are handed to
   */
  public ScriptRunner(KernelFrontend frontend) {
    this.frontend = frontend;
  }

  /**
   * Runs a script on a thread of its own and waits for it; interrupting the caller cancels it.
   *
   * @param argv {@code sys.argv}, the script's name first
   * @param seed seed of the script's random generators, unless the script sets its own
   * @throws io.ringmaster.worker.source.DiagnosticException when the script or a kernel breaks a
   *     rule or uses something that isn't available
   */
  public ScriptResult run(
      Module module, List<String> argv, KernelRuntime runtime, ScriptLimits limits, long seed) {
    return onDeepStack(() -> new Readings(module, argv, limits, seed).run(runtime));
  }

  /**
   * What can be seen to be wrong with a script before it runs: its syntax errors, imports and names
   * that aren't there, and then what is wrong with its programs, too.
   *
   * @param platform the rules of the platform that a program breaks
   * @return every problem, in source order; empty when it may run
   */
  public List<Diagnostic> problems(
      PythonParser.Reading reading, Function<Draft, List<Diagnostic>> platform) {
    Module module = reading.module();
    Session session = looking(module, platform);
    List<Diagnostic> all = new ArrayList<>(reading.problems());
    if (all.isEmpty() && isBlank(module)) {
      return List.of(
          Diagnostic.error(
              "the script does nothing: there is no statement in it",
              "submit the script that compiles and runs the kernels, or a file of tests",
              module.body().isEmpty() ? Span.NONE : module.body().getFirst().span()));
    }
    return onDeepStack(
        () -> {
          Modules modules = new Modules(session);
          try {
            StaticChecker.check(module, modules);
          } catch (DiagnosticException problems) {
            all.addAll(problems.diagnostics());
          }
          if (all.isEmpty()) {
            return all;
          }
          all.sort(
              Comparator.comparingInt((Diagnostic d) -> d.span().line())
                  .thenComparingInt(d -> d.span().column()));
          return new Interpreter(session, modules)
              .refused(new DiagnosticException(all), module, reading.problems().isEmpty())
              .diagnostics();
        });
  }

  /** Imports and names of a script that aren't there; none when it can't be read. */
  public List<Diagnostic> unknown(PythonParser.Reading reading) {
    if (!reading.problems().isEmpty()) {
      return List.of();
    }
    Module module = reading.module();
    Session session = looking(module, _ -> List.of());
    return onDeepStack(
        () -> {
          try {
            StaticChecker.check(module, new Modules(session));
            return List.of();
          } catch (DiagnosticException problems) {
            return problems.diagnostics();
          }
        });
  }

  /** A session for a script that is looked through and not run. */
  private Session looking(Module module, Function<Draft, List<Diagnostic>> platform) {
    Budget budget = new Budget(ScriptLimits.DEFAULT, module.source().name());
    return new Readings(module, List.of(), ScriptLimits.DEFAULT, 0)
        .session(new Unable(platform), budget, new CheckBook(budget::objects));
  }

  /** True for a text with comments and docstrings at most. */
  public static boolean isBlank(Module module) {
    return module.body().stream().allMatch(ScriptRunner::doesNothing);
  }

  /** True for {@code pass} and for a constant, such as a docstring. */
  private static boolean doesNothing(Stmt statement) {
    return switch (statement) {
      case Stmt.Pass _ -> true;
      case Stmt.ExprStmt(Expr.StringLiteral _, _) -> true;
      case Stmt.ExprStmt(Expr.EllipsisLiteral _, _) -> true;
      default -> false;
    };
  }

  /** Runs nothing. */
  private record Unable(Function<Draft, List<Diagnostic>> platform) implements KernelRuntime {

    @Override
    public Compiled compile(Program program, String name, List<Integer> deviceIds, Span where) {
      throw new IllegalStateException("a check runs nothing");
    }

    @Override
    public List<Diagnostic> mistakes(Draft draft) {
      return platform.apply(draft);
    }
  }

  private static <T> T onDeepStack(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(null, task, "script", STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
    return await(task, thread);
  }

  /** The readings of one script: what it found, and whether its checks could have failed. */
  private final class Readings {

    private final Module module;
    private final List<String> argv;
    private final ScriptLimits limits;
    private final long seed;
    private final Builds builds = new Builds();
    private final Map<Class<?>, Object> lasting = new HashMap<>(Map.of(Builds.class, builds));

    Readings(Module module, List<String> argv, ScriptLimits limits, long seed) {
      this.module = module;
      this.argv = argv.isEmpty() ? List.of(module.source().name()) : argv;
      this.limits = limits;
      this.seed = seed;
    }

    ScriptResult run(KernelRuntime runtime) {
      var tape = new KernelTape(runtime);
      Budget budget = new Budget(limits, module.source().name());
      CheckBook checks = new CheckBook(budget::objects);
      Session session = session(tape, budget, checks);
      tape.reads(budget::here, /* again= */ false);
      ScriptResult result = Evaluation.of(module, session);
      boolean green = result.outcome() == Outcome.FINISHED || result.tests().isPresent();
      if (!green || result.outcome() == Outcome.CANCELLED) {
        return result;
      }
      try {
        return tried(result, tape, checks, session.launches().all());
      } catch (StopOrder.Stopped stopped) {
        return result.endedBy(Outcome.CANCELLED, "the script was cancelled");
      }
    }

    /** What came of a script that has ended, with what further readings show of its checks. */
    private ScriptResult tried(
        ScriptResult result, KernelTape tape, CheckBook checks, List<Launch> launches) {
      if (!checks.unclear().isEmpty() && !doubt(result, tape, checks, launches)) {
        return result.endedBy(Outcome.CANCELLED, "the script was cancelled");
      }
      checks.excuseLogged();
      boolean failed = checks.hasFailureSince(0);
      if (result.tests().isPresent() || !failed) {
        checks.settle();
        follow(result, tape, checks, launches);
        tryOut(result, tape, checks, launches);
        checks.settleLaunches();
      }
      var remarks = new Remarks(checks, launches, result.holding(checks));
      return result.with(checks.checks(), remarks.all(), remarks.ranks());
    }

    /**
     * A check counts only if it could have failed. Where that isn't plain, the script is read again
     * with other values in its outputs, and what comes out the same all the same doesn't count.
     *
     * @return false when it was cancelled meanwhile
     */
    private boolean doubt(
        ScriptResult result, KernelTape tape, CheckBook checks, List<Launch> launches) {
      Set<String> roomy =
          without(checks.unclear(), casesOf(launches, tape, KernelTape.Launch::lacksRoom));
      for (Spread.Other other : Spread.Other.values()) {
        CheckBook.Reading reading = reading(other);
        Set<String> wanted =
            switch (other) {
              case HIGHER, LOWER -> roomy;
              case SCATTERED, MIRRORED -> checks.needingMore();
              case ZERO -> checks.withDoubts();
            };
        if (wanted.isEmpty()) {
          continue;
        }
        Budget budget = new Budget(furtherLimits(result), module.source().name());
        CheckBook again = checks.again(budget::objects);
        tape.reads(budget::here, /* again= */ true);
        Outcome end = readAgain(new OtherValues(tape, other), budget, again);
        if (end == Outcome.CANCELLED) {
          return false;
        }
        checks.compare(again, reading, wanted);
      }
      checks.decideDoubts(2);
      return true;
    }

    /**
     * A golden that is another one when the kernels have written something else was made of what
     * they wrote, by way of text, or chosen by it: what is held against it is tried out.
     */
    private void follow(
        ScriptResult result, KernelTape tape, CheckBook checks, List<Launch> launches) {
      if (!checks.mayFollow() || !Rereadings.allow(2, result.steps())) {
        return;
      }
      Set<String> tooLarge = casesOf(launches, tape, KernelTape.Launch::isTooLarge);
      for (Mutation.Kind kind :
          List.of(Mutation.Kind.SLICES, Mutation.Kind.UP, Mutation.Kind.DOWN)) {
        Budget budget = new Budget(furtherLimits(result), module.source().name());
        CheckBook again = checks.again(budget::objects);
        tape.reads(budget::here, /* again= */ true);
        readAgain(OtherValues.changed(tape, Mutation.all(kind)), budget, again);
        checks.takeFollowing(again, tooLarge);
        if (kind == Mutation.Kind.UP && !Rereadings.allow(20, result.steps())) {
          // A long script isn't read once more for what the other two nearly always show.
          return;
        }
      }
    }

    /** Changes single outputs, to see whether a script notices, where that isn't plain. */
    private void tryOut(
        ScriptResult result, KernelTape tape, CheckBook checks, List<Launch> launches) {
      Rereadings.Reader reader =
          (others, cases, listening) -> {
            var other =
                read(
                    result,
                    tape,
                    others,
                    cases,
                    listening ? CheckBook::ofListening : CheckBook::ofTrial);
            if (!listening) {
              other.map(Rereadings.Reading::checks).ifPresent(checks::takeChoices);
              other.map(Rereadings.Reading::checks).ifPresent(checks::takeGoldens);
              other.map(Rereadings.Reading::checks).ifPresent(checks::takeTexts);
            }
            return other;
          };
      new Trials(tape, launches, result, new Rereadings(tape, result, reader)).decide(checks);
    }

    /** Reads it with other kernels; empty when it doesn't come to an end. */
    private Optional<Rereadings.Reading> read(
        ScriptResult result,
        KernelTape tape,
        KernelRuntime others,
        Rereadings.Cases cases,
        Function<LongConsumer, CheckBook> book) {
      Budget budget = new Budget(furtherLimits(result), module.source().name());
      CheckBook again = book.apply(budget::objects);
      Session session = session(others, budget, again);
      tape.reads(budget::here, /* again= */ true);
      cases.choose(TestRun.of(session));
      try {
        ScriptResult other = Evaluation.of(module, session);
        return Optional.of(new Rereadings.Reading(other, again, session.launches().all()));
      } catch (DiagnosticException | KernelRuntime.RunStopped ended) {
        return Optional.empty();
      }
    }

    /** Cases with a launch of a kind, by themselves or around them. */
    private static Set<String> casesOf(
        List<Launch> launches, KernelTape tape, Predicate<KernelTape.Launch> kind) {
      Set<String> cases = new HashSet<>();
      List<KernelTape.Launch> taped = tape.launches();
      for (int i = 0; i < taped.size(); i++) {
        if (kind.test(taped.get(i))) {
          cases.add(i < launches.size() ? launches.get(i).test() : "");
        }
      }
      return cases;
    }

    private static Set<String> without(Set<String> all, Set<String> some) {
      return some.contains("")
          ? Set.of()
          : all.stream().filter(test -> !some.contains(test)).collect(Collectors.toSet());
    }

    private static CheckBook.Reading reading(Spread.Other other) {
      return switch (other) {
        case HIGHER -> CheckBook.Reading.HIGHER;
        case LOWER -> CheckBook.Reading.LOWER;
        case SCATTERED, MIRRORED, ZERO -> CheckBook.Reading.OTHER;
      };
    }

    /** Other values may send a script round in circles: it gets little more than it has used. */
    private ScriptLimits furtherLimits(ScriptResult result) {
      long steps = Math.min(limits.steps(), result.steps() * 2 + 100_000);
      return new ScriptLimits(steps, limits.callDepth(), limits.memoryBytes(), limits.logBytes());
    }

    /** Under other values a script may end anywhere; what it compared up to there shows enough. */
    private Outcome readAgain(KernelRuntime others, Budget budget, CheckBook again) {
      try {
        return Evaluation.of(module, session(others, budget, again)).outcome();
      } catch (DiagnosticException ended) {
        return Outcome.STOPPED;
      }
    }

    private Session session(KernelRuntime runtime, Budget budget, CheckBook checks) {
      return new Session(
          module.source(),
          argv,
          new CatchableRuntime(runtime),
          (definition, scope) ->
              KernelErrors.catchable(() -> runtime.reading(() -> build(definition, scope))),
          budget,
          checks,
          new OutputLog(limits.logBytes()),
          seed,
          new ArrayList<>(),
          new HashMap<>(),
          lasting);
    }

    private KernelFrontend.Result build(Stmt.ClassDef definition, ClosureScope scope) {
      return builds.get(
          definition,
          "program",
          scope,
          KernelFrontend.Result.class,
          seen -> frontend.build(definition, seen));
    }
  }

  private static <T> T await(FutureTask<T> task, Thread thread) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          // The script notices within a few steps and ends as cancelled.
          interrupted = true;
          thread.interrupt();
        }
      }
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw new IllegalStateException("script evaluation failed", e);
      }
    } catch (CancellationException e) {
      throw new IllegalStateException("nobody cancels the task", e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Whether a file is run as {@code pytest FILE}, and not as {@code python FILE}.
   *
   * @param arguments those of the job; some choose tests
   */
  public static boolean isFileOfTests(Module module, List<String> arguments) {
    return TestFile.isOnlyTests(module)
        || (TestFile.hasTests(module.body()) && PytestOptions.selects(arguments));
  }
}
