package io.ringmaster.worker.job;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.engine.Engine;
import io.ringmaster.worker.engine.HostWork;
import io.ringmaster.worker.engine.Limits;
import io.ringmaster.worker.engine.RunOutcome;
import io.ringmaster.worker.engine.RunRequest;
import io.ringmaster.worker.fabric.KeptWindows;
import io.ringmaster.worker.frontend.PlatformChecks;
import io.ringmaster.worker.ir.Draft;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.job.Whereabouts.Work;
import io.ringmaster.worker.lowering.DraftChecks;
import io.ringmaster.worker.lowering.Lowered;
import io.ringmaster.worker.lowering.Lowering;
import io.ringmaster.worker.lowering.LoweringContext;
import io.ringmaster.worker.lowering.Platform;
import io.ringmaster.worker.observe.Doubts;
import io.ringmaster.worker.observe.Observation;
import io.ringmaster.worker.observe.Timeline;
import io.ringmaster.worker.script.HostFunctions;
import io.ringmaster.worker.script.KernelRuntime;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compiles and launches a script's kernels on the simulator, and keeps what each launch showed. The
 * job's platform and devices hold, whatever the script asks for: they are what was leased.
 */
final class SimulatedKernels implements KernelRuntime {

  private final JobSpec spec;
  private final HardwareProfile profile;
  private final Platform platform;
  private final ObservedRun observed;
  private final RunControl control;
  private final int runIndex;
  private final boolean compileOnly;

  /** A file of tests may take so many times as long as a case. */
  private final long startNanos;

  private volatile long deadlineNanos;
  private Duration caseLimit;

  private final CaseTime caseTime = new CaseTime();

  /** What an earlier run of the same script left in doubt, launch by launch. */
  private final List<Doubts> doubted;

  private final List<Doubts> doubts = new ArrayList<>();
  private final OutputDigest digest = new OutputDigest();
  private final Engine engine;
  private final Workshop workshop;
  private final Whereabouts where = new Whereabouts();
  private final Optional<Timeline> timeline;

  /** Programs that the script has compiled, or tried to. */
  private final Set<Program> asked = Collections.newSetFromMap(new IdentityHashMap<>());

  private @Nullable Lowered lowered;
  private final List<CaseShare> shares = new ArrayList<>();
  private boolean inCase;
  private @Nullable RunOutcome stopped;

  /** What was going on when the order to stop came, or a launch reached a limit. */
  private String stoppedWhere = "";

  private int dispatches;
  private int mostRanks;
  private long compileNanos;
  private long runWallNanos;
  private long runVirtualNanos;
  private String costModel = "";

  SimulatedKernels(
      JobSpec spec,
      HardwareProfile profile,
      Platform platform,
      ObservedRun observed,
      RunControl control,
      int runIndex,
      boolean compileOnly,
      Workshop workshop,
      List<Doubts> doubted,
      long startNanos) {
    this.startNanos = startNanos;
    this.doubted = doubted;
    this.workshop = workshop;
    this.engine = workshop.engine();
    this.spec = spec;
    this.profile = profile;
    this.platform = platform;
    this.observed = observed;
    this.control = control;
    this.runIndex = runIndex;
    this.compileOnly = compileOnly;
    this.timeline =
        control.timelineEvents() > 0
            ? Optional.of(new Timeline(control.timelineEvents()))
            : Optional.empty();
    this.caseLimit = spec.limits().wall();
    this.deadlineNanos = startNanos + caseLimit.toNanos();
  }

  @Override
  public List<Diagnostic> mistakes(Draft draft) {
    return asked.contains(draft.program()) ? List.of() : mistakes(draft, platform);
  }

  /** Rules of a platform that a program breaks, whatever number of ranks it runs on. */
  static List<Diagnostic> mistakes(Draft draft, Platform platform) {
    List<Diagnostic> mistakes = new ArrayList<>(DraftChecks.mistakes(draft, platform));
    try {
      PlatformChecks.check(draft.program(), platform.name());
    } catch (DiagnosticException refused) {
      mistakes.addAll(refused.diagnostics());
    }
    return mistakes;
  }

  @Override
  public void reads(Supplier<Span> here, boolean again) {
    where.reads(here, again);
  }

