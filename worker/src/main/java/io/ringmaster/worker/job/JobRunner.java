package io.ringmaster.worker.job;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.external.ExternalRunner;
import io.ringmaster.worker.ir.Draft;
import io.ringmaster.worker.ir.IrPrinter;
import io.ringmaster.worker.lowering.Lowered;
import io.ringmaster.worker.lowering.Pass;
import io.ringmaster.worker.lowering.Passes;
import io.ringmaster.worker.lowering.Platform;
import io.ringmaster.worker.script.ScriptRunner;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.DiagnosticList;
import io.ringmaster.worker.source.Module;
import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.stop.StopOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The one door through which a kernel is run: a {@link JobSpec} in, a {@link JobReport} out. A
 * fault of the script or the kernel is a verdict in the report; an exception out of here is a fault
 * of ours. May be shared between threads; a process that runs job after job keeps one.
 */
public final class JobRunner {

  private static final List<String> SIMULATED =
      HardwareProfile.all().stream().map(HardwareProfile::platform).toList();

  /** Those whose rules are known, whether there is a device or not. */
  private static final List<String> KNOWN =
      Stream.concat(SIMULATED.stream(), Stream.of(HardwareProfile.OPENCL)).toList();

  private static final String HEAP_FULL =
      "memory limit of this worker: its Java heap of "
          + Runtime.getRuntime().maxMemory()
          + " bytes is full";

  private static final String NO_PROGRAM = "the script compiled no program";

  /** What is said of a run that was told to stop before its script began. */
  private static final String NOT_BEGUN = "; its script had not begun";

  private final Optional<ExternalRunner> cards;
  private final Optional<AcceleratorHost> elsewhere;
  private final Workshop workshop;

  /**
   * Runs what this process can execute by itself, on its accelerators, too: a driver that hangs or
   * crashes takes the process with it. For a process that exists for nothing else.
   */
  public JobRunner() {
    this(Optional.empty(), Optional.empty());
  }

  /** The same, and scripts on this host's cards when there is something that runs them. */
  public JobRunner(Optional<ExternalRunner> cards) {
    this(cards, Optional.empty());
  }

  /**
   * The same, and no driver is loaded into this process.
   *
   * @param accelerators executes what is for platform opencl
   */
  public JobRunner(Optional<ExternalRunner> cards, AcceleratorHost accelerators) {
    this(cards, Optional.of(accelerators));
  }

  private JobRunner(Optional<ExternalRunner> cards, Optional<AcceleratorHost> elsewhere) {
    this.cards = cards;
    this.elsewhere = elsewhere;
    this.workshop =
        new Workshop(
            () ->
                elsewhere
                    .map(AcceleratorHost::accelerators)
                    .orElseGet(Accelerators::ofThisProcess));
  }

  /** Platforms that can be run here, in the order in which to list them. */
  public List<String> platforms() {
    return accelerators().available() ? KNOWN : SIMULATED;
  }

  /** What platform opencl has to compute with here. */
  public Accelerators accelerators() {
    return workshop.accelerators();
  }

  /** Names of the compiler's passes, in the order in which they run. */
  public static List<String> passes() {
    return Passes.ALL.stream().map(Pass::name).toList();
  }

  /**
   * How often what a job needs was there already, and how often it was made.
   *
   * @param textsKept scripts whose text was read before
   * @param programsKept programs that were compiled before, for the same platform and ranks
   */
  public record Reuse(long textsKept, long textsRead, long programsKept, long programsCompiled) {}

  /** What this runner's jobs have found left by others, since it was made. */
  public Reuse reuse() {
    return workshop.reuse();
  }

  /** How long {@link #check} looks at a script. */
  private static final Duration CHECK_LIMIT = Duration.ofSeconds(10);

  /**
   * What is wrong with a script whatever it is run on: its syntax, what it imports, names that
   * nothing defines; and when there is any of that, what is wrong with its programs, too. A script
   * that can't be looked through in ten seconds, or in this memory, is left to the limits of its
   * run.
   *
   * @return every fault in source order; empty when the script may run
   */
  public List<JobReport.DiagnosticLine> check(SourceFile source) {
    long end = System.nanoTime() + CHECK_LIMIT.toNanos();
    try (var _ = new Watchdog(() -> System.nanoTime() - end > 0)) {
      PythonParser.Reading reading = workshop.read(source);
      return lines(source, ScriptRun.RUNNER.problems(reading, JobRunner::mistakesAnywhere));
    } catch (DiagnosticException e) {
      return lines(source, e.diagnostics());
    } catch (StopOrder.Stopped | OutOfMemoryError unseen) {
      return List.of();
    }
  }

