package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.observe.CreditCell.Credit;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Recognises barriers from what ranks do, built-in and hand-written alike: a rank notifies all
 * other members of a domain on one window and then uses up a credit of each of them, with no data
 * access in between. The k-th time that a rank does so on a window is its part in the window's
 * round k.
 */
final class BarrierAnatomy implements FabricListener {

  private record Lane(int window, int rank) {}

  private record Key(int window, int round) {}

  /** What a rank has done towards its next barrier on a window. */
  private static final class Episode {
    final BitSet told = new BitSet();
    final BitSet heard = new BitSet();
    boolean waiting;
    Span span = Span.NONE;
    long arrived;
    long arrivedWall;
    int rounds;

    void restart() {
      told.clear();
      heard.clear();
      waiting = false;
    }

    boolean isBegun() {
      return !told.isEmpty();
    }
  }

  private static final class Round {
    final Span[] spans;
    final long[] arrived;
    final long[] released;
    final long[] waitWall;
    int complete;

    Round(int members) {
      spans = new Span[members];
      arrived = new long[members];
      released = new long[members];
      waitWall = new long[members];
    }
  }

  private final CreditLedger ledger;
  private final LongSupplier wallClock;
  private final Map<Lane, Episode> episodes = new HashMap<>();
  private final List<Map<Integer, Episode>> begun = new ArrayList<>();
  private final Map<Key, Round> rounds = new HashMap<>();
  private final List<BarrierRound> finished = new ArrayList<>();

  /** {@code ledger} has to hear every event first. */
  BarrierAnatomy(int ranks, CreditLedger ledger, LongSupplier wallClock) {
    this.ledger = ledger;
    this.wallClock = wallClock;
    for (int rank = 0; rank < ranks; rank++) {
      begun.add(new HashMap<>());
    }
  }

  @Override
  public void accessed(Access access) {
    Map<Integer, Episode> open = begun.get(access.rank());
    if (!open.isEmpty()) {
      open.values().forEach(Episode::restart);
      open.clear();
    }
  }

  @Override
  public void notified(Notification notification) {
    WindowInfo window = notification.window();
    Episode episode = episode(window, notification.rank());
    if (episode.waiting || notification.isSelf()) {
      episode.restart();
    }
    if (!notification.isSelf()) {
      episode.told.set(Members.local(window.members(), notification.owner()));
      begun.get(notification.rank()).put(window.index(), episode);
    }
  }

  @Override
  public void waitStarted(SignalWait wait, int seen) {
    Episode episode = episode(wait.window(), wait.rank());
    if (episode.waiting) {
      return;
    }
    int others = wait.window().members().size() - 1;
    if (others == 0 || episode.told.cardinality() < others) {
      episode.restart();
      return;
    }
    episode.waiting = true;
    episode.span = wait.span();
    episode.arrived = wait.startNanos();
    episode.arrivedWall = wallClock.getAsLong();
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    WindowInfo window = wait.window();
    Episode episode = episode(window, wait.rank());
    if (!episode.waiting || !episode.isBegun()) {
      return;
    }
    for (Credit credit : ledger.lastUsed()) {
      episode.heard.set(Members.local(window.members(), credit.notification().rank()));
    }
    if (episode.heard.cardinality() == window.members().size() - 1) {
      released(window, wait.rank(), episode, virtualNanos);
      episode.restart();
      begun.get(wait.rank()).remove(window.index());
    }
  }

  private Episode episode(WindowInfo window, int rank) {
    return episodes.computeIfAbsent(new Lane(window.index(), rank), _ -> new Episode());
  }

  private void released(WindowInfo window, int rank, Episode episode, long virtualNanos) {
    int members = window.members().size();
    Key key = new Key(window.index(), ++episode.rounds);
    Round round = rounds.computeIfAbsent(key, _ -> new Round(members));
    int local = Members.local(window.members(), rank);
    round.spans[local] = episode.span;
    round.arrived[local] = episode.arrived;
    round.released[local] = virtualNanos;
    round.waitWall[local] = wallClock.getAsLong() - episode.arrivedWall;
    if (++round.complete == members) {
      rounds.remove(key);
      finished.add(describe(window, key.round(), round));
    }
  }

  private static BarrierRound describe(WindowInfo window, int number, Round round) {
    int last = 0;
    var waits = new ArrayList<Long>();
    for (int local = 0; local < round.arrived.length; local++) {
      if (round.arrived[local] > round.arrived[last]) {
        last = local;
      }
      waits.add(round.released[local] - round.arrived[local]);
    }
    long first = Arrays.stream(round.arrived).min().orElseThrow();
    long released = Arrays.stream(round.released).max().orElseThrow();
    return new BarrierRound(
        round.spans[0],
        window.buffer(),
        number,
        window.members(),
        window.members().get(last),
        round.arrived[last] - first,
        released - round.arrived[last],
        waits,
        Arrays.stream(round.waitWall).boxed().toList());
  }

  /** Complete rounds, in the order in which they ended. */
  List<BarrierRound> barriers() {
    return List.copyOf(finished);
  }
}
