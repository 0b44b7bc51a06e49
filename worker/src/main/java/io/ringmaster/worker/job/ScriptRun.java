package io.ringmaster.worker.job;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.engine.RunOutcome;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.frontend.Built;
import io.ringmaster.worker.frontend.FrontendOptions;
import io.ringmaster.worker.frontend.ProgramBuilder;
import io.ringmaster.worker.job.VerdictRules.Ending;
import io.ringmaster.worker.lowering.Lowered;
import io.ringmaster.worker.lowering.Platform;
import io.ringmaster.worker.observe.Doubts;
import io.ringmaster.worker.script.Check;
import io.ringmaster.worker.script.Remark;
import io.ringmaster.worker.script.ScriptLimits;
import io.ringmaster.worker.script.ScriptResult;
import io.ringmaster.worker.script.ScriptRunner;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.value.KernelFrontend;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.DiagnosticList;
import io.ringmaster.worker.source.Module;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One run of a job: the script, once, on one device list. */
final class ScriptRun {

  static final ScriptRunner RUNNER = new ScriptRunner(ScriptRun::build);

  /** A doubt may bring up others, which seldom bring up more. */
  private static final int MOST_REPEATS = 4;

  private static final String LEFT_EARLY =
      "the job ended before all of its goldens were compared: its program or an expression exits";

  private static final Set<String> SCRIPT_PLATFORMS = Set.of("a2a3sim", "a5sim", "a2a3", "a5");

  private final JobSpec spec;
  private final Module module;
  private final HardwareProfile profile;
  private final Platform platform;
  private final int index;
  private final List<Integer> devices;
  private final SourceLines lines;
  private final Optional<DeclaredTerms> terms;
  private final Workshop workshop;
  private final long startNanos;

  /**
   * A run.
   *
   * @param startNanos when its time began, by {@link System#nanoTime}
   */
  ScriptRun(
      JobSpec spec,
      Module module,
      HardwareProfile profile,
      Platform platform,
      int index,
      Workshop workshop,
      long startNanos) {
    this.startNanos = startNanos;
    this.workshop = workshop;
    this.spec = spec;
    this.module = module;
    this.profile = profile;
    this.platform = platform;
    this.index = index;
    this.devices = spec.devices().get(index);
    this.lines = new SourceLines(spec.source());
    this.terms = DeclaredTerms.of(spec.source());
  }

  /** A run with the compile-time messages and the program it compiled, if it got that far. */
  record Result(
      JobReport.Run run, List<JobReport.DiagnosticLine> diagnostics, Optional<Lowered> lowered) {
    Result {
      run = run.saying(diagnostics);
    }
  }

  /**
   * Runs the script. Where a wait of a kernel might have been let through by other notifies than it
   * was, that is known only afterwards: the script is run again then, with that in mind, and its
   * report is the last one's.
   */
  Result run(RunControl control) {
    List<Doubts> known = List.of();
    Attempt attempt = evaluate(control, false, known);
    for (int more = 0; more < MOST_REPEATS && !attempt.doubts().equals(known); more++) {
      known = attempt.doubts();
      attempt = evaluate(new Quiet(control), false, known);
    }
    return told(attempt.result());
  }

  /** As {@link #run}, but ends at the first kernel launch. */
  Result compile(RunControl control) {
    return told(evaluate(control, true, List.of()).result());
  }

  /** A declared job's result in the words of its declaration. */
  private Result told(Result result) {
    return terms.map(declared -> declared.of(result)).orElse(result);
  }

  /** A result, and what is in doubt about the waits of each launch. */
  private record Attempt(Result result, List<Doubts> doubts) {}