  private static List<JobReport.DiagnosticLine> lines(
      SourceFile source, List<Diagnostic> diagnostics) {
    List<JobReport.DiagnosticLine> lines = new SourceLines(source).lines(diagnostics);
    return DeclaredTerms.of(source).map(declared -> declared.lines(lines)).orElse(lines);
  }

  /** Rules that a program breaks on every platform. */
  private static List<Diagnostic> mistakesAnywhere(Draft draft) {
    List<Diagnostic> all = new ArrayList<>();
    for (String name : KNOWN) {
      List<Diagnostic> here = SimulatedKernels.mistakes(draft, Platform.named(name).orElseThrow());
      if (name.equals(KNOWN.getFirst())) {
        all.addAll(here);
      }
      all.retainAll(here);
    }
    return all;
  }

  /** Runs a script on each device list in turn. */
  public JobReport run(JobSpec spec, RunControl control) {
    return cards
        .filter(runner -> runner.settings().platforms().contains(spec.platform()))
        .map(runner -> onCards(spec, runner, control))
        .orElseGet(() -> onThisHost(spec, control));
  }

  private JobReport onThisHost(JobSpec spec, RunControl control) {
    return elsewhere
        .filter(_ -> spec.platform().equals(HardwareProfile.OPENCL))
        .filter(host -> host.accelerators().available())
        .map(host -> host.run(spec, control))
        .orElseGet(() -> inThisProcess(spec, control));
  }

  private JobReport onCards(JobSpec spec, ExternalRunner runner, RunControl control) {
    List<ExternalRun.Result> results = new ArrayList<>();
    for (int index = 0; index < spec.devices().size(); index++) {
      results.add(new ExternalRun(spec, runner, this::inThisProcess, index).run(control));
    }
    return together(
        results.stream().map(ExternalRun.Result::run).toList(),
        results.stream().flatMap(result -> result.diagnostics().stream()).distinct().toList());
  }

  private JobReport inThisProcess(JobSpec spec, RunControl control) {
    if (spec.platform().equals(HardwareProfile.OPENCL)) {
      var _ = accelerators(); // To load a driver, once, is none of the run's time.
    }
    long start = System.nanoTime();
    BooleanSupplier over = () -> isOver(spec, start);
    try {
      return run(
          spec, prepare(spec, () -> control.isCancelled() || over.getAsBoolean()), control, start);
    } catch (StopOrder.Stopped stopped) {
      boolean late = over.getAsBoolean();
      return ended(
          spec,
          late ? Verdict.TIMED_OUT : Verdict.CANCELLED,
          (late ? overLimit(spec) : VerdictRules.CANCELLED) + NOT_BEGUN);
    } catch (OutOfMemoryError full) {
      return ended(spec, Verdict.RESOURCE, HEAP_FULL);
    }
  }

  private static boolean isOver(JobSpec spec, long start) {
    return System.nanoTime() - start > spec.limits().wall().toNanos();
  }

  private JobReport run(JobSpec spec, Prepared prepared, RunControl control, long start) {
    if (prepared instanceof Refused refused) {
      return refused.report();
    }
    Ready ready = (Ready) prepared;
    List<ScriptRun.Result> results = new ArrayList<>();
    for (int index = 0; index < spec.devices().size(); index++) {
      int run = index;
      long begun = index == 0 ? start : System.nanoTime();
      results.add(
          new ScheduleSearch(
                  spec,
                  (order, listener) ->
                      new ScriptRun(
                              order,
                              ready.module(),
                              ready.profile(),
                              ready.platform(),
                              run,
                              workshop,
                              begun)
                          .run(listener),
                  begun)
              .run(control));
    }
    return together(
        results.stream().map(ScriptRun.Result::run).toList(),
        results.stream().flatMap(r -> r.diagnostics().stream()).distinct().toList());
  }

  /** The worst run speaks for all. */
  private static JobReport together(
      List<JobReport.Run> runs, List<JobReport.DiagnosticLine> diagnostics) {
    if (runs.isEmpty()) {
      throw new IllegalArgumentException("a job needs at least one device list");
    }
    JobEnd end = JobEnd.ofRuns(runs, List.of());
    return new JobReport(end.verdict(), end.sentence(), diagnostics, runs);
  }

