package io.ringmaster.worker.lowering;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Runs ranks one at a time in an order drawn from a random source; a rank hands over by itself. */
final class Baton {

  private final Random random;
  private final Semaphore back = new Semaphore(0);
  private final List<Rank> ranks = new ArrayList<>();

  private static final class Rank {
    private final Semaphore go = new Semaphore(0);
    private BooleanSupplier ready = () -> true;
    private volatile boolean done;
    private volatile @Nullable Throwable failure;
  }

  Baton(Random random) {
    this.random = random;
  }

  /** Runs {@code body} for every rank to its end; fails when nobody can go on. */
  void run(int count, IntConsumer body) {
    for (int i = 0; i < count; i++) {
      ranks.add(new Rank());
    }
    for (int i = 0; i < count; i++) {
      int number = i;
      Rank rank = ranks.get(i);
      Thread.ofVirtual()
          .start(
              () -> {
                rank.go.acquireUninterruptibly();
                try {
                  body.accept(number);
                } catch (RuntimeException | Error e) {
                  rank.failure = e;
                }
                rank.done = true;
                back.release();
              });
    }
    // One rank in four is favoured for a while, so that the ranks drift apart.
    int favourite = random.nextInt(count);
    while (ranks.stream().anyMatch(r -> !r.done)) {
      List<Rank> runnable = ranks.stream().filter(r -> !r.done && r.ready.getAsBoolean()).toList();
      if (runnable.isEmpty()) {
        throw new AssertionError("deadlock");
      }
      if (random.nextInt(50) == 0) {
        favourite = random.nextInt(count);
      }
      Rank preferred = ranks.get(favourite);
      Rank next =
          random.nextInt(4) > 0 && runnable.contains(preferred)
              ? preferred
              : runnable.get(random.nextInt(runnable.size()));
      next.go.release();
      back.acquireUninterruptibly();
      Throwable failure = next.failure;
      if (failure != null) {
        throw new AssertionError("rank " + ranks.indexOf(next), failure);
      }
    }
  }

  /** Called by a rank: lets others run, and goes on when {@code ready}. */
  void pass(int number, BooleanSupplier ready) {
    Rank rank = ranks.get(number);
    rank.ready = ready;
    back.release();
    rank.go.acquireUninterruptibly();
    rank.ready = () -> true;
  }
}
