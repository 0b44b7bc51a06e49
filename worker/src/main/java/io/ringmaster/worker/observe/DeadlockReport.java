package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.BlockedRank;
import io.ringmaster.worker.fabric.BlockedRank.Held;
import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Place;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.observe.BranchHistory.Parting;
import io.ringmaster.worker.observe.CreditCell.Credit;
import io.ringmaster.worker.observe.DeadlockExplainer.Group;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Words a deadlock: who waits where for what, who should have come, and what to change. */
final class DeadlockReport {

  /** Ranks that the sentence spells out; the places name them all. */
  private static final int SPELLED_OUT = 4;

  private final CreditLedger ledger;
  private final Suspects suspects;
  private final BranchHistory branches;
  private final RankProgress progress;

  DeadlockReport(
      CreditLedger ledger, Suspects suspects, BranchHistory branches, RankProgress progress) {
    this.ledger = ledger;
    this.suspects = suspects;
    this.branches = branches;
    this.progress = progress;
  }

  Finding finding(Group group) {
    var ranks = new TreeSet<Integer>(group.waits().keySet());
    ranks.addAll(group.stuck().keySet());
    ranks.addAll(group.absent());
    Optional<BlockedRank> first =
        nobodys(group)
            .flatMap(wait -> Optional.ofNullable(group.waits().get(wait.rank())))
            .or(() -> group.waits().values().stream().findFirst());
    Optional<SignalWait> wait = first.flatMap(BlockedRank::awaited);
    return new Finding(
        Finding.Kind.DEADLOCK,
        Finding.Kind.DEADLOCK.severity(),
        sentence(group),
        hint(group),
        List.copyOf(ranks),
        wait.map(awaited -> awaited.window().buffer()),
        wait.map(awaited -> Words.cell(awaited.coordinates())),
        Optional.empty(),
        Optional.empty(),
        wait.isPresent() ? first.map(blocked -> (long) blocked.seen()) : Optional.empty(),
        wait.map(awaited -> (long) awaited.expected()),
        places(group));
  }

  private String sentence(Group group) {
    if (group.waits().isEmpty()) {
      return group.stuck().values().stream()
          .map(stuck -> "rank " + stuck.rank() + " can't go on: " + stuck.reason())
          .collect(Collectors.joining("; "));
    }
    Optional<Held> held = firstHeld(group);
    if (held.isPresent()) {
      return Words.sharing(held.get())
          + ", so they run one after the other; but "
          + String.join("; ", Words.shortened(waits(group), SPELLED_OUT))
          + others(group, held.get());
    }
    return lead(group)
        + String.join("; ", Words.shortened(waits(group), SPELLED_OUT))
        + misdirected(group)
        + stuck(group);
  }

  /** The first dispatch that can't begin because the waiting one uses the same bytes. */
  private static Optional<Held> firstHeld(Group group) {
    return group.stuck().values().stream()
        .flatMap(stuck -> stuck.held().stream())
        .filter(held -> group.waits().containsKey(held.earlier().rank()))
        .findFirst();
  }

  private static String others(Group group, Held told) {
    List<String> parts =
        group.stuck().values().stream()
            .filter(stuck -> stuck.held().filter(told::equals).isEmpty())
            .map(stuck -> "rank " + stuck.rank() + " can't go on: " + stuck.reason())
            .toList();
    return parts.isEmpty() ? "" : "; " + String.join("; ", Words.shortened(parts, SPELLED_OUT));
  }

  private String lead(Group group) {
    Optional<SignalWait> root = nobodys(group);
    if (root.isPresent()) {
      return "no rank notifies cell %s of %s on rank %d, which waits for it: "
          .formatted(
              Words.cell(root.get().coordinates()),
              Words.window(root.get().window()),
              root.get().rank());
    }
    if (!group.absent().isEmpty()) {
      return "%s %s: ".formatted(Words.ranks(group.absent()), absence(group));
    }
    if (!group.cycle().isEmpty()) {
      List<String> circle = new ArrayList<>();
      group.cycle().forEach(rank -> circle.add(String.valueOf(rank)));
      circle.add(String.valueOf(group.cycle().getFirst()));
      var behind = new TreeSet<Integer>(group.waits().keySet());
      behind.removeAll(group.mutual());
      return "%s wait for each other (%s)%s and no notify can come: "
          .formatted(
              Words.ranks(group.mutual()),
              String.join(" -> ", circle),
              behind.isEmpty() ? "" : ", " + Words.ranks(behind) + " behind them,");
    }
    return "no notify can come any more: ";
  }

