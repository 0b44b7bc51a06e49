package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.List;

/** Says which devices a HOST function gives no work: a waste, and a mistake where ranks talk. */
final class Coverage {

  private Coverage() {}

  /**
   * Looks for ranks without a task.
   *
   * @param tasks the planned tasks of each rank
   * @param alone whether the program has no windows, so that no rank can wait for another
   * @throws DiagnosticException when it has windows
   */
  static void check(List<List<Task>> tasks, Findings findings, boolean alone) {
    List<Integer> idle = new ArrayList<>();
    List<Integer> busy = new ArrayList<>();
    for (int rank = 0; rank < tasks.size(); rank++) {
      (tasks.get(rank).isEmpty() ? idle : busy).add(rank);
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
    String hint = "loop over pl.range(pld.world_size()), or give fewer devices";
    if (!alone && !busy.isEmpty()) {
      throw new DiagnosticException(
          Diagnostic.error(
              "the dispatches cover " + spelled(busy) + " of " + tasks.size() + " devices",
              hint,
              span));
    }
    findings.add(
        Finding.of(
            Finding.Kind.IDLE_RANK,
            spelled(idle) + " of " + tasks.size() + " devices get no dispatch",
            hint,
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