  @Override
  public <T> T reading(Supplier<T> read) {
    return where.during(Work.READING, () -> KernelRuntime.super.reading(read));
  }

  @Override
  public Compiled compile(Program program, String wanted, List<Integer> deviceIds, Span at) {
    return where.during(Work.COMPILING, () -> compile(program, deviceIds, at));
  }

  private Compiled compile(Program program, List<Integer> deviceIds, Span at) {
    asked.add(program);
    control.phase(runIndex, "compile");
    List<Integer> leased = spec.devices().get(runIndex);
    if (deviceIds.size() > leased.size()) {
      throw new DiagnosticException(
          Diagnostic.error(
              "the script asks for "
                  + deviceIds.size()
                  + " devices, the run has "
                  + leased.size()
                  + ": "
                  + shown(leased),
              "Submit it with as many devices as it needs, or take device_ids from the job.",
              at));
    }
    if (deviceIds.size() > profile.maxRanks()) {
      throw new DiagnosticException(
          Diagnostic.error(
              deviceIds.size()
                  + " devices: a communication domain on "
                  + profile.platform()
                  + " has at most "
                  + profile.maxRanks()
                  + " ranks",
              "Use fewer devices, or platform sim, which has no hardware limits.",
              at));
    }
    requireRanks(deviceIds.size(), at);
    long start = System.nanoTime();
    Lowered result =
        workshop.lowered(
            program,
            platform,
            deviceIds.size(),
            spec.source(),
            () -> {
              Lowered fresh = lower(program, deviceIds.size());
              for (Lowered.Stage stage : fresh.stages().subList(1, fresh.stages().size())) {
                control.compiled(runIndex, stage.name(), stage.nanos());
              }
              return fresh;
            });
    compileNanos += System.nanoTime() - start;
    if (lowered == null) {
      lowered = result;
    }
    return new Launcher(result.program(), deviceIds);
  }

  /** What the platform can't do and what lowering finds are said together. */
  private Lowered lower(Program program, int ranks) {
    List<Diagnostic> mistakes = new ArrayList<>();
    try {
      PlatformChecks.check(program, platform.name());
    } catch (DiagnosticException refused) {
      mistakes.addAll(refused.diagnostics());
    }
    try {
      Lowered result = Lowering.run(program, LoweringContext.of(platform, ranks));
      if (mistakes.isEmpty()) {
        return result;
      }
    } catch (DiagnosticException refused) {
      mistakes.addAll(refused.diagnostics());
    }
    mistakes.sort(
        Comparator.<Diagnostic>comparingInt(d -> d.span().line())
            .thenComparingInt(d -> d.span().column()));
    throw new DiagnosticException(mistakes);
  }

  /** A program may be for fewer ranks than the run has; those of the run were looked at before. */
  private void requireRanks(int ranks, Span at) {
    for (Condition condition : spec.conditions()) {
      condition
          .absentRank(ranks)
          .ifPresent(
              absent -> {
                throw new DiagnosticException(
                    Diagnostic.error(
                        "this program can't be run under " + condition.text() + ": " + absent,
                        "Run it without the condition, or choose a rank that it has.",
                        at));
              });
    }
  }

  /**
   * What a case of a test file had to do with kernels.
   *
   * @param firstFinding the first of its findings
   * @param findingsEnd the first finding after its own
   * @param dispatches how many dispatches had been made when it ended, by it or before it
   * @param stopped the launch that didn't finish, after which it ended
   * @param where what was going on when it was told to stop; empty when it wasn't
   */
  record CaseShare(
      int firstFinding,
      int findingsEnd,
      int dispatches,
      Optional<RunOutcome> stopped,
      String where) {}

  @Override
  public void caseStarts(String test) {
    casesEnd();
    if (shares.isEmpty()) {
      Duration all = spec.limits().wall().multipliedBy(JobSpec.Limits.CASES);
      deadlineNanos = startNanos + all.toNanos();
      control.mayTake(runIndex, all);
    }
    caseTime.begin(caseLimit.toNanos());
    observed.beginPart();
    shares.add(new CaseShare(findings(), findings(), dispatches, Optional.empty(), ""));
    inCase = true;
  }

  @Override
  public void limitCases(Duration limit) {
    caseLimit = limit.compareTo(spec.limits().wall()) < 0 ? limit : spec.limits().wall();
  }

