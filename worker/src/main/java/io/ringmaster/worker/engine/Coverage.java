package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.List;

/**
 * Says which devices a HOST function gives no work: a waste, and often a mistake. It is no error:
 * the domains of the windows are those of the dispatches, and where one rank waits for an idle one
 * the deadlock is.
 */
final class Coverage {

  private Coverage() {}

  /** Looks for ranks without a task among the planned tasks of each rank. */
  static void check(List<List<Task>> tasks, Findings findings) {
    List<Integer> idle = new ArrayList<>();
    for (int rank = 0; rank < tasks.size(); rank++) {
      if (tasks.get(rank).isEmpty()) {
        idle.add(rank);
      }
    }
    if (idle.isEmpty()) {
      return;
    }
    Span span =
        tasks.stream()
            .flatMap(List::stream)
            .findFirst()
            .map(task -> task.info.span())
            .orElse(Span.NONE);
    findings.add(
        Finding.of(
            Finding.Kind.IDLE_RANK,
            spelled(idle) + " of " + tasks.size() + " devices get no dispatch",
            "loop over pl.range(pld.world_size()), or give fewer devices",
            idle,
            List.of(new Finding.Place(idle.getFirst(), span, "no dispatch"))));
  }

  /** {@code ranks 0..3}, {@code rank 2}, {@code ranks [0, 2]}. */
  private static String spelled(List<Integer> ranks) {
    int first = ranks.getFirst();
    int last = ranks.getLast();
    if (first == last) {
      return "rank " + first;
    }
    return last - first == ranks.size() - 1 ? "ranks " + first + ".." + last : "ranks " + ranks;
  }
}