  private Attempt evaluate(RunControl control, boolean compileOnly, List<Doubts> doubted) {
    var observed = new ObservedRun(lines, devices.size(), profile.isSimulated());
    var kernels =
        new SimulatedKernels(
            spec,
            profile,
            platform,
            observed,
            control,
            index,
            compileOnly,
            workshop,
            doubted,
            startNanos);
    long start = System.nanoTime();
    control.phase(index, "script");
    try {
      ScriptResult result = watched(control, kernels);
      control.log(index, result.log() + trace(result));
      long nanos = System.nanoTime() - start;
      kernels
          .timeline()
          .ifPresent(
              line ->
                  control.timeline(
                      index, TimelineJson.write(line, spec.source().name(), kernels.costModel())));
      return new Attempt(report(observed, kernels, result, nanos, control), kernels.doubts());
    } catch (DiagnosticException e) {
      return new Attempt(rejected(e.diagnostics(), kernels), List.of());
    }
  }

  private ScriptResult watched(RunControl control, SimulatedKernels kernels) {
    try (var _ =
        new Watchdog(
            () -> isOver(control, kernels), () -> control.stopping(index, kernels.now()))) {
      return runScript(kernels);
    }
  }

  private static boolean isOver(RunControl control, SimulatedKernels kernels) {
    kernels.endCaseInTime();
    return control.isCancelled() || kernels.isOutOfTime();
  }

  private ScriptResult runScript(SimulatedKernels kernels) {
    var limits =
        new ScriptLimits(
            spec.limits().scriptSteps(),
            ScriptLimits.DEFAULT.callDepth(),
            spec.limits().memoryBytes(),
            ScriptLimits.DEFAULT.logBytes());
    return RUNNER.run(module, argv(), kernels, limits, spec.seed());
  }

  private static KernelFrontend.Result build(
      io.ringmaster.worker.source.Stmt.ClassDef definition,
      io.ringmaster.worker.frontend.ClosureScope scope) {
    Built built = ProgramBuilder.build(definition, scope, FrontendOptions.DEFAULTS);
    return new KernelFrontend.Result(built.program(), built.warnings());
  }

  /**
   * What the script finds in {@code sys.argv}. Scripts know the platforms of the original tool
   * chain only, so one that is ours goes by the name of the platform whose rules it follows.
   */
  private List<String> argv() {
    List<String> argv = new ArrayList<>();
    argv.add(spec.source().name());
    argv.add("-p");
    argv.add(SCRIPT_PLATFORMS.contains(spec.platform()) ? spec.platform() : "a2a3sim");
    argv.add("-d");
    argv.add(devices.stream().map(String::valueOf).collect(Collectors.joining(",")));
    argv.addAll(spec.arguments());
    return argv;
  }

  private Result report(
      ObservedRun observed,
      SimulatedKernels kernels,
      ScriptResult result,
      long elapsedNanos,
      RunControl control) {
    List<JobReport.Check> checks = result.checks().stream().map(ScriptRun::line).toList();
    int verifying = (int) result.checks().stream().filter(Check::verifies).count();
    kernels.casesEnd();
    boolean left = result.outcome() == ScriptResult.Outcome.FINISHED && leftEarly(result);
    Ending ending = left ? Ending.RAISED : ending(result, kernels, control);
    String message =
        left
            ? LEFT_EARLY
            : switch (ending) {
              case TIMED_OUT -> kernels.overLimit() + kernels.stoppedWhere();
              case CANCELLED -> VerdictRules.CANCELLED + kernels.stoppedWhere();
              case COMPLETED, CHECK_FAILED, RAISED, RESOURCE -> result.message();
            };
    var cases = new CaseVerdicts(result, observed, kernels, control, checks);
    List<Remark> remarks = result.remarks().stream().distinct().toList();
    VerdictRules.Decision found =
        result.tests().isPresent()
            ? cases.decide(result.tests().get(), ending, message)
            : VerdictRules.decide(
                List.of(),
                observed.findings(),
                checks,
                verifying,
                kernels.dispatches() + refusals(result.checks()),
                ending,
                message);
    VerdictRules.Decision decision = Qualified.by(found, Qualified.inCases(remarks), cases.ranks());
    List<String> tests = new ArrayList<>(cases.testOfFindings());
    for (Remark remark : remarks) {
      observed.remark(finding(remark));
      tests.add(remark.test());
    }
    JobReport.Run run =
        new JobReport.Run(
            runId(index),
            spec.platform(),
            devices,
            spec.arguments(),
            decision.verdict(),
            decision.sentence(),
            List.of(),
            evidence(observed, kernels, checks),
            checks,
            observed.findingLines(tests),
            observed.collectives(),
            observed.barriers(),
            observed.traffic(),
            cases.tests(),
            new JobReport.Timings(
                kernels.compileNanos(),
                kernels.runWallNanos(),
                profile.isSimulated() ? kernels.runVirtualNanos() : 0,
                Math.max(0, elapsedNanos - kernels.compileNanos() - kernels.runWallNanos())),
            result.log() + trace(result));
    List<Diagnostic> said = new ArrayList<>(result.warnings());
    said.addAll(cases.refusals());
    if (ending == Ending.RAISED) {
      raised(result).ifPresent(said::add);
    }
    if (kernels.stopped().isEmpty() && (ending == Ending.TIMED_OUT || ending == Ending.RESOURCE)) {
      said.add(Diagnostic.error(message, "", kernels.place()));
    }
    return new Result(OnlyCompiled.told(run), lines.lines(said), kernels.lowered());
  }

