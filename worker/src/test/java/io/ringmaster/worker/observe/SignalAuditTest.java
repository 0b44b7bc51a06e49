package io.ringmaster.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Kind;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Credits: stale, lost, wrapped, overtaken, left behind, and cells under two layouts. */
class SignalAuditTest {

  /** Two rounds that share one signal; each Sets 1 on the own row at the peer and waits for 1. */
  private static Rehearsal k01(boolean data, boolean ownRowPerRound) {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo rows = stage.window("data", 4 * RankScript.ROW);
    WindowInfo sig = stage.signal("sig", 4, 1);
    return stage.everyRank(
        rank -> {
          for (int round = 0; round < 2; round++) {
            int first = ownRowPerRound ? 2 * round : 0;
            int peer = 1 - rank.number();
            if (data) {
              rank.line(10 + 10 * round).store(rows, 2 * round + rank.number());
            }
            rank.line(12 + 10 * round).set(peer, 1, sig, first + rank.number(), 0);
            rank.line(14 + 10 * round).await(1, sig, first + peer, 0);
            if (data) {
              rank.line(16 + 10 * round).remoteLoad(peer, rows, 2 * round + peer);
            }
          }
        });
  }

  @Test
  void k01AReusedSignalLetsTheSecondWaitPassOnTheFirstCredit() {
    for (long seed = 0; seed < 100; seed++) {
      Observation observation = k01(true, false).run(seed);
      List<Finding> stale = Found.of(observation, Kind.STALE_CREDIT);
      assertThat(stale).as("seed %d", seed).hasSize(1);
      assertThat(stale.getFirst().message())
          .contains("(line 24) was let through by", "notify on line 12", "wait on line 14")
          .contains("notify on line 22 was not waited for");
      assertThat(stale.getFirst().places())
          .extracting(place -> place.span().line())
          .containsExactly(24, 12, 14, 22);
      assertThat(Found.of(observation, Kind.RACE)).as("seed %d", seed).hasSize(1);
      assertThat(Found.of(observation, Kind.LOST_CREDIT)).isEmpty();
    }
  }

  @Test
  void k01IsFoundWithoutDataToo() {
    assertThat(Found.errors(k01(false, false).run())).containsExactly(Kind.STALE_CREDIT);
  }

  @Test
  void k01TwinWithARowPerRoundIsClean() {
    for (long seed = 0; seed < 100; seed++) {
      assertThat(Found.errors(k01(true, true).run(seed))).isEmpty();
    }
  }

  @Test
  void countersThatGrowWithAMatchingExpectedAreClean() {
    for (boolean set : new boolean[] {true, false}) {
      for (long seed = 0; seed < 100; seed++) {
        Rehearsal stage = new Rehearsal(2);
        WindowInfo sig = stage.signal("sig");
        stage.everyRank(
            rank -> {
              int peer = 1 - rank.number();
              for (int round = 1; round <= 5; round++) {
                if (set) {
                  rank.line(3).set(peer, round, sig, rank.number(), 0);
                } else {
                  rank.line(3).notify(peer, sig, rank.number(), 0);
                }
                rank.line(4).await(round, sig, peer, 0);
              }
            });
        assertThat(Found.errors(stage.run(seed))).as("set %s, seed %d", set, seed).isEmpty();
      }
    }
  }

