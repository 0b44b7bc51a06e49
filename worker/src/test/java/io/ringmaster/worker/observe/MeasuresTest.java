package io.ringmaster.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.WindowInfo;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Traffic, collectives and barriers of runs whose numbers can be worked out by hand. */
class MeasuresTest {

  private static final long ROW = RankScript.ROW;
  private static final long WIRE = RankScript.ROW + 32;

  private static Rehearsal pushAllgather(int ranks, int calls) {
    Rehearsal stage = new Rehearsal(ranks);
    WindowInfo data = stage.window("data", ranks * ROW);
    WindowInfo sig = stage.signal("sig");
    return stage.everyRank(
        rank -> {
          rank.line(3).dispatch(rank.number(), "gather");
          for (int call = 0; call < calls; call++) {
            rank.line(20).enter("allgather", "push", data);
            for (int peer = 0; peer < ranks; peer++) {
              rank.put(peer, data, rank.number());
            }
            rank.barrier(sig, 1).clear(sig, 1).leave();
          }
          rank.endDispatch(rank.number());
        });
  }

  @Test
  void aCollectiveCallIsMeasuredOverAllItsRanks() {
    for (int ranks : new int[] {1, 2, 3, 5, 8}) {
      Observation observation = pushAllgather(ranks, 2).run();
      assertThat(observation.collectives()).hasSize(2);
      CollectiveTraffic call = observation.collectives().getFirst();
      assertThat(call.op()).isEqualTo("allgather");
      assertThat(call.algorithm()).isEqualTo("push");
      assertThat(call.ranks()).isEqualTo(ranks);
      assertThat(call.elements()).isEqualTo(256);
      assertThat(call.payloadBytes()).hasSize(ranks).containsOnly(ranks * ROW);
      assertThat(call.wireBytes()).hasSize(ranks).containsOnly((ranks - 1) * WIRE);
      assertThat(call.notifies()).isEqualTo(2L * ranks * (ranks - 1));
      assertThat(call.waits()).isEqualTo((long) ranks * (ranks - 1));
      assertThat(call.virtualNanos()).isPositive();
    }
  }

  @Test
  void theMatrixHasPayloadOnItsDiagonalAndNoWire() {
    TrafficMatrix traffic = pushAllgather(3, 1).run().traffic();
    assertThat(traffic.payloadBytes())
        .containsExactly(List.of(ROW, ROW, ROW), List.of(ROW, ROW, ROW), List.of(ROW, ROW, ROW));
    assertThat(traffic.wireBytes())
        .containsExactly(List.of(0L, WIRE, WIRE), List.of(WIRE, 0L, WIRE), List.of(WIRE, WIRE, 0L));
    assertThat(traffic.signalBytes()).isEqualTo(4 * 6);
    assertThat(traffic.totalPayloadBytes()).isEqualTo(9 * ROW);
    assertThat(traffic.totalWireBytes()).isEqualTo(6 * WIRE);
    assertThat(traffic.operations()).isEqualTo(new OperationCounts(12, 6, 9, 0, 0, 0));
  }