  /** Whether a declared job came to an end before all of its goldens were compared. */
  private boolean leftEarly(ScriptResult result) {
    return terms.isPresent() && !terms.get().allCompared(result.checks());
  }

  /** Where an exception comes from that nobody caught. */
  private static Optional<Diagnostic> raised(ScriptResult result) {
    return result.exception().map(raised -> Diagnostic.error(result.message(), "", raised.span()));
  }

  private static Finding finding(Remark remark) {
    Finding.Kind kind =
        switch (remark.kind()) {
          case UNCOMPARED_OUTPUT -> Finding.Kind.UNCOMPARED_OUTPUT;
          case PREFILLED_OUTPUT -> Finding.Kind.PREFILLED_OUTPUT;
          case ALIKE_INPUTS -> Finding.Kind.ALIKE_INPUTS;
          case COARSE_COMPARISON -> Finding.Kind.COARSE_COMPARISON;
        };
    String message = remark.message() + " (line " + remark.line() + ")";
    return Finding.of(kind, message, remark.hint(), List.of(), List.of());
  }

  /** Refusals that were asked for and came: they show something although no kernel ran. */
  static int refusals(List<Check> checks) {
    return (int)
        checks.stream()
            .filter(c -> c.kind().equals(Claim.RAISES) && c.passed() && c.verifies())
            .count();
  }

  /** What is said of a run that took too long. */
  static String overLimit(Duration wall) {
    return "the run took longer than its limit of " + seconds(wall) + " s";
  }

  /** {@code 60} or {@code 0.3}. */
  static String seconds(Duration time) {
    return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
  }

  private String trace(ScriptResult result) {
    String trace = python(result);
    return terms.map(declared -> declared.trace(trace)).orElse(trace);
  }

  private static String python(ScriptResult result) {
    boolean shown =
        result.outcome() == ScriptResult.Outcome.RAISED
            || result.outcome() == ScriptResult.Outcome.ASSERTION_FAILED;
    var text = new StringBuilder();
    result.tests().map(ScriptResult.Tests::cases).orElse(List.of()).stream()
        .filter(test -> test.exception().isPresent())
        .forEach(
            test ->
                text.append("\n____ ")
                    .append(test.nodeId())
                    .append(" ____\n")
                    .append(String.join("\n", test.exception().get().trace()))
                    .append('\n'));
    return text
        + (shown
            ? result.exception().map(e -> String.join("\n", e.trace()) + "\n").orElse("")
            : "");
  }

