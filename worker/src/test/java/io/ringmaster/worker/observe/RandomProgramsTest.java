package io.ringmaster.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.Finding.Kind;
import io.ringmaster.worker.fabric.WindowInfo;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Generated programs: rounds of writes, a barrier, reads, a barrier. With every barrier in place no
 * order of execution may raise a finding; with one of the barriers' edges cut, every order must.
 */
class RandomProgramsTest {

  private static final int ORDERS = 1000;

  /** Where the notify and the wait of one pair of ranks are left out. */
  private record Cut(int round, boolean afterWrites, int from, int to) {}

  private static final Cut NONE = new Cut(-1, false, -1, -1);

  /** In each round every rank writes one row of some rank's slice and then reads some row. */
  private static Rehearsal program(long seed, int ranks, int rounds, Cut cut) {
    Random random = new Random(seed);
    Rehearsal stage = new Rehearsal(ranks);
    WindowInfo data = stage.window("data", ranks * RankScript.ROW);
    WindowInfo sig = stage.signal("sig");
    int shift = random.nextInt(ranks);
    for (int round = 0; round < rounds; round++) {
      // The shift stays where a cut barrier has to separate two rounds on the same row.
      shift = !cut.afterWrites() && round == cut.round() + 1 ? shift : random.nextInt(ranks);
      int moved = shift;
      List<Integer> readers =
          IntStream.range(0, ranks).mapToObj(_ -> random.nextInt(ranks)).toList();
      for (int me = 0; me < ranks; me++) {
        RankScript rank = stage.rank(me);
        int owner = (me + moved) % ranks;
        rank.line(100 + round).put(owner, data, me);
        barrier(rank, sig, ranks, round, true, cut);
        int read = readers.get(me);
        rank.line(300 + round).remoteLoad((read + moved) % ranks, data, read);
        if (cut.afterWrites() && cut.round() == round && cut.to() == me) {
          // The rank whose wait was cut reads what the rank it doesn't wait for has written.
          rank.line(400).remoteLoad((cut.from() + moved) % ranks, data, cut.from());
        }
        if (!cut.afterWrites() && cut.round() == round && cut.from() == me) {
          // The rank whose notify was cut reads what the other one overwrites in the next round.
          rank.line(401).remoteLoad((cut.to() + moved) % ranks, data, cut.to());
        }
        barrier(rank, sig, ranks, round, false, cut);
      }
    }
    return stage;
  }

  private static void barrier(
      RankScript rank, WindowInfo sig, int ranks, int round, boolean afterWrites, Cut cut) {
    boolean here = cut.round() == round && cut.afterWrites() == afterWrites;
    rank.line((afterWrites ? 200 : 500) + round);
    for (int peer = 0; peer < ranks; peer++) {
      boolean skipped = here && cut.from() == rank.number() && cut.to() == peer;
      if (peer != rank.number() && !skipped) {
        rank.notify(peer, sig, rank.number(), 0);
      }
    }
    for (int peer = 0; peer < ranks; peer++) {
      boolean skipped = here && cut.from() == peer && cut.to() == rank.number();
      if (peer != rank.number() && !skipped) {
        rank.await(1, sig, peer, 0);
        rank.add(rank.number(), -1, sig, peer, 0);
      }
    }
  }

  @Test
  void correctProgramsAreCleanInEveryOrder() {
    for (long seed = 0; seed < ORDERS; seed++) {
      Rehearsal stage = program(seed % 50, 2 + (int) (seed % 4), 3, NONE);
      assertThat(stage.run(seed).findings()).as("seed %d", seed).isEmpty();
    }
  }

  private static Cut cut(long seed, int ranks, int rounds, boolean afterWrites) {
    int from = (int) (seed / 4 % ranks);
    return new Cut((int) (seed / 16 % rounds), afterWrites, from, (from + 1) % ranks);
  }

  @Test
  void oneMissingEdgeBeforeAReadIsFoundInEveryOrder() {
    for (long seed = 0; seed < ORDERS; seed++) {
      int ranks = 2 + (int) (seed % 4);
      Cut cut = cut(seed, ranks, 3, true);
      Observation observation = program(seed % 50, ranks, 3, cut).run(seed);
      assertThat(observation.findings())
          .as("seed %d, %s", seed, cut)
          .isNotEmpty()
          .allSatisfy(
              finding -> {
                assertThat(finding.kind()).isEqualTo(Kind.RACE);
                assertThat(finding.ranks())
                    .containsExactlyInAnyOrder(
                        Math.min(cut.from(), cut.to()), Math.max(cut.from(), cut.to()));
                assertThat(finding.places().getFirst().span().line()).isEqualTo(100 + cut.round());
              });
    }
  }

  @Test
  void oneMissingEdgeBeforeAWriteIsFoundInEveryOrder() {
    for (long seed = 0; seed < ORDERS; seed++) {
      int ranks = 2 + (int) (seed % 4);
      Cut cut = cut(seed, ranks, 2, false);
      Observation observation = program(seed % 50, ranks, 3, cut).run(seed);
      assertThat(observation.findings())
          .as("seed %d, %s", seed, cut)
          .isNotEmpty()
          .allSatisfy(finding -> assertThat(finding.kind()).isEqualTo(Kind.RACE))
          .anySatisfy(
              finding -> {
                assertThat(finding.message()).contains("again before", "earlier value");
                assertThat(finding.places())
                    .extracting(place -> place.span().line())
                    .containsExactly(101 + cut.round(), 401);
              });
    }
  }

  @Test
  void theSameOrderGivesTheSameFindings() {
    Cut cut = new Cut(1, true, 0, 1);
    Rehearsal stage = program(7, 4, 3, cut);
    assertThat(stage.run(11).findings()).isEqualTo(stage.run(11).findings());
  }
}
