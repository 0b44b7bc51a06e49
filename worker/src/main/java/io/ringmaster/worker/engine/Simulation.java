package io.ringmaster.worker.engine;

import io.ringmaster.worker.codegen.Copies;
import io.ringmaster.worker.codegen.DispatchCall;
import io.ringmaster.worker.codegen.Environment;
import io.ringmaster.worker.codegen.Machine;
import io.ringmaster.worker.codegen.OperationCounts;
import io.ringmaster.worker.device.CostModel;
import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.fabric.BlockedRank;
import io.ringmaster.worker.fabric.Box;
import io.ringmaster.worker.fabric.Fabric;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.HostRegion;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.fabric.Window;
import io.ringmaster.worker.fabric.WindowSlice;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the planned tasks of all ranks as a discrete-event simulation on one thread. Whoever is
 * earliest on the virtual clock goes first; a rank keeps going until it is about to touch shared
 * memory while somebody else is earlier.
 */
final class Simulation implements Environment {

  /** Ties of ranks lie above those of arrivals: what arrives is there for who looks then. */
  private static final long RANKS = 1L << 62;

  /** A fault lists this many places; thousands of ranks can wait because of it. */
  private static final int MOST_PLACES = 16;

  private static final class RankRun {
    final Machine machine;
    final long tie;
    final Deque<Task> todo;
    @Nullable Task current;
    final Outbox outbox = new Outbox();
    boolean queued;
    long lastArrival;

    RankRun(Machine machine, long tie, List<Task> tasks) {
      this.machine = machine;
      this.tie = tie;
      this.todo = new ArrayDeque<>(tasks);
    }

    boolean isDone() {
      return current == null && todo.isEmpty();
    }
  }

  private record Arrival(Notification notification, WindowSlice target, RankRun receiver) {}

  private final Fabric fabric;
  private final Device device;
  private final CostModel cost;
  private final SchedulePolicy policy;
  private final Meter meter;
  private final Findings findings;
  private final HostWork work;
  private final Interference interference;

  /** Whether ranks may notify and look at cells before it is their turn: nobody can tell. */
  private final boolean runsAhead;

  /** What the ranks would notify if no wait held them up; asked for at a deadlock. */
  private final Supplier<Optional<List<Notification>>> foresight;

  private final EventQueue queue = new EventQueue();
  private final List<RankRun> ranks = new ArrayList<>();
  private final OperationCounts counts = new OperationCounts();
  private long arrivals;
  private @Nullable RankRun latest;

  /** The sub-worker that runs; empty when none does. */
  private String atWork = "";

  Simulation(
      List<List<Task>> tasks,
      Fabric fabric,
      Device device,
      CostModel cost,
      SchedulePolicy policy,
      Meter meter,
      Findings findings,
      HostWork work,
      List<Condition> conditions,
      boolean runsAhead,
      Supplier<Optional<List<Notification>>> foresight) {
    this.foresight = foresight;
    this.runsAhead = runsAhead;
    this.interference = new Interference(tasks.size(), cost, conditions);
    this.fabric = fabric;
    this.device = device;
    this.cost = cost;
    this.policy = policy;
    this.meter = meter;
    this.findings = findings;
    this.work = work;
    for (int rank = 0; rank < tasks.size(); rank++) {
      var machine = new Machine(rank, this, fabric, device.of(rank), cost, counts);
      machine.slowDown(interference.slowness(rank));
      if (runsAhead) {
        machine.letRunAhead();
      }
      ranks.add(new RankRun(machine, RANKS + policy.tie(rank), tasks.get(rank)));
    }
  }

  /** Lets the ranks go past every wait. */
  void waitForNobody() {
    ranks.forEach(run -> run.machine.waitForNobody());
  }

  /** What all ranks together have executed. */
  OperationCounts counts() {
    return counts;
  }

  List<Machine> machines() {
    return ranks.stream().map(run -> run.machine).toList();
  }

  long virtualNanos() {
    return ranks.stream().mapToLong(run -> run.machine.clock()).max().orElse(0);
  }

