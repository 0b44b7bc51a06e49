package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.observe.CreditCell.Credit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Guesses which ranks a blocked wait was meant to hear from: first from who would write the cell if
 * no wait held them up, where that is known; then from who has written the cell before, then from
 * who writes the same cell of other ranks, then from the usual layout with one cell for each
 * sender.
 */
final class Suspects {

  private final CreditLedger ledger;

  private Foreseen foreseen = Foreseen.NOTHING;

  Suspects(CreditLedger ledger) {
    this.ledger = ledger;
  }

  /** Tells what the ranks would notify; what some have notified otherwise shows it to be wrong. */
  void foresee(List<Notification> notifies) {
    Foreseen told = new Foreseen(notifies);
    boolean right =
        ledger.cells().stream().flatMap(cell -> cell.senders().stream()).allMatch(told::contains);
    foreseen = right ? told : Foreseen.NOTHING;
  }

  /** True when no rank would ever notify what a rank waits for, and nothing tells who should. */
  boolean isNobodys(SignalWait wait) {
    return foreseen.knows(wait)
        && foreseen.senders(wait).isEmpty()
        && foreseen.meant(wait).isEmpty()
        && creditsOf(wait) < wait.expected()
        && misdirected(wait).isEmpty();
  }

  /** Global ranks, ascending; never the waiting one; empty when no rank would notify the cell. */
  List<Integer> of(SignalWait wait) {
    WindowInfo window = wait.window();
    List<Integer> others =
        window.members().stream().filter(member -> member != wait.rank()).toList();
    List<Integer> senders =
        ledger
            .find(window.index(), wait.rank(), wait.cell())
            .map(cell -> sendersOf(cell, wait.rank()))
            .orElse(List.of());
    if (foreseen.knows(wait) && creditsOf(wait) < wait.expected()) {
      List<Integer> coming =
          foreseen.senders(wait).stream().filter(rank -> !senders.contains(rank)).toList();
      if (!coming.isEmpty()) {
        return coming;
      }
      if (foreseen.senders(wait).isEmpty()) {
        return unsent(wait);
      }
    }
    if (senders.size() == 1 && wait.expected() <= creditsOf(wait) + 1) {
      return senders;
    }
    if (!senders.isEmpty()) {
      List<Integer> silent = others.stream().filter(rank -> !senders.contains(rank)).toList();
      return silent.isEmpty() ? fewest(wait, senders) : silent;
    }
    List<Integer> elsewhere = sendersElsewhere(wait, others);
    if (elsewhere.size() == 1) {
      return elsewhere;
    }
    return byLayout(wait).map(List::of).orElse(others);
  }

  private static List<Integer> sendersOf(CreditCell cell, int owner) {
    return cell.senders().stream()
        .map(Notification::rank)
        .filter(rank -> rank != owner)
        .sorted()
        .toList();
  }

  private int creditsOf(SignalWait wait) {
    return ledger.cell(wait).value();
  }

  /** All have sent something: those with the fewest unread credits are behind. */
  private List<Integer> fewest(SignalWait wait, List<Integer> senders) {
    Map<Integer, Integer> counts = new HashMap<>();
    for (Credit credit : ledger.cell(wait).unread()) {
      counts.merge(credit.notification().rank(), 1, Integer::sum);
    }
    int least = senders.stream().mapToInt(rank -> counts.getOrDefault(rank, 0)).min().orElse(0);
    return senders.stream().filter(rank -> counts.getOrDefault(rank, 0) == least).toList();
  }

  private List<Integer> sendersElsewhere(SignalWait wait, List<Integer> others) {
    var found = new TreeSet<Integer>();
    for (int owner : others) {
      ledger
          .find(wait.window().index(), owner, wait.cell())
          .ifPresent(cell -> found.addAll(sendersOf(cell, owner)));
    }
    found.remove(wait.rank());
    return List.copyOf(found);
  }

  /** One notify of each rank that has written the window of {@code wait} at all, by rank. */
  Map<Integer, Notification> givers(SignalWait wait) {
    Map<Integer, Notification> givers = new TreeMap<>();
    for (int owner : wait.window().members()) {
      for (CreditCell cell : ledger.cells(wait.window().index(), owner)) {
        for (Notification sent : cell.senders()) {
          if (!sent.isSelf()) {
            givers.putIfAbsent(sent.rank(), sent);
          }
        }
      }
    }
    return givers;
  }

  private static Optional<Integer> byLayout(SignalWait wait) {
    List<Integer> members = wait.window().members();
    int local = (int) (wait.cell() % members.size());
    int sender = members.get(local);
    return sender == wait.rank() ? Optional.empty() : Optional.of(sender);
  }

  /** Who was meant to notify what no rank would; empty where nothing tells. */
  private List<Integer> unsent(SignalWait wait) {
    List<Integer> misdirecting = misdirecting(wait);
    return foreseen
        .meant(wait)
        .or(() -> byLayout(wait).filter(misdirecting::contains))
        .map(List::of)
        .orElse(misdirecting);
  }

  private List<Integer> misdirecting(SignalWait wait) {
    return misdirected(wait).stream()
        .map(credit -> credit.notification().rank())
        .filter(rank -> rank != wait.rank())
        .distinct()
        .sorted()
        .toList();
  }

  /** Unread credits in those cells of the waiting rank's slice that it has never waited on. */
  List<Credit> misdirected(SignalWait wait) {
    return ledger.cells(wait.window().index(), wait.rank()).stream()
        .filter(cell -> !cell.isAwaited())
        .flatMap(cell -> cell.unread().stream())
        .filter(Credit::gives)
        .toList();
  }
}
