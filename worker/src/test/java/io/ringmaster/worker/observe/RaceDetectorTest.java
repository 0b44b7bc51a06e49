package io.ringmaster.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Kind;
import io.ringmaster.worker.fabric.WindowInfo;
import java.util.List;
import org.junit.jupiter.api.Test;

class RaceDetectorTest {

  /** Stage the own row, [barrier], read every row of every rank. */
  private static Rehearsal pullAllgather(int ranks, boolean barrier) {
    Rehearsal stage = new Rehearsal(ranks);
    WindowInfo data = stage.window("data", ranks * RankScript.ROW);
    WindowInfo sig = stage.signal("sig");
    return stage.everyRank(
        rank -> {
          rank.line(20).store(data, rank.number());
          if (barrier) {
            rank.line(22).barrier(sig, 1);
          }
          for (int peer = 0; peer < ranks; peer++) {
            rank.line(24).remoteLoad(peer, data, peer);
          }
        });
  }

  @Test
  void aBarrierBetweenStoreAndReadIsEnough() {
    for (int ranks = 1; ranks <= 5; ranks++) {
      assertThat(Found.of(pullAllgather(ranks, true).run(), Kind.RACE)).isEmpty();
    }
  }

  @Test
  void withoutTheBarrierTheReadRacesWithTheStore() {
    List<Finding> races = Found.of(pullAllgather(3, false).run(), Kind.RACE);
    assertThat(races).hasSize(1);
    Finding race = races.getFirst();
    assertThat(race.message())
        .contains("reads row", "of `data` (bytes ", "store is ordered before it")
        .contains("(seen 6 times");
    assertThat(race.hint()).contains("put a barrier between them", "line 20", "line 24");
    assertThat(race.places()).extracting(place -> place.span().line()).containsExactly(20, 24);
    assertThat(race.window()).contains("data");
    assertThat(race.toByte().orElseThrow() - race.fromByte().orElseThrow())
        .isEqualTo(RankScript.ROW);
  }

