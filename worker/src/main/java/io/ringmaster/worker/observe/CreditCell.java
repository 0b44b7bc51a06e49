package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.source.Span;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The account of one signal cell: which credits its owner's waits have used up.
 *
 * <p>A wait uses as few unread credits as let it through, oldest first. What the owner does to its
 * own cell counts at once, whenever the credits of others arrived: so a barrier that subtracts its
 * own credits afterwards comes out even although the next round's credit may have been early.
 *
 * <p>Thousands of ranks that signal each other have millions of cells. A brief account keeps of a
 * notify who sent it and what it said, which is the same for a million others, and makes the notify
 * again for whoever asks, without its number and the time at which it was sent.
 */
final class CreditCell {

  /** A notify that changed the cell; {@code sent} is known while happens-before is tracked. */
  record Credit(Notification notification, Optional<Stamp> sent) {
    int applyTo(int before) {
      return notification.set() ? notification.value() : before + notification.value();
    }

    /** True for what could let a wait through. */
    boolean gives() {
      return notification.set() || notification.value() > 0;
    }
  }

  /** A wait that used credits, with the point of its rank at which it did. */
  record Use(SignalWait by, Credit last, Optional<Stamp> when) {}

  /**
   * What a notify says, whoever sends it to whomever.
   *
   * @param coordinates null for those under which the cell was first named
   */
  record Told(int value, boolean set, Span span, @Nullable List<Long> coordinates) {}

  /**
   * What a wait asks for, whoever waits.
   *
   * @param coordinates as of {@link Told}
   */
  record Asked(
      int expected, boolean exact, boolean deferred, Span span, @Nullable List<Long> coordinates) {}

  /** A cell that nobody waits on keeps this many credits; it is data, such as a row count. */
  private static final int MOST_UNREAD = 1024;

  private final WindowInfo window;
  private final int owner;
  private final long cell;
  private final List<Long> coordinates;
  private final int initial;
  private final boolean brief;
  private int balance;
  private int value;
  private boolean awaited;
  private boolean awaitedExactly;

  /** Unread credits; in brief, a single one is {@code onlyUnread} of {@code onlyUnreadFrom}. */
  private @Nullable Deque<Credit> unread;

  private @Nullable Told onlyUnread;
  private int onlyUnreadFrom;

  private @Nullable Told firstSent;
  private int firstSender;
  private @Nullable Senders furtherSenders;

  /** The last use; in brief, its parts. */
  private @Nullable Use lastUse;

  private @Nullable Asked lastUseBy;
  private @Nullable Told lastUseOf;
  private int lastUseFrom;

  /** The last Set; in brief, its parts. */
  private @Nullable Credit lastSet;

  private @Nullable Told lastSetTold;
  private int lastSetFrom;

  /** {@code brief} says whether notifies may be made again, see above. */
  CreditCell(
      WindowInfo window, int owner, long cell, List<Long> coordinates, int initial, boolean brief) {
    this.window = window;
    this.owner = owner;
    this.cell = cell;
    this.coordinates = List.copyOf(coordinates);
    this.initial = initial;
    this.brief = brief;
    this.balance = initial;
    this.value = initial;
  }

  /**
   * The unread credits of others that this one wipes out; only a Set wipes out any.
   *
   * @param shared where what is kept in brief is shared
   */
  List<Credit> applied(Credit credit, int after, Shared shared) {
    Notification notification = credit.notification();
    value = after;
    if (notification.set()) {
      if (brief) {
        lastSetTold = shared.told(notification, coordinates);
        lastSetFrom = notification.rank();
      } else {
        lastSet = credit;
      }
    }
    noteSender(notification, shared);
    List<Credit> wipedOut = notification.set() ? standing() : List.of();
    if (notification.isSelf()) {
      if (notification.set()) {
        unread = null;
        onlyUnread = null;
      }
      balance = credit.applyTo(balance);
      return wipedOut;
    }
    addUnread(credit, shared);
    if (!awaited && unread != null && unread.size() > MOST_UNREAD) {
      balance = unread.remove().applyTo(balance);
    }
    return wipedOut;
  }

  private void noteSender(Notification notification, Shared shared) {
    int rank = notification.rank();
    if (firstSent == null) {
      firstSent = shared.told(notification, coordinates);
      firstSender = rank;
    } else if (rank != firstSender) {
      if (furtherSenders == null) {
        furtherSenders = new Senders();
      }
      if (!furtherSenders.contains(rank)) {
        furtherSenders.add(rank, shared.told(notification, coordinates));
      }
    }
  }

  private void addUnread(Credit credit, Shared shared) {
    if (brief && unread == null && onlyUnread == null) {
      onlyUnread = shared.told(credit.notification(), coordinates);
      onlyUnreadFrom = credit.notification().rank();
      return;
    }
    if (unread == null) {
      unread = new ArrayDeque<>(2);
    }
    if (onlyUnread != null) {
      unread.add(credit(onlyUnreadFrom, onlyUnread));
      onlyUnread = null;
    }
    unread.add(credit);
  }

