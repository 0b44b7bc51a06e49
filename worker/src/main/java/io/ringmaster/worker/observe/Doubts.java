package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import java.util.List;
import java.util.Optional;

/**
 * Waits of a launch that might have been let through by other notifies than those that let them
 * through. Known only when the launch is over; the same launch, run again with these in mind,
 * orders no more by them than what holds in any case. That may bring up others.
 *
 * @param all in the order in which the waits began
 */
public record Doubts(List<Doubt> all) {

  /** Every wait is taken for what it seems to be. */
  public static final Doubts NONE = new Doubts(List.of());

  /**
   * A wait that orders less than it seems to.
   *
   * @param common of each rank, the last release that the waiter has heard of whichever notifies
   *     let it through, see {@link Stamp}
   * @param gaps what it has heard of besides, this time
   */
  record Doubt(SignalWait passed, List<Integer> common, List<Gap> gaps) {}

  /**
   * Releases of one rank that the waiter hears of by {@code missing}, and not where {@code instead}
   * comes first and lets it through.
   *
   * @param after the last release that it hears of in any case
   * @param last the last one that it has heard of this time
   */
  record Gap(int rank, int after, int last, Notification missing, Notification instead) {

    boolean has(Stamp point) {
      return point.rank() == rank && after < point.epoch() && point.epoch() <= last;
    }
  }

  public Doubts {
    all = List.copyOf(all);
  }

  /** The doubt about a wait, if there is. */
  Optional<Doubt> about(SignalWait wait) {
    for (Doubt doubt : all) {
      if (doubt.passed().id() == wait.id()) {
        return Optional.of(doubt);
      }
    }
    return Optional.empty();
  }
}