  /**
   * Where the rank is that ran last, or another one that is at work; where all wait, as they do
   * between a notify and its arrival, where one of them waits; empty when none has begun.
   */
  Optional<String> whereabouts() {
    if (!atWork.isEmpty()) {
      return Optional.of("sub-worker '" + atWork + "' was running");
    }
    return whereaboutsOfRanks()
        .or(
            () ->
                blocked(null).stream()
                    .filter(rank -> rank.awaited().isPresent())
                    .findFirst()
                    .map(rank -> "rank " + rank.rank() + " " + rank.reason()));
  }

  private Optional<String> whereaboutsOfRanks() {
    return Stream.concat(Stream.ofNullable(latest), ranks.stream())
        .map(run -> run.machine)
        .filter(machine -> machine.isRunning() && machine.awaited().isEmpty())
        .findFirst()
        .map(Machine::whereabouts);
  }

  /** Runs until nothing can happen any more; true when every task finished. */
  boolean run() {
    for (RankRun run : ranks) {
      offerNext(run);
    }
    while (!queue.isEmpty()) {
      meter.step();
      long now = queue.firstTime();
      switch (queue.remove()) {
        case RankRun run -> advance(run);
        case Outbox outbox -> arrive(outbox, now);
        case Arrival arrival -> arrive(arrival, now);
        case Object other -> throw new IllegalStateException("unknown item " + other);
      }
    }
    boolean done = ranks.stream().allMatch(RankRun::isDone);
    if (done) {
      fabric.events().finished(virtualNanos());
    } else {
      if (fabric.observed()) {
        foresight.get().ifPresent(fabric.events()::foreseen);
      }
      fabric.events().deadlocked(blocked(null), virtualNanos());
    }
    return done;
  }

  /**
   * Ranks that aren't done, and why; {@code culprit} is the rank that stopped the run, if one did.
   */
  List<BlockedRank> blocked(@Nullable Integer culprit) {
    List<BlockedRank> blocked = new ArrayList<>();
    for (RankRun run : ranks) {
      Machine machine = run.machine;
      if (run.isDone() || (culprit != null && culprit == machine.rank())) {
        continue;
      }
      var wait = machine.awaited();
      String reason;
      if (wait.isPresent()) {
        reason =
            "waits at "
                + wait.get().span()
                + " for cell "
                + wait.get().coordinates()
                + " of '"
                + wait.get().window().buffer()
                + "' to be "
                + (wait.get().exact() ? "== " : ">= ")
                + wait.get().expected()
                + "; it is "
                + machine.awaitedValue();
      } else {
        reason = notStarted(run);
      }
      String because = culprit == null ? "" : "; stopped because rank " + culprit + " failed";
      blocked.add(
          new BlockedRank(
              machine.rank(),
              wait,
              machine.awaitedValue(),
              reason + because,
              wait.isEmpty() ? held(run) : Optional.empty()));
    }
    return blocked;
  }

  private static String notStarted(RankRun run) {
    return held(run)
        .map(
            held ->
                "dispatch "
                    + held.later().id()
                    + " ("
                    + held.later().function()
                    + ") waits for dispatch "
                    + held.earlier().id()
                    + " ("
                    + held.earlier().function()
                    + ") on rank "
                    + held.earlier().rank()
                    + ", which uses the same bytes: "
                    + held.bytes())
        .orElse("was running");
  }

