package io.ringmaster.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Kind;
import io.ringmaster.worker.fabric.WindowInfo;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Credits that might have let another wait through: what is found must not depend on the order. */
class DoubtsTest {

  private static final int ORDERS = 100;

  /** Runs the stage in the order of a seed until nothing new is in doubt. */
  private static Observation watched(Rehearsal stage, long seed) {
    Doubts known = Doubts.NONE;
    for (int more = 0; more < 5; more++) {
      var observation = new Observation(stage.ranks(), false, Optional.empty(), known);
      stage.run(observation, Optional.of(new Random(seed)));
      if (observation.doubts().equals(known)) {
        return observation;
      }
      known = observation.doubts();
    }
    throw new AssertionError("always new doubts with seed " + seed);
  }

  /** Ranks 1 and 2 may let rank 0 through; only rank 2 has put the data before. */
  private static Rehearsal twoGivers(int needed) {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo data = stage.window("data", RankScript.ROW);
    WindowInfo sig = stage.signal("sig", 1, 1);
    stage.rank(1).line(10).notify(0, sig, 0, 0);
    stage.rank(2).line(20).put(0, data, 0).line(21).notify(0, sig, 0, 0);
    stage.rank(0).line(30).await(needed, sig, 0, 0).line(31).load(data, 0);
    return stage;
  }

  @Test
  void aCreditOfAnotherIsNoProofInAnyOrder() {
    for (long seed = 0; seed < ORDERS; seed++) {
      List<Finding> races = Found.of(watched(twoGivers(1), seed), Kind.RACE);
      assertThat(races).as("seed %d", seed).hasSize(1);
      assertThat(races.getFirst().places())
          .extracting(place -> place.span().line())
          .startsWith(20, 31);
    }
  }

  @Test
  void theFindingNamesTheWaitAndTheOtherCredit() {
    Finding race =
        LongStream.range(0, ORDERS)
            .mapToObj(seed -> Found.of(watched(twoGivers(1), seed), Kind.RACE).getFirst())
            .filter(found -> found.places().size() > 2)
            .findFirst()
            .orElseThrow();
    assertThat(race.hint())
        .startsWith(
            "rank 0's wait on line 30 can be let through by rank 1's notify on line 10 before rank"
                + " 2's on line 21 has come");
    assertThat(race.places())
        .extracting(place -> place.span().line())
        .containsExactly(20, 31, 30, 10);
  }

  @Test
  void whoWaitsForAllCreditsKnowsWhatIsBehindEachOfThem() {
    for (long seed = 0; seed < ORDERS; seed++) {
      assertThat(Found.errors(watched(twoGivers(2), seed))).as("seed %d", seed).isEmpty();
    }
  }

  /** A pull: everything is staged before the first notify, so either credit proves it. */
  @Test
  void whatAllPossibleCreditsProveIsProven() {
    for (int ranks = 3; ranks <= 5; ranks++) {
      for (long seed = 0; seed < ORDERS; seed++) {
        Rehearsal stage = new Rehearsal(ranks);
        WindowInfo data = stage.window("data", ranks * RankScript.ROW);
        WindowInfo sig = stage.signal("sig", 1, 1);
        stage.everyRank(
            rank -> {
              rank.line(10).store(data, rank.number());
              for (int round = 1; round <= 2; round++) {
                for (int peer = 0; peer < stage.ranks(); peer++) {
                  if (peer != rank.number()) {
                    rank.line(11).notify(peer, sig, 0, 0);
                  }
                }
                rank.line(12).await(round * (stage.ranks() - 1), sig, 0, 0);
                for (int peer = 0; peer < stage.ranks(); peer++) {
                  rank.line(13).remoteLoad(peer, data, peer);
                }
              }
            });
        assertThat(Found.errors(watched(stage, seed))).as("%d ranks, %d", ranks, seed).isEmpty();
      }
    }
  }

