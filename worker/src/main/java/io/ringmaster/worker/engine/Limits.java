package io.ringmaster.worker.engine;

import java.time.Duration;

/**
 * What a run may use.
 *
 * @param instructions executed kernel instructions over all ranks, HOST code included
 * @param wall wall time
 * @param memoryBytes windows and tensors made by the program together
 */
public record Limits(long instructions, Duration wall, long memoryBytes) {

  public static final Limits DEFAULT = new Limits(2_000_000_000, Duration.ofSeconds(60), 2L << 30);
}