  @Test
  void theFirstRacingPairIsSpelledOut() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo data = stage.window("data", 3 * RankScript.ROW);
    stage.rank(1).line(20).store(data, 1);
    stage.rank(2).line(24).remoteLoad(1, data, 1);
    List<Finding> races = Found.of(stage.run(), Kind.RACE);
    assertThat(races).hasSize(1);
    assertThat(races.getFirst().message())
        .isEqualTo(
            "rank 2 reads row 1 of `data` (bytes 256..512) before rank 1's store is ordered before"
                + " it");
    assertThat(races.getFirst().ranks()).containsExactly(1, 2);
  }

  @Test
  void theMissingBarrierIsSeenInEveryOrder() {
    for (long seed = 0; seed < 100; seed++) {
      assertThat(Found.of(pullAllgather(4, false).run(seed), Kind.RACE))
          .as("seed %d", seed)
          .hasSize(1);
      assertThat(Found.of(pullAllgather(4, true).run(seed), Kind.RACE))
          .as("seed %d", seed)
          .isEmpty();
    }
  }

  /** K35: put into the neighbour, which reads its window with no wait. */
  @Test
  void k35PutThenLoadWithoutAWait() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo data = stage.window("data", 2 * RankScript.ROW);
    stage.rank(0).line(30).put(1, data, 0);
    stage.rank(1).line(33).load(data, 0);
    List<Finding> races = Found.of(stage.run(), Kind.RACE);
    assertThat(races).hasSize(1);
    assertThat(races.getFirst().message())
        .isEqualTo(
            "rank 1 reads row 0 of `data` (bytes 0..256) on rank 1 before rank 0's put is ordered"
                + " before it");
    assertThat(races.getFirst().fromByte()).contains(0L);
    assertThat(races.getFirst().toByte()).contains(256L);
  }

  /** K68: the barrier stands before the remote store instead of after it. */
  @Test
  void k68BarrierOnTheWrongSideOfARemoteStore() {
    for (boolean after : new boolean[] {false, true}) {
      Rehearsal stage = new Rehearsal(2);
      WindowInfo data = stage.window("data", 2 * RankScript.ROW);
      WindowInfo sig = stage.signal("sig");
      stage.everyRank(
          rank -> {
            if (!after) {
              rank.line(10).barrier(sig, 1);
            }
            rank.line(12).remoteStore(1 - rank.number(), data, rank.number());
            if (after) {
              rank.line(14).barrier(sig, 1);
            }
            rank.line(16).load(data, 1 - rank.number());
          });
      List<Finding> races = Found.of(stage.run(), Kind.RACE);
      if (after) {
        assertThat(races).isEmpty();
      } else {
        assertThat(races).hasSize(1);
        assertThat(races.getFirst().hint())
            .contains("sent before its remote store on line 12", "before line 16");
      }
    }
  }

  /** Push allgather twice on one window, with the rows read between the calls. */
  private static Rehearsal pushTwice(boolean barrierBetween) {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo data = stage.window("data", 3 * RankScript.ROW);
    WindowInfo sig = stage.signal("sig");
    WindowInfo between = stage.signal("between");
    return stage.everyRank(
        rank -> {
          for (int call = 0; call < 2; call++) {
            rank.line(40 + 10 * call).enter("allgather", "push", data);
            for (int peer = 0; peer < 3; peer++) {
              rank.put(peer, data, rank.number());
            }
            rank.barrier(sig, 1).clear(sig, 1).leave();
            rank.line(45 + 10 * call).load(data, 0).load(data, 1).load(data, 2);
            if (call == 0 && barrierBetween) {
              rank.line(48).barrier(between, 1);
            }
          }
        });
  }

  @Test
  void aSecondPushOvertakesTheReadsOfTheFirst() {
    for (long seed = 0; seed < 100; seed++) {
      List<Finding> races = Found.of(pushTwice(false).run(seed), Kind.RACE);
      assertThat(races).as("seed %d", seed).hasSize(1);
      assertThat(races.getFirst().message()).contains("again before", "read of the earlier value");
      assertThat(races.getFirst().hint())
          .contains("barrier after the read on line 45", "next write on line 50", "built-in");
      assertThat(Found.of(pushTwice(true).run(seed), Kind.RACE)).as("seed %d", seed).isEmpty();
    }
  }

  @Test
  void equalRanksMayAddAtomicallyButNotWrite() {
    for (boolean atomic : new boolean[] {true, false}) {
      Rehearsal stage = new Rehearsal(3);
      WindowInfo data = stage.window("acc", RankScript.ROW);
      stage.rank(1).line(5);
      stage.rank(2).line(5);
      if (atomic) {
        stage.rank(1).putAdd(0, data, 0);
        stage.rank(2).putAdd(0, data, 0);
      } else {
        stage.rank(1).put(0, data, 0);
        stage.rank(2).put(0, data, 0);
      }
      List<Finding> races = Found.of(stage.run(), Kind.RACE);
      if (atomic) {
        assertThat(races).isEmpty();
      } else {
        assertThat(races.getFirst().message())
            .isEqualTo(
                "rank 1 writes bytes 0..256 of `acc` on rank 0 and rank 2 writes the same bytes,"
                    + " and nothing orders the two");
      }
    }
  }

  @Test
  void boxesRaceOnlyWhereTheirRowsOverlap() {
    for (long shift : new long[] {64, 32}) {
      Rehearsal stage = new Rehearsal(2);
      WindowInfo data = stage.window("tile", 4096);
      stage.rank(0).line(3).box(Access.Kind.WRITE, 0, data, 0, 8, 64, 128);
      stage.rank(1).line(4).box(Access.Kind.READ, 0, data, shift, 8, 64, 128);
      List<Finding> races = Found.of(stage.run(), Kind.RACE);
      if (shift == 64) {
        assertThat(races).isEmpty();
      } else {
        assertThat(races).hasSize(1);
        assertThat(races.getFirst().message()).contains("bytes 32..").doesNotContain("times");
      }
    }
  }

  @Test
  void dispatchesOrderWhatDependsOnThem() {
    for (boolean ordered : new boolean[] {true, false}) {
      Rehearsal stage = new Rehearsal(2);
      WindowInfo data = stage.window("data", RankScript.ROW);
      stage.rank(0).line(50).dispatch(1, "producer").line(3).put(1, data, 0).endDispatch(1);
      stage.rank(1).compute(1000).line(51);
      if (ordered) {
        stage.rank(1).dispatch(2, "consumer", 1L);
      } else {
        stage.rank(1).dispatch(2, "consumer");
      }
      stage.rank(1).line(4).load(data, 0).endDispatch(2);
      assertThat(Found.of(stage.run(), Kind.RACE)).hasSize(ordered ? 0 : 1);
    }
  }

  @Test
  void readingACellThatAPeerNotifiesNeedsAWaitToo() {
    for (boolean waits : new boolean[] {true, false}) {
      Rehearsal stage = new Rehearsal(2);
      WindowInfo counts = stage.signal("recv_counts");
      stage.rank(0).line(7).set(1, 5, counts, 0, 0);
      if (waits) {
        stage.rank(1).line(8).await(1, counts, 0, 0);
      }
      stage.rank(1).line(9).box(Access.Kind.READ, 1, counts, 0, 1, 4, 4);
      List<Finding> races = Found.of(stage.run(), Kind.RACE);
      assertThat(races).hasSize(waits ? 0 : 1);
    }
  }

  @Test
  void aWaitThatAnEarlyCreditOfTheNextCallSatisfiesOrdersThatCall() {
    // The credit protocol: a fast rank's credit of call 2 may arrive before the slow rank has taken
    // back the credit of call 1; every order of the three must come out clean.
    for (long seed = 0; seed < 100; seed++) {
      Rehearsal stage = new Rehearsal(2);
      WindowInfo data = stage.window("data", 8 * RankScript.ROW);
      WindowInfo sig = stage.signal("sig");
      stage.everyRank(
          rank -> {
            for (int call = 0; call < 4; call++) {
              rank.line(10 + call).store(data, call);
              rank.line(20).barrier(sig, 1).clear(sig, 1);
              rank.line(30 + call).remoteLoad(1 - rank.number(), data, call);
            }
          });
      assertThat(stage.run(seed).findings()).as("seed %d", seed).isEmpty();
    }
  }

  @Test
  void memoryStaysBoundedByTheBytesThatDiffer() {
    HappensBefore order = new HappensBefore(2);
    RaceDetector detector = new RaceDetector(order, 2);
    WindowInfo data = new WindowInfo(0, "data", "d", List.of(0, 1), 1 << 20);
    var span = new io.ringmaster.worker.source.Span("k.py", 1, 1, 1, 2);
    for (int round = 0; round < 3; round++) {
      for (long row = 0; row < 1024; row++) {
        detector.accessed(
            new Access(
                0,
                0,
                data,
                Access.Kind.WRITE,
                io.ringmaster.worker.fabric.Operation.STORE,
                row * 256,
                1,
                256,
                256,
                span,
                0));
      }
    }
    assertThat(detector.segments()).isEqualTo(1);
    assertThat(detector.findings()).isEmpty();
  }

  /** The HOST form of a broadcast: the root loads each tile and stores it back. */
  @Test
  void aRootThatCopiesItsBytesOntoThemselvesWritesNothing() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo data = stage.window("data", RankScript.ROW);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank -> {
          if (rank.number() == 0) {
            rank.line(3).store(data, 0);
          }
          for (int call = 0; call < 2; call++) {
            rank.line(5 + call).enter("broadcast", "pull", data);
            if (rank.number() == 0) {
              rank.load(data, 0).store(data, 0);
            }
            rank.barrier(sig, 1);
            if (rank.number() != 0) {
              rank.remoteLoad(0, data, 0).store(data, 0);
            }
            rank.clear(sig, 1).leave();
          }
        });

    assertThat(Found.of(stage.run(), Finding.Kind.RACE)).isEmpty();
  }
}