  private static Ending ending(ScriptResult result, SimulatedKernels kernels, RunControl control) {
    if (kernels.stopped().isPresent()) {
      return ending(kernels.stopped().get());
    }
    return switch (result.outcome()) {
      case FINISHED, STOPPED -> Ending.COMPLETED;
      case ASSERTION_FAILED -> Ending.CHECK_FAILED;
      // With tests, the exit code only repeats what they say.
      case EXITED -> result.tests().isPresent() ? Ending.COMPLETED : Ending.RAISED;
      case RAISED -> Ending.RAISED;
      case LIMIT_EXCEEDED -> Ending.RESOURCE;
      case CANCELLED -> told(kernels, control);
    };
  }

  /**
   * Why a script was told to stop. Whoever keeps the time of a run from outside can only cancel it,
   * so one that is over its time wasn't cancelled.
   */
  static Ending told(SimulatedKernels kernels, RunControl control) {
    return control.isCancelled() && !kernels.isOutOfTime() ? Ending.CANCELLED : Ending.TIMED_OUT;
  }

  /** How a launch that didn't finish ends the script. */
  static Ending ending(RunOutcome stopped) {
    return switch (stopped.status()) {
      case CANCELLED -> Ending.CANCELLED;
      case TIMED_OUT -> Ending.TIMED_OUT;
      case RESOURCE -> Ending.RESOURCE;
      case FINISHED, FAULT, DEADLOCK -> Ending.COMPLETED;
    };
  }

  private JobReport.Evidence evidence(
      ObservedRun observed, SimulatedKernels kernels, List<JobReport.Check> checks) {
    return new JobReport.Evidence(
        kernels.mostRanks(),
        observed.operations(),
        observed.payloadBytes(),
        observed.wireBytes(),
        observed.signalBytes(),
        checks.size(),
        checks.stream().mapToLong(JobReport.Check::elements).sum(),
        kernels.outputDigest(),
        spec.exploration().scheduleSeed(),
        versions(kernels));
  }

  /** What the report was made with; a machine that was asked to misbehave says so. */
  private Map<String, String> versions(SimulatedKernels kernels) {
    Map<String, String> versions = new TreeMap<>();
    versions.put("ringmaster", Versions.product());
    if (profile.isSimulated()) {
      versions.put("costModel", kernels.costModel());
    } else {
      versions.put("devices", workshop.accelerators().names(devices));
    }
    if (!spec.conditions().isEmpty()) {
      versions.put(
          "conditions", String.join(" ", spec.conditions().stream().map(Condition::text).toList()));
    }
    return versions;
  }

  private static JobReport.Check line(Check check) {
    return new JobReport.Check(
        check.name(),
        check.kind(),
        check.passed(),
        check.line(),
        check.elements(),
        check.mismatches(),
        check.maxAbsDifference(),
        check.maxAt(),
        check.rtol(),
        check.atol(),
        check.explanation(),
        check.test().isEmpty() ? null : check.test());
  }

  private Result rejected(List<Diagnostic> diagnostics, SimulatedKernels kernels) {
    return new Result(
        neverBegan(spec, devices, Verdict.REJECTED, DiagnosticList.headline(diagnostics)),
        lines.lines(diagnostics),
        kernels.lowered());
  }

  /** A run that never began. */
  static JobReport.Run neverBegan(
      JobSpec spec, List<Integer> devices, Verdict verdict, String sentence) {
    var nothing = new ObservedRun(new SourceLines(spec.source()), devices.size(), true);
    return new JobReport.Run(
        runId(spec.devices().indexOf(devices)),
        spec.platform(),
        devices,
        spec.arguments(),
        verdict,
        sentence,
        List.of(),
        new JobReport.Evidence(
            0,
            nothing.operations(),
            0,
            0,
            0,
            0,
            0,
            new OutputDigest().hex(),
            spec.exploration().scheduleSeed(),
            Map.of("ringmaster", Versions.product())),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        nothing.traffic(),
        List.of(),
        new JobReport.Timings(0, 0, 0, 0),
        "");
  }

  /** Runs of a report are numbered; whoever stores them gives them lasting ids. */
  private static String runId(int index) {
    return "run_" + index;
  }
}
