package io.ringmaster.worker.script.value;

/**
 * A splittable pseudo-random sequence (the 64-bit mixing generator known as SplitMix64) with
 * uniform and normal deviates; one seed gives one sequence on every machine.
 */
public final class RandomSource {

  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  private long state;

  public RandomSource(long seed) {
    this.state = seed;
  }

  public void seed(long seed) {
    state = seed;
  }

  public long state() {
    return state;
  }

  public long nextLong() {
    state += GAMMA;
    long mixed = state;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  /** Uniform in [0, 1), a multiple of 2^-53. */
  public double nextDouble() {
    return (nextLong() >>> 11) * 0x1.0p-53;
  }

  /** Uniform in [0, bound), both unsigned: the values of a type may be more than a long counts. */
  public long below(long bound) {
    long mask = bound - 1;
    if ((bound & mask) == 0) {
      return nextLong() & mask;
    }
    if (bound < 0) {
      long wide = nextLong();
      while (Long.compareUnsigned(wide, bound) >= 0) {
        wide = nextLong();
      }
      return wide;
    }
    long bits = nextLong() >>> 1;
    long value = bits % bound;
    while (bits - value + mask < 0) {
      bits = nextLong() >>> 1;
      value = bits % bound;
    }
    return value;
  }

  /** Standard normal, by the polar method; strict arithmetic keeps it the same everywhere. */
  public double nextNormal() {
    while (true) {
      double x = 2 * nextDouble() - 1;
      double y = 2 * nextDouble() - 1;
      double square = x * x + y * y;
      if (square > 0 && square < 1) {
        return x * StrictMath.sqrt(-2 * StrictMath.log(square) / square);
      }
    }
  }
}
