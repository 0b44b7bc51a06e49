package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The account of one signal cell: which credits its owner's waits have used up.
 *
 * <p>A wait uses as few unread credits as let it through, oldest first. What the owner does to its
 * own cell counts at once, whenever the credits of others arrived: so a barrier that subtracts its
 * own credits afterwards comes out even although the next round's credit may have been early.
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

  /** A cell that nobody waits on keeps this many credits; it is data, such as a row count. */
  private static final int MOST_UNREAD = 1024;

  private final WindowInfo window;
  private final int owner;
  private final List<Long> coordinates;
  private final Deque<Credit> unread = new ArrayDeque<>(1);
  private final List<Notification> senders = new ArrayList<>(1);
  private final int initial;
  private int balance;
  private int value;
  private Optional<Use> lastUse = Optional.empty();
  private Optional<Credit> lastSet = Optional.empty();
  private boolean awaited;
  private boolean awaitedExactly;

  CreditCell(WindowInfo window, int owner, List<Long> coordinates, int initial) {
    this.window = window;
    this.owner = owner;
    this.coordinates = List.copyOf(coordinates);
    this.initial = initial;
    this.balance = initial;
    this.value = initial;
  }

  /** The unread credits of others that this one wipes out; only a Set wipes out any. */
  List<Credit> applied(Credit credit, int after) {
    Notification notification = credit.notification();
    value = after;
    if (notification.set()) {
      lastSet = Optional.of(credit);
    }
    if (isFirstOf(notification.rank())) {
      senders.add(notification);
    }
    List<Credit> wipedOut = notification.set() ? standing() : List.of();
    if (notification.isSelf()) {
      if (notification.set()) {
        unread.clear();
      }
      balance = credit.applyTo(balance);
      return wipedOut;
    }
    unread.add(credit);
    if (!awaited && unread.size() > MOST_UNREAD) {
      balance = unread.remove().applyTo(balance);
    }
    return wipedOut;
  }

  private boolean isFirstOf(int rank) {
    for (Notification known : senders) {
      if (known.rank() == rank) {
        return false;
      }
    }
    return true;
  }

  /** Unread credits that no later Set has wiped out already. */
  private List<Credit> standing() {
    var standing = new ArrayList<Credit>();
    for (Credit credit : unread) {
      if (credit.notification().set()) {
        standing.clear();
      }
      if (credit.gives()) {
        standing.add(credit);
      }
    }
    return standing;
  }

  void waitStarted(SignalWait wait) {
    awaited = true;
    awaitedExactly |= wait.exact();
  }

  /** The credits that this wait uses up; none when earlier ones were enough. */
  List<Credit> passed(SignalWait wait, int seen, Optional<Stamp> when) {
    if (wait.holds(balance)) {
      return List.of();
    }
    var used = new ArrayList<Credit>();
    while (!unread.isEmpty() && !wait.holds(balance)) {
      Credit next = unread.poll();
      used.add(next);
      balance = next.applyTo(balance);
    }
    if (!wait.holds(balance)) {
      balance = seen;
    }
    if (!used.isEmpty()) {
      lastUse = Optional.of(new Use(wait, used.getLast(), when));
    }
    return used;
  }

  WindowInfo window() {
    return window;
  }

  int owner() {
    return owner;
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
  Deque<Credit> unread() {
    return unread;
  }

  /** First notify of each rank that ever changed the cell, in order of arrival. */
  List<Notification> senders() {
    return senders;
  }

  Optional<Use> lastUse() {
    return lastUse;
  }

  Optional<Credit> lastSet() {
    return lastSet;
  }

  /** True when the owner has ever waited on the cell. */
  boolean isAwaited() {
    return awaited;
  }

  boolean isAwaitedExactly() {
    return awaitedExactly;
  }
}
