package io.ringmaster.service.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.jobs.DeviceRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What holds for every queue and every fleet. */
class PlannerPropertiesTest {

  private static final List<String> POOLS = List.of("a", "b", "c");

  /** A fleet and a queue, grown from a seed: pools of up to 16 devices, some held, some off. */
  private record World(Fleet fleet, List<QueuedRun> queue) {

    static World of(long seed) {
      var random = new Random(seed);
      var seats = new ArrayList<Seat>();
      var pools = new HashMap<String, Fleet.Pool>();
      for (var pool : POOLS.subList(0, 1 + random.nextInt(POOLS.size()))) {
        int devices = 1 + random.nextInt(16);
        seats.addAll(seats(random, pool, devices));
        pools.put(pool, pool(random, devices));
      }
      var queue = new ArrayList<QueuedRun>();
      int runs = random.nextInt(60);
      for (int i = 0; i < runs; i++) {
        queue.add(run(random, "r%03d".formatted(i)));
      }
      queue.sort((x, y) -> y.priority() - x.priority());
      return new World(
          new Fleet(
              seats, pools, random.nextInt(8) == 0 ? Set.of(Fleets.CARDS) : Set.of(), Fleets.NOW),
          queue);
    }

    private static List<Seat> seats(Random random, String pool, int devices) {
      int cut = random.nextInt(devices);
      var seats = new ArrayList<Seat>();
      int half = devices / 2;
      var groups = half > 0 && random.nextBoolean() ? "0-%d".formatted(half - 1) : "";
      seats.add(Fleets.seat(pool + 1, pool, "0-" + (devices - 1), groups, random.nextInt(4)));
      if (cut > 0 && random.nextBoolean()) {
        seats.add(Fleets.seat(pool + 2, pool, "0-" + cut, "", random.nextInt(3)));
      }
      return seats;
    }

    private static Fleet.Pool pool(Random random, int devices) {
      var held = new HashMap<Integer, java.time.Instant>();
      var off = new HashSet<Integer>();
      for (int device = 0; device < devices; device++) {
        switch (random.nextInt(6)) {
          case 0, 1 -> held.put(device, Fleets.NOW.plusSeconds(random.nextInt(-5, 100)));
          case 2 -> off.add(device);
          default -> {}
        }
      }
      return new Fleet.Pool(held, off, random.nextInt(10) == 0);
    }

    private static QueuedRun run(Random random, String id) {
      DeviceRequest request;
      if (random.nextBoolean()) {
        request = Fleets.auto(1 + random.nextInt(8));
      } else {
        var ids = new java.util.LinkedHashSet<Integer>();
        int ranks = 1 + random.nextInt(4);
        while (ids.size() < ranks) {
          ids.add(random.nextInt(17));
        }
        request = new DeviceRequest.Ids(List.copyOf(ids));
      }
      var pool =
          random.nextInt(3) == 0
              ? Optional.of(POOLS.get(random.nextInt(POOLS.size())))
              : Optional.<String>empty();
      return Fleets.run(id, random.nextInt(3), pool, request, 1 + random.nextInt(120));
    }

    Plan plan() {
      return Planner.plan(queue, fleet, Fleets.POLICY);
    }
  }

  @Property(tries = 2_000)
  void aStartHasAllItsDevicesAndNobodyElseHasOneOfThem(@ForAll long seed) {
    var world = World.of(seed);
    var plan = world.plan();
    var given = new HashMap<String, Set<Integer>>();
    var perWorker = new TreeMap<String, Integer>();
    for (var start : plan.starts()) {
      var run = start.run();
      var seat = start.seat();
      var pool = world.fleet().pool(seat.pool());
      assertThat(seat.offers(run)).isTrue();
      assertThat(seat.draining() || pool.maintenance()).isFalse();
      assertThat(start.devices()).doesNotHaveDuplicates().hasSize(run.devices().ranks());
      assertThat(seat.devices().containsAll(start.devices())).isTrue();
      assertThat(start.devices()).noneMatch(pool.off()::contains);
      switch (run.devices()) {
        case DeviceRequest.Ids(var ids) -> assertThat(start.devices()).isEqualTo(ids);
        case DeviceRequest.Count(int ranks) ->
            assertThat(seat.groupsFor(ranks)).anyMatch(group -> group.containsAll(start.devices()));
      }
      if (world.fleet().privatePlatforms().isEmpty()) {
        assertThat(start.devices()).noneMatch(pool.held()::containsKey);
        var taken = given.computeIfAbsent(seat.pool(), _ -> new HashSet<>());
        start.devices().forEach(device -> assertThat(taken.add(device)).isTrue());
      }
      perWorker.merge(seat.worker(), 1, Integer::sum);
    }
    world
        .fleet()
        .seats()
        .forEach(
            seat ->
                assertThat(perWorker.getOrDefault(seat.worker(), 0))
                    .isLessThanOrEqualTo(seat.free()));
  }

