package io.ringmaster.service.artifacts;

import io.ringmaster.service.artifacts.ArtifactEvents.Operation;
import io.ringmaster.service.artifacts.ArtifactEvents.Used;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Tells how long a place takes, and when it can't be used. */
final class WatchedBlobs implements Blobs {

  private final Blobs blobs;
  private final Consumer<Used> told;

  WatchedBlobs(Blobs blobs, Consumer<Used> told) {
    this.blobs = blobs;
    this.told = told;
  }

  private <T> T watch(Operation operation, Supplier<T> use) {
    long start = System.nanoTime();
    boolean usable = false;
    try {
      var result = use.get();
      usable = true;
      return result;
    } finally {
      told.accept(new Used(operation, usable, Duration.ofNanos(System.nanoTime() - start)));
    }
  }

  private void watch(Operation operation, Runnable use) {
    var _ =
        watch(
            operation,
            () -> {
              use.run();
              return operation;
            });
  }

  @Override
  public String place() {
    return blobs.place();
  }

  @Override
  public void check() {
    watch(Operation.LIST, blobs::check);
  }

  @Override
  public void put(String runId, String key, byte[] content) {
    watch(Operation.PUT, () -> blobs.put(runId, key, content));
  }

  @Override
  public Optional<byte[]> get(String runId, String key) {
    return watch(Operation.GET, () -> blobs.get(runId, key));
  }

  @Override
  public boolean has(String runId, String key) {
    return watch(Operation.GET, () -> blobs.has(runId, key));
  }

  @Override
  public Optional<InputStream> open(String runId, String key, long from) {
    return watch(Operation.GET, () -> blobs.open(runId, key, from));
  }

  @Override
  public void delete(String runId, String key) {
    watch(Operation.DELETE, () -> blobs.delete(runId, key));
  }

  @Override
  public void eachRun(Consumer<String> seer) {
    watch(Operation.LIST, () -> blobs.eachRun(seer));
  }

  @Override
  public Optional<Instant> lastPut(String runId) {
    return watch(Operation.LIST, () -> blobs.lastPut(runId));
  }

  @Override
  public void deleteAll(String runId) {
    watch(Operation.DELETE, () -> blobs.deleteAll(runId));
  }
}