  /**
   * Compiles a script's program for the first device list; takes no device. A script that reaches a
   * limit before its first program is none that compiled: the report says which, and where.
   */
  public CompiledScript compile(JobSpec spec) {
    long start = System.nanoTime();
    try {
      return compile(spec, prepare(spec, () -> isOver(spec, start)), start);
    } catch (StopOrder.Stopped late) {
      return nothing(ended(spec, Verdict.TIMED_OUT, overLimit(spec) + NOT_BEGUN));
    } catch (OutOfMemoryError full) {
      return nothing(ended(spec, Verdict.RESOURCE, HEAP_FULL));
    }
  }

  private CompiledScript compile(JobSpec spec, Prepared prepared, long start) {
    if (prepared instanceof Refused refused) {
      return new CompiledScript(refused.report(), List.of());
    }
    Ready ready = (Ready) prepared;
    ScriptRun.Result result =
        new ScriptRun(spec, ready.module(), ready.profile(), ready.platform(), 0, workshop, start)
            .compile(RunControl.none());
    JobReport.Run run = result.run();
    if (result.lowered().isEmpty() && run.verdict() != Verdict.REJECTED) {
      return nothingCompiled(spec, result);
    }
    JobReport report =
        new JobReport(run.verdict(), run.sentence(), result.diagnostics(), List.of(run));
    return new CompiledScript(report, result.lowered().map(JobRunner::stages).orElse(List.of()));
  }

  /** Says why a script got to no program, at the place where it ended when that is known. */
  private static CompiledScript nothingCompiled(JobSpec spec, ScriptRun.Result result) {
    Optional<JobReport.DiagnosticLine> place =
        result.diagnostics().stream()
            .filter(line -> line.severity().equals(Diagnostic.Severity.ERROR.name()))
            .findFirst();
    Verdict verdict = result.run().verdict();
    if (verdict == Verdict.ERROR && place.filter(line -> line.field() != null).isPresent()) {
      // The call of ir.compile is ours: what is declared keeps it from being reached.
      JobReport report = ended(spec, Verdict.REJECTED, result.run().sentence());
      return nothing(
          new JobReport(report.verdict(), report.sentence(), result.diagnostics(), report.runs()));
    }
    boolean broken =
        switch (verdict) {
          case ERROR, WRONG_RESULT, TIMED_OUT, RESOURCE, CANCELLED -> true;
          case PASSED,
              NOT_VERIFIED,
              RACE,
              DEADLOCK,
              MISMATCH,
              OUT_OF_BOUNDS,
              REJECTED,
              WORKER_LOST,
              INFRA ->
              false;
        };
    Diagnostic why =
        Diagnostic.error(
            NO_PROGRAM + (broken ? ": " + end(result.run()) : ""),
            broken ? "" : "Call ir.compile(...) with these arguments: " + spec.arguments(),
            place.map(line -> place(spec, line)).or(() -> failed(spec, result)).orElse(Span.NONE));
    return nothing(refusal(spec, broken ? verdict : Verdict.REJECTED, List.of(why)));
  }

  /** The sentence of a run, with its verdict where that isn't plain from it. */
  private static String end(JobReport.Run run) {
    return (run.verdict() == Verdict.ERROR ? "" : run.verdict() + ": ") + run.sentence();
  }

  private static CompiledScript nothing(JobReport report) {
    boolean said = !report.diagnostics().isEmpty();
    var line = new JobReport.DiagnosticLine("ERROR", report.sentence(), "", 0, 0, 0, "");
    return new CompiledScript(
        new JobReport(
            report.verdict(),
            report.sentence(),
            said ? report.diagnostics() : List.of(line),
            report.runs()),
        List.of());
  }

  private static Optional<Span> failed(JobSpec spec, ScriptRun.Result result) {
    return result.run().checks().stream()
        .filter(check -> !check.passed())
        .map(check -> new Span(spec.source().name(), check.line(), 1, check.line(), 1))
        .findFirst();
  }

  private static Span place(JobSpec spec, JobReport.DiagnosticLine line) {
    return new Span(
        spec.source().name(), line.line(), line.column(), line.line(), line.endColumn());
  }

  private static List<CompiledScript.Stage> stages(Lowered lowered) {
    List<CompiledScript.Stage> stages = new ArrayList<>();
    for (Lowered.Stage stage : lowered.stages()) {
      stages.add(new CompiledScript.Stage(stage.name(), IrPrinter.print(stage.program())));
    }
    stages.add(
        new CompiledScript.Stage(CompiledScript.LOWERED, IrPrinter.print(lowered.program())));
    return stages;
  }

  private sealed interface Prepared {}

