package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.observe.CreditCell.Credit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the account of every signal cell of a run, see {@link CreditCell}. Has to hear an event
 * before the listeners that ask about it, and after {@link HappensBefore}.
 */
final class CreditLedger implements FabricListener {

  private final Optional<HappensBefore> order;
  private final boolean brief;
  private final Shared shared = new Shared();
  private final Map<Long, Stamp> inFlight = new HashMap<>();

  /** By window, then by the rank that owns the slice; null for one that nobody has touched. */
  private final Map<Integer, List<@Nullable CellTable>> slices = new TreeMap<>();

  private List<Credit> lastUsed = List.of();
  private List<Credit> lastWipedOut = List.of();
  private Optional<Stamp> lastSent = Optional.empty();
  private @Nullable CreditCell last;

  /** Keeps all of every notify. */
  CreditLedger(Optional<HappensBefore> order) {
    this(order, false);
  }

  /** {@code brief} leaves out what only other observers need, see {@link CreditCell}. */
  CreditLedger(Optional<HappensBefore> order, boolean brief) {
    this.order = order;
    this.brief = brief;
  }

  @Override
  public void notified(Notification notification) {
    if (order.isPresent()) {
      inFlight.put(notification.id(), order.get().lastSent(notification.rank()));
    }
  }

  @Override
  public void applied(Notification notification, int before, int after, long virtualNanos) {
    lastSent =
        order.isPresent()
            ? Optional.ofNullable(inFlight.remove(notification.id()))
            : Optional.empty();
    CreditCell cell =
        touched(
            notification.window(),
            notification.owner(),
            notification.cell(),
            notification.coordinates(),
            before);
    lastWipedOut = cell.applied(new Credit(notification, lastSent), after, shared);
  }

  @Override
  public void waitStarted(SignalWait wait, int seen) {
    touched(wait.window(), wait.rank(), wait.cell(), wait.coordinates(), seen).waitStarted(wait);
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    lastUsed = cell(wait).passed(wait, seen, order.map(clocks -> clocks.now(wait.rank())), shared);
  }

  private CreditCell touched(
      WindowInfo window, int owner, long index, List<Long> coordinates, int holds) {
    CreditCell known = known(window.index(), owner, index);
    if (known == null) {
      known = new CreditCell(window, owner, index, shared.coordinates(coordinates), holds, brief);
      slice(window.index(), owner).put(known);
      last = known;
    } else if (known.value() != holds) {
      known.overwritten(holds);
    }
    return known;
  }

  private @Nullable CreditCell known(int window, int owner, long index) {
    CreditCell again = last;
    if (again == null
        || again.cell() != index
        || again.owner() != owner
        || again.window().index() != window) {
      again = slice(window, owner).get(index);
      last = again;
    }
    return again;
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
    return Optional.ofNullable(known(window, owner, cell));
  }

  /** The cells of one rank's slice that were ever touched, in ascending order. */
  Collection<CreditCell> cells(int window, int owner) {
    return slice(window, owner).all();
  }

  /** Every touched cell of the run, by window, owner and cell. */
  List<CreditCell> cells() {
    List<CreditCell> all = new ArrayList<>();
    for (List<@Nullable CellTable> owners : slices.values()) {
      for (CellTable slice : owners) {
        if (slice != null) {
          all.addAll(slice.all());
        }
      }
    }
    return all;
  }

  private CellTable slice(int window, int owner) {
    List<@Nullable CellTable> owners = slices.computeIfAbsent(window, _ -> new ArrayList<>());
    while (owners.size() <= owner) {
      owners.add(null);
    }
    CellTable slice = owners.get(owner);
    if (slice == null) {
      slice = new CellTable();
      owners.set(owner, slice);
    }
    return slice;
  }
}
