package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Place;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.observe.CreditCell.Credit;
import io.ringmaster.worker.observe.CreditCell.Use;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds credits that a Set destroyed, or can destroy in another schedule, before their receiver had
 * waited for them. A counter that one sender sets higher and higher loses nothing, and a cell that
 * nobody waits on is data and not a signal.
 */
final class LostCredits implements FabricListener {

  private record Sites(int window, Span credit, Span set) {}

  private record Loss(CreditCell cell, Notification credit, Notification set, boolean happened) {}

  private final CreditLedger ledger;
  private final StaleCredits stale;
  private final Map<Sites, Loss> losses = new LinkedHashMap<>();

  /** Both have to hear every event first. */
  LostCredits(CreditLedger ledger, StaleCredits stale) {
    this.ledger = ledger;
    this.stale = stale;
  }

  @Override
  public void applied(Notification notification, int before, int after, long virtualNanos) {
    CreditCell cell = ledger.cell(notification);
    Optional<Stamp> sent = ledger.lastSent();
    if (notification.set()) {
      setOver(cell, notification, before, sent);
    } else if (notification.value() > 0) {
      // The other way round: the Set that is already there could have come after this credit.
      cell.lastSet()
          .filter(set -> set.notification().rank() != notification.rank())
          .filter(set -> !precedes(set.sent(), sent))
          .ifPresent(set -> lost(cell, notification, set.notification(), false));
    }
  }

  private void setOver(CreditCell cell, Notification set, int before, Optional<Stamp> sent) {
    for (Credit credit : ledger.lastWipedOut()) {
      if (!grows(cell, credit, set, before)) {
        lost(cell, credit.notification(), set, true);
      }
    }
    Optional<Use> use = cell.lastUse();
    if (use.isPresent()
        && !precedes(use.get().when(), sent)
        && !grows(cell, use.get().last(), set, before)) {
      lost(cell, use.get().last().notification(), set, false);
    }
  }

  /** Without clocks everything that has happened counts as ordered: only real losses are found. */
  private static boolean precedes(Optional<Stamp> earlier, Optional<Stamp> later) {
    return earlier.isEmpty() || later.isEmpty() || earlier.get().precedes(later.get());
  }

  private static boolean grows(CreditCell cell, Credit credit, Notification set, int before) {
    return !cell.isAwaitedExactly()
        && credit.notification().set()
        && credit.notification().rank() == set.rank()
        && set.value() > before;
  }

  private void lost(CreditCell cell, Notification credit, Notification set, boolean happened) {
    losses.putIfAbsent(
        new Sites(cell.window().index(), credit.span(), set.span()),
        new Loss(cell, credit, set, happened));
  }

  List<Finding> findings() {
    var findings = new ArrayList<Finding>();
    for (Loss loss : losses.values()) {
      if (loss.cell().isAwaited() && !stale.contains(loss.cell())) {
        findings.add(describe(loss));
      }
    }
    return findings;
  }

  private static Finding describe(Loss loss) {
    CreditCell cell = loss.cell();
    String where =
        "cell %s of %s on rank %d"
            .formatted(
                Words.cell(loss.credit().coordinates()), Words.window(cell.window()), cell.owner());
    String message =
        "rank %d's Set of %d on %s %s rank %d's credit on %s in %s before rank %d has waited for it"
            .formatted(
                loss.set().rank(),
                loss.set().value(),
                Words.line(loss.set().span()),
                loss.happened() ? "overwrites" : "can overwrite",
                loss.credit().rank(),
                Words.line(loss.credit().span()),
                where,
                cell.owner());
    String hint =
        loss.set().rank() == cell.owner()
            ? "clear a cell by adding the negative number of credits that were waited for, not with"
                + " Set"
            : "use pld.NotifyOp.AtomicAdd so that credits add up, or give each sender and round its"
                + " own cell";
    return new Finding(
        Finding.Kind.LOST_CREDIT,
        Finding.Kind.LOST_CREDIT.severity(),
        message,
        hint,
        Stream.of(loss.credit().rank(), loss.set().rank(), cell.owner())
            .distinct()
            .sorted()
            .toList(),
        Optional.of(cell.window().buffer()),
        Optional.of(Words.cell(loss.credit().coordinates())),
        Optional.empty(),
        Optional.empty(),
        Optional.of((long) cell.value()),
        Optional.empty(),
        List.of(
            new Place(loss.set().rank(), loss.set().span(), Words.notifies(loss.set())),
            new Place(loss.credit().rank(), loss.credit().span(), Words.notifies(loss.credit()))));
  }
}
