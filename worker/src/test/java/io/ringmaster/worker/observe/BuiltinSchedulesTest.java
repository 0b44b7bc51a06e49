package io.ringmaster.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Kind;
import io.ringmaster.worker.fabric.WindowInfo;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The schedules of the built-in collectives, written out: correct ones must be clean in every
 * order, and touching the data window right after the call must be a race exactly for those
 * collectives that have no barrier after their last read.
 */
class BuiltinSchedulesTest {

  private static final int ORDERS = 25;

  /** One stage with the windows that the schedules use. */
  private static final class Stage {
    final int ranks;
    final Rehearsal rehearsal;
    final WindowInfo data;
    final WindowInfo weights;
    final WindowInfo rows;
    final WindowInfo mesh;
    final WindowInfo ring;

    Stage(int ranks) {
      this.ranks = ranks;
      rehearsal = new Rehearsal(ranks);
      data = rehearsal.window("data", ranks * RankScript.ROW);
      weights = rehearsal.window("weights", RankScript.ROW);
      rows = rehearsal.window("rows", ranks * RankScript.ROW);
      mesh = rehearsal.signal("mesh");
      ring = rehearsal.signal("ring", Math.max(1, 2 * (ranks - 1)), ranks);
    }

    /** Root's row travels by pull; one barrier before it. */
    void broadcast(RankScript rank) {
      rank.barrier(mesh, 1);
      rank.box(Access.Kind.READ, 0, weights, 0, 1, RankScript.ROW, RankScript.ROW);
      if (rank.number() != 0) {
        rank.store(weights, 0);
      }
      rank.clear(mesh, 1);
    }

    /** In place, chunk by chunk; a barrier before the first and after each chunk's reads. */
    void allreduceMesh(RankScript rank) {
      rank.barrier(mesh, 1);
      for (int chunk = 0; chunk < ranks; chunk++) {
        rank.load(data, chunk);
        for (int peer = 0; peer < ranks; peer++) {
          if (peer != rank.number()) {
            rank.remoteLoad(peer, data, chunk);
          }
        }
        rank.barrier(mesh, chunk + 2).store(data, chunk);
      }
      rank.clear(mesh, 1 + ranks);
    }

    /** Two all-peer barriers in each of the 2(P-1) rounds, each round on its own row. */
    void allreduceRing(RankScript rank) {
      int me = rank.number();
      int left = (me + ranks - 1) % ranks;
      for (int round = 0; round < 2 * (ranks - 1); round++) {
        boolean gather = round >= ranks - 1;
        int step = gather ? round - (ranks - 1) + 1 : round + 1;
        int segment = Math.floorMod(me - step - (gather ? 0 : 1), ranks);
        rowBarrier(rank, round, 1);
        rank.remoteLoad(left, data, segment);
        if (!gather) {
          rank.load(data, segment);
        }
        rowBarrier(rank, round, 2);
        rank.store(data, segment);
      }
      for (int round = 0; round < 2 * (ranks - 1); round++) {
        for (int peer = 0; peer < ranks; peer++) {
          if (peer != me) {
            rank.add(me, -2, ring, round, peer);
          }
        }
      }
    }

    private void rowBarrier(RankScript rank, int row, int expected) {
      for (int peer = 0; peer < ranks; peer++) {
        if (peer != rank.number()) {
          rank.notify(peer, ring, row, rank.number());
        }
      }
      for (int peer = 0; peer < ranks; peer++) {
        if (peer != rank.number()) {
          rank.await(expected, ring, row, peer);
        }
      }
    }

    void reduceScatter(RankScript rank) {
      rank.barrier(mesh, 1).load(data, rank.number());
      for (int peer = 0; peer < ranks; peer++) {
        if (peer != rank.number()) {
          rank.remoteLoad(peer, data, rank.number());
        }
      }
      rank.barrier(mesh, 2).store(data, rank.number()).clear(mesh, 2);
    }

    /** Push; the barrier stands after the transfers. */
    void allgather(RankScript rank) {
      for (int peer = 0; peer < ranks; peer++) {
        rank.put(peer, rows, rank.number());
      }
      rank.barrier(mesh, 1).clear(mesh, 1);
    }

    void stageAll(RankScript rank) {
      for (int row = 0; row < ranks; row++) {
        rank.store(data, row);
      }
    }
  }

  private interface Program {
    void play(Stage stage, RankScript rank);
  }

