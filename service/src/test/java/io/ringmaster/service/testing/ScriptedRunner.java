package io.ringmaster.service.testing;

import io.ringmaster.service.submissions.ScriptCompiler;
import io.ringmaster.service.submissions.SubmissionReader;
import io.ringmaster.service.workers.JobExecutor;
import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobReport.DiagnosticLine;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.job.Verdict;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Stands where the runner is and does what comments in the script say, so that the service can be
 * tested without kernels: {@code # verdict: RACE}, {@code # hold} (until released or cancelled),
 * {@code # deaf} (until it may hear, whatever it is told), {@code # virtual: 4000}, {@code #
 * output: y}, {@code # differs: a5sim} (in an element of it), {@code # explode}, {@code # log:
 * text}. A script with {@code # broken} can't run on anything.
 */
public final class ScriptedRunner implements JobExecutor, ScriptCompiler {

  private static final Pattern DIRECTIVE = Pattern.compile("(?m)^# (\\w+)(?:: (.*))?$");

  /** What every run says that it has cost. */
  public static final long INSTRUCTIONS = 12_345;

  public static final long PASS_NANOS = 250_000;

  private final Semaphore released = new Semaphore(0);

  private final Semaphore ears = new Semaphore(0);

  private final Set<String> holding = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<String> executed = new ConcurrentLinkedQueue<>();

  /** Lets so many held runs go on. */
  public void release(int runs) {
    released.release(runs);
  }

  /** Lets so many deaf runs end after all. */
  public void hear(int runs) {
    ears.release(runs);
  }

  /** Names of the scripts that are held now. */
  public Set<String> holding() {
    return Set.copyOf(holding);
  }

  /** Names of the scripts that were started, in order, once for each run. */
  public List<String> executed() {
    return List.copyOf(executed);
  }

  @Override
  public JobReport run(JobSpec spec, RunControl control) {
    executed.add(spec.source().name());
    var directives = directives(spec.source());
    control.phase(0, "running");
    control.compiled(0, JobRunner.passes().getFirst(), PASS_NANOS);
    control.launched(0, INSTRUCTIONS);
    control.compared(0, DType.FP16, 3);
    directive(directives, "log").ifPresent(text -> control.log(0, text));
    directive(directives, "output")
        .ifPresent(name -> control.output(0, name, output(spec, directives)));
    if (directives.containsKey("explode")) {
      throw new IllegalStateException("planned");
    }
    if (directives.containsKey("deaf")) {
      ears.acquireUninterruptibly();
    }
    if (directives.containsKey("hold") && !hold(spec.source().name(), control)) {
      return new JobReport(Verdict.CANCELLED, "cancelled before it finished", List.of(), List.of());
    }
    var verdict = directive(directives, "verdict").map(Verdict::valueOf).orElse(Verdict.PASSED);
    return verdict == Verdict.REJECTED
        ? new JobReport(verdict, "the source breaks a rule", List.of(syntaxError()), List.of())
        : Reports.with(
            spec,
            verdict,
            directive(directives, "log").orElse(""),
            directive(directives, "virtual").map(Long::parseLong).orElse(Reports.VIRTUAL_NANOS),
            differs(spec, directives) ? "sha256:01" : "sha256:00");
  }

  private static boolean differs(JobSpec spec, Map<String, String> directives) {
    return directive(directives, "differs").filter(spec.platform()::equals).isPresent();
  }

  /** A row for each rank; where it differs, rank 1 has a seven. */
  private static HostTensor output(JobSpec spec, Map<String, String> directives) {
    int ranks = spec.devices().getFirst().size();
    var tensor = HostTensor.zeros(DType.FP32, ranks, 4);
    if (differs(spec, directives)) {
      Elements.of(tensor.buffer(), tensor.dtype()).setDouble(tensor.strides()[0] + 2, 7);
    }
    return tensor;
  }

  private static Optional<String> directive(Map<String, String> directives, String name) {
    return Optional.ofNullable(directives.get(name));
  }

  private static Map<String, String> directives(SourceFile source) {
    var found = new ConcurrentHashMap<String, String>();
    DIRECTIVE
        .matcher(source.text())
        .results()
        .forEach(
            match -> found.put(match.group(1), Optional.ofNullable(match.group(2)).orElse("")));
    return found;
  }

  /** False when it was cancelled. */
  private boolean hold(String name, RunControl control) {
    holding.add(name);
    try {
      while (!control.isCancelled()) {
        if (released.tryAcquire(5, TimeUnit.MILLISECONDS)) {
          return true;
        }
      }
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      holding.remove(name);
    }
  }

  @Override
  public List<DiagnosticLine> check(SourceFile source) {
    return directives(source).containsKey("broken") ? List.of(syntaxError()) : List.of();
  }

  @Override
  public Outcome compile(
      SourceFile source,
      String platform,
      List<Integer> devices,
      List<String> arguments,
      SubmissionReader.Stage stage) {
    return directive(directives(source), "verdict").filter("REJECTED"::equals).isPresent()
        ? new Outcome.Rejected(List.of(syntaxError()))
        : new Outcome.Compiled("program " + stage + " " + devices.size() + "\n", List.of());
  }

  private static DiagnosticLine syntaxError() {
    return new DiagnosticLine(
        "ERROR", "expected an expression", "remove the stray ')'", 3, 9, 10, "x = f(1))");
  }
}
