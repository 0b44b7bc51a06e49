package io.ringmaster.worker.engine;

/**
 * Decides what the virtual clock leaves open. Every answer is a function of its arguments alone, so
 * that a run can be repeated exactly.
 */
public interface SchedulePolicy {

  /** Place of a rank among ranks at the same time; smaller first, different for each rank. */
  long tie(int rank);

  /** How long a notification takes whose plain latency is {@code nanos}. */
  long notifyNanos(int sender, int receiver, long id, long nanos);

  /** How much later than due a dispatch starts on a rank. */
  long startDelay(int rank, long dispatch);

  /** The policy of a seed; 0 is the plain one. */
  static SchedulePolicy of(long seed) {
    return seed == 0 ? new Plain() : new Seeded(seed);
  }

  /** By rank number, without delays. */
  record Plain() implements SchedulePolicy {

    @Override
    public long tie(int rank) {
      return rank;
    }

    @Override
    public long notifyNanos(int sender, int receiver, long id, long nanos) {
      return nanos;
    }

    @Override
    public long startDelay(int rank, long dispatch) {
      return 0;
    }
  }

  /** Shuffled ranks, notifications up to three times as slow, starts up to 50 us late. */
  record Seeded(long seed) implements SchedulePolicy {

    private static final long START_SPREAD = 50_000;

    @Override
    public long tie(int rank) {
      return (mix(rank) >>> 36 << 32) + rank;
    }

    @Override
    public long notifyNanos(int sender, int receiver, long id, long nanos) {
      return nanos + Math.floorMod(mix(id * 31 + receiver), 2 * nanos + 1);
    }

    @Override
    public long startDelay(int rank, long dispatch) {
      return Math.floorMod(mix(dispatch * 31 + rank + 7), START_SPREAD);
    }

    private long mix(long value) {
      long z = value * 0x9E3779B97F4A7C15L + seed;
      z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
      z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
      return z ^ (z >>> 31);
    }
  }
}