  private static void clean(Program program) {
    for (int ranks = 1; ranks <= 5; ranks++) {
      Stage stage = new Stage(ranks);
      stage.rehearsal.everyRank(rank -> program.play(stage, rank));
      for (long seed = 0; seed < ORDERS; seed++) {
        assertThat(stage.rehearsal.run(seed).findings())
            .as("P = %d, seed %d", ranks, seed)
            .isEmpty();
      }
    }
  }

  private static void racy(Program program) {
    for (int ranks = 2; ranks <= 5; ranks++) {
      Stage stage = new Stage(ranks);
      stage.rehearsal.everyRank(rank -> program.play(stage, rank));
      for (long seed = 0; seed < ORDERS; seed++) {
        List<Finding> findings = stage.rehearsal.run(seed).findings();
        assertThat(findings)
            .as("P = %d, seed %d", ranks, seed)
            .extracting(Finding::kind)
            .isNotEmpty()
            .containsOnly(Kind.RACE);
      }
    }
  }

  @Test
  void meshAllreduceMayBeRepeatedAtOnce() {
    clean(
        (stage, rank) -> {
          for (int call = 0; call < 2; call++) {
            stage.stageAll(rank);
            stage.allreduceMesh(rank);
            rank.load(stage.data, 0);
          }
        });
  }

  @Test
  void ringAllreduceMayBeRepeatedAtOnce() {
    clean(
        (stage, rank) -> {
          for (int call = 0; call < 2; call++) {
            stage.stageAll(rank);
            stage.allreduceRing(rank);
            rank.load(stage.data, 0);
          }
        });
  }

  @Test
  void reduceScatterMayBeRepeatedAtOnce() {
    clean(
        (stage, rank) -> {
          for (int call = 0; call < 2; call++) {
            stage.stageAll(rank);
            stage.reduceScatter(rank);
            rank.load(stage.data, rank.number());
          }
        });
  }

  @Test
  void threeCollectivesMayShareOneSignal() {
    clean(
        (stage, rank) -> {
          if (rank.number() == 0) {
            rank.store(stage.weights, 0);
          }
          stage.broadcast(rank);
          rank.load(stage.weights, 0);
          stage.stageAll(rank);
          stage.allreduceMesh(rank);
          rank.load(stage.data, 0);
          stage.allgather(rank);
          for (int row = 0; row < stage.ranks; row++) {
            rank.load(stage.rows, row);
          }
        });
  }

  @Test
  void theRootMayNotRestageRightAfterABroadcast() {
    racy(
        (stage, rank) -> {
          for (int call = 0; call < 2; call++) {
            if (rank.number() == 0) {
              rank.line(10).store(stage.weights, 0);
            }
            rank.line(11);
            stage.broadcast(rank);
          }
        });
  }

  @Test
  void aSecondAllgatherMayNotFollowTheReadsAtOnce() {
    racy(
        (stage, rank) -> {
          for (int call = 0; call < 2; call++) {
            rank.line(10);
            stage.allgather(rank);
            rank.line(12);
            for (int row = 0; row < stage.ranks; row++) {
              rank.load(stage.rows, row);
            }
          }
        });
  }

  @Test
  void aBarrierBetweenMakesTheSecondAllgatherRight() {
    clean(
        (stage, rank) -> {
          for (int call = 0; call < 2; call++) {
            stage.allgather(rank);
            for (int row = 0; row < stage.ranks; row++) {
              rank.load(stage.rows, row);
            }
            rank.barrier(stage.mesh, 1).clear(stage.mesh, 1);
          }
        });
  }

  @Test
  void everyBarrierRoundIsRecognised() {
    for (int ranks = 2; ranks <= 5; ranks++) {
      Stage stage = new Stage(ranks);
      stage.rehearsal.everyRank(
          rank -> {
            stage.stageAll(rank);
            stage.allreduceMesh(rank);
            stage.reduceScatter(rank);
            stage.allreduceRing(rank);
          });
      int mesh = 1 + ranks + 2;
      int ring = 4 * (ranks - 1);
      for (long seed = 0; seed < ORDERS; seed++) {
        List<BarrierRound> rounds = stage.rehearsal.run(seed).barriers();
        assertThat(rounds).filteredOn(round -> round.window().equals("mesh")).hasSize(mesh);
        assertThat(rounds).filteredOn(round -> round.window().equals("ring")).hasSize(ring);
      }
    }
  }
}
