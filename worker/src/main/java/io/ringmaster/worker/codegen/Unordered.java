package io.ringmaster.worker.codegen;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.Box;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Region;
import io.ringmaster.worker.fabric.Site;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.source.Span;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
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
    if (loop.isBlocks()) {
      beginTask(loop.span());
    }
    open.push(new Iterations(loop));
  }

  /** The innermost loop begins the iteration with this value of its variable. */
  void next(long number) {
    if (!open.element().loop().isTasks()) {
      open.element().next(number);
    }
  }

  /** Chip code calls a kernel: a task, where a scope of tasks is open and no loop over blocks. */
  void beginTask(Span span) {
    for (Iterations iterations : open) {
      if (iterations.loop().isBlocks()) {
        return;
      }
      iterations.beginTask(span);
    }
  }

  /** The kernel that chip code called is over. */
  void endTask() {
    for (Iterations iterations : open) {
      if (iterations.loop().isBlocks()) {
        return;
      }
      iterations.endTask();
    }
  }

  /** Ends the innermost loop. */
  void leave() {
    leave(open.size() - 1);
    endTask();
  }

  /** A scope begins whose tasks say what they depend on, which nobody looks at. */
  void unchecked(Span scope) {
    if (watched) {
      findings.accept(
          Finding.of(
              Finding.Kind.ORDER_UNCHECKED,
              "the tasks of the pl.manual_scope on line %d run one after another here: that deps=[...] orders all that need each other isn't checked"
                  .formatted(scope.line()),
              "without pl.manual_scope() a device orders tasks by the tensors they touch",
              List.of(),
              List.of(new Finding.Place(rank, scope, "its tasks run in the order written"))));
    }
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
                  box.region(),
                  from,
                  rows,
                  rowBytes,
                  rowStride,
                  touch(iterations, kind, view, site));
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