  /** The dispatch that a rank can't begin with, and the one that holds it up. */
  private static Optional<BlockedRank.Held> held(RankRun run) {
    Task next = run.current == null ? run.todo.peekFirst() : null;
    if (next == null || next.open.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(next.heldBy(next.open.getFirst()));
  }

  /** Puts the rank's next task into the queue, if it has one and nothing holds it up. */
  private void offerNext(RankRun run) {
    Task next = run.todo.peekFirst();
    if (run.current != null || run.queued || next == null || !next.open.isEmpty()) {
      return;
    }
    run.machine.advanceTo(
        Math.max(run.machine.clock(), next.readyAt)
            + cost.dispatchNanos()
            + policy.startDelay(run.machine.rank(), next.info.id())
            + interference.lateness(run.machine.rank()));
    enqueue(run);
  }

  private void enqueue(RankRun run) {
    run.queued = true;
    queue.add(run.machine.clock(), run.tie, run);
  }

  private void advance(RankRun run) {
    run.queued = false;
    latest = run;
    Machine machine = run.machine;
    Task task = run.current;
    if (task == null) {
      task = run.todo.removeFirst();
      run.current = task;
      fabric.events().dispatchStarted(task.info, machine.clock());
      if (work.names().contains(task.info.function())) {
        onHost(task);
        finish(run, task);
        return;
      }
      machine.start(task.function, task.arguments, task.dims);
    }
    horizon(run);
    task.goesOn();
    switch (machine.run()) {
      case YIELDED -> enqueue(run);
      case BLOCKED -> {}
      case FINISHED -> finish(run, task);
    }
  }

  /** Host work takes no time on the virtual clock: it is no device's. */
  private void onHost(Task task) {
    List<Object> arguments = new ArrayList<>();
    for (Object argument : task.arguments) {
      arguments.add(
          switch (argument) {
            case TensorView view when view.region() instanceof HostRegion host -> {
              device.reading(host.segment(), 0, host.bytes());
              yield new HostTensor(
                  host.buffer(),
                  view.dtype(),
                  view.shape(),
                  view.strides(),
                  view.start() / view.dtype().bytes());
            }
            case Number number -> number;
            case null, default ->
                throw new IllegalStateException("host work gets tensors and numbers: " + argument);
          });
    }
    fabric.hostChanging();
    for (Object argument : arguments) {
      if (argument instanceof HostTensor tensor) {
        device.changing(tensor.buffer().segment(), 0, tensor.buffer().byteSize());
      }
    }
    atWork = task.info.function();
    try {
      work.run(task.info.function(), arguments);
      changed(arguments);
      atWork = "";
    } catch (StopOrder.Stopped stopped) {
      throw stopped;
    } catch (RuntimeException thrown) {
      throw new HostWorkFailed(task.info.function(), thrown);
    }
  }

  /** What host work was given it may have changed. */
  private void changed(List<Object> arguments) {
    for (Object argument : arguments) {
      if (argument instanceof HostTensor tensor) {
        device.changed(tensor.buffer().segment(), 0, tensor.buffer().byteSize());
      }
    }
  }

  private void horizon(RankRun run) {
    run.machine.setHorizon(queue.firstTime(), run.tie < queue.firstTie());
  }

  private void finish(RankRun run, Task task) {
    long now = run.machine.clock();
    @Nullable Object[] values = run.machine.results();
    for (int i = 0; i < task.results.size() && i < values.length; i++) {
      if (values[i] instanceof TensorView view) {
        Box place = box(task.results.get(i));
        TensorView shaped = view.as(task.results.get(i).shape(), view.dtype());
        if (shaped != null && shaped.dtype() == place.dtype()) {
          Copies.copy(device, box(shaped), place, false);
          place.recordWrite();
        }
      }
    }
    fabric.events().dispatchFinished(task.info, now);
    run.current = null;
    for (Task dependent : task.dependents) {
      dependent.open.remove(task);
      dependent.readyAt = Math.max(dependent.readyAt, now);
      offerNext(ranks.get(dependent.info.rank()));
    }
    offerNext(run);
  }

  private static Box box(TensorView view) {
    return new Box(view.region(), view.start(), view.shape(), view.strides(), view.dtype());
  }

  private void arrive(Arrival arrival, long now) {
    int value = fabric.apply(arrival.notification(), arrival.target(), now);
    RankRun run = arrival.receiver();
    wake(run, arrival.target(), arrival.notification().cell(), value, now);
  }

  private void wake(RankRun run, WindowSlice target, long cell, int value, long now) {
    if (run.machine.awaits(target, cell) && run.machine.satisfy(value, now)) {
      if (runsAhead) {
        advance(run);
      } else {
        enqueue(run);
      }
    }
  }

  private void arrive(Outbox outbox, long now) {
    WindowSlice target = outbox.target();
    long cell = outbox.cell();
    int value = outbox.value();
    boolean set = outbox.set();
    outbox.remove();
    if (!outbox.isEmpty()) {
      queue.add(outbox.time(), outbox.tie(), outbox);
    }
    int after = Fabric.apply(target, cell, value, set);
    wake(ranks.get(target.owner()), target, cell, after, now);
  }

  @Override
  public void send(
      Machine machine, WindowSlice target, long cell, int value, boolean set, Span span) {
    int from = machine.rank();
    int to = target.owner();
    if (from == to) {
      Fabric.apply(target, cell, value, set);
      return;
    }
    long nanos = interference.notification(from, to, cost.notifyNanos());
    if (nanos == Interference.NEVER) {
      findings.add(dropped(from, to, target, List.of(cell), span));
      return;
    }
    RankRun sender = ranks.get(from);
    long latency = policy.notifyNanos(from, to, fabric.nextNotification(), nanos);
    long time = Math.max(machine.clock() + latency, sender.lastArrival);
    sender.lastArrival = time;
    long tie = arrivals++;
    if (sender.outbox.isEmpty()) {
      queue.add(time, tie, sender.outbox);
    }
    sender.outbox.add(time, tie, target, cell, value, set);
    horizon(sender);
  }

  @Override
  public void send(Machine machine, Notification notification, WindowSlice target) {
    if (notification.isSelf()) {
      fabric.apply(notification, target, machine.clock());
      return;
    }
    RankRun sender = ranks.get(machine.rank());
    long nanos =
        interference.notification(notification.rank(), notification.owner(), cost.notifyNanos());
    if (nanos == Interference.NEVER) {
      findings.add(
          dropped(
              notification.rank(),
              notification.owner(),
              target,
              notification.coordinates(),
              notification.span()));
      return;
    }
    long latency =
        policy.notifyNanos(notification.rank(), notification.owner(), notification.id(), nanos);
    long time = Math.max(machine.clock() + latency, sender.lastArrival);
    sender.lastArrival = time;
    RankRun receiver = ranks.get(notification.owner());
    queue.add(time, arrivals++, new Arrival(notification, target, receiver));
    horizon(sender);
  }

  private static Finding dropped(
      int from, int to, WindowSlice target, List<Long> coordinates, Span span) {
    String buffer = target.info().buffer();
    return new Finding(
        Finding.Kind.NOTIFY_DROPPED,
        Finding.Kind.NOTIFY_DROPPED.severity(),
        "rank "
            + from
            + ": the notify to cell "
            + coordinates
            + " of '"
            + buffer
            + "' on rank "
            + to
            + " was dropped, as this run asked for",
        "leave away drop-notify to see the kernel without it",
        List.of(from, to),
        Optional.of(buffer),
        Optional.of(coordinates.toString()),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(new Finding.Place(from, span, "dropped")));
  }

  @Override
  public long transferred(int from, int to, long bytes, long start, long end) {
    return interference.transfer(from, to, bytes, start, end);
  }

  @Override
  public int refuel(Machine machine) {
    return meter.grant(machine);
  }

  @Override
  public void report(Finding finding) {
    findings.add(finding);
  }

  @Override
  public TensorView createTensor(DType dtype, long[] shape, Span span) {
    long bytes = HostTensor.count(shape) * dtype.bytes();
    return TensorView.packed(fabric.local("pl.create_tensor", bytes), 0, shape, dtype);
  }

  @Override
  public int worldSize() {
    return ranks.size();
  }

  @Override
  public Window allocateWindow(String name, long bytes, Span span) {
    throw new IllegalStateException("window '" + name + "' allocated outside HOST code");
  }

  @Override
  public List<TensorView> dispatch(DispatchCall call) {
    throw new IllegalStateException("dispatch of " + call.function().name() + " from a rank");
  }

  @Override
  public void copy(TensorView source, TensorView target, Span span) {
    throw new IllegalStateException("host copy from a rank");
  }

  /** A fault, with the places at which other ranks wait because of it. */
  static Finding withThoseThatWait(Finding fault, List<BlockedRank> blocked) {
    List<Finding.Place> places = new ArrayList<>(fault.places());
    for (BlockedRank rank : blocked) {
      if (rank.awaited().isPresent() && places.size() < MOST_PLACES) {
        places.add(new Finding.Place(rank.rank(), rank.awaited().get().span(), rank.reason()));
      }
    }
    return new Finding(
        fault.kind(),
        fault.severity(),
        fault.message(),
        fault.hint(),
        fault.ranks(),
        fault.window(),
        fault.cell(),
        fault.fromByte(),
        fault.toByte(),
        fault.seen(),
        fault.needed(),
        places);
  }

  /** The rank whose fault this is, when it is one rank's. */
  static Optional<Integer> culprit(Finding finding) {
    return finding.ranks().stream().findFirst();
  }
}