  /** A push: a fast rank's second credit says nothing of what a slow rank puts. */
  @Test
  void oneCellForTwoRoundsOfPushesIsARaceInEveryOrder() {
    for (long seed = 0; seed < ORDERS; seed++) {
      Rehearsal stage = new Rehearsal(3);
      WindowInfo data = stage.window("data", 6 * RankScript.ROW);
      WindowInfo sig = stage.signal("sig", 1, 1);
      stage.everyRank(
          rank -> {
            for (int round = 0; round < 2; round++) {
              for (int peer = 0; peer < 3; peer++) {
                if (peer != rank.number()) {
                  rank.line(10).put(peer, data, round * 3L + rank.number());
                  rank.line(11).notify(peer, sig, 0, 0);
                }
              }
              rank.line(12).await((round + 1) * 2, sig, 0, 0);
              for (int peer = 0; peer < 3; peer++) {
                if (peer != rank.number()) {
                  rank.line(13).load(data, round * 3L + peer);
                }
              }
            }
          });
      assertThat(Found.errors(watched(stage, seed)))
          .as("seed %d", seed)
          .isNotEmpty()
          .containsOnly(Kind.RACE);
    }
  }

  /** Credits of one rank come in its own order. */
  @Test
  void aLaterCreditOfTheSameRankCannotStandInForAnEarlierOne() {
    for (long seed = 0; seed < ORDERS; seed++) {
      Rehearsal stage = new Rehearsal(2);
      WindowInfo data = stage.window("data", 2 * RankScript.ROW);
      WindowInfo sig = stage.signal("sig", 1, 1);
      for (int round = 0; round < 2; round++) {
        stage.rank(1).line(20).put(0, data, round).line(21).notify(0, sig, 0, 0);
        stage.rank(0).line(30).await(round + 1, sig, 0, 0).line(31).load(data, round);
      }
      Observation observation = watched(stage, seed);
      assertThat(Found.errors(observation)).as("seed %d", seed).isEmpty();
      assertThat(observation.doubts()).isEqualTo(Doubts.NONE);
    }
  }

  /** One credit is enough alone, whichever came first, and one is taken back in between. */
  @Test
  void aCreditThatWasThereAndNotNeededIsNoProofEither() {
    for (long seed = 0; seed < ORDERS; seed++) {
      Rehearsal stage = new Rehearsal(4);
      WindowInfo data = stage.window("data", RankScript.ROW);
      WindowInfo sig = stage.signal("sig", 1, 1);
      stage.rank(1).line(10).put(0, data, 0).line(11).notify(0, sig, 0, 0);
      stage.rank(2).line(20).add(0, 5, sig, 0, 0);
      stage.rank(3).line(25).add(0, -1, sig, 0, 0).line(26).add(0, 1, sig, 0, 0);
      stage.rank(0).line(30).await(5, sig, 0, 0).line(31).load(data, 0);
      assertThat(Found.errors(watched(stage, seed))).as("seed %d", seed).containsOnly(Kind.RACE);
    }
  }

  @Test
  void aCreditThatAnotherTakesBackMayNeverBeSeen() {
    for (long seed = 0; seed < ORDERS; seed++) {
      Rehearsal stage = new Rehearsal(3);
      WindowInfo sig = stage.signal("sig", 1, 1);
      stage.rank(1).line(10).notify(0, sig, 0, 0);
      stage.rank(2).line(20).add(0, -1, sig, 0, 0);
      stage.rank(0).line(30).await(1, sig, 0, 0);
      assertThat(Found.errors(watched(stage, seed))).as("seed %d", seed).contains(Kind.DEADLOCK);
    }
  }

  @Test
  void aCreditThatTheWaiterTakesBackHasBeenSeen() {
    for (long seed = 0; seed < ORDERS; seed++) {
      Rehearsal stage = new Rehearsal(3);
      WindowInfo sig = stage.signal("sig", 1, 1);
      stage.rank(1).line(10).notify(0, sig, 0, 0);
      stage.rank(0).line(30).await(1, sig, 0, 0).line(31).add(0, -1, sig, 0, 0);
      stage.rank(0).line(32).notify(2, sig, 0, 0);
      stage.rank(2).line(20).await(1, sig, 0, 0).line(21).add(0, -1, sig, 0, 0);
      stage.rank(1).line(11).notify(0, sig, 0, 0);
      assertThat(Found.errors(watched(stage, seed))).as("seed %d", seed).isEmpty();
    }
  }
}
