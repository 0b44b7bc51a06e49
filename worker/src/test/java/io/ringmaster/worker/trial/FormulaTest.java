package io.ringmaster.worker.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.engine.Limits;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.lowering.CostCard;
import io.ringmaster.worker.observe.CollectiveTraffic;
import io.ringmaster.worker.observe.Observation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a built-in is measured to move and signal is its formula, exactly: every collective, rail
 * and algorithm, every rank count from 2 to 10, at sizes around tiles, chunks and segments.
 */
class FormulaTest {

  private static final long[] BYTES = {4, 32, 1020, 1024, 1056, 16_384, 16_416, 40_000};

  static Stream<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    var random = new SplittableRandom(7);
    for (Algorithm algorithm : Algorithm.values()) {
      if (!algorithm.idea().startsWith("by hand")) {
        for (int ranks = 2; ranks <= 10; ranks++) {
          for (long bytes : BYTES) {
            cases.add(Arguments.of(algorithm, ranks, bytes));
          }
          cases.add(Arguments.of(algorithm, ranks, 1 + random.nextLong(100_000)));
        }
      }
    }
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void measuredIsTheFormula(Algorithm algorithm, int ranks, long bytes) {
    var observation = new Observation(ranks);
    new Trial(algorithm, ranks, bytes, HardwareProfile.sim(), false)
        .run(List.of(observation), Limits.DEFAULT, List.of());

    assertThat(observation.collectives()).hasSize(1);
    CollectiveTraffic measured = observation.collectives().getFirst();
    CostCard card = card(measured);
    assertThat(measured.wireBytes())
        .as("bytes into each rank")
        .isEqualTo(card.perRank().stream().map(CostCard.RankCost::ingressBytes).toList());
    assertThat(measured.notifies())
        .isEqualTo(card.perRank().stream().mapToLong(r -> r.notifies() + r.selfNotifies()).sum());
    assertThat(measured.waits())
        .isEqualTo(card.perRank().stream().mapToLong(CostCard.RankCost::waits).sum());
    assertThat(observation.traffic().signalBytes())
        .isEqualTo(4 * card.perRank().stream().mapToLong(CostCard.RankCost::notifies).sum());
    long most = card.perRank().stream().mapToLong(CostCard.RankCost::ingressBytes).max().orElse(0);
    assertThat(card.minimumBytes()).as("the least that is possible").isLessThanOrEqualTo(most);
    requireMatrix(observation.traffic().wireBytes(), card);
  }

  /** Columns of the table between ranks are what goes in, rows what goes out. */
  private static void requireMatrix(List<List<Long>> matrix, CostCard card) {
    for (int rank = 0; rank < matrix.size(); rank++) {
      int column = rank;
      assertThat(matrix.stream().mapToLong(row -> row.get(column)).sum())
          .isEqualTo(card.perRank().get(rank).ingressBytes());
      assertThat(matrix.get(rank).stream().mapToLong(Long::longValue).sum())
          .isEqualTo(card.perRank().get(rank).egressBytes());
      assertThat(matrix.get(rank).get(rank)).isZero();
    }
  }

  private static CostCard card(CollectiveTraffic measured) {
    return CostCard.of(
        new CostCard.Call(
            OpCode.valueOf(measured.op().toUpperCase(Locale.ROOT)),
            Stmt.Rail.valueOf(measured.rail().toUpperCase(Locale.ROOT)),
            measured.algorithm(),
            measured.ranks(),
            measured.shape(),
            measured.dtype().orElseThrow(),
            Math.toIntExact(measured.root().orElse(0L)),
            1));
  }

  @ParameterizedTest
  @MethodSource("handWritten")
  void handWrittenSchedulesMoveNoMoreThanTheyMust(Algorithm algorithm) {
    var observation = new Observation(8);
    var trial = new Trial(algorithm, 8, 64 << 10, HardwareProfile.sim(), false);
    trial.run(List.of(observation), Limits.DEFAULT, List.of());

    long each =
        switch (algorithm.collective()) {
          case "allreduce" ->
              algorithm.isSegmented() ? 2 * 7 * trial.bytes() / 8 : 7 * trial.bytes();
          case "allgather" -> 7 * trial.bytes();
          default -> 0;
        };
    assertThat(observation.traffic().mostWireBytesIn()).isEqualTo(each);
  }

  static Stream<Algorithm> handWritten() {
    return Arrays.stream(Algorithm.values()).filter(a -> a.idea().startsWith("by hand"));
  }
}
