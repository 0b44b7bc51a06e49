package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.observe.CreditCell.Asked;
import io.ringmaster.worker.observe.CreditCell.Told;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What notifies say and waits ask for, each kept once however many cells it is said of. */
final class Shared {

  /** Counters that grow say something new each time; what is forgotten is only kept twice. */
  private static final int MOST = 65_536;

  private final Map<Told, Told> told = new HashMap<>();
  private final Map<Asked, Asked> asked = new HashMap<>();
  private final Map<List<Long>, List<Long>> coordinates = new HashMap<>();
  private @Nullable Told lastTold;
  private @Nullable Asked lastAsked;

  /** What a notify says about the cell that was first named so. */
  @SuppressWarnings("ReferenceEquality") // A line of the kernel has one span; another is looked up.
  Told told(Notification notification, List<Long> name) {
    Told again = lastTold;
    List<Long> other = notification.coordinates().equals(name) ? null : notification.coordinates();
    if (again != null
        && again.span() == notification.span()
        && again.value() == notification.value()
        && again.set() == notification.set()
        && again.coordinates() == other) {
      return again;
    }
    Told shared =
        shared(
            told, new Told(notification.value(), notification.set(), notification.span(), other));
    lastTold = shared;
    return shared;
  }

  /** What a wait asks of the cell that was first named so. */
  @SuppressWarnings("ReferenceEquality") // As above.
  Asked asked(SignalWait wait, List<Long> name) {
    Asked again = lastAsked;
    List<Long> other = wait.coordinates().equals(name) ? null : wait.coordinates();
    if (again != null
        && again.span() == wait.span()
        && again.expected() == wait.expected()
        && again.exact() == wait.exact()
        && again.deferred() == wait.deferred()
        && again.coordinates() == other) {
      return again;
    }
    Asked shared =
        shared(
            asked, new Asked(wait.expected(), wait.exact(), wait.deferred(), wait.span(), other));
    lastAsked = shared;
    return shared;
  }

  List<Long> coordinates(List<Long> given) {
    return shared(coordinates, given);
  }

  private static <T> T shared(Map<T, T> all, T wanted) {
    if (all.size() > MOST) {
      all.clear();
    }
    T known = all.putIfAbsent(wanted, wanted);
    return known == null ? wanted : known;
  }
}
