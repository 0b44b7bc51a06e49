package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.Timer;
import io.ringmaster.service.platforms.Platform;
import io.ringmaster.worker.job.JobReport.Collective;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What collectives move and how long they take. */
final class CollectiveMetrics {

  /** The algorithms that there are for each operation. */
  private static final Map<String, List<String>> ALGORITHMS =
      Map.of(
          "barrier", List.of("mesh", "credit"),
          "broadcast", List.of("mesh", "pull"),
          "allreduce", List.of("mesh", "ring"),
          "allgather", List.of("mesh", "push", "pull"),
          "reducescatter", List.of("mesh", "pull"),
          "alltoall", List.of("mesh", "push"),
          "alltoallv", List.of("mesh", "push"),
          "transfer", List.of("hand"));

  private final MeterProvider<Counter> operations;
  private final MeterProvider<Counter> transferred;
  private final MeterProvider<Counter> minimum;
  private final MeterProvider<Counter> bus;
  private final MeterProvider<Timer> wall;
  private final MeterProvider<Timer> virtual;

  CollectiveMetrics(Meters meters, MeterProvider<Counter> operations) {
    this.operations = operations;
    transferred = meters.counter("ringmaster_transferred_bytes_total");
    minimum = meters.counter("ringmaster_minimum_bytes_total");
    bus = meters.counter("ringmaster_bus_bytes_total");
    wall = meters.timer("ringmaster_operation_wall_seconds", Meters.SHORT);
    virtual = meters.timer("ringmaster_operation_virtual_seconds", Meters.SHORT);
  }

  void startAtZero(List<Platform> platforms) {
    ALGORITHMS.forEach(
        (op, algorithms) ->
            algorithms.forEach(
                algorithm -> platforms.forEach(some -> startAtZero(op, algorithm, some))));
  }

  private void startAtZero(String op, String algorithm, Platform platform) {
    var backend = platform.backend();
    operations.withTags("op", op, "algorithm", algorithm, "backend", backend);
    minimum.withTags("op", op, "backend", backend);
    bus.withTags("op", op, "backend", backend);
    for (var link : Labels.LINKS) {
      bytes(op, algorithm, link, backend);
    }
    for (var size : Labels.USUAL_SIZES) {
      wall(op, algorithm, backend, size);
      virtual(op, algorithm, platform.name(), size);
    }
  }

  void record(List<Collective> calls, String platform, String backend) {
    for (var call : calls) {
      var op = Labels.collective(call.op());
      var algorithm = Labels.algorithm(call.algorithm());
      long payload = sum(call.payloadBytes());
      long wire = sum(call.wireBytes());
      operations.withTags("op", op, "algorithm", algorithm, "backend", backend).increment();
      bytes(op, algorithm, "inter", backend).increment((double) wire);
      bytes(op, algorithm, "self", backend).increment((double) Math.max(0, payload - wire));
      minimum
          .withTags("op", op, "backend", backend)
          .increment((double) leastOverAllRanks(op, call));
      bus.withTags("op", op, "backend", backend).increment((double) call.minimumBytes());
      var size =
          Labels.size(call.payloadBytes().stream().mapToLong(bytes -> bytes).max().orElse(0));
      wall(op, algorithm, backend, size).record(Duration.ofNanos(call.wallNanos()));
      if (backend.equals(Labels.SIMULATOR)) {
        virtual(op, algorithm, platform, size).record(Duration.ofNanos(call.virtualNanos()));
      }
    }
  }

  /** The report says the least for one rank that needs data; a broadcast's root needs none. */
  private static long leastOverAllRanks(String op, Collective call) {
    long receivers = op.equals("broadcast") ? call.ranks() - 1L : call.ranks();
    return call.minimumBytes() * receivers;
  }

  private Counter bytes(String op, String algorithm, String link, String backend) {
    return transferred.withTags("op", op, "algorithm", algorithm, "link", link, "backend", backend);
  }

  private Timer wall(String op, String algorithm, String backend, String size) {
    return wall.withTags("op", op, "algorithm", algorithm, "backend", backend, "size", size);
  }

  private Timer virtual(String op, String algorithm, String platform, String size) {
    return virtual.withTags("op", op, "algorithm", algorithm, "platform", platform, "size", size);
  }

  private static long sum(List<Long> perRank) {
    return perRank.stream().mapToLong(bytes -> bytes).sum();
  }
}