  private @Nullable Credit pollUnread() {
    if (onlyUnread != null) {
      Credit only = credit(onlyUnreadFrom, onlyUnread);
      onlyUnread = null;
      return only;
    }
    if (unread == null) {
      return null;
    }
    Credit oldest = unread.poll();
    if (unread.isEmpty()) {
      unread = null;
    }
    return oldest;
  }

  /** A notify that was kept in brief. */
  private Notification notification(int from, Told told) {
    return new Notification(
        -1,
        from,
        owner,
        window,
        cell,
        told.coordinates() == null ? coordinates : told.coordinates(),
        told.value(),
        told.set(),
        told.span(),
        0);
  }

  private Credit credit(int from, Told told) {
    return new Credit(notification(from, told), Optional.empty());
  }

  /** Unread credits that no later Set has wiped out already. */
  private List<Credit> standing() {
    var standing = new ArrayList<Credit>();
    for (Credit credit : unread()) {
      if (credit.notification().set()) {
        standing.clear();
      }
      if (credit.gives()) {
        standing.add(credit);
      }
    }
    return standing;
  }

  /**
   * Something else than a notify, such as a store, has put a value here: what came before is gone.
   */
  void overwritten(int holds) {
    balance = holds;
    value = holds;
    unread = null;
    onlyUnread = null;
  }

  void waitStarted(SignalWait wait) {
    awaited = true;
    awaitedExactly |= wait.exact();
  }

  /**
   * The credits that this wait uses up; none when earlier ones were enough.
   *
   * @param shared where what is kept in brief is shared
   */
  List<Credit> passed(SignalWait wait, int seen, Optional<Stamp> when, Shared shared) {
    if (wait.holds(balance)) {
      return List.of();
    }
    List<Credit> used = List.of();
    while (!wait.holds(balance)) {
      Credit next = pollUnread();
      if (next == null) {
        balance = seen;
        break;
      }
      balance = next.applyTo(balance);
      if (used.isEmpty()) {
        used = List.of(next);
      } else {
        used = used.size() == 1 ? new ArrayList<>(used) : used;
        used.add(next);
      }
    }
    if (!used.isEmpty()) {
      keepUse(wait, used.getLast(), when, shared);
    }
    return used;
  }

  private void keepUse(SignalWait wait, Credit last, Optional<Stamp> when, Shared shared) {
    if (brief) {
      lastUseBy = shared.asked(wait, coordinates);
      lastUseOf = shared.told(last.notification(), coordinates);
      lastUseFrom = last.notification().rank();
    } else {
      lastUse = new Use(wait, last, when);
    }
  }

  WindowInfo window() {
    return window;
  }

  int owner() {
    return owner;
  }

  /** Its index in the slice. */
  long cell() {
    return cell;
  }

  /** Coordinates under which the cell was first named. */
  List<Long> coordinates() {
    return coordinates;
  }

  /** What it held at the start: what an earlier call left in a window that outlives the calls. */
  int initial() {
    return initial;
  }

  /** What the cell holds. */
  int value() {
    return value;
  }

  /** Credits of other ranks that no wait has used, oldest first. */
  Collection<Credit> unread() {
    if (onlyUnread != null) {
      return List.of(credit(onlyUnreadFrom, onlyUnread));
    }
    return unread == null ? List.of() : Collections.unmodifiableCollection(unread);
  }

  /** First notify of each rank that ever changed the cell, in order of arrival. */
  List<Notification> senders() {
    if (firstSent == null) {
      return List.of();
    }
    var senders = new ArrayList<Notification>();
    senders.add(notification(firstSender, firstSent));
    if (furtherSenders != null) {
      furtherSenders.forEach((rank, told) -> senders.add(notification(rank, told)));
    }
    return senders;
  }

  Optional<Use> lastUse() {
    if (lastUseBy == null || lastUseOf == null) {
      return Optional.ofNullable(lastUse);
    }
    Asked asked = lastUseBy;
    SignalWait by =
        new SignalWait(
            -1,
            owner,
            window,
            cell,
            asked.coordinates() == null ? coordinates : asked.coordinates(),
            asked.expected(),
            asked.exact(),
            asked.deferred(),
            asked.span(),
            0);
    return Optional.of(new Use(by, credit(lastUseFrom, lastUseOf), Optional.empty()));
  }

  Optional<Credit> lastSet() {
    return lastSetTold == null
        ? Optional.ofNullable(lastSet)
        : Optional.of(credit(lastSetFrom, lastSetTold));
  }

  /** True when the owner has ever waited on the cell. */
  boolean isAwaited() {
    return awaited;
  }

  boolean isAwaitedExactly() {
    return awaitedExactly;
  }
}
