package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.Transfer;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Measures each collective call over all its ranks: bytes into each rank, notifies, waits, time.
 * The i-th calls of the ranks of a domain belong together. What a kernel does outside any
 * collective is measured by its dispatch's line.
 */
final class CollectiveMeter implements FabricListener {

  private static final class Meter {
    final Optional<CollectiveCall> call;
    final String function;
    final Span span;
    final List<Integer> members;
    final long[] payload;
    final long[] wire;
    long notifies;
    long waits;
    long transfers;
    long started = Long.MAX_VALUE;
    long ended = Long.MIN_VALUE;
    long wallStarted;
    long wallEnded;

    Meter(Optional<CollectiveCall> call, String function, Span span, List<Integer> members) {
      this.call = call;
      this.function = function;
      this.span = span;
      this.members = members;
      payload = new long[members.size()];
      wire = new long[members.size()];
    }

    void during(long from, long to, long wall) {
      if (started == Long.MAX_VALUE) {
        wallStarted = wall;
      }
      started = Math.min(started, from);
      ended = Math.max(ended, to);
      wallEnded = wall;
    }
  }

  private record Call(String domain, int index) {}

  private record Site(String function, Span span) {}

  private final LongSupplier wallClock;
  private final List<Integer> world;
  private final Map<Call, Meter> calls = new LinkedHashMap<>();
  private final Map<Site, Meter> byHand = new LinkedHashMap<>();
  private final List<Meter> inOrder = new ArrayList<>();
  private final List<Map<String, Integer>> callsOfRank = new ArrayList<>();
  private final Map<Integer, Meter> open = new HashMap<>();
  private final Map<Integer, DispatchInfo> dispatches = new HashMap<>();

  /** What each rank's dispatch does by hand, once it has done anything. */
  private final @Nullable Meter[] ofDispatch;

  /** {@code wallClock} gives nanoseconds of the machine's clock. */
  CollectiveMeter(int ranks, LongSupplier wallClock) {
    this.wallClock = wallClock;
    world = IntStream.range(0, ranks).boxed().toList();
    ofDispatch = new @Nullable Meter[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      callsOfRank.add(new HashMap<>());
    }
  }

  @Override
  public void dispatchStarted(DispatchInfo dispatch, long virtualNanos) {
    dispatches.put(dispatch.rank(), dispatch);
    ofDispatch[dispatch.rank()] = null;
  }

  @Override
  public void collectiveEntered(CollectiveCall call, long virtualNanos) {
    WindowInfo window = call.window();
    int index = callsOfRank.get(call.rank()).merge(window.domain(), 1, Integer::sum);
    Meter meter =
        calls.computeIfAbsent(
            new Call(window.domain(), index),
            _ -> added(new Meter(Optional.of(call), "", call.span(), window.members())));
    meter.during(virtualNanos, virtualNanos, wallClock.getAsLong());
    open.put(call.rank(), meter);
  }

  @Override
  public void collectiveLeft(CollectiveCall call, long virtualNanos) {
    Meter meter = open.remove(call.rank());
    if (meter != null) {
      meter.during(virtualNanos, virtualNanos, wallClock.getAsLong());
    }
  }

  @Override
  public void transferred(Transfer transfer) {
    Meter meter = current(transfer.rank(), transfer.span());
    meter.transfers++;
    int to = Members.local(meter.members, transfer.to());
    meter.payload[to] += transfer.payloadBytes();
    if (transfer.from() != transfer.to()) {
      meter.wire[to] += transfer.movedBytes();
    }
    meter.during(transfer.startNanos(), transfer.endNanos(), wallClock.getAsLong());
  }

  @Override
  public void notified(Notification notification) {
    Meter meter = current(notification.rank(), notification.span());
    meter.notifies++;
    long now = notification.sentNanos();
    meter.during(now, now, wallClock.getAsLong());
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    Meter meter = current(wait.rank(), wait.span());
    meter.waits++;
    meter.during(wait.startNanos(), virtualNanos, wallClock.getAsLong());
  }

  private Meter current(int rank, Span span) {
    Meter meter = open.get(rank);
    if (meter != null) {
      return meter;
    }
    Meter own = ofDispatch[rank];
    if (own != null) {
      return own;
    }
    DispatchInfo dispatch = dispatches.get(rank);
    Site site =
        dispatch == null ? new Site("", span) : new Site(dispatch.function(), dispatch.span());
    Meter meant =
        byHand.computeIfAbsent(
            site, _ -> added(new Meter(Optional.empty(), site.function(), site.span(), world)));
    if (dispatch != null) {
      ofDispatch[rank] = meant;
    }
    return meant;
  }

  private Meter added(Meter meter) {
    inOrder.add(meter);
    return meter;
  }

  /** In the order in which the first rank got there; hand-written parts only if they moved data. */
  List<CollectiveTraffic> collectives() {
    return inOrder.stream()
        .filter(meter -> meter.call.isPresent() || meter.transfers > 0)
        .map(CollectiveMeter::traffic)
        .toList();
  }

  private static CollectiveTraffic traffic(Meter meter) {
    Optional<CollectiveCall> call = meter.call;
    return new CollectiveTraffic(
        call.map(CollectiveCall::op).orElse(CollectiveTraffic.TRANSFER),
        call.map(CollectiveCall::rail).orElse("incore"),
        call.map(CollectiveCall::algorithm).orElse(CollectiveTraffic.HAND),
        call.map(made -> made.window().buffer()).orElse(meter.function),
        meter.members,
        meter.span,
        call.map(CollectiveCall::shape).orElse(List.of()),
        call.map(CollectiveCall::dtype),
        call.flatMap(CollectiveCall::root),
        call.flatMap(CollectiveCall::reduce),
        IntStream.range(0, meter.members.size()).mapToObj(i -> meter.payload[i]).toList(),
        IntStream.range(0, meter.members.size()).mapToObj(i -> meter.wire[i]).toList(),
        meter.notifies,
        meter.waits,
        Math.max(meter.ended - meter.started, 0),
        Math.max(meter.wallEnded - meter.wallStarted, 0));
  }
}