  @Property(tries = 500)
  void theSameQuestionHasTheSameAnswer(@ForAll long seed) {
    assertThat(World.of(seed).plan()).isEqualTo(World.of(seed).plan());
  }

  /** Which is why the queue may be read without the runs that ask for what others couldn't get. */
  @Property(tries = 1_000)
  void runsOfABlockedKindChangeNothing(@ForAll long seed) {
    var world = World.of(seed);
    var whole = world.plan();
    var pass = new PlanningPass(world.fleet(), Fleets.POLICY);
    for (var run : world.queue()) {
      if (!pass.isOver() && !pass.blockedKinds().contains(run.kind())) {
        pass.consider(run);
      }
    }
    assertThat(pass.plan().starts()).isEqualTo(whole.starts());
    assertThat(pass.plan().reservations()).isEqualTo(whole.reservations());
  }

  @Property(tries = 1_000)
  void keptDevicesGoOnlyToRunsThatAreDoneInTime(@ForAll long seed) {
    var world = World.of(seed);
    var plan = world.plan();
    var order = world.queue().stream().map(QueuedRun::id).toList();
    for (var kept : plan.reservations()) {
      for (var start : plan.starts()) {
        boolean later = order.indexOf(start.run().id()) > order.indexOf(kept.runId());
        if (later
            && start.seat().pool().equals(kept.pool())
            && start.devices().stream().anyMatch(kept.devices()::contains)) {
          assertThat(Fleets.NOW.plus(start.run().wall())).isBeforeOrEqualTo(kept.from());
        }
      }
    }
    for (var pool : POOLS) {
      var all =
          plan.reservations().stream()
              .filter(kept -> kept.pool().equals(pool))
              .flatMap(kept -> kept.devices().stream())
              .toList();
      assertThat(all).doesNotHaveDuplicates();
    }
  }

  @Property(tries = 1_000)
  void whatWasLookedAtStartsOrSaysWhyNot(@ForAll long seed) {
    var world = World.of(seed);
    var plan = world.plan();
    var started = plan.starts().stream().map(start -> start.run().id()).toList();
    assertThat(started).noneMatch(plan.waits()::containsKey);
    boolean exhausted = started.size() == world.fleet().seats().stream().mapToInt(Seat::free).sum();
    if (!exhausted) {
      assertThat(started.size() + plan.waits().size()).isEqualTo(world.queue().size());
    }
  }

  /**
   * Starvation: a run for all devices of a pool, and behind it an endless stream of short and long
   * ones of the same priority. It starts no later than the limits end of the runs that had the
   * devices when it came.
   */
  @Property(tries = 200)
  void aStreamOfSmallRunsDelaysAWideOneByNothing(@ForAll long seed) {
    var random = new Random(seed);
    int devices = 2 + random.nextInt(10);
    var held = new HashMap<Integer, java.time.Instant>();
    var now = Fleets.NOW;
    var bound = now;
    for (int device = 0; device < devices; device++) {
      if (random.nextInt(3) > 0) {
        held.put(device, now.plusSeconds(1 + random.nextInt(50)));
        bound = held.get(device).isAfter(bound) ? held.get(device) : bound;
      }
    }
    var wide = Fleets.run("wide", Fleets.auto(devices), 60);
    int number = 0;
    while (true) {
      var time = now;
      held.values().removeIf(until -> !until.isAfter(time));
      var queue = new ArrayList<QueuedRun>(List.of(wide));
      for (int i = 0; i < 5; i++) {
        number++;
        queue.add(
            Fleets.run("s" + number, Fleets.auto(1 + random.nextInt(2)), 1 + random.nextInt(90)));
      }
      var fleet =
          new Fleet(
              List.of(Fleets.seat("w", "a", "0-" + (devices - 1), "", 3)),
              Map.of("a", new Fleet.Pool(held, Set.of(), false)),
              Set.of(),
              now);
      var plan = Planner.plan(queue, fleet, Fleets.POLICY);
      if (plan.starts().stream().anyMatch(start -> start.run().id().equals("wide"))) {
        return;
      }
      assertThat(now).as("the wide run had to start by then").isBefore(bound);
      for (var start : plan.starts()) {
        var until = now.plus(start.run().wall());
        start.devices().forEach(device -> held.put(device, until));
      }
      now = now.plus(Duration.ofSeconds(1));
    }
  }
}
