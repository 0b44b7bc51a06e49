package io.ringmaster.worker.lowering;

import java.util.OptionalInt;

/**
 * What a program is lowered for. The lowered program serves any number of ranks; a known world size
 * only lets more mistakes be found before anything runs.
 */
public record LoweringContext(Platform platform, OptionalInt worldSize, Mistakes mistakes) {

  public static LoweringContext of(Platform platform) {
    return new LoweringContext(platform, OptionalInt.empty(), new Mistakes());
  }

  public static LoweringContext of(Platform platform, int worldSize) {
    return new LoweringContext(platform, OptionalInt.of(worldSize), new Mistakes());
  }

  /** The same for another program. */
  LoweringContext anew() {
    return new LoweringContext(platform, worldSize, new Mistakes());
  }
}
