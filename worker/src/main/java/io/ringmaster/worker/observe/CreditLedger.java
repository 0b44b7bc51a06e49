package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.observe.CreditCell.Credit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Keeps the account of every signal cell of a run, see {@link CreditCell}. Has to hear an event
 * before the listeners that ask about it, and after {@link HappensBefore}.
 */
final class CreditLedger implements FabricListener {

  private record Slice(int window, int owner) {}

  private final Optional<HappensBefore> order;
  private final Map<Long, Stamp> inFlight = new HashMap<>();
  private final Map<Slice, Map<Long, CreditCell>> slices = new HashMap<>();
  private List<Credit> lastUsed = List.of();
  private List<Credit> lastWipedOut = List.of();
  private Optional<Stamp> lastSent = Optional.empty();

  CreditLedger(Optional<HappensBefore> order) {
    this.order = order;
  }

  @Override
  public void notified(Notification notification) {
    order.ifPresent(
        clocks -> inFlight.put(notification.id(), clocks.lastSent(notification.rank())));
  }

  @Override
  public void applied(Notification notification, int before, int after, long virtualNanos) {
    var sent = Optional.ofNullable(inFlight.remove(notification.id()));
    lastSent = sent;
    lastWipedOut =
        slice(notification.window().index(), notification.owner())
            .computeIfAbsent(
                notification.cell(),
                _ ->
                    new CreditCell(
                        notification.window(),
                        notification.owner(),
                        notification.coordinates(),
                        before))
            .applied(new Credit(notification, sent), after);
  }

  @Override
  public void waitStarted(SignalWait wait, int seen) {
    slice(wait.window().index(), wait.rank())
        .computeIfAbsent(
            wait.cell(), _ -> new CreditCell(wait.window(), wait.rank(), wait.coordinates(), seen))
        .waitStarted(wait);
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    lastUsed = cell(wait).passed(wait, seen, order.map(clocks -> clocks.now(wait.rank())));
  }

  /** The credits that the wait just satisfied has used up. */
  List<Credit> lastUsed() {
    return lastUsed;
  }

  /** The unread credits that the notify just applied has wiped out. */
  List<Credit> lastWipedOut() {
    return lastWipedOut;
  }

  /** The point at which the notify just applied was sent, while happens-before is tracked. */
  Optional<Stamp> lastSent() {
    return lastSent;
  }

  /** The account of the cell that {@code wait} is about. */
  CreditCell cell(SignalWait wait) {
    return find(wait.window().index(), wait.rank(), wait.cell())
        .orElseThrow(() -> new IllegalStateException("wait " + wait.id() + " was never started"));
  }

  CreditCell cell(Notification notification) {
    return find(notification.window().index(), notification.owner(), notification.cell())
        .orElseThrow(
            () -> new IllegalStateException("notify " + notification.id() + " was never applied"));
  }

  Optional<CreditCell> find(int window, int owner, long cell) {
    return Optional.ofNullable(slice(window, owner).get(cell));
  }

  /** The cells of one rank's slice that were ever touched, in ascending order. */
  Collection<CreditCell> cells(int window, int owner) {
    return slice(window, owner).values();
  }

  /** Every touched cell of the run, by window, owner and cell. */
  List<CreditCell> cells() {
    return slices.entrySet().stream()
        .sorted(
            Map.Entry.comparingByKey(
                Comparator.comparingInt(Slice::window).thenComparingInt(Slice::owner)))
        .flatMap(slice -> slice.getValue().values().stream())
        .toList();
  }

  private Map<Long, CreditCell> slice(int window, int owner) {
    return slices.computeIfAbsent(new Slice(window, owner), _ -> new TreeMap<>());
  }
}
