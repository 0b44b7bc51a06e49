package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.BlockedRank;
import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.Transfer;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Everything the worker watches during one run: listens to the fabric and turns what it hears into
 * findings, collectives, barriers and traffic. One object for one run; results may be asked for at
 * any time and are in a deterministic order.
 */
public final class Observation implements FabricListener {

  /** Largest world size for which order between ranks is tracked unless asked for. */
  public static final int MOST_RANKS_CHECKED = 64;

  private final Optional<HappensBefore> order;
  private final Optional<RaceDetector> races;
  private final Optional<LineWrites> lines;
  private final Optional<UninitialisedReads> uninitialised;
  private final StaleCredits stale;
  private final LostCredits lost;
  private final SignalValues values;
  private final RedundantStaging staging;
  private final SignalLayouts layouts = new SignalLayouts();
  private final Residue residue;
  private final DeadlockExplainer deadlock;
  private final CollectiveSequence sequence = new CollectiveSequence();
  private final TrafficMatrix traffic;
  private final CollectiveMeter meter;
  private final BarrierAnatomy barriers;
  private final CreditLedger ledger;
  private final Optional<Timeline> timeline;

  /** In the order in which they hear an event; those that others ask come first. */
  private final List<FabricListener> listeners = new ArrayList<>();

  private final FabricListener[] onNotified;
  private final FabricListener[] onApplied;
  private final FabricListener[] onWaitStarted;
  private final FabricListener[] onWaitSatisfied;
  private final FabricListener[] onAccessed;
  private final FabricListener[] onTransferred;
  private final FabricListener[] onBranched;

  /** Checks for races up to {@link #MOST_RANKS_CHECKED} ranks. */
  public Observation(int ranks) {
    this(ranks, false);
  }

  /**
   * As {@link #Observation(int)}.
   *
   * @param cacheLines whether writes of different ranks into one line of 64 bytes need an order
   */
  public Observation(int ranks, boolean cacheLines) {
    this(ranks, cacheLines, Optional.empty(), Doubts.NONE);
  }

  /**
   * As {@link #Observation(int, boolean)}, and writes down what happened when.
   *
   * @param doubts waits that order less than they seem to, from an earlier run of the same launch
   */
  public Observation(int ranks, boolean cacheLines, Optional<Timeline> timeline, Doubts doubts) {
    this(
        ranks,
        ranks <= MOST_RANKS_CHECKED || cacheLines,
        cacheLines,
        System::nanoTime,
        timeline,
        doubts);
  }

  /** As {@link #Observation(int)}, with the check for races on or off. */
  Observation(int ranks, boolean checkOrder, LongSupplier wallClock) {
    this(ranks, checkOrder, false, wallClock, Optional.empty(), Doubts.NONE);
  }

  /**
   * @param ranks world size; events name ranks 0 to {@code ranks - 1}
   * @param checkOrder whether to track happens-before: needed for races and for credits that
   *     another schedule would lose
   * @param cacheLines whether writes of different ranks into one line of 64 bytes need an order
   * @param wallClock nanoseconds of the machine's clock
   * @param timeline what to write down what happened in
   * @param doubts waits that order less than they seem to
   */
  private Observation(
      int ranks,
      boolean checkOrder,
      boolean cacheLines,
      LongSupplier wallClock,
      Optional<Timeline> timeline,
      Doubts doubts) {
    this.timeline = timeline;
    order = checkOrder ? Optional.of(new HappensBefore(ranks, doubts)) : Optional.empty();
    // Who looks at the numbers and times of notifies: barriers of few ranks, and timelines.
    boolean brief = order.isEmpty() && timeline.isEmpty() && ranks > MOST_RANKS_CHECKED;
    ledger = new CreditLedger(order, brief);
    BranchHistory branches = new BranchHistory(ranks);
    RankProgress progress = new RankProgress(ranks);
    races = order.map(clocks -> new RaceDetector(clocks, ranks));
    lines = order.filter(_ -> cacheLines).map(LineWrites::new);
    uninitialised = order.map(UninitialisedReads::new);
    stale = new StaleCredits(ledger, order);
    lost = new LostCredits(ledger, stale);
    values = new SignalValues(ledger, order);
    staging = new RedundantStaging(progress);
    residue = new Residue(ledger);
    deadlock = new DeadlockExplainer(ledger, branches, progress);
    traffic = new TrafficMatrix(ranks);
    meter = new CollectiveMeter(ranks, wallClock);
    barriers = new BarrierAnatomy(ranks, ledger, wallClock, timeline);
    order.ifPresent(listeners::add);
    listeners.add(ledger);
    listeners.add(branches);
    listeners.add(progress);
    races.ifPresent(listeners::add);
    lines.ifPresent(listeners::add);
    uninitialised.ifPresent(listeners::add);
    listeners.addAll(List.of(stale, lost, values, layouts, staging, residue, deadlock));
    listeners.addAll(List.of(sequence, traffic, meter, barriers));
    timeline.ifPresent(listeners::add);
    // Events that come by the million go to those only who do something about them.
    onNotified =
        those(
            order,
            ledger,
            races,
            lines,
            uninitialised,
            layouts,
            traffic,
            meter,
            barriers,
            timeline);
    onApplied = those(order, ledger, lost, values);
    onWaitStarted = those(ledger, uninitialised, layouts, residue, barriers);
    onWaitSatisfied = those(order, ledger, races, stale, values, traffic, meter, barriers);
    onAccessed = those(races, lines, uninitialised, staging, barriers);
    onTransferred = those(traffic, meter, timeline);
    onBranched = those(branches);
  }