  /** An added counter with a fixed expected value stops blocking in the second round. */
  @Test
  void aGrowingCounterWithAFixedExpectedIsStale() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank -> {
          for (int round = 0; round < 6; round++) {
            rank.line(8).barrier(sig, 1);
          }
        });
    List<Finding> stale = Found.of(stage.run(), Kind.STALE_CREDIT);
    assertThat(stale).hasSize(1);
    assertThat(stale.getFirst().hint()).contains("its own row", "wait for one more");
  }

  @Test
  void aSecondWaitOnAFlagThatIsSetOnceIsLegal() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo sig = stage.signal("sig");
    stage.rank(0).line(3).set(1, 1, sig, 0, 0);
    stage.rank(1).line(5).await(1, sig, 0, 0).line(6).await(1, sig, 0, 0);
    assertThat(Found.errors(stage.run())).isEmpty();
  }

  /** K04: all ranks signal one shared cell of every peer. */
  private static Rehearsal k04(boolean set, int expected) {
    Rehearsal stage = new Rehearsal(4);
    WindowInfo data = stage.window("data", 4 * RankScript.ROW);
    WindowInfo sig = stage.signal("sig", 1, 1);
    return stage.everyRank(
        rank -> {
          rank.line(5).store(data, rank.number());
          for (int peer = 0; peer < 4; peer++) {
            if (peer != rank.number()) {
              if (set) {
                rank.line(7).set(peer, 1, sig, 0, 0);
              } else {
                rank.line(7).notify(peer, sig, 0, 0);
              }
            }
          }
          rank.line(9).await(expected, sig, 0, 0);
          for (int peer = 0; peer < 4; peer++) {
            rank.line(11).remoteLoad(peer, data, peer);
          }
        });
  }

  @Test
  void k04aSetAndWaitForOnePassesAfterTheFirstArrival() {
    for (long seed = 0; seed < 100; seed++) {
      Observation observation = k04(true, 1).run(seed);
      assertThat(Found.of(observation, Kind.RACE)).as("seed %d", seed).hasSize(1);
      assertThat(Found.of(observation, Kind.LOST_CREDIT)).as("seed %d", seed).hasSize(1);
      assertThat(Found.of(observation, Kind.LOST_CREDIT).getFirst().hint())
          .contains("pld.NotifyOp.AtomicAdd");
    }
  }

  @Test
  void k04bAddAndWaitForAllIsClean() {
    for (long seed = 0; seed < 200; seed++) {
      Observation observation = k04(false, 3).run(seed);
      assertThat(Found.errors(observation)).as("seed %d", seed).isEmpty();
    }
  }

  @Test
  void k04cSetAndWaitForAllDeadlocks() {
    Observation observation = k04(true, 3).run();
    List<Finding> deadlocks = Found.of(observation, Kind.DEADLOCK);
    assertThat(observation.findings().getFirst().kind()).isEqualTo(Kind.DEADLOCK);
    assertThat(deadlocks).hasSize(1);
    assertThat(deadlocks.getFirst().hint()).contains("use pld.NotifyOp.AtomicAdd");
    assertThat(deadlocks.getFirst().seen()).contains(1L);
    assertThat(deadlocks.getFirst().needed()).contains(3L);
  }

  /** K31: after its wait each rank takes the credit back with an add of -1 to itself. */
  @Test
  void k31ClearingTheOwnCellInALoopIsClean() {
    for (long seed = 0; seed < 100; seed++) {
      Rehearsal stage = new Rehearsal(2);
      WindowInfo data = stage.window("data", 20 * RankScript.ROW);
      WindowInfo sig = stage.signal("sig");
      stage.everyRank(
          rank -> {
            for (int round = 0; round < 10; round++) {
              rank.line(4).store(data, 2 * round + rank.number());
              rank.line(5).barrier(sig, 1).clear(sig, 1);
              rank.line(6).remoteLoad(1 - rank.number(), data, 2 * round + 1 - rank.number());
            }
          });
      Observation observation = stage.run(seed);
      assertThat(observation.findings()).as("seed %d", seed).isEmpty();
      assertThat(observation.traffic().signalBytes()).isEqualTo(2 * 10 * 4);
      assertThat(observation.traffic().operations().notifies()).isEqualTo(40);
    }
  }

  @Test
  void clearingWithSetCanLoseAnEarlyCredit() {
    for (long seed = 0; seed < 50; seed++) {
      Rehearsal stage = new Rehearsal(2);
      WindowInfo sig = stage.signal("sig");
      stage.everyRank(
          rank -> {
            for (int round = 0; round < 2; round++) {
              int peer = 1 - rank.number();
              rank.line(5).notify(peer, sig, rank.number(), 0);
              rank.line(6).await(1, sig, peer, 0);
              rank.line(7).set(rank.number(), 0, sig, peer, 0);
            }
          });
      List<Finding> lost = Found.of(stage.run(seed), Kind.LOST_CREDIT);
      assertThat(lost).as("seed %d", seed).hasSize(1);
      assertThat(lost.getFirst().message()).contains("Set of 0 on line 7", "credit on line 5");
      assertThat(lost.getFirst().hint()).contains("adding the negative number");
    }
  }

  @Test
  void aSecondSetThatKnowsOfTheWaitLosesNothing() {
    for (boolean answered : new boolean[] {true, false}) {
      Rehearsal stage = new Rehearsal(2);
      WindowInfo go = stage.signal("go");
      WindowInfo ack = stage.signal("ack");
      stage.rank(0).line(3).set(1, 1, go, 0, 0);
      if (answered) {
        stage.rank(0).line(4).await(1, ack, 1, 0);
      }
      stage.rank(0).line(5).set(1, 1, go, 0, 0);
      stage.rank(1).line(7).await(1, go, 0, 0).line(8).notify(0, ack, 1, 0);
      List<Finding> lost = Found.of(stage.run(), Kind.LOST_CREDIT);
      assertThat(lost).hasSize(answered ? 0 : 1);
    }
  }

  @Test
  void cellsThatNobodyWaitsOnAreDataAndMayBeSetAgain() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo counts = stage.signal("recv_counts");
    stage.rank(0).line(3).set(1, 7, counts, 0, 0).set(1, 7, counts, 0, 0);
    assertThat(stage.run().findings()).isEmpty();
  }

  /** K37: a counter is increased past the largest 32-bit number. */
  @Test
  void k37AWrappedCounterIsNamed() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo sig = stage.signal("sig");
    stage.rank(0).line(3).set(1, Integer.MAX_VALUE, sig, 0, 0).line(4).notify(1, sig, 0, 0);
    stage.rank(1).compute(1000).line(6).await(1, sig, 0, 0);
    Observation observation = stage.run();
    List<Finding> wrapped = Found.of(observation, Kind.SIGNAL_WRAPPED);
    assertThat(wrapped).hasSize(1);
    assertThat(wrapped.getFirst().message())
        .isEqualTo(
            "signal value wrapped: rank 0 adds 1 to cell [0, 0] of `sig` on rank 1, which held"
                + " 2147483647 and now holds -2147483648");
    assertThat(wrapped.getFirst().places().getFirst().span().line()).isEqualTo(4);
  }

  @Test
  void k37TwinOneBelowTheLimitIsClean() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo sig = stage.signal("sig");
    stage.rank(0).line(3).set(1, Integer.MAX_VALUE - 1, sig, 0, 0).line(4).notify(1, sig, 0, 0);
    stage.rank(1).compute(1000).line(6).await(1, sig, 0, 0);
    assertThat(Found.errors(stage.run())).isEmpty();
  }

  /** K60: the peer may add its second credit before the waiter looks. */
  private static Rehearsal k60(boolean answered, boolean exact) {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo sig = stage.signal("sig");
    WindowInfo ack = stage.signal("ack");
    stage.rank(0).line(3).notify(1, sig, 0, 0);
    if (answered) {
      stage.rank(0).line(4).await(1, ack, 1, 0);
    }
    stage.rank(0).compute(10_000).line(5).notify(1, sig, 0, 0);
    if (exact) {
      stage.rank(1).line(7).awaitExactly(1, sig, 0, 0);
    } else {
      stage.rank(1).line(7).await(1, sig, 0, 0);
    }
    stage.rank(1).line(8).notify(0, ack, 1, 0);
    return stage;
  }

  @Test
  void k60AnExactWaitThatCanBeOvertakenIsADeadlockInSomeSchedule() {
    List<Finding> deadlocks = Found.of(k60(false, true).run(), Kind.DEADLOCK);
    assertThat(deadlocks).hasSize(1);
    assertThat(deadlocks.getFirst().message())
        .contains("waits for exactly 1", "line 5", "holds 2", "in this schedule it came later");
    assertThat(deadlocks.getFirst().seen()).contains(2L);
    assertThat(deadlocks.getFirst().needed()).contains(1L);
    assertThat(deadlocks.getFirst().hint()).contains("pld.WaitCmp.Ge");
  }

  @Test
  void k60IsFoundInEveryOrder() {
    for (long seed = 0; seed < 100; seed++) {
      assertThat(Found.kinds(k60(false, true).run(seed)))
          .as("seed %d", seed)
          .contains(Kind.DEADLOCK);
      assertThat(Found.errors(k60(true, true).run(seed))).as("seed %d", seed).isEmpty();
      assertThat(Found.errors(k60(false, false).run(seed))).as("seed %d", seed).isEmpty();
    }
  }

  @Test
  void handWrittenBarriersLeaveResidueWhichIsOnlyANote() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(rank -> rank.line(3).barrier(sig, 1));
    List<Finding> findings = stage.run().findings();
    assertThat(findings).extracting(Finding::kind).containsExactly(Kind.RESIDUE);
    assertThat(findings.getFirst().message())
        .startsWith("`sig` isn't zero at the end: [1, 0] on rank 0 = 1")
        .contains("and 2 more;");
    assertThat(findings.getFirst().severity()).isEqualTo(Finding.Severity.NOTE);
  }

  @Test
  void aCreditThatNoWaitNeedsIsShownWithItsOrigin() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo sig = stage.signal("sig");
    stage.rank(0).line(3).notify(1, sig, 0, 0).line(4).notify(1, sig, 0, 0);
    stage.rank(1).line(6).await(1, sig, 0, 0);
    Finding residue = Found.of(stage.run(), Kind.RESIDUE).getFirst();
    assertThat(residue.places())
        .extracting(place -> place.span().line(), place -> place.what())
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(
                4,
                "a credit that no wait needed: rank 0 adds 1 to cell [0, 0] of `sig` on rank 1"));
  }

  @Test
  void oneCellUnderTwoNamesIsALayoutConflict() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo sig = stage.signal("sig", 2, 1);
    stage.rank(0).line(3).notify(1, sig, 1, 0).line(4).notify(1, sig, 0, 1);
    List<Finding> conflicts = Found.of(stage.run(), Kind.LAYOUT_CONFLICT);
    assertThat(conflicts).hasSize(1);
    assertThat(conflicts.getFirst().message()).contains("[1, 0] on line 3", "[0, 1] on line 4");
  }

  private static CollectiveCall call(
      RankScript rank, String rail, String algorithm, WindowInfo on) {
    return new CollectiveCall(
        rank.number(),
        "allreduce",
        rail,
        algorithm,
        on,
        List.of(1L, 64L),
        DType.FP32,
        Optional.empty(),
        Optional.of("Sum"),
        rank.span());
  }

  @Test
  void aMeshCollectiveOnARingShapedSignalIsNamed() {
    for (long columns : new long[] {1, 4}) {
      Rehearsal stage = new Rehearsal(4);
      WindowInfo data = stage.window("data", RankScript.ROW);
      WindowInfo sig = stage.signal("sig", 6, columns);
      stage.everyRank(
          rank ->
              rank.line(9)
                  .enter(call(rank, "incore", "mesh", data))
                  .barrier(sig, 1)
                  .clear(sig, 1)
                  .leave());
      List<Finding> conflicts = Found.of(stage.run(), Kind.LAYOUT_CONFLICT);
      if (columns == 1) {
        assertThat(conflicts).isEmpty();
      } else {
        assertThat(conflicts).hasSize(1);
        assertThat(conflicts.getFirst().message())
            .startsWith("signal shape[1] must be 1 (one cell per rank), and `sig` has 4 columns");
      }
    }
  }

  @Test
  void meshAndRingOnOneSignalIsNamed() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo data = stage.window("data", RankScript.ROW);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank ->
            rank.line(9)
                .enter(call(rank, "incore", "mesh", data))
                .barrier(sig, 1)
                .clear(sig, 1)
                .leave()
                .line(10)
                .enter(call(rank, "incore", "ring", data))
                .barrier(sig, 1)
                .clear(sig, 1)
                .leave());
    assertThat(Found.of(stage.run(), Kind.LAYOUT_CONFLICT).getFirst().message())
        .contains("serves allreduce (line 9, one cell per rank) and allreduce (line 10");
  }

  @Test
  void lanesOfTheHostRailAreColumnsOnPurpose() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo data = stage.window("data", RankScript.ROW);
    WindowInfo sig = stage.signal("sig", 3, 8);
    stage.everyRank(
        rank ->
            rank.line(9)
                .enter(call(rank, "host", "mesh", data))
                .barrier(sig, 1)
                .clear(sig, 1)
                .leave());
    assertThat(stage.run().findings()).isEmpty();
  }
}