  /** Tells the thread of a case that takes too long to stop; asked again and again. */
  void endCaseInTime() {
    caseTime.endInTime();
  }

  @Override
  public boolean endsOnlyThisCase() {
    if (stoppedWhere.isEmpty()) {
      stoppedWhere = where.now();
    }
    if (!caseTime.takeBack(caseLimit.toNanos())) {
      return false;
    }
    if (control.isCancelled() || isOutOfTime()) {
      Thread.currentThread().interrupt();
      return false;
    }
    where.goesOn();
    return true;
  }

  /** What is said of a case that took too long. */
  String overCaseLimit() {
    return "the case took longer than its limit of " + ScriptRun.seconds(caseLimit) + " s";
  }

  /** What is said of a run that took too long. */
  String overLimit() {
    return shares.isEmpty()
        ? ScriptRun.overLimit(spec.limits().wall())
        : ScriptRun.overLimit(spec.limits().wall())
            + " for each case, and than "
            + JobSpec.Limits.CASES
            + " times that in all";
  }

  /** Where the script is, or was last. */
  Span place() {
    return where.place();
  }

  /** What is going on; any thread may ask. */
  String now() {
    return where.now();
  }

  /** What was going on when the run was told to stop, as the end of a sentence. */
  String stoppedWhere() {
    return "; " + (stoppedWhere.isEmpty() ? where.now() : stoppedWhere);
  }

  @Override
  public long nanosLeft() {
    return Math.max(0, deadlineNanos - System.nanoTime());
  }

  @Override
  public void casesEnd() {
    caseTime.end(/* runGoesOn= */ !control.isCancelled() && !isOutOfTime());
    if (inCase) {
      CaseShare begun = shares.removeLast();
      shares.add(
          new CaseShare(
              begun.firstFinding(),
              findings(),
              dispatches,
              Optional.ofNullable(stopped),
              stoppedWhere));
      observed.beginPart();
      stopped = null;
      stoppedWhere = "";
      inCase = false;
    }
  }

  private int findings() {
    return observed.findings().size();
  }

  /** One share a case, in the order in which the cases started. */
  List<CaseShare> shares() {
    return shares;
  }

  private static String shown(List<Integer> ids) {
    return ids.size() <= 16 ? ids.toString() : ids.size() + " ids";
  }

  @Override
  public void compared(DType type, double maxUlps) {
    control.compared(runIndex, type, maxUlps);
  }

  /** The first program the script compiled. */
  Optional<Lowered> lowered() {
    return Optional.ofNullable(lowered);
  }

  /** The launch that didn't finish, after which the script ended. */
  Optional<RunOutcome> stopped() {
    return Optional.ofNullable(stopped);
  }

  int dispatches() {
    return dispatches;
  }

  /** Ranks of the launch that had most; 0 when nothing was launched. */
  int mostRanks() {
    return mostRanks;
  }

  long compileNanos() {
    return compileNanos;
  }

  long runWallNanos() {
    return runWallNanos;
  }

  long runVirtualNanos() {
    return runVirtualNanos;
  }

  /** What is in doubt about the waits of each launch; empty when nothing is. */
  List<Doubts> doubts() {
    return doubts.stream().allMatch(Doubts.NONE::equals) ? List.of() : doubts;
  }

  /** What happened when; empty unless asked for. */
  Optional<Timeline> timeline() {
    return timeline.filter(line -> line.ranks() > 0);
  }

  /** The model behind the virtual times; empty before the first launch. */
  String costModel() {
    return costModel;
  }

  String outputDigest() {
    return digest.hex();
  }

  /** Wall time left to this run; at least a nanosecond, so that the engine says what ran out. */
  Duration remaining() {
    long now = System.nanoTime();
    return Duration.ofNanos(Math.max(1, caseTime.left(now, deadlineNanos - now)));
  }

  boolean isOutOfTime() {
    return System.nanoTime() - deadlineNanos >= 0;
  }

  private final class Launcher implements Compiled {

    private final Program program;
    private final List<Integer> deviceIds;
    private final Function entry;
    private final Optional<KeptWindows> kept;

    Launcher(Program program, List<Integer> deviceIds) {
      this(program, deviceIds, Optional.empty());
    }