  /** Listeners, some of which may be absent, in the order given. */
  private static FabricListener[] those(Object... some) {
    return Arrays.stream(some)
        .flatMap(one -> one instanceof Optional<?> maybe ? maybe.stream() : Stream.of(one))
        .map(FabricListener.class::cast)
        .toArray(FabricListener[]::new);
  }

  /** Gravest kind first, then by place in the source. */
  public List<Finding> findings() {
    var findings = new ArrayList<Finding>();
    findings.addAll(sequence.findings());
    findings.addAll(deadlock.findings());
    races.ifPresent(detector -> findings.addAll(detector.findings()));
    lines.ifPresent(writes -> findings.addAll(writes.findings()));
    findings.addAll(stale.findings());
    findings.addAll(lost.findings());
    findings.addAll(values.findings());
    findings.addAll(layouts.findings());
    findings.addAll(staging.findings());
    findings.addAll(residue.findings());
    uninitialised.ifPresent(reads -> findings.addAll(reads.findings()));
    if (races.isEmpty()) {
      findings.add(unchecked());
    }
    return Findings.sorted(findings);
  }

  private static Finding unchecked() {
    return Finding.of(
        Finding.Kind.ORDER_UNCHECKED,
        "more than "
            + MOST_RANKS_CHECKED
            + " ranks: accesses that nothing orders go unseen, and only the values of this one"
            + " order were compared",
        "run it with at most "
            + MOST_RANKS_CHECKED
            + " ranks too, or in more orders: schedules, --schedules on the command line",
        List.of(),
        List.of());
  }

  /**
   * Waits of this launch that might have been let through by other notifies. When they aren't those
   * that were given, the same launch has to be watched again with these for its findings to be all.
   */
  public Doubts doubts() {
    return order.map(HappensBefore::doubts).orElse(Doubts.NONE);
  }

  /** Each collective call and each kernel's hand-written traffic, in order of their beginning. */
  public List<CollectiveTraffic> collectives() {
    return meter.collectives();
  }

  /** Every complete barrier round, in the order in which they ended. */
  public List<BarrierRound> barriers() {
    return barriers.barriers();
  }

  /** Bytes between ranks, and operation counts. */
  public TrafficMatrix traffic() {
    return traffic;
  }

  @Override
  public void kept(WindowInfo window) {
    listeners.forEach(listener -> listener.kept(window));
  }

  @Override
  public void dispatchStarted(DispatchInfo dispatch, long virtualNanos) {
    listeners.forEach(listener -> listener.dispatchStarted(dispatch, virtualNanos));
  }

  @Override
  public void dispatchFinished(DispatchInfo dispatch, long virtualNanos) {
    listeners.forEach(listener -> listener.dispatchFinished(dispatch, virtualNanos));
  }

  @Override
  public void accessed(Access access) {
    for (FabricListener listener : onAccessed) {
      listener.accessed(access);
    }
  }

  @Override
  public void transferred(Transfer transfer) {
    for (FabricListener listener : onTransferred) {
      listener.transferred(transfer);
    }
  }

  @Override
  public void notified(Notification notification) {
    for (FabricListener listener : onNotified) {
      listener.notified(notification);
    }
  }

  @Override
  public void applied(Notification notification, int before, int after, long virtualNanos) {
    for (FabricListener listener : onApplied) {
      listener.applied(notification, before, after, virtualNanos);
    }
  }

  @Override
  public void waitStarted(SignalWait wait, int seen) {
    for (FabricListener listener : onWaitStarted) {
      listener.waitStarted(wait, seen);
    }
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    for (FabricListener listener : onWaitSatisfied) {
      listener.waitSatisfied(wait, seen, virtualNanos);
    }
    timeline.ifPresent(line -> line.waited(wait, seen, virtualNanos, ledger.lastUsed()));
  }

  @Override
  public void collectiveEntered(CollectiveCall call, long virtualNanos) {
    listeners.forEach(listener -> listener.collectiveEntered(call, virtualNanos));
  }

  @Override
  public void collectiveLeft(CollectiveCall call, long virtualNanos) {
    listeners.forEach(listener -> listener.collectiveLeft(call, virtualNanos));
  }

  @Override
  public void branched(int rank, Span span, boolean taken) {
    for (FabricListener listener : onBranched) {
      listener.branched(rank, span, taken);
    }
  }

  @Override
  public void foreseen(List<Notification> notifies) {
    listeners.forEach(listener -> listener.foreseen(notifies));
  }

  @Override
  public void deadlocked(List<BlockedRank> blocked, long virtualNanos) {
    listeners.forEach(listener -> listener.deadlocked(blocked, virtualNanos));
  }

  @Override
  public void finished(long virtualNanos) {
    listeners.forEach(listener -> listener.finished(virtualNanos));
  }
}
