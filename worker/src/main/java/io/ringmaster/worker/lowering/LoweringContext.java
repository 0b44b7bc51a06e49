package io.ringmaster.worker.lowering;

import java.util.OptionalInt;

/**
 * What a program is lowered for. The lowered program serves any number of ranks; a known world size
 * only lets more mistakes be found before anything runs.
 */
public record LoweringContext(Platform platform, OptionalInt worldSize) {

  public static LoweringContext of(Platform platform) {
    return new LoweringContext(platform, OptionalInt.empty());
  }

  public static LoweringContext of(Platform platform, int worldSize) {
    return new LoweringContext(platform, OptionalInt.of(worldSize));
  }
}
