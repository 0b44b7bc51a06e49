package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.BlockedRank;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Explains a run that stands still: one finding for each group of ranks that wait for each other or
 * for the same absent rank. The wording is {@link DeadlockReport}'s.
 */
final class DeadlockExplainer implements FabricListener {

  /**
   * A group of blocked ranks.
   *
   * @param waits the signal waits of the group, by rank
   * @param stuck the ranks of the group that wait for a dispatch instead, by rank
   * @param suspects for each waiting rank, who should have notified it
   * @param absent suspects, and ranks that a collective lacks, that aren't blocked: they finished,
   *     or never started
   * @param cycle ranks that wait for each other in a circle; empty when there is none
   * @param mutual the ranks of the circle, and those that they wait for and that wait for them
   */
  record Group(
      Map<Integer, BlockedRank> waits,
      Map<Integer, BlockedRank> stuck,
      Map<Integer, List<Integer>> suspects,
      List<Integer> absent,
      List<Integer> cycle,
      SequencedSet<Integer> mutual) {

    List<Integer> suspectsOf(int rank) {
      return suspects.getOrDefault(rank, List.of());
    }

    SignalWait wait(int rank) {
      return Optional.ofNullable(waits.get(rank)).flatMap(BlockedRank::awaited).orElseThrow();
    }
  }

  private final Suspects suspects;
  private final RankProgress progress;
  private final DeadlockReport report;
  private final List<Finding> findings = new ArrayList<>();

  /** The others have to hear every event first. */
  DeadlockExplainer(CreditLedger ledger, BranchHistory branches, RankProgress progress) {
    suspects = new Suspects(ledger);
    this.progress = progress;
    report = new DeadlockReport(ledger, suspects, branches, progress);
  }

  @Override
  public void foreseen(List<Notification> notifies) {
    suspects.foresee(notifies);
  }

  @Override
  public void deadlocked(List<BlockedRank> blocked, long virtualNanos) {
    Map<Integer, BlockedRank> byRank = new TreeMap<>();
    Map<Integer, List<Integer>> waitsFor = new TreeMap<>();
    for (BlockedRank rank : blocked) {
      byRank.put(rank.rank(), rank);
      waitsFor.put(rank.rank(), rank.awaited().map(suspects::of).orElse(holder(rank)));
    }
    for (SequencedSet<Integer> ranks : groups(waitsFor)) {
      group(ranks, byRank, waitsFor).ifPresent(group -> findings.add(report.finding(group)));
    }
  }

  /** The rank whose dispatch has to finish before this one's can begin. */
  private static List<Integer> holder(BlockedRank rank) {
    return rank.held().map(held -> List.of(held.earlier().rank())).orElse(List.of());
  }

  private Optional<Group> group(
      SequencedSet<Integer> ranks,
      Map<Integer, BlockedRank> byRank,
      Map<Integer, List<Integer>> waitsFor) {
    Map<Integer, BlockedRank> waits = new TreeMap<>();
    Map<Integer, BlockedRank> stuck = new TreeMap<>();
    Map<Integer, List<Integer>> suspects = new TreeMap<>();
    var absent = new TreeSet<Integer>();
    for (int rank : ranks) {
      BlockedRank blocked = byRank.get(rank);
      if (blocked == null) {
        absent.add(rank);
      } else if (blocked.awaited().isPresent()) {
        waits.put(rank, blocked);
        suspects.put(rank, waitsFor.get(rank));
        progress.open(rank).ifPresent(call -> absent.addAll(progress.behind(call)));
      } else {
        stuck.put(rank, blocked);
      }
    }
    absent.removeAll(byRank.keySet());
    if (waits.isEmpty() && stuck.isEmpty()) {
      return Optional.empty();
    }
    List<Integer> cycle = cycle(suspects);
    return Optional.of(
        new Group(waits, stuck, suspects, List.copyOf(absent), cycle, mutual(cycle, suspects)));
  }

  /** The ranks that are reached from the circle and from which it is reached. */
  private static SequencedSet<Integer> mutual(
      List<Integer> cycle, Map<Integer, List<Integer>> waitsFor) {
    if (cycle.isEmpty()) {
      return new TreeSet<>();
    }
    Map<Integer, List<Integer>> waitedFor = new TreeMap<>();
    waitsFor.forEach(
        (rank, others) ->
            others.forEach(
                other -> waitedFor.computeIfAbsent(other, _ -> new ArrayList<>()).add(rank)));
    SequencedSet<Integer> mutual = reached(cycle.getFirst(), waitsFor);
    mutual.retainAll(reached(cycle.getFirst(), waitedFor));
    return mutual;
  }

  private static SequencedSet<Integer> reached(int start, Map<Integer, List<Integer>> edges) {
    var reached = new TreeSet<Integer>(List.of(start));
    var pending = new ArrayList<>(List.of(start));
    while (!pending.isEmpty()) {
      for (int next : edges.getOrDefault(pending.removeLast(), List.of())) {
        if (reached.add(next)) {
          pending.add(next);
        }
      }
    }
    return reached;
  }

  /** Connected components of the wait-for graph, absent ranks included, by smallest rank. */
  private static List<SequencedSet<Integer>> groups(Map<Integer, List<Integer>> waitsFor) {
    Map<Integer, List<Integer>> neighbours = new TreeMap<>();
    waitsFor.forEach(
        (rank, others) -> {
          neighbours.computeIfAbsent(rank, _ -> new ArrayList<>()).addAll(others);
          for (int other : others) {
            neighbours.computeIfAbsent(other, _ -> new ArrayList<>()).add(rank);
          }
        });
    var groups = new ArrayList<SequencedSet<Integer>>();
    var grouped = new TreeSet<Integer>();
    for (int start : neighbours.keySet()) {
      if (!grouped.contains(start)) {
        SequencedSet<Integer> group = reached(start, neighbours);
        grouped.addAll(group);
        groups.add(group);
      }
    }
    return groups;
  }

  /** A circle of the wait-for graph, from its smallest rank; empty when there is none. */
  static List<Integer> cycle(Map<Integer, List<Integer>> waitsFor) {
    for (int start : waitsFor.keySet()) {
      Map<Integer, Integer> cameFrom = new LinkedHashMap<>();
      var pending = new LinkedHashSet<Integer>(List.of(start));
      while (!pending.isEmpty()) {
        int rank = pending.removeFirst();
        for (int next : waitsFor.getOrDefault(rank, List.of())) {
          if (next == start) {
            return path(cameFrom, start, rank);
          }
          if (!cameFrom.containsKey(next) && waitsFor.containsKey(next)) {
            cameFrom.put(next, rank);
            pending.addLast(next);
          }
        }
      }
    }
    return List.of();
  }

  private static List<Integer> path(Map<Integer, Integer> cameFrom, int start, int end) {
    var path = new ArrayList<Integer>(List.of(end));
    while (path.getLast() != start) {
      path.add(cameFrom.getOrDefault(path.getLast(), start));
    }
    return path.reversed();
  }

  List<Finding> findings() {
    return List.copyOf(findings);
  }
}