    Launcher(Program program, List<Integer> deviceIds, Optional<KeptWindows> kept) {
      this.program = program;
      this.kept = kept;
      this.deviceIds = deviceIds;
      this.entry =
          program.functions().stream()
              .filter(f -> f.level() == Function.Level.HOST)
              .reduce((first, second) -> second)
              .orElseThrow(
                  () ->
                      new DiagnosticException(
                          Diagnostic.error(
                              "program " + program.name() + " has no HOST orchestrator",
                              "Add @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator).",
                              Span.NONE)));
    }

    @Override
    public int ranks() {
      return deviceIds.size();
    }

    @Override
    public Function entry() {
      return entry;
    }

    @Override
    public OptionalLong rehearse(List<HostTensor> arguments, long steps) {
      if (kept.isPresent()) {
        return OptionalLong.empty();
      }
      RunOutcome outcome =
          engine.run(
              new RunRequest(
                  program,
                  profile,
                  deviceIds,
                  arguments,
                  spec.exploration().scheduleSeed(),
                  new Limits(
                      Math.min(steps, spec.limits().kernelSteps()),
                      remaining(),
                      spec.limits().memoryBytes()),
                  List.of(),
                  control::isCancelled));
      return outcome.isFinished() ? OptionalLong.of(outcome.instructions()) : OptionalLong.empty();
    }

    @Override
    public Compiled keepingWindows() {
      return new Launcher(program, deviceIds, Optional.of(new KeptWindows()));
    }

    @Override
    public void run(List<HostTensor> arguments, Span where) {
      run(arguments, HostWork.NONE);
    }

    @Override
    public void run(List<HostTensor> arguments, HostFunctions functions, Span where) {
      run(
          arguments,
          new HostWork() {
            @Override
            public Set<String> names() {
              return functions.names();
            }

            @Override
            public void run(String function, List<Object> given) {
              functions.call(function, given);
            }
          });
    }

    private void run(List<HostTensor> arguments, HostWork work) {
      if (compileOnly) {
        throw new RunStopped("compiled; nothing is run");
      }
      control.phase(runIndex, "run");
      timeline.ifPresent(
          line -> line.launch(deviceIds.size(), runVirtualNanos, profile.cost().notifySendNanos()));
      var observation =
          new Observation(
              deviceIds.size(),
              spec.exploration().cacheLines(),
              timeline,
              doubts.size() < doubted.size() ? doubted.get(doubts.size()) : Doubts.NONE);
      RunOutcome outcome =
          where.during(Work.RUNNING, () -> engine.run(request(arguments, work, observation)));
      where.launched();
      if (!outcome.isFinished() && outcome.raised().isEmpty()) {
        // First of all: what follows looks whether it should stop.
        stopped = outcome;
        stoppedWhere = wasTold(outcome) ? where.in(outcome) : "";
      }
      outcome.findings().forEach(observed::add);
      observed.add(observation);
      doubts.add(observation.doubts());
      dispatches += outcome.dispatches();
      mostRanks = Math.max(mostRanks, deviceIds.size());
      runWallNanos += outcome.wallNanos();
      runVirtualNanos += outcome.virtualNanos();
      control.launched(runIndex, outcome.instructions());
      costModel = outcome.costModel();
      for (int i = 0; i < arguments.size(); i++) {
        if (entry.params().get(i).direction().isWritten()) {
          digest.add(arguments.get(i));
          control.output(runIndex, entry.params().get(i).name(), arguments.get(i));
        }
      }
      if (outcome.raised().isPresent()) {
        throw outcome.raised().get();
      }
      if (!outcome.isFinished()) {
        throw new RunStopped(outcome.sentence());
      }
    }

    /** Whether a launch was told to stop, and so what it was at says why it took so long. */
    private static boolean wasTold(RunOutcome outcome) {
      return outcome.status() == RunOutcome.Status.TIMED_OUT
          || outcome.status() == RunOutcome.Status.CANCELLED;
    }

    private RunRequest request(List<HostTensor> arguments, HostWork work, Observation observation) {
      return new RunRequest(
          program,
          profile,
          deviceIds,
          arguments,
          spec.exploration().scheduleSeed(),
          new Limits(spec.limits().kernelSteps(), remaining(), spec.limits().memoryBytes()),
          List.of(observation),
          control::isCancelled,
          work,
          spec.conditions(),
          false,
          kept);
    }
  }
}
