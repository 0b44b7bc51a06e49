package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Place;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Watches what signal cells hold: counters that wrap past the 32-bit range, waits for an exact
 * value that another credit can carry the cell past before the waiter looks, and waits whose credit
 * another rank can take back before.
 */
final class SignalValues implements FabricListener {

  private record Exact(SignalWait awaited, Stamp when) {}

  private record Sites(Span notified, Span awaited) {}

  private final CreditLedger ledger;
  private final Optional<HappensBefore> order;
  private final Map<CellKey, Exact> exactWaits = new HashMap<>();
  private final Map<CellKey, Notification> negatives = new HashMap<>();
  private final Map<Span, Finding> wrapped = new LinkedHashMap<>();
  private final Map<Sites, Finding> overtaken = new LinkedHashMap<>();

  /** Both have to hear every event first. */
  SignalValues(CreditLedger ledger, Optional<HappensBefore> order) {
    this.ledger = ledger;
    this.order = order;
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    if (wait.deferred() && seen < 0) {
      wrapped.putIfAbsent(wait.span(), unsigned(wait, seen));
    }
    if (wait.exact()) {
      order.ifPresent(
          clocks -> exactWaits.put(CellKey.of(wait), new Exact(wait, clocks.now(wait.rank()))));
    }
  }

  @Override
  public void applied(Notification notification, int before, int after, long virtualNanos) {
    if (after < 0) {
      negatives.put(CellKey.of(notification), notification);
    }
    if (!notification.set() && (long) before + notification.value() != after) {
      wrapped.putIfAbsent(notification.span(), wrap(notification, before, after));
    }
    if (exactWaits.isEmpty() || notification.isSelf()) {
      return;
    }
    Exact exact = exactWaits.get(CellKey.of(notification));
    if (exact == null) {
      return;
    }
    int then =
        notification.set()
            ? notification.value()
            : exact.awaited().expected() + notification.value();
    boolean canComeFirst =
        ledger.lastSent().isPresent() && !exact.when().precedes(ledger.lastSent().get());
    if (canComeFirst && then != exact.awaited().expected()) {
      overtaken.putIfAbsent(
          new Sites(notification.span(), exact.awaited().span()),
          overtake(
              notification,
              exact.awaited(),
              then,
              "wait with pld.WaitCmp.Ge, or let rank "
                  + exact.awaited().rank()
                  + " answer before rank "
                  + notification.rank()
                  + " notifies again"));
    }
  }

  @Override
  public void finished(long virtualNanos) {
    for (Passage.Stall stall : order.map(HappensBefore::stalls).orElse(List.of())) {
      Notification by = stall.by().notification();
      overtaken.putIfAbsent(
          new Sites(by.span(), stall.passed().span()),
          overtake(
              by,
              stall.passed(),
              stall.then(),
              "let rank "
                  + stall.passed().rank()
                  + " take back what was added to its cell, after it has waited"));
    }
  }

  private static Finding wrap(Notification notification, int before, int after) {
    return new Finding(
        Finding.Kind.SIGNAL_WRAPPED,
        Finding.Kind.SIGNAL_WRAPPED.severity(),
        "signal value wrapped: %s, which held %d and now holds %d"
            .formatted(Words.notifies(notification), before, after),
        "cells are signed 32-bit numbers: count from 0 again before the counter reaches 2147483647",
        notification.isSelf()
            ? List.of(notification.rank())
            : List.of(
                Math.min(notification.rank(), notification.owner()),
                Math.max(notification.rank(), notification.owner())),
        Optional.of(notification.window().buffer()),
        Optional.of(Words.cell(notification.coordinates())),
        Optional.empty(),
        Optional.empty(),
        Optional.of((long) after),
        Optional.empty(),
        List.of(new Place(notification.rank(), notification.span(), Words.notifies(notification))));
  }

  private Finding unsigned(SignalWait wait, int seen) {
    var places = new ArrayList<Place>();
    places.add(new Place(wait.rank(), wait.span(), "this deferred wait passed on " + seen));
    Optional.ofNullable(negatives.get(CellKey.of(wait)))
        .ifPresent(
            notification ->
                places.add(
                    new Place(
                        notification.rank(), notification.span(), Words.notifies(notification))));
    return new Finding(
        Finding.Kind.SIGNAL_WRAPPED,
        Finding.Kind.SIGNAL_WRAPPED.severity(),
        "rank %d's deferred wait on cell %s of %s (%s) was let through by %d: a deferred wait compares unsigned numbers, and %d counts as %d"
            .formatted(
                wait.rank(),
                Words.cell(wait.coordinates()),
                Words.window(wait.window()),
                Words.line(wait.span()),
                seen,
                seen,
                Integer.toUnsignedLong(seen)),
        "take back no more credits than were waited for: no cell of a deferred wait may go below 0",
        places.stream().map(Place::rank).distinct().sorted().toList(),
        Optional.of(wait.window().buffer()),
        Optional.of(Words.cell(wait.coordinates())),
        Optional.empty(),
        Optional.empty(),
        Optional.of((long) seen),
        Optional.of((long) wait.expected()),
        places);
  }

  private static Finding overtake(
      Notification notification, SignalWait wait, int then, String hint) {
    return new Finding(
        Finding.Kind.DEADLOCK,
        Finding.Kind.DEADLOCK.severity(),
        "rank %d waits for %s in cell %s of %s on %s, and rank %d's notify on %s can come before it looks: the cell then holds %d and the wait never ends; in this schedule it came later"
            .formatted(
                wait.rank(),
                Words.needs(wait),
                Words.cell(wait.coordinates()),
                Words.window(wait.window()),
                Words.line(wait.span()),
                notification.rank(),
                Words.line(notification.span()),
                then),
        hint,
        List.of(
            Math.min(wait.rank(), notification.rank()), Math.max(wait.rank(), notification.rank())),
        Optional.of(wait.window().buffer()),
        Optional.of(Words.cell(wait.coordinates())),
        Optional.empty(),
        Optional.empty(),
        Optional.of((long) then),
        Optional.of((long) wait.expected()),
        List.of(
            new Place(wait.rank(), wait.span(), "waits for " + Words.needs(wait)),
            new Place(notification.rank(), notification.span(), Words.notifies(notification))));
  }

  List<Finding> findings() {
    var findings = new ArrayList<>(wrapped.values());
    findings.addAll(overtaken.values());
    return findings;
  }
}
