package io.ringmaster.worker.engine;

import io.ringmaster.worker.device.CostModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What ranks of one run do to each other's time: shared ports, and the conditions the user asked
 * for. Transfers must be put in in the order of their beginning.
 */
final class Interference {

  /** A notify that never arrives. */
  static final long NEVER = -1;

  private record Link(int from, int to) {}

  private static final class Faults {
    final List<Condition> conditions = new ArrayList<>();
    long sent;
  }

  private final CostModel cost;
  private final boolean ports;
  private final double[] egress;
  private final double[] ingress;
  private final Map<Integer, Long> late = new HashMap<>();
  private final Map<Integer, Double> slow = new HashMap<>();
  private final Map<Link, Double> links = new HashMap<>();
  private final Map<Link, Faults> faults = new HashMap<>();

  Interference(int ranks, CostModel cost, List<Condition> conditions) {
    this.cost = cost;
    this.ports = conditions.stream().noneMatch(Condition.OpenPorts.class::isInstance);
    this.egress = new double[ports ? ranks : 0];
    this.ingress = new double[ports ? ranks : 0];
    for (Condition condition : conditions) {
      switch (condition) {
        case Condition.LateRank rank -> late.merge(rank.rank(), rank.nanos(), Long::sum);
        case Condition.SlowRank rank ->
            slow.merge(rank.rank(), rank.factor(), (one, other) -> one * other);
        case Condition.SlowLink link -> {
          links.merge(new Link(link.first(), link.second()), link.factor(), (a, b) -> a * b);
          links.merge(new Link(link.second(), link.first()), link.factor(), (a, b) -> a * b);
        }
        case Condition.DelayedNotify fault -> faults(fault.from(), fault.to()).add(fault);
        case Condition.DroppedNotify fault -> faults(fault.from(), fault.to()).add(fault);
        case Condition.OpenPorts _ -> {}
      }
    }
  }

  private List<Condition> faults(int from, int to) {
    return faults.computeIfAbsent(new Link(from, to), _ -> new Faults()).conditions;
  }

  /** How much later than due a dispatch of the rank starts. */
  long lateness(int rank) {
    return late.isEmpty() ? 0 : late.getOrDefault(rank, 0L);
  }

  /** How many times as long everything takes that the rank does. */
  double slowness(int rank) {
    return slow.getOrDefault(rank, 1.0);
  }

  /** When a transfer between two ranks ends that starts now and alone would end at {@code end}. */
  long transfer(int from, int to, long bytes, long start, long end) {
    long last = end;
    if (!links.isEmpty()) {
      double factor = links.getOrDefault(new Link(from, to), 1.0);
      last = start + (long) ((end - start) * factor);
    }
    if (!ports) {
      return last;
    }
    double busy = cost.port(bytes);
    egress[from] = Math.max(egress[from], (double) start) + busy;
    ingress[to] = Math.max(ingress[to], (double) start) + busy;
    return Math.max(last, (long) Math.max(egress[from], ingress[to]));
  }

  /** How long a notify takes that undisturbed takes {@code nanos}; {@link #NEVER} if it is lost. */
  long notification(int from, int to, long nanos) {
    if (links.isEmpty() && faults.isEmpty()) {
      return nanos;
    }
    Link link = new Link(from, to);
    long taken = (long) (nanos * links.getOrDefault(link, 1.0));
    Faults known = faults.get(link);
    if (known == null) {
      return taken;
    }
    long number = ++known.sent;
    for (Condition condition : known.conditions) {
      if (condition instanceof Condition.DroppedNotify drop
          && (drop.which() == 0 || drop.which() == number)) {
        return NEVER;
      }
      if (condition instanceof Condition.DelayedNotify delay
          && (delay.which() == 0 || delay.which() == number)) {
        taken += delay.nanos();
      }
    }
    return taken;
  }
}