  /** The first wait of a group for what no rank would ever notify. */
  private Optional<SignalWait> nobodys(Group group) {
    return group.waits().keySet().stream().map(group::wait).filter(suspects::isNobodys).findFirst();
  }

  private String absence(Group group) {
    boolean neverStarted = group.absent().stream().allMatch(rank -> progress.dispatches(rank) == 0);
    if (neverStarted) {
      return group.absent().size() == 1 ? "was never dispatched" : "were never dispatched";
    }
    Optional<CollectiveCall> call = openCall(group);
    if (call.isPresent() && progress.behind(call.get()).containsAll(group.absent())) {
      return "finished without entering %s (call %d, %s)"
          .formatted(call.get().op(), index(call.get()), Words.line(call.get().span()));
    }
    return "finished without the notify";
  }

  /** Which of its domain's collective calls this is for the rank, from 1. */
  private int index(CollectiveCall call) {
    return progress.calls(call.rank(), call.window().domain());
  }

  private Optional<CollectiveCall> openCall(Group group) {
    return group.waits().keySet().stream()
        .map(progress::open)
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** What the ranks wait for, those that wait for the same in one part. */
  private static List<String> waits(Group group) {
    Map<String, List<Integer>> parts = new LinkedHashMap<>();
    for (BlockedRank blocked : group.waits().values()) {
      parts.computeIfAbsent(awaited(group, blocked), _ -> new ArrayList<>()).add(blocked.rank());
    }
    return parts.entrySet().stream()
        .map(
            part ->
                Words.ranks(part.getValue())
                    + (part.getValue().size() == 1 ? " waits" : " wait")
                    + part.getKey())
        .toList();
  }

  private static String awaited(Group group, BlockedRank blocked) {
    SignalWait wait = group.wait(blocked.rank());
    List<Integer> expected = group.suspectsOf(blocked.rank());
    String whom = expected.isEmpty() ? "" : " for " + Words.ranks(expected);
    return "%s on cell %s of %s (%s), which holds %d and needs %s"
        .formatted(
            whom,
            Words.cell(wait.coordinates()),
            Words.window(wait.window()),
            Words.line(wait.span()),
            blocked.seen(),
            Words.needs(wait));
  }

  /** The first notify that went to a cell nobody waits on; the places name them all. */
  private String misdirected(Group group) {
    var parts = new ArrayList<String>();
    for (int rank : group.waits().keySet()) {
      for (Credit credit : misdirected(group, rank)) {
        Notification notification = credit.notification();
        parts.add(
            "rank %d notified cell %s on rank %d, where nobody waits"
                .formatted(
                    notification.rank(),
                    Words.cell(notification.coordinates()),
                    notification.owner()));
      }
    }
    return switch (parts.size()) {
      case 0 -> "";
      case 1 -> "; " + parts.getFirst();
      default -> "; " + parts.getFirst() + " (and " + (parts.size() - 1) + " more like it)";
    };
  }

  private static String stuck(Group group) {
    return group.stuck().values().stream()
        .map(stuck -> "; rank " + stuck.rank() + " can't go on: " + stuck.reason())
        .collect(Collectors.joining());
  }

  private List<Place> places(Group group) {
    var places = new ArrayList<Place>();
    firstHeld(group)
        .ifPresent(
            held -> {
              places.add(
                  new Place(
                      held.earlier().rank(),
                      held.earlier().span(),
                      "is dispatched first, and waits"));
              places.add(
                  new Place(
                      held.later().rank(),
                      held.later().span(),
                      "can't begin before: it uses " + held.bytes() + ", too"));
            });
    for (BlockedRank blocked : group.waits().values()) {
      places.add(waiting(group, blocked));
    }
    for (int rank : group.absent()) {
      parting(group, rank).ifPresent(parting -> places.add(place(parting)));
    }
    if (!group.absent().isEmpty()) {
      missedDispatch(group)
          .ifPresent(
              dispatch ->
                  places.add(
                      new Place(
                          dispatch.rank(),
                          dispatch.span(),
                          "the dispatch that " + Words.ranks(group.absent()) + " did not get")));
    }
    abstentions(group).forEach(abstention -> places.add(place(abstention)));
    for (int rank : group.waits().keySet()) {
      SignalWait wait = group.wait(rank);
      for (Credit credit : misdirected(group, rank)) {
        places.add(place(credit, "no wait reads it"));
      }
      for (Credit credit : firstOfEachSite(ledger.cell(wait).unread())) {
        places.add(place(credit, "not enough for the wait"));
      }
    }
    return places;
  }

  private Place waiting(Group group, BlockedRank blocked) {
    SignalWait wait = group.wait(blocked.rank());
    String inside =
        progress
            .open(blocked.rank())
            .map(call -> ", inside %s (call %d)".formatted(call.op(), index(call)))
            .orElse("");
    return new Place(
        blocked.rank(),
        wait.span(),
        "waits on cell %s of %s: holds %d, needs %s%s"
            .formatted(
                Words.cell(wait.coordinates()),
                Words.window(wait.window()),
                blocked.seen(),
                Words.needs(wait),
                inside));
  }

  private static Place place(Credit credit, String remark) {
    Notification notification = credit.notification();
    return new Place(
        notification.rank(), notification.span(), Words.notifies(notification) + "; " + remark);
  }

  private static Place place(Abstention abstention) {
    Parting parting = abstention.parting();
    return new Place(
        parting.rank(),
        parting.span(),
        "rank %d %s this branch and never notified; %s went the other way and did"
            .formatted(
                parting.rank(),
                parting.taken() ? "took" : "did not take",
                Words.ranks(abstention.givers())));
  }

  private static Place place(Parting parting) {
    return new Place(
        parting.rank(),
        parting.span(),
        "rank %d %s this branch; the waiting ranks went the other way"
            .formatted(parting.rank(), parting.taken() ? "took" : "did not take"));
  }

  /** Credits of those that {@code rank} waits for in cells that it has never waited on. */
  private List<Credit> misdirected(Group group, int rank) {
    return firstOfEachSite(
        suspects.misdirected(group.wait(rank)).stream()
            .filter(credit -> group.suspectsOf(rank).contains(credit.notification().rank()))
            .toList());
  }

  /** A rank that waits, is waited for, and went around the notify that others have sent. */
  private record Abstention(Parting parting, List<Integer> givers) {}

  private List<Abstention> abstentions(Group group) {
    var found = new TreeMap<Integer, Abstention>();
    for (int rank : group.waits().keySet()) {
      Map<Integer, Notification> givers = suspects.givers(group.wait(rank));
      if (givers.isEmpty()) {
        continue;
      }
      Notification example = givers.values().iterator().next();
      for (int suspect : group.suspectsOf(rank)) {
        if (!givers.containsKey(suspect) && group.waits().containsKey(suspect)) {
          branches
              .abstention(suspect, givers.keySet(), example.span())
              .ifPresent(
                  parting ->
                      found.putIfAbsent(
                          suspect, new Abstention(parting, List.copyOf(givers.keySet()))));
        }
      }
    }
    return List.copyOf(found.values());
  }

  private static List<Credit> firstOfEachSite(Collection<Credit> credits) {
    var sites = new TreeSet<Span>(Findings.SPANS);
    return credits.stream().filter(credit -> sites.add(credit.notification().span())).toList();
  }

  private Optional<Parting> parting(Group group, int rank) {
    return branches.parting(rank, group.waits().keySet());
  }

  private String hint(Group group) {
    if (group.waits().isEmpty()) {
      return "a dispatch waits for one that never finishes";
    }
    return Stream.of(
            shared(group),
            unsent(group),
            sharedSet(group),
            overshoot(group),
            worthless(group),
            absent(group),
            abstained(group),
            elsewhere(group))
        .flatMap(Optional::stream)
        .findFirst()
        .orElseGet(() -> tooFew(group));
  }

  private Optional<String> unsent(Group group) {
    return nobodys(group)
        .map(
            wait ->
                "let some rank notify cell %s of rank %d, or let rank %d go around the wait on %s: the rank that it means may not exist"
                    .formatted(
                        Words.cell(wait.coordinates()),
                        wait.rank(),
                        wait.rank(),
                        Words.line(wait.span())));
  }

  private static Optional<String> shared(Group group) {
    return firstHeld(group)
        .map(
            held ->
                "give each rank its own part of the tensor, as y[r] for rank r: ranks that wait for"
                    + " each other have to run at the same time, and "
                    + held.bytes()
                    + " has room for one at a time");
  }

  private static Optional<String> overshoot(Group group) {
    return group.waits().values().stream()
        .filter(blocked -> group.wait(blocked.rank()).exact())
        .filter(blocked -> blocked.seen() > group.wait(blocked.rank()).expected())
        .findFirst()
        .map(
            blocked ->
                "the cell went past %d before rank %d looked: wait with pld.WaitCmp.Ge"
                    .formatted(group.wait(blocked.rank()).expected(), blocked.rank()));
  }

  private Optional<String> worthless(Group group) {
    return unreadOfAwaited(group)
        .filter(credit -> credit.notification().value() <= 0)
        .findFirst()
        .map(
            credit ->
                "rank %d's notify on %s has value %d, which lets no wait through: notify at least 1"
                    .formatted(
                        credit.notification().rank(),
                        Words.line(credit.notification().span()),
                        credit.notification().value()));
  }

  private Optional<String> sharedSet(Group group) {
    return group.waits().keySet().stream()
        .map(rank -> ledger.cell(group.wait(rank)))
        .filter(cell -> cell.senders().size() > 1 && cell.lastSet().isPresent())
        .findFirst()
        .map(
            cell ->
                "several ranks Set cell %s of %s, so only the last value stays: use pld.NotifyOp.AtomicAdd, and wait for the number of credits with pld.WaitCmp.Ge"
                    .formatted(Words.cell(cell.coordinates()), Words.window(cell.window())));
  }

  private Optional<String> absent(Group group) {
    if (group.absent().isEmpty()) {
      return Optional.empty();
    }
    Map<Span, List<Integer>> left = new LinkedHashMap<>();
    for (int rank : group.absent()) {
      parting(group, rank)
          .ifPresent(
              parting ->
                  left.computeIfAbsent(parting.span(), _ -> new ArrayList<>()).add(parting.rank()));
    }
    Optional<Map.Entry<Span, List<Integer>>> first = left.entrySet().stream().findFirst();
    if (first.isPresent()) {
      return Optional.of(
          "every rank of the domain must take part, also one without work: %s left the others at the branch on %s"
              .formatted(Words.ranks(first.get().getValue()), Words.line(first.get().getKey())));
    }
    Optional<DispatchInfo> missed = missedDispatch(group);
    if (missed.isPresent()) {
      return Optional.of(
          "dispatch '%s' (%s) on every rank of the domain, as pl.range(pld.world_size()) does: %s"
                  .formatted(
                      missed.get().function(),
                      Words.line(missed.get().span()),
                      Words.ranks(group.absent()))
              + (group.absent().size() == 1 ? " lacks it" : " lack it"));
    }
    return elsewhere(group)
        .or(() -> Optional.of("every rank of the domain must notify, also one without work"));
  }

  /** What a waiting rank works on, when all that it waits for have had fewer dispatches. */
  private Optional<DispatchInfo> missedDispatch(Group group) {
    return group.waits().keySet().stream()
        .filter(
            waiting ->
                group.absent().stream()
                    .allMatch(rank -> progress.dispatches(rank) < progress.dispatches(waiting)))
        .findFirst()
        .filter(_ -> group.absent().stream().allMatch(rank -> parting(group, rank).isEmpty()))
        .flatMap(progress::latest);
  }

  private Optional<String> abstained(Group group) {
    return abstentions(group).stream()
        .findFirst()
        .map(
            one ->
                "every rank that is waited for must notify: rank %d went around the notify at the branch on %s"
                    .formatted(one.parting().rank(), Words.line(one.parting().span())));
  }

  private Optional<String> elsewhere(Group group) {
    for (int rank : group.waits().keySet()) {
      SignalWait wait = group.wait(rank);
      for (Credit credit : misdirected(group, rank)) {
        Notification notification = credit.notification();
        return Optional.of(
            "notify and wait must name the same cell: rank %d waits on %s (%s) and rank %d notifies %s (%s); the row is the sender's rank on both sides"
                .formatted(
                    rank,
                    Words.cell(wait.coordinates()),
                    Words.line(wait.span()),
                    notification.rank(),
                    Words.cell(notification.coordinates()),
                    Words.line(notification.span())));
      }
    }
    return Optional.empty();
  }

  private String tooFew(Group group) {
    boolean nothingSent =
        group.waits().keySet().stream()
            .allMatch(rank -> ledger.cell(group.wait(rank)).senders().isEmpty());
    if (nothingSent) {
      return group.cycle().isEmpty()
          ? "no rank ever notifies this cell: add the notify, or wait on the cell that is notified"
          : "notify before waiting: each of these ranks would notify only after its own wait";
    }
    return "fewer credits arrive than the wait needs: let every awaited rank notify once for each"
        + " round, or lower `expected`";
  }

  private Stream<Credit> unreadOfAwaited(Group group) {
    return group.waits().keySet().stream()
        .flatMap(rank -> ledger.cell(group.wait(rank)).unread().stream());
  }
}
