package io.ringmaster.service.submissions;

import io.ringmaster.service.config.BackgroundThreads;
import io.ringmaster.service.jobs.Submission;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.submissions.ScriptCompiler.Outcome;
import io.ringmaster.worker.job.JobReport.DiagnosticLine;
import io.ringmaster.worker.source.SourceFile;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * Looks at scripts and compiles them for requests, a few at a time and on threads of its own: a
 * request's virtual thread that computes for seconds would keep all other requests from being
 * answered. Scripts that take long to compile don't keep others from being submitted.
 */
@Component
public class CompileDesk implements DisposableBean {

  private static final int THREADS = 2;
  private static final int MOST_WAITING = 256;
  private static final long IDLE_SECONDS = 30;
  private static final long RETRY_SECONDS = 5;

  private final ScriptCompiler compiler;
  private final ExecutorService looking = threads("look");
  private final ExecutorService compiling = threads("compile");

  public CompileDesk(ScriptCompiler compiler) {
    this.compiler = compiler;
  }

  private static ExecutorService threads(String name) {
    var pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_WAITING),
            BackgroundThreads.factory(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  @Override
  public void destroy() {
    looking.shutdown();
    compiling.shutdown();
  }

  /**
   * Looks at a script before it becomes a job, when a thread is free.
   *
   * @throws ProblemException SOURCE_REJECTED with the diagnostics of a script that can't run on
   *     anything; UNAVAILABLE when too many wait already
   */
  public void check(Submission.Script script) {
    var diagnostics = await(looking, new FutureTask<>(() -> compiler.check(source(script))));
    if (!diagnostics.isEmpty()) {
      throw rejected(diagnostics);
    }
  }

  /**
   * Compiles, when a thread is free.
   *
   * @throws ProblemException SOURCE_REJECTED with the diagnostics of a script that breaks a rule;
   *     UNAVAILABLE when too many wait already
   */
  public Outcome.Compiled compile(SubmissionReader.Compilation asked) {
    var outcome =
        await(
            compiling,
            new FutureTask<>(
                () ->
                    compiler.compile(
                        source(asked.script()),
                        asked.platform(),
                        asked.devices(),
                        asked.arguments(),
                        asked.stage())));
    return switch (outcome) {
      case Outcome.Compiled compiled -> compiled;
      case Outcome.Rejected(var diagnostics) -> throw rejected(diagnostics);
    };
  }

  private static SourceFile source(Submission.Script script) {
    return SourceFile.of(script.name(), new String(script.content(), StandardCharsets.UTF_8));
  }

  private static <T> T await(ExecutorService threads, FutureTask<T> task) {
    try {
      threads.execute(task);
      return task.get();
    } catch (RejectedExecutionException e) {
      throw busy(e);
    } catch (InterruptedException e) {
      task.cancel(true);
      Thread.currentThread().interrupt();
      throw busy(e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("The compiler failed.", e);
    }
  }

  private static ProblemException rejected(List<DiagnosticLine> diagnostics) {
    var first = diagnostics.getFirst();
    var line = first.line() > 0 ? "Line " + first.line() + ": " : "";
    var place = first.field() == null ? line : first.place() + ": ";
    return new ProblemException(ProblemCode.SOURCE_REJECTED, place + first.message())
        .withDiagnostics(diagnostics);
  }

  private static ProblemException busy(Exception cause) {
    var problem =
        new ProblemException(
                ProblemCode.UNAVAILABLE,
                "%d scripts wait to be looked at already. Try again in some seconds."
                    .formatted(MOST_WAITING))
            .withRetryAfter(RETRY_SECONDS);
    problem.initCause(cause);
    return problem;
  }
}