  private record Ready(Module module, HardwareProfile profile, Platform platform)
      implements Prepared {}

  private record Refused(JobReport report) implements Prepared {}

  private Prepared prepare(JobSpec spec, BooleanSupplier stop) {
    try (var _ = new Watchdog(stop)) {
      return prepare(spec);
    }
  }

  private Prepared prepare(JobSpec spec) {
    if (spec.platform().equals(HardwareProfile.OPENCL) && !accelerators().available()) {
      Accelerators none = accelerators();
      return new Refused(
          refusal(
              spec,
              List.of(
                  Diagnostic.error(
                      "platform 'opencl' isn't available here: " + none.reason(),
                      "Give this host a device: " + none.fix() + ".",
                      Span.NONE))));
    }
    Optional<HardwareProfile> profile = HardwareProfile.named(spec.platform());
    Optional<Platform> platform = Platform.named(spec.platform());
    if (profile.isEmpty() || platform.isEmpty()) {
      return new Refused(
          refusal(
              spec,
              List.of(
                  Diagnostic.error(
                      "platform '" + spec.platform() + "' isn't available here",
                      "Choose one of " + String.join(", ", platforms()) + ".",
                      Span.NONE))));
    }
    for (Condition condition : spec.conditions()) {
      Optional<String> absent = condition.absentRank(spec.fewestRanks());
      if (absent.isPresent()) {
        return new Refused(
            refusal(
                spec,
                List.of(
                    Diagnostic.error(
                        condition.text() + ": " + absent.get(),
                        "Choose a rank that every run of the job has.",
                        Span.NONE))));
      }
    }
    try {
      PythonParser.Reading reading = workshop.read(spec.source());
      if (reading.problems().isEmpty() && !ScriptRunner.isBlank(reading.module())) {
        return new Ready(reading.module(), profile.get(), platform.get());
      }
      return new Refused(
          refusal(
              spec,
              ScriptRun.RUNNER.problems(
                  reading, draft -> SimulatedKernels.mistakes(draft, platform.get()))));
    } catch (DiagnosticException e) {
      return new Refused(refusal(spec, e.diagnostics()));
    }
  }

  /** The report of a submission that no run could be made of: each of its runs is REJECTED. */
  private static JobReport refusal(JobSpec spec, List<Diagnostic> diagnostics) {
    return refusal(spec, Verdict.REJECTED, diagnostics);
  }

  private static JobReport refusal(JobSpec spec, Verdict verdict, List<Diagnostic> diagnostics) {
    List<JobReport.DiagnosticLine> lines = new SourceLines(spec.source()).lines(diagnostics);
    JobReport report = ended(spec, verdict, DiagnosticList.headline(diagnostics));
    JobReport refusal =
        new JobReport(
            report.verdict(),
            report.sentence(),
            lines,
            report.runs().stream().map(run -> run.saying(lines)).toList());
    return DeclaredTerms.of(spec.source()).map(declared -> declared.of(refusal)).orElse(refusal);
  }

  /** What is said of a job whose runs took too long. */
  public static String overLimit(JobSpec spec) {
    return ScriptRun.overLimit(spec.limits().wall());
  }

  /** What is said of a run that took too long. */
  public static String overLimit(Duration wall) {
    return ScriptRun.overLimit(wall);
  }

  /**
   * The report of a job that was cancelled because it took too long: it doesn't know why it was
   * told to stop, but says where.
   */
  public static JobReport tookTooLong(JobReport cancelled, Duration wall) {
    return new JobReport(
        Verdict.TIMED_OUT,
        tookTooLong(cancelled.sentence(), wall),
        cancelled.diagnostics(),
        cancelled.runs().stream()
            .map(
                run ->
                    run.verdict() == Verdict.CANCELLED
                        ? run.ending(Verdict.TIMED_OUT, tookTooLong(run.sentence(), wall))
                        : run)
            .toList());
  }

  private static String tookTooLong(String cancelled, Duration wall) {
    return cancelled.contains(VerdictRules.CANCELLED)
        ? cancelled.replace(VerdictRules.CANCELLED, overLimit(wall))
        : overLimit(wall) + "; " + cancelled;
  }

  /** The report of a job whose runs all ended before they began. */
  public static JobReport ended(JobSpec spec, Verdict verdict, String sentence) {
    return new JobReport(
        verdict,
        sentence,
        List.of(),
        spec.devices().stream()
            .map(devices -> ScriptRun.neverBegan(spec, devices, verdict, sentence))
            .toList());
  }
}
