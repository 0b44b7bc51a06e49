package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Place;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.observe.CreditCell.Credit;
import io.ringmaster.worker.observe.CreditCell.Use;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds waits that a credit of an earlier round let through: a credit that another wait of the same
 * rank had already used, while the credit that was meant for this wait was never needed. A second
 * wait on a flag that is set once is legal: no credit is left over then.
 */
final class StaleCredits implements FabricListener {

  /** What one cell remembers; a loop repeats the same places. */
  private static final int REMEMBERED = 16;

  private record Suspect(SignalWait passed, Use earlier, Optional<Stamp> when) {}

  /** A wait that what an earlier call had left was enough for. */
  private record Carried(SignalWait passed, Optional<Stamp> when) {}

  private record Sites(int window, Span used, Span leftOver, Span passed) {}

  private final CreditLedger ledger;
  private final Optional<HappensBefore> order;
  private final Map<CreditCell, List<Suspect>> suspects = new LinkedHashMap<>();
  private final Map<CreditCell, Carried> carried = new LinkedHashMap<>();
  private final Map<Span, String> builtins = new HashMap<>();

  /** Both have to hear every event first. */
  StaleCredits(CreditLedger ledger, Optional<HappensBefore> order) {
    this.ledger = ledger;
    this.order = order;
  }

  @Override
  public void collectiveEntered(CollectiveCall call, long virtualNanos) {
    builtins.put(call.span(), call.op());
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    if (!ledger.lastUsed().isEmpty()) {
      return;
    }
    CreditCell cell = ledger.cell(wait);
    Optional<Use> earlier = cell.lastUse();
    if (earlier.isEmpty() && cell.initial() > 0 && wait.expected() > 0) {
      carried.computeIfAbsent(
          cell, _ -> new Carried(wait, order.map(clocks -> clocks.now(wait.rank()))));
    }
    // A wait for less than the earlier one wanted only looks again at what is known.
    if (earlier.isEmpty() || wait.expected() < earlier.get().by().expected()) {
      return;
    }
    List<Suspect> known = suspects.computeIfAbsent(cell, _ -> new ArrayList<>(1));
    boolean repeated =
        known.stream().anyMatch(suspect -> suspect.passed().span().equals(wait.span()));
    if (!repeated && known.size() < REMEMBERED) {
      var when = order.map(clocks -> clocks.now(wait.rank()));
      known.add(new Suspect(wait, earlier.get(), when));
    }
  }

  /** True when the cell has a stale credit; a lost credit there is the same fault once more. */
  boolean contains(CreditCell cell) {
    return suspects.getOrDefault(cell, List.of()).stream()
        .anyMatch(suspect -> leftOver(cell, suspect.when()).isPresent());
  }

  List<Finding> findings() {
    var findings = new ArrayList<Finding>();
    Set<Sites> seen = new HashSet<>();
    for (CreditCell cell : suspects.isEmpty() ? List.<CreditCell>of() : ledger.cells()) {
      for (Suspect suspect : suspects.getOrDefault(cell, List.of())) {
        leftOver(cell, suspect.when())
            .filter(credit -> seen.add(sites(suspect, credit)))
            .ifPresent(credit -> findings.add(describe(cell, suspect, credit.notification())));
      }
    }
    Set<Span> waits = new HashSet<>();
    carried.forEach(
        (cell, passed) ->
            leftOver(cell, passed.when())
                .filter(_ -> waits.add(passed.passed().span()))
                .ifPresent(
                    credit ->
                        findings.add(describe(cell, passed.passed(), credit.notification()))));
    return findings;
  }

