package io.ringmaster.worker.lowering;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt.Rail;
import io.ringmaster.worker.lowering.CostCard.Call;
import io.ringmaster.worker.lowering.CostCard.RankCost;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostCardTest {

  private static CostCard allreduce(
      Rail rail, String algorithm, int ranks, long n, DType dtype, int blocks) {
    return CostCard.of(
        new Call(OpCode.ALLREDUCE, rail, algorithm, ranks, List.of(n), dtype, 0, blocks));
  }

  private static List<Long> longs(String list) {
    return Arrays.stream(list.split(" ")).map(Long::valueOf).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "2, 256, FP32, 1024, 1024, 2, 1",
    "4, 1024, FP32, 12288, 12288, 6, 3",
    "4, 10000, FP32, 120000, 120000, 12, 3",
    "8, 4096, FP32, 114688, 114688, 14, 7",
    "4, 40, FP16, 288, 240, 6, 3",
    "3, 10000, FP16, 40000, 40000, 6, 2",
  })
  void inCoreMesh(
      int ranks, long n, DType dtype, long in, long logical, long notifies, long selfNotifies) {
    for (RankCost cost : allreduce(Rail.INCORE, "mesh", ranks, n, dtype, 1).perRank()) {
      assertThat(cost)
          .isEqualTo(new RankCost(in, in, logical, 0, notifies, selfNotifies, notifies));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "2, 256, FP32, 1, 1024, 2, 1",
    "4, 1024, FP32, 1, 12288, 15, 3",
    "4, 10000, FP32, 1, 120000, 123, 3",
    "8, 4096, FP32, 1, 114688, 119, 7",
    "4, 40, FP16, 1, 288, 6, 3",
    "3, 10000, FP16, 1, 40000, 82, 2",
    "4, 10000, FP32, 8, 120000, 144, 24",
    "4, 1024, FP32, 8, 12288, 36, 24",
  })
  void hostMesh(
      int ranks, long n, DType dtype, int blocks, long in, long notifies, long selfNotifies) {
    RankCost cost = allreduce(Rail.HOST, "mesh", ranks, n, dtype, blocks).perRank().getFirst();
    assertThat(cost.ingressBytes()).isEqualTo(in);
    assertThat(cost.notifies()).isEqualTo(notifies);
    assertThat(cost.selfNotifies()).isEqualTo(selfNotifies);
  }

  @ParameterizedTest
  @CsvSource({
    "2, 256, FP32, 1024 1024, 4, 2",
    "4, 1024, FP32, 6144 6144 6144 6144, 36, 18",
    "4, 10000, FP32, 60000 60000 60000 60000, 36, 18",
    "8, 4096, FP32, 28672 28672 28672 28672 28672 28672 28672 28672, 196, 98",
    "4, 40, FP16, 128 128 160 160, 36, 18",
    "3, 10000, FP16, 26656 26656 26688, 16, 8",
    "4, 10, FP32, 60 60 60 60, 36, 18",
    "3, 2, FP32, 12 12 8, 16, 8",
    "5, 33, FP32, 212 212 212 212 208, 64, 32",
  })
  void inCoreRing(int ranks, long n, DType dtype, String in, long notifies, long selfNotifies) {
    CostCard card = allreduce(Rail.INCORE, "ring", ranks, n, dtype, 1);
    assertThat(card.perRank().stream().map(RankCost::ingressBytes)).isEqualTo(longs(in));
    assertThat(card.perRank().getFirst().notifies()).isEqualTo(notifies);
    assertThat(card.perRank().getFirst().selfNotifies()).isEqualTo(selfNotifies);
  }

  @Test
  void theHalfPrecisionRingMovesMoreThanItsValues() {
    CostCard card = allreduce(Rail.INCORE, "ring", 4, 40, DType.FP16, 1);
    assertThat(card.perRank().stream().map(RankCost::logicalBytes))
        .isEqualTo(longs("112 96 128 144"));
  }

  @ParameterizedTest
  @CsvSource({"2, 256, 1024, 3", "4, 1024, 6144, 21", "4, 10000, 60000, 21", "8, 4096, 28672, 105"})
  void hostRing(int ranks, long n, long in, long notifies) {
    RankCost cost = allreduce(Rail.HOST, "ring", ranks, n, DType.FP32, 1).perRank().getFirst();
    assertThat(cost).isEqualTo(new RankCost(in, in, in, 0, notifies, notifies, notifies));
  }

  @Test
  void whateverEntersARankLeftAnother() {
    for (int ranks = 1; ranks <= 9; ranks++) {
      for (long n : new long[] {0, 1, 2, 33, 4096, 10000}) {
        for (DType dtype : List.of(DType.FP16, DType.FP32)) {
          CostCard card = allreduce(Rail.INCORE, "ring", ranks, n, dtype, 1);
          assertThat(card.perRank().stream().mapToLong(RankCost::ingressBytes).sum())
              .isEqualTo(card.perRank().stream().mapToLong(RankCost::egressBytes).sum());
        }
      }
    }
  }

  @Test
  void broadcastLeavesTheRootOnly() {
    CostCard card =
        CostCard.of(
            new Call(OpCode.BROADCAST, Rail.INCORE, "pull", 4, List.of(1L, 64L), DType.FP32, 1, 1));
    assertThat(card.perRank().get(0)).isEqualTo(new RankCost(256, 0, 256, 0, 3, 3, 3));
    assertThat(card.perRank().get(1)).isEqualTo(new RankCost(0, 768, 0, 256, 3, 3, 3));
    assertThat(card.minimumBytes()).isEqualTo(256);
  }

  @Test
  void hostBroadcastHasABarrierForEveryTile() {
    CostCard card =
        CostCard.of(
            new Call(OpCode.BROADCAST, Rail.HOST, "pull", 4, List.of(1L, 1000L), DType.FP32, 0, 1));
    assertThat(card.perRank().getFirst().notifies()).isEqualTo(12);
    assertThat(card.perRank().getFirst().selfNotifies()).isEqualTo(3);
  }

  @Test
  void allgatherMovesARowToEveryOtherRank() {
    CostCard card =
        CostCard.of(
            new Call(OpCode.ALLGATHER, Rail.INCORE, "push", 4, List.of(4L, 64L), DType.FP32, 0, 1));
    assertThat(card.perRank()).containsOnly(new RankCost(768, 768, 768, 256, 3, 3, 3));
    assertThat(card.minimumBytes()).isEqualTo(768);
  }

  @Test
  void reduceScatterHasTwoBarriersAndNoSelfPath() {
    CostCard card =
        CostCard.of(
            new Call(
                OpCode.REDUCE_SCATTER, Rail.HOST, "mesh", 4, List.of(4L, 64L), DType.FP32, 0, 1));
    assertThat(card.perRank()).containsOnly(new RankCost(768, 768, 768, 0, 6, 3, 6));
  }

  @Test
  void allToAllVMovesWholeBlocksAndOneCountToEachRank() {
    CostCard card =
        CostCard.of(
            new Call(
                OpCode.ALL_TO_ALL_V, Rail.INCORE, "push", 4, List.of(8L, 64L), DType.FP32, 0, 1));
    assertThat(card.perRank()).containsOnly(new RankCost(1536, 1536, 1536, 512, 6, 4, 3));
  }

  @Test
  void oneRankAloneMovesNothing() {
    CostCard card = allreduce(Rail.INCORE, "ring", 1, 64, DType.FP32, 1);
    assertThat(card.perRank()).containsOnly(new RankCost(0, 0, 0, 0, 0, 0, 0));
    assertThat(card.minimumBytes()).isZero();
  }
}
