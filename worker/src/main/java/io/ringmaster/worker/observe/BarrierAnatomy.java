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
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Recognises barriers from what ranks do, built-in and hand-written alike: a rank notifies others
 * on one window and waits there until it has heard of all other members of the domain, with no data
 * access in between. It may hear of each by a credit of its own, as in most barriers, or of some
 * through others, as with a rank in the centre that counts the arrivals or with steps of growing
 * distance. The k-th time that a rank does so on a window is its part in the window's round k.
 *
 * <p>What is heard through others is followed for at most 64 ranks.
 */
final class BarrierAnatomy implements FabricListener {

  private record Key(int window, int round) {}

  /**
   * What a notify tells about its sender.
   *
   * @param rounds barriers on the window that the sender has behind it
   * @param arrived members that the sender knew to have arrived at the next one, a bit for each
   */
  private record Told(int rounds, long arrived) {}

  /** What a rank has done towards its next barrier on a window. */
  private static final class Episode {
    final BitSet told = new BitSet();
    final BitSet heard = new BitSet();

    /** Members that are known to have arrived, a bit for each. */
    long arrivals;

    boolean waiting;

    /** All have been notified before the first wait, so that each has to be heard of itself. */
    boolean meshed;

    /** All have arrived, and what is missing is to tell somebody so. */
    boolean central;

    Span span = Span.NONE;
    long arrived;
    long arrivedWall;
    long released;
    long releasedWall;
    int rounds;

    void restart() {
      told.clear();
      heard.clear();
      arrivals = 0;
      waiting = false;
      meshed = false;
      central = false;
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
  private final Optional<Timeline> timeline;

  /** By window and rank. */
  private final Map<Integer, @Nullable Episode[]> episodes = new HashMap<>();

  private final List<Map<Integer, Episode>> begun = new ArrayList<>();
  private final Map<Key, Round> rounds = new HashMap<>();

  /** What notifies that nobody has waited for yet tell; empty where ranks are too many. */
  private final Map<Long, Told> underWay = new HashMap<>();

  private final boolean indirect;
  private final List<BarrierRound> finished = new ArrayList<>();

  /** {@code ledger} has to hear every event first. */
  BarrierAnatomy(
      int ranks, CreditLedger ledger, LongSupplier wallClock, Optional<Timeline> timeline) {
    this.timeline = timeline;
    this.ledger = ledger;
    this.wallClock = wallClock;
    this.indirect = ranks <= Long.SIZE;
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
    if (episode.central && !notification.isSelf()) {
      released(window, notification.rank(), episode);
      episode.restart();
    } else if (notification.isSelf() || (episode.waiting && (episode.meshed || !indirect))) {
      episode.restart();
    }
    if (!notification.isSelf()) {
      episode.told.set(Members.local(window.members(), notification.owner()));
      begun.get(notification.rank()).put(window.index(), episode);
      if (indirect) {
        underWay.put(
            notification.id(),
            new Told(episode.rounds, episode.arrivals | bit(window, notification.rank())));
      }
    }
  }

  @Override
  public void waitStarted(SignalWait wait, int seen) {
    Episode episode = episode(wait.window(), wait.rank());
    if (episode.waiting) {
      return;
    }
    int others = wait.window().members().size() - 1;
    episode.meshed = episode.told.cardinality() == others;
    if (others == 0 || !(episode.meshed || indirect)) {
      episode.restart();
      return;
    }
    episode.waiting = true;
    episode.span = wait.span();
    episode.arrived = wait.startNanos();
    episode.arrivedWall = wallClock.getAsLong();
    begun.get(wait.rank()).put(wait.window().index(), episode);
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    WindowInfo window = wait.window();
    Episode episode = episode(window, wait.rank());
    for (Credit credit : ledger.lastUsed()) {
      Notification heard = credit.notification();
      Told told = underWay.remove(heard.id());
      if (episode.waiting) {
        episode.heard.set(Members.local(window.members(), heard.rank()));
        learn(episode, told);
      }
    }
    if (!episode.waiting || episode.central) {
      return;
    }
    int others = window.members().size() - 1;
    boolean complete =
        episode.meshed
            ? episode.heard.cardinality() == others
            : ((episode.arrivals | bit(window, wait.rank())) & everybody(window))
                == everybody(window);
    if (complete) {
      episode.released = virtualNanos;
      episode.releasedWall = wallClock.getAsLong();
      // Who only waits is a consumer, unless it tells the others next.
      episode.central = !episode.isBegun();
      if (!episode.central) {
        released(window, wait.rank(), episode);
        episode.restart();
        begun.get(wait.rank()).remove(window.index());
      }
    }
  }

  /** Whoever has a barrier behind it that this rank is still in, has heard of everybody there. */
  private static void learn(Episode episode, @Nullable Told told) {
    if (told != null && told.rounds() >= episode.rounds) {
      episode.arrivals |= told.rounds() > episode.rounds ? -1L : told.arrived();
    }
  }

  private static long everybody(WindowInfo window) {
    return -1L >>> (Long.SIZE - window.members().size());
  }

  private static long bit(WindowInfo window, int rank) {
    return 1L << Members.local(window.members(), rank);
  }

  private Episode episode(WindowInfo window, int rank) {
    @Nullable Episode[] ofWindow =
        episodes.computeIfAbsent(window.index(), _ -> new @Nullable Episode[begun.size()]);
    Episode episode = ofWindow[rank];
    if (episode == null) {
      episode = new Episode();
      ofWindow[rank] = episode;
    }
    return episode;
  }

  private void released(WindowInfo window, int rank, Episode episode) {
    int members = window.members().size();
    Key key = new Key(window.index(), ++episode.rounds);
    Round round = rounds.computeIfAbsent(key, _ -> new Round(members));
    int local = Members.local(window.members(), rank);
    round.spans[local] = episode.span;
    round.arrived[local] = episode.arrived;
    round.released[local] = episode.released;
    round.waitWall[local] = episode.releasedWall - episode.arrivedWall;
    timeline.ifPresent(
        line ->
            line.barrier(
                rank,
                window.buffer(),
                key.round(),
                episode.span,
                episode.arrived,
                episode.released));
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
