package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * What the ranks of a run would notify if no wait held them up, and what that tells about who was
 * meant to notify a cell that nobody does. Cells may be named by their sender, as in {@code [P,
 * 1]}, or not, as in {@code [LEVELS, 1]} of a tree: then the sender is where it is for other owners
 * of the same cell.
 */
final class Foreseen {

  /** Where nobody knows. */
  static final Foreseen NOTHING = new Foreseen(List.of());

  private record Key(int rank, int owner, int window, long cell) {}

  private final List<Notification> notifies;
  private final Set<Key> keys = new HashSet<>();

  Foreseen(List<Notification> notifies) {
    this.notifies = List.copyOf(notifies);
    notifies.forEach(sent -> keys.add(key(sent)));
  }

  private static Key key(Notification sent) {
    return new Key(sent.rank(), sent.owner(), sent.window().index(), sent.cell());
  }

  boolean contains(Notification sent) {
    return keys.contains(key(sent));
  }

  /** True when some rank would notify another one in the window of a wait. */
  boolean knows(SignalWait wait) {
    return !inWindow(wait).isEmpty();
  }

  private List<Notification> inWindow(SignalWait wait) {
    return notifies.stream()
        .filter(sent -> sent.window().index() == wait.window().index() && !sent.isSelf())
        .toList();
  }

  /** Other ranks that would notify what a rank waits for, ascending. */
  List<Integer> senders(SignalWait wait) {
    return inWindow(wait).stream()
        .filter(sent -> sent.owner() == wait.rank() && sent.cell() == wait.cell())
        .map(Notification::rank)
        .distinct()
        .sorted()
        .toList();
  }

  /** The rank that is meant to notify what nobody does; empty where no rank is. */
  Optional<Integer> meant(SignalWait wait) {
    List<Notification> sent = inWindow(wait);
    Optional<Integer> local =
        sent.isEmpty() ? Optional.empty() : named(sent, wait).or(() -> beside(sent, wait));
    return local
        .filter(rank -> rank >= 0 && rank < wait.window().members().size())
        .map(rank -> wait.window().members().get(rank))
        .filter(rank -> rank != wait.rank());
  }

  /** The coordinate of the cell that is the sender's rank in all of them. */
  private static Optional<Integer> named(List<Notification> sent, SignalWait wait) {
    return IntStream.range(0, wait.coordinates().size())
        .filter(axis -> sent.stream().allMatch(one -> isSender(one, axis)))
        .mapToObj(axis -> Math.toIntExact(wait.coordinates().get(axis)))
        .findFirst();
  }

  private static boolean isSender(Notification sent, int axis) {
    return axis < sent.coordinates().size()
        && sent.coordinates().get(axis) == sent.window().localRank(sent.rank());
  }

  /** As far from the owner as the senders of other owners' same cell; around where others go so. */
  private static Optional<Integer> beside(List<Notification> sent, SignalWait wait) {
    int ranks = wait.window().members().size();
    Map<Long, Set<Integer>> apart = new TreeMap<>();
    sent.forEach(one -> apart.computeIfAbsent(one.cell(), _ -> new TreeSet<>()).add(apart(one)));
    boolean around =
        apart.values().stream().anyMatch(all -> all.size() > 1)
            && apart.values().stream().allMatch(all -> isOneWay(all, ranks));
    Set<Integer> same = apart.getOrDefault(wait.cell(), Set.of());
    if (same.isEmpty() || !isOneWay(same, ranks)) {
      return Optional.empty();
    }
    int local = wait.window().localRank(wait.rank()) + same.iterator().next();
    return Optional.of(around ? Math.floorMod(local, ranks) : local);
  }

  private static boolean isOneWay(Set<Integer> apart, int ranks) {
    return apart.stream().map(by -> Math.floorMod(by, ranks)).distinct().count() == 1;
  }

  private static int apart(Notification sent) {
    WindowInfo window = sent.window();
    return window.localRank(sent.rank()) - window.localRank(sent.owner());
  }
}