  private static Finding describe(CreditCell cell, SignalWait wait, Notification leftOver) {
    return new Finding(
        Finding.Kind.STALE_CREDIT,
        Finding.Kind.STALE_CREDIT.severity(),
        "rank %d's wait on cell %s of %s (%s) was let through by what an earlier call left there, which is %d; rank %d's notify on %s was not waited for"
            .formatted(
                wait.rank(),
                Words.cell(wait.coordinates()),
                Words.window(cell.window()),
                Words.line(wait.span()),
                cell.initial(),
                leftOver.rank(),
                Words.line(leftOver.span())),
        "let the windows be zeroed before each call, or take the credits back at the end of the"
            + " kernel, or wait for one more in each call",
        List.of(wait.rank(), leftOver.rank()).stream().distinct().sorted().toList(),
        Optional.of(cell.window().buffer()),
        Optional.of(Words.cell(wait.coordinates())),
        Optional.empty(),
        Optional.empty(),
        Optional.of((long) cell.initial()),
        Optional.of((long) wait.expected()),
        List.of(
            new Place(
                wait.rank(), wait.span(), "this wait passed on the credit of an earlier call"),
            new Place(
                leftOver.rank(),
                leftOver.span(),
                "the credit that no wait needed: " + Words.notifies(leftOver))));
  }

  private static Sites sites(Suspect suspect, Credit leftOver) {
    return new Sites(
        suspect.passed().window().index(),
        suspect.earlier().last().notification().span(),
        leftOver.notification().span(),
        suspect.passed().span());
  }

  /** A credit that no wait needed, and that could have been meant for this one. */
  private static Optional<Credit> leftOver(CreditCell cell, Optional<Stamp> when) {
    return cell.unread().stream()
        .filter(Credit::gives)
        .filter(credit -> !comesAfter(credit, when))
        .findFirst();
  }

  private static boolean comesAfter(Credit credit, Optional<Stamp> when) {
    return when.isPresent()
        && credit.sent().isPresent()
        && when.get().precedes(credit.sent().get());
  }

  private Finding describe(CreditCell cell, Suspect suspect, Notification leftOver) {
    SignalWait wait = suspect.passed();
    SignalWait firstWait = suspect.earlier().by();
    Notification used = suspect.earlier().last().notification();
    String name = Words.window(cell.window());
    String message =
        "rank %d's wait on cell %s of %s (%s) was let through by rank %d's notify on %s, which its wait on %s had used already; rank %d's notify on %s was not waited for"
            .formatted(
                wait.rank(),
                Words.cell(wait.coordinates()),
                name,
                Words.line(wait.span()),
                used.rank(),
                Words.line(used.span()),
                Words.line(firstWait.span()),
                leftOver.rank(),
                Words.line(leftOver.span()));
    boolean inherited =
        builtins.containsKey(wait.span()) && !builtins.containsKey(firstWait.span());
    return new Finding(
        Finding.Kind.STALE_CREDIT,
        Finding.Kind.STALE_CREDIT.severity(),
        inherited
            ? message
                + "; the built-in %s begins with cells that a hand-written barrier has left above zero"
                    .formatted(builtins.get(wait.span()))
            : message,
        inherited
            ? "give the built-in a signal window of its own, or take the hand-written credits back"
                + " with a notify of -1 to oneself before it begins: it needs cells that are zero"
            : "give each round its own row of cells, or let notify add 1 and wait for one more in"
                + " each round, or take the credit back with a notify of -1 to oneself after the"
                + " wait",
        List.of(wait.rank(), used.rank(), leftOver.rank()).stream().distinct().sorted().toList(),
        Optional.of(cell.window().buffer()),
        Optional.of(Words.cell(wait.coordinates())),
        Optional.empty(),
        Optional.empty(),
        Optional.of((long) cell.value()),
        Optional.of((long) wait.expected()),
        List.of(
            new Place(wait.rank(), wait.span(), "this wait passed on an old credit"),
            new Place(
                used.rank(),
                used.span(),
                "the credit that let it through: " + Words.notifies(used)),
            new Place(wait.rank(), firstWait.span(), "the wait that used this credit first"),
            new Place(
                leftOver.rank(),
                leftOver.span(),
                "the credit that no wait needed: " + Words.notifies(leftOver))));
  }
}
