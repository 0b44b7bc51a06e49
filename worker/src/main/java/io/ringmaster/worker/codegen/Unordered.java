package io.ringmaster.worker.codegen;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.Box;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Region;
import io.ringmaster.worker.fabric.Site;
import io.ringmaster.worker.fabric.TensorView;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * The loops a rank is in whose iterations no device promises to run one after another, as they run
 * here. What their iterations touch is written down, and looked at when the loop ends.
 */
final class Unordered {

  private final int rank;
  private final boolean watched;
  private final Consumer<Finding> findings;
  private final Deque<Iterations> open = new ArrayDeque<>();

  /**
   * The loops of a rank.
   *
   * @param watched false when nothing is computed, and nobody wants to know
   */
  Unordered(int rank, boolean watched, Consumer<Finding> findings) {
    this.rank = rank;
    this.watched = watched;
    this.findings = findings;
  }

  /** How many loops are open. */
  int depth() {
    return open.size();
  }

  void enter(Iterations.Loop loop) {
    open.push(new Iterations(loop));
  }

  /** The innermost loop begins the iteration with this value of its variable. */
  void next(long number) {
    open.element().next(number);
  }

  /** Ends all but the outermost {@code depth} loops. */
  void leave(int depth) {
    while (open.size() > depth) {
      new Overlaps(rank, open.pop()).report(findings);
    }
  }

  /** The iterations that run touch the box, through this view. */
  void touch(Access.Kind kind, Box box, TensorView view, Site site) {
    if (watched && !open.isEmpty()) {
      box.rows(
          (from, rows, rowBytes, rowStride) -> {
            for (Iterations iterations : open) {
              iterations.touch(
                  box.region(), from, rows, rowBytes, rowStride, touch(iterations, kind, view, site));
            }
          });
    }
  }

  /** As above, for one element. */
  void touch(Access.Kind kind, Region region, long from, int bytes, TensorView view, Site site) {
    if (watched && !open.isEmpty()) {
      for (Iterations iterations : open) {
        iterations.touch(region, from, 1, bytes, bytes, touch(iterations, kind, view, site));
      }
    }
  }

  private static Iterations.Touch touch(
      Iterations iterations, Access.Kind kind, TensorView view, Site site) {
    return new Iterations.Touch(kind, iterations.number(), site, view);
  }
}
