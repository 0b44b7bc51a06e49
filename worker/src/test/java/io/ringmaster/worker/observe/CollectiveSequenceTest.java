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

class CollectiveSequenceTest {

  private static CollectiveCall allreduce(RankScript rank, WindowInfo window, DType dtype) {
    return new CollectiveCall(
        rank.number(),
        "allreduce",
        "incore",
        "mesh",
        window,
        List.of(1L, 64L),
        dtype,
        Optional.empty(),
        Optional.of("Sum"),
        rank.span());
  }

  private static CollectiveCall broadcast(RankScript rank, WindowInfo window, long root) {
    return new CollectiveCall(
        rank.number(),
        "broadcast",
        "incore",
        "pull",
        window,
        List.of(1L, 64L),
        DType.FP32,
        Optional.of(root),
        Optional.empty(),
        rank.span());
  }

  private static List<Finding> mismatches(Rehearsal stage) {
    return Found.of(stage.run(), Kind.MISMATCH);
  }

  /** K11: rank 0 reduces A then B, rank 1 B then A. */
  @Test
  void k11DifferentOrderIsAMismatchAtCallOne() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo a = stage.window("a", 256);
    WindowInfo b = stage.window("b", 256);
    stage.everyRank(
        rank -> {
          boolean swapped = rank.number() == 1;
          rank.line(10).enter(allreduce(rank, swapped ? b : a, DType.FP32)).leave();
          rank.line(11).enter(allreduce(rank, swapped ? a : b, DType.FP32)).leave();
        });
    List<Finding> found = mismatches(stage);
    assertThat(found).hasSize(1);
    assertThat(found.getFirst().message())
        .isEqualTo(
            "collective call 1 of comm_d0 differs between ranks in window: rank 0 calls"
                + " allreduce(Sum, mesh) of `a` [1, 64] FP32 on line 10; rank 1 calls"
                + " allreduce(Sum, mesh) of `b` [1, 64] FP32 on line 10");
    assertThat(found.getFirst().places()).hasSize(2);
  }

  /** K13: fp16 on one rank, fp32 on the other; broadcast roots 0 and 1. */
  @Test
  void k13DifferentDtypeOrRootIsAMismatch() {
    Rehearsal dtypes = new Rehearsal(2);
    WindowInfo data = dtypes.window("data", 256);
    dtypes.everyRank(
        rank -> rank.enter(allreduce(rank, data, rank.number() == 0 ? DType.FP16 : DType.FP32)));
    assertThat(mismatches(dtypes).getFirst().message()).contains("in dtype", "FP16", "FP32");

    Rehearsal roots = new Rehearsal(2);
    WindowInfo weights = roots.window("w", 256);
    roots.everyRank(rank -> rank.enter(broadcast(rank, weights, rank.number())));
    assertThat(mismatches(roots).getFirst().message()).contains("in root", "root 0", "root 1");
  }

  @Test
  void theFirstDifferenceCountsEvenIfALaterOneIsSeenEarlier() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo data = stage.window("data", 256);
    stage.everyRank(
        rank -> {
          rank.compute(rank.number() == 2 ? 10_000 : 0);
          rank.line(3).enter(allreduce(rank, data, rank.number() == 2 ? DType.FP16 : DType.FP32));
          rank.line(4).enter(broadcast(rank, data, rank.number() == 1 ? 1 : 0));
        });
    List<Finding> found = mismatches(stage);
    assertThat(found).hasSize(1);
    assertThat(found.getFirst().message()).startsWith("collective call 1 ");
    assertThat(found.getFirst().ranks()).containsExactly(0, 1, 2);
  }

  @Test
  void fewerCallsAreNoMismatch() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo data = stage.window("data", 256);
    stage.rank(0).enter(allreduce(stage.rank(0), data, DType.FP32)).leave();
    stage.rank(0).enter(broadcast(stage.rank(0), data, 0)).leave();
    stage.rank(1).enter(allreduce(stage.rank(1), data, DType.FP32)).leave();
    assertThat(stage.run().findings()).isEmpty();
  }

  @Test
  void domainsAreComparedApart() {
    Rehearsal stage = new Rehearsal(3);
    WindowInfo left = stage.window("left", 256, "d0", List.of(0, 1));
    WindowInfo right = stage.window("right", 256, "d1", List.of(1, 2));
    stage.rank(0).enter(allreduce(stage.rank(0), left, DType.FP32)).leave();
    stage.rank(1).enter(broadcast(stage.rank(1), right, 0)).leave();
    stage.rank(1).enter(allreduce(stage.rank(1), left, DType.FP32)).leave();
    stage.rank(2).enter(broadcast(stage.rank(2), right, 0)).leave();
    assertThat(stage.run().findings()).isEmpty();
  }
}
