package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Place;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.observe.CreditCell.Credit;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Notes signal cells that aren't zero at the end of a run that finished. Built-in collectives take
 * their credits back; hand-written barriers usually don't, which is only a trap for the next one
 * that uses the cells.
 */
final class Residue implements FabricListener {

  private static final int SHOWN = 4;

  private final CreditLedger ledger;
  private final Set<Integer> signals = new HashSet<>();
  private boolean finished;

  Residue(CreditLedger ledger) {
    this.ledger = ledger;
  }

  @Override
  public void waitStarted(SignalWait wait, int seen) {
    signals.add(wait.window().index());
  }

  @Override
  public void finished(long virtualNanos) {
    finished = true;
  }

  List<Finding> findings() {
    if (!finished) {
      return List.of();
    }
    Map<Integer, List<CreditCell>> left = new TreeMap<>();
    for (CreditCell cell : ledger.cells()) {
      if (cell.value() != 0 && signals.contains(cell.window().index())) {
        left.computeIfAbsent(cell.window().index(), _ -> new ArrayList<>()).add(cell);
      }
    }
    return left.values().stream().map(Residue::describe).toList();
  }

  private static Finding describe(List<CreditCell> cells) {
    WindowInfo window = cells.getFirst().window();
    List<String> parts = new ArrayList<>();
    for (CreditCell cell : cells.subList(0, Math.min(cells.size(), SHOWN))) {
      parts.add(
          "%s on rank %d = %d"
              .formatted(Words.cell(cell.coordinates()), cell.owner(), cell.value()));
    }
    if (cells.size() > SHOWN) {
      parts.add((cells.size() - SHOWN) + " more");
    }
    return new Finding(
        Finding.Kind.RESIDUE,
        Finding.Kind.RESIDUE.severity(),
        "%s isn't zero at the end: %s; hand-written barriers leave their credits, which is no fault"
            .formatted(Words.window(window), Words.and(parts)),
        "nothing to change, unless the cells are to be used again: then wait for one more in each"
            + " round, or take the credits back with a notify of -1 to oneself",
        cells.stream().mapToInt(CreditCell::owner).distinct().sorted().boxed().toList(),
        Optional.of(window.buffer()),
        Optional.of(Words.cell(cells.getFirst().coordinates())),
        Optional.empty(),
        Optional.empty(),
        Optional.of((long) cells.getFirst().value()),
        Optional.of(0L),
        surplus(cells));
  }

  /** Where credits came from that no wait of the cell's owner needed. */
  private static List<Place> surplus(List<CreditCell> cells) {
    var sites = new TreeSet<Span>(Findings.SPANS);
    return cells.stream()
        .filter(CreditCell::isAwaited)
        .flatMap(cell -> cell.unread().stream())
        .filter(Credit::gives)
        .map(Credit::notification)
        .filter(notification -> sites.add(notification.span()))
        .map(
            notification ->
                new Place(
                    notification.rank(),
                    notification.span(),
                    "a credit that no wait needed: " + Words.notifies(notification)))
        .limit(SHOWN)
        .toList();
  }
}