  @Test
  void trafficByHandIsMeasuredByItsDispatch() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo data = stage.window("data", 3 * ROW);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank -> {
          rank.line(50).dispatch(rank.number(), "gather_step");
          rank.line(20).store(data, rank.number()).line(22).barrier(sig, 1);
          for (int peer = 0; peer < 3; peer++) {
            rank.line(24).remoteLoad(peer, data, peer);
          }
          rank.endDispatch(rank.number());
        });
    List<CollectiveTraffic> measured = stage.run().collectives();
    assertThat(measured).hasSize(1);
    CollectiveTraffic hand = measured.getFirst();
    assertThat(hand.op()).isEqualTo("transfer");
    assertThat(hand.algorithm()).isEqualTo("hand");
    assertThat(hand.name()).isEqualTo("gather_step");
    assertThat(hand.span().line()).isEqualTo(50);
    assertThat(hand.payloadBytes()).containsOnly(3 * ROW);
    assertThat(hand.wireBytes()).containsOnly(2 * WIRE);
    assertThat(hand.notifies()).isEqualTo(6);
    assertThat(hand.waits()).isEqualTo(6);
  }

  @Test
  void aKernelThatOnlySignalsMovesNothing() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(rank -> rank.line(3).barrier(sig, 1));
    assertThat(stage.run().collectives()).isEmpty();
  }

  /** Everybody reports to rank 0, which counts and then lets everybody go on. */
  @Test
  void aBarrierWithACentreIsOne() {
    Rehearsal stage = new Rehearsal(4);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank -> {
          for (int round = 1; round <= 3; round++) {
            if (rank.number() == 0) {
              rank.line(5).await(3 * round, sig, 0);
              for (int peer = 1; peer < 4; peer++) {
                rank.line(6).notify(peer, sig, 1);
              }
            } else {
              rank.line(8).notify(0, sig, 0).line(9).await(round, sig, 1);
            }
          }
        });

    for (long seed = 0; seed < 8; seed++) {
      assertThat(stage.run(seed).barriers())
          .as("seed %d", seed)
          .hasSize(3)
          .extracting(BarrierRound::round)
          .containsExactly(1, 2, 3);
    }
    assertThat(stage.run().barriers().getFirst().waitVirtualNanos()).allMatch(nanos -> nanos >= 0);
  }

  /** Steps of growing distance: each hears of most through others. */
  @Test
  void aDisseminationBarrierIsOne() {
    for (int ranks : new int[] {3, 4, 5, 8}) {
      Rehearsal stage = new Rehearsal(ranks);
      WindowInfo sig = stage.signal("sig");
      int members = ranks;
      stage.everyRank(
          rank -> {
            for (int round = 1; round <= 2; round++) {
              int step = 0;
              for (int distance = 1; distance < members; distance *= 2) {
                rank.line(4).notify((rank.number() + distance) % members, sig, step);
                rank.line(5).await(round, sig, step);
                step++;
              }
            }
          });

      for (long seed = 0; seed < 8; seed++) {
        assertThat(stage.run(seed).barriers())
            .as("%d ranks, seed %d", ranks, seed)
            .hasSize(2)
            .allSatisfy(barrier -> assertThat(barrier.ranks()).isEqualTo(members));
      }
    }
  }

  @Test
  void aProducerAndItsConsumersAreNoBarrier() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo data = stage.window("data", 3 * ROW);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank -> {
          if (rank.number() == 0) {
            rank.line(3).store(data, 0).notify(1, sig, 0).notify(2, sig, 0);
          } else {
            rank.line(5).await(1, sig, 0).remoteLoad(0, data, 0);
          }
        });

    assertThat(stage.run().barriers()).isEmpty();
  }

  @Test
  void aBarrierNamesItsLastArriver() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo sig = stage.signal("sig");
    stage.rank(1).compute(990);
    stage.everyRank(rank -> rank.line(7).barrier(sig, 1));
    AtomicLong wall = new AtomicLong();
    Observation observation =
        stage.run(new Observation(3, true, () -> wall.addAndGet(5)), Optional.empty());
    assertThat(observation.barriers()).hasSize(1);
    BarrierRound barrier = observation.barriers().getFirst();
    assertThat(barrier.lastArriver()).isEqualTo(1);
    assertThat(barrier.span().line()).isEqualTo(7);
    assertThat(barrier.window()).isEqualTo("sig");
    assertThat(barrier.round()).isEqualTo(1);
    assertThat(barrier.ranks()).isEqualTo(3);
    // Ranks 0 and 2 have sent their two notifies at 20; rank 1 computes 990, its step takes 10.
    assertThat(barrier.skewVirtualNanos()).isEqualTo(1000);
    // Rank 1's second notify leaves at 1010 and arrives 100 later; its arrival is at 1020.
    assertThat(barrier.releaseVirtualNanos()).isEqualTo(90);
    assertThat(barrier.waitVirtualNanos()).hasSize(3);
    assertThat(barrier.waitVirtualNanos().get(1)).isLessThan(barrier.waitVirtualNanos().get(0));
    assertThat(barrier.waitWallNanos()).allSatisfy(nanos -> assertThat(nanos).isPositive());
  }

  @Test
  void roundsOfALoopAreCounted() {
    Observation observation = pushAllgather(4, 3).run();
    assertThat(observation.barriers()).extracting(BarrierRound::round).containsExactly(1, 2, 3);
  }

  @Test
  void roundsAreRecognisedInEveryOrder() {
    for (long seed = 0; seed < 100; seed++) {
      assertThat(pushAllgather(4, 3).run(seed).barriers()).as("seed %d", seed).hasSize(3);
    }
  }

  @Test
  void aSharedCounterIsABarrierToo() {
    Rehearsal stage = new Rehearsal(4);
    WindowInfo sig = stage.signal("sig", 1, 1);
    stage.everyRank(
        rank -> {
          for (int peer = 0; peer < 4; peer++) {
            if (peer != rank.number()) {
              rank.line(5).notify(peer, sig, 0, 0);
            }
          }
          rank.line(6).await(3, sig, 0, 0);
        });
    assertThat(stage.run().barriers()).hasSize(1);
  }

  @Test
  void oneRankHasNoBarrier() {
    Rehearsal stage = new Rehearsal(1);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(rank -> rank.barrier(sig, 1).clear(sig, 1).notify(0, sig, 0, 0));
    assertThat(stage.run().barriers()).isEmpty();
  }

  @Test
  void notifyingANeighbourIsNoBarrier() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank -> {
          rank.notify((rank.number() + 1) % 3, sig, rank.number(), 0);
          rank.await(1, sig, (rank.number() + 2) % 3, 0);
        });
    assertThat(stage.run().barriers()).isEmpty();
  }

  @Test
  void dataBetweenNotifyAndWaitIsNoBarrier() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo data = stage.window("data", 2 * ROW);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank -> {
          rank.notify(1 - rank.number(), sig, rank.number(), 0);
          rank.store(data, 0).await(1, sig, 1 - rank.number(), 0);
        });
    assertThat(stage.run().barriers()).isEmpty();
  }

  @Test
  void withoutOrderTheCountsAreTheSame() {
    Rehearsal stage = pushAllgather(3, 2);
    Observation with = stage.run(new Observation(3, true, () -> 0), Optional.empty());
    Observation without = stage.run(new Observation(3, false, () -> 0), Optional.empty());
    assertThat(without.barriers()).isEqualTo(with.barriers());
    assertThat(without.collectives()).isEqualTo(with.collectives());
  }
}
