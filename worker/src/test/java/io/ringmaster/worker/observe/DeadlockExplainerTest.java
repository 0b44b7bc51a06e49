package io.ringmaster.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Kind;
import io.ringmaster.worker.fabric.Finding.Place;
import io.ringmaster.worker.fabric.WindowInfo;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeadlockExplainerTest {

  private static Finding only(Rehearsal stage) {
    List<Finding> deadlocks = Found.of(stage.run(), Kind.DEADLOCK);
    assertThat(deadlocks).hasSize(1);
    return deadlocks.getFirst();
  }

  /** K05: notify writes the row numbered like the receiver, wait reads the sender's row. */
  @Test
  void k05CreditsInTheWrongRowAreShown() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank -> {
          int peer = 1 - rank.number();
          rank.line(10).notify(peer, sig, peer, 0).line(12).await(1, sig, peer, 0);
        });
    Finding deadlock = only(stage);
    assertThat(deadlock.message())
        .contains(
            "rank 0 waits for rank 1 on cell [1, 0] of `sig` (line 12), which holds 0 and needs at"
                + " least 1")
        .contains("rank 1 notified cell [0, 0] on rank 0, where nobody waits");
    assertThat(deadlock.hint()).contains("must name the same cell");
    assertThat(deadlock.ranks()).containsExactly(0, 1);
    assertThat(deadlock.places())
        .extracting(place -> place.span().line())
        .containsExactly(12, 12, 10, 10);
  }

  /** K07: every rank waits first and notifies afterwards. */
  @Test
  void k07WaitingBeforeNotifyingIsACircle() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank -> {
          int left = (rank.number() + 2) % 3;
          rank.line(8 + rank.number()).await(1, sig, left, 0);
          rank.line(20).notify((rank.number() + 1) % 3, sig, rank.number(), 0);
        });
    Finding deadlock = only(stage);
    assertThat(deadlock.message())
        .startsWith(
            "ranks 0, 1 and 2 wait for each other (0 -> 2 -> 1 -> 0) and no notify can come");
    assertThat(deadlock.hint()).startsWith("notify before waiting");
    assertThat(deadlock.places())
        .extracting(place -> place.span().line())
        .containsExactly(8, 9, 10);
  }

  /** Two ranks in a circle, and two that only wait for one of them. */
  @Test
  void ranksOutsideTheCircleAreSaidToBeBehindIt() {
    Rehearsal stage = new Rehearsal(4);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank -> {
          int other = rank.number() == 0 ? 1 : 0;
          rank.line(10).await(1, sig, other, 0);
          rank.line(20).notify(other, sig, rank.number(), 0);
        });
    assertThat(only(stage).message())
        .startsWith(
            "ranks 0 and 1 wait for each other (0 -> 1 -> 0), ranks 2 and 3 behind them, and no"
                + " notify can come: ");
  }

  /** K09: a rank with no work leaves before the barrier. */
  @Test
  void k09ARankThatLeavesIsAbsentWithItsBranch() {
    Rehearsal stage = new Rehearsal(4);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank -> {
          rank.line(1).dispatch(rank.number(), "step");
          rank.line(5).branch(rank.number() == 0);
          rank.line(6).branch(rank.number() != 2);
          if (rank.number() != 2) {
            for (int peer = 0; peer < 4; peer++) {
              rank.line(7).branch(peer != rank.number());
            }
            rank.line(8).barrier(sig, 1);
          }
          rank.endDispatch(rank.number());
        });
    Finding deadlock = only(stage);
    assertThat(deadlock.message())
        .startsWith(
            "rank 2 finished without the notify: ranks 0, 1 and 3 wait for rank 2 on cell [2, 0]");
    assertThat(deadlock.ranks()).containsExactly(0, 1, 2, 3);
    assertThat(deadlock.places())
        .contains(
            new Place(
                2,
                stage.rank(2).line(6).span(),
                "rank 2 did not take this branch; the waiting ranks went the other way"));
    assertThat(deadlock.hint()).contains("rank 2 left the others at the branch on line 6");
  }

  @Test
  void aCollectiveThatARankSkipsIsNamed() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo data = stage.window("data", RankScript.ROW);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank -> {
          rank.line(1).dispatch(rank.number(), "step");
          rank.line(6).branch(rank.number() != 1);
          if (rank.number() != 1) {
            rank.line(8).enter("barrier", "credit", sig).barrier(sig, 1).clear(sig, 1).leave();
          }
          rank.line(9).load(data, 0).endDispatch(rank.number());
        });
    Finding deadlock = only(stage);
    assertThat(deadlock.message())
        .startsWith(
            "rank 1 finished without entering barrier (call 1, line 8): ranks 0 and 2 wait for rank"
                + " 1");
    assertThat(deadlock.places().getFirst().what()).endsWith("inside barrier (call 1)");
    assertThat(deadlock.hint()).contains("line 6");
  }

  @Test
  void aRankWithoutADispatchIsNamed() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo sig = stage.signal("sig");
    for (int rank = 0; rank < 2; rank++) {
      stage.rank(rank).line(1).dispatch(rank, "step").line(4).barrier(sig, 1).endDispatch(rank);
    }
    Finding deadlock = only(stage);
    assertThat(deadlock.message())
        .startsWith("rank 2 was never dispatched: ranks 0 and 1 wait for rank 2");
    assertThat(deadlock.hint())
        .isEqualTo(
            "dispatch 'step' (line 1) on every rank of the domain, as pl.range(pld.world_size())"
                + " does: rank 2 lacks it");
  }

  @Test
  void aNotifyOfZeroLetsNobodyThrough() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo sig = stage.signal("sig");
    stage.rank(0).line(3).add(1, 0, sig, 0, 0);
    stage.rank(1).line(5).await(1, sig, 0, 0);
    assertThat(only(stage).hint()).contains("notify on line 3 has value 0", "notify at least 1");
  }

  @Test
  void anExactWaitThatWasOvertakenSaysSo() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo sig = stage.signal("sig");
    stage.rank(0).line(3).notify(1, sig, 0, 0).line(4).notify(1, sig, 0, 0);
    stage.rank(1).compute(1000).line(6).awaitExactly(1, sig, 0, 0);
    Finding deadlock = only(stage);
    assertThat(deadlock.message()).contains("which holds 2 and needs exactly 1");
    assertThat(deadlock.hint()).contains("pld.WaitCmp.Ge");
  }

  @Test
  void tooFewCreditsNameTheRanksThatAreMissing() {
    Rehearsal stage = new Rehearsal(4);
    WindowInfo sig = stage.signal("sig", 1, 1);
    stage.rank(1).line(3).dispatch(1, "step").notify(0, sig, 0, 0).endDispatch(1);
    stage.rank(2).line(3).dispatch(2, "step").notify(0, sig, 0, 0).endDispatch(2);
    stage.rank(3).line(3).dispatch(3, "step").endDispatch(3);
    stage.rank(0).line(5).dispatch(0, "step").await(3, sig, 0, 0);
    Finding deadlock = only(stage);
    assertThat(deadlock.message())
        .startsWith("rank 3 finished without the notify: rank 0 waits for rank 3 on cell [0, 0]")
        .contains("which holds 2 and needs at least 3");
  }

  @Test
  void groupsThatDontWaitForEachOtherAreReportedApart() {
    Rehearsal stage = new Rehearsal(4);
    WindowInfo left = stage.window("left", 8, "d0", List.of(0, 1));
    WindowInfo right = stage.window("right", 8, "d1", List.of(2, 3));
    for (int rank = 0; rank < 4; rank++) {
      WindowInfo sig = rank < 2 ? left : right;
      stage.rank(rank).line(3).await(1, sig, 1 - sig.localRank(rank), 0);
    }
    List<Finding> deadlocks = Found.of(stage.run(), Kind.DEADLOCK);
    assertThat(deadlocks).extracting(Finding::ranks).containsExactly(List.of(0, 1), List.of(2, 3));
    assertThat(deadlocks.get(1).message()).contains("(2 -> 3 -> 2)");
  }

  @Test
  void aRunThatFinishesHasNoDeadlock() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(rank -> rank.line(3).barrier(sig, 1).clear(sig, 1));
    assertThat(stage.run().findings()).isEmpty();
  }
}
