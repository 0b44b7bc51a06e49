package io.ringmaster.service.placement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/**
 * How long a pass over 100,000 queued runs takes. Not part of the tests: {@code ./mvnw -pl service
 * test -Dtest=PlanningBench} prints the times of a warm pass.
 */
class PlanningBench {

  private static final int QUEUED = 100_000;
  private static final int WORKERS = 16;
  private static final int DEVICES = 16;
  private static final int WARM = 20;

  @Test
  void passes() {
    measure("100,000 runs of one kind that can't start", i -> Fleets.ids(0, 1));
    measure(
        "100,000 runs of 100,000 kinds that can't start",
        i -> Fleets.ids(0, 1 + i % (DEVICES - 1), DEVICES + i));
    measure("100,000 runs that ask for 1 to 16 devices", i -> Fleets.auto(1 + i % DEVICES));
  }

  private static void measure(
      String what, IntFunction<io.ringmaster.service.jobs.DeviceRequest> devices) {
    var queue = new ArrayList<QueuedRun>();
    for (int i = 0; i < QUEUED; i++) {
      queue.add(Fleets.run("run" + i, devices.apply(i), 60));
    }
    var fleet = fleet();
    long best = Long.MAX_VALUE;
    for (int i = 0; i < WARM; i++) {
      long begin = System.nanoTime();
      var plan = Planner.plan(queue, fleet, Fleets.POLICY);
      best = Math.min(best, System.nanoTime() - begin);
      if (plan.starts().size() > WORKERS) {
        throw new AssertionError("More starts than wanted");
      }
    }
    System.out.printf("%s: %.1f ms%n", what, best / 1e6);
  }

  /** Sixteen pools of sixteen devices in two groups; device 0 of each is held. */
  private static Fleet fleet() {
    var seats = new ArrayList<Seat>();
    Map<String, Fleet.Pool> pools = new HashMap<>();
    for (int i = 0; i < WORKERS; i++) {
      var pool = "pool" + i;
      seats.add(Fleets.seat("w" + i, pool, "0-" + (DEVICES - 1), "0-7,8-15", 1));
      pools.put(pool, Fleets.held(60, 0));
    }
    return new Fleet(List.copyOf(seats), pools, Set.of(), Fleets.NOW);
  }
}
