package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.DeviceRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Fleets and queues for tests of the planner. */
final class Fleets {

  static final Instant NOW = Instant.parse("2026-03-29T01:59:00Z");
  static final Policy POLICY = new Policy(16, Duration.ZERO);
  static final String CARDS = "opencl";

  private Fleets() {}

  static Seat seat(String worker, String pool, String devices, String groups, int free) {
    var ranges = DeviceText.ranges(devices, "devices");
    return new Seat(
        worker,
        worker,
        pool,
        Set.of(CARDS),
        ranges,
        groups.isEmpty() ? List.of() : DeviceText.groups(groups, ranges, "groups"),
        false,
        free);
  }

  static Fleet of(Map<String, Fleet.Pool> pools, Seat... seats) {
    return new Fleet(Arrays.asList(seats), pools, Set.of(), NOW);
  }

  /** A pool in which these devices are held for so many seconds. */
  static Fleet.Pool held(int seconds, Integer... devices) {
    var held = new java.util.HashMap<Integer, Instant>();
    for (int device : devices) {
      held.put(device, NOW.plusSeconds(seconds));
    }
    return new Fleet.Pool(held, Set.of(), false);
  }

  static QueuedRun run(String id, DeviceRequest devices, int seconds) {
    return run(id, 1, Optional.empty(), devices, seconds);
  }

  static QueuedRun run(
      String id, int priority, Optional<String> pool, DeviceRequest devices, int seconds) {
    return new QueuedRun(
        id,
        "job-" + id,
        "ann",
        priority,
        CARDS,
        pool,
        devices,
        Duration.ofSeconds(seconds),
        devices.text() + " " + pool.orElse("") + " " + seconds,
        false);
  }

  /** The same run, of another job and owner. */
  static QueuedRun of(String owner, String job, QueuedRun run) {
    return new QueuedRun(
        run.id(),
        job,
        owner,
        run.priority(),
        run.platform(),
        run.pool(),
        run.devices(),
        run.wall(),
        run.kind(),
        run.probe());
  }

  static DeviceRequest ids(Integer... ids) {
    return new DeviceRequest.Ids(Arrays.asList(ids));
  }

  static DeviceRequest auto(int count) {
    return new DeviceRequest.Count(count);
  }
}
