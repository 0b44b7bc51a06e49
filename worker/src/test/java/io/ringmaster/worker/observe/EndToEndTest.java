package io.ringmaster.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.engine.Engine;
import io.ringmaster.worker.engine.Limits;
import io.ringmaster.worker.engine.RunOutcome;
import io.ringmaster.worker.engine.RunRequest;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Kind;
import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.lowering.Lowering;
import io.ringmaster.worker.lowering.LoweringContext;
import io.ringmaster.worker.lowering.Platform;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels in IR text, lowered and run by the engine, and what the observers say about them. */
class EndToEndTest {

  private static final long ROW = 64 * 4;
  private static final long SEEDS = 8;

  private static Observation run(String text, int ranks, long seed, HostTensor... arguments) {
    var lowered =
        Lowering.run(IrParser.parse(text), LoweringContext.of(Platform.a2a3("a2a3sim"), ranks));
    Observation observation = new Observation(ranks);
    RunOutcome outcome =
        new Engine()
            .run(
                new RunRequest(
                    lowered.program(),
                    HardwareProfile.sim(),
                    IntStream.range(0, ranks).boxed().toList(),
                    List.of(arguments),
                    seed,
                    Limits.DEFAULT,
                    List.of(observation),
                    () -> false));
    assertThat(outcome.findings()).as(outcome.sentence()).isEmpty();
    return observation;
  }

  /** Runs a kernel on {@code data [P, 64]} and {@code sig [P, columns]}. */
  private static Observation kernel(String body, int columns, int ranks, long seed) {
    String text =
        """
        NR = pl.dynamic("NR")
        C = pl.dynamic("C")

        @pl.program
        class Kernel:
            @pl.function(type=pl.FunctionType.InCore)
            def step(
                self,
                x: pl.Tensor[[1, 64], pl.FP32],
                y: pl.Out[pl.Tensor[[NR, 64], pl.FP32]],
                data: pl.InOut[pld.DistributedTensor[[NR, 64], pl.FP32]],
                sig: pl.InOut[pld.DistributedTensor[[NR, C], pl.INT32]],
            ) -> pl.Tensor[[NR, 64], pl.FP32]:
                ctx = pld.get_comm_ctx(data)
                me = pld.rank(ctx)
                nranks = pld.nranks(ctx)
        %s
                return y

            @pl.function(type=pl.FunctionType.Orchestration)
            def chip(
                self,
                x: pl.Tensor[[1, 64], pl.FP32],
                y: pl.Out[pl.Tensor[[NR, 64], pl.FP32]],
                data: pl.InOut[pld.DistributedTensor[[NR, 64], pl.FP32]],
                sig: pl.InOut[pld.DistributedTensor[[NR, C], pl.INT32]],
            ) -> pl.Tensor[[NR, 64], pl.FP32]:
                return self.step(x, y, data, sig)

            @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
            def host(
                self,
                x: pl.Tensor[[NR, 1, 64], pl.FP32],
                y: pl.Out[pl.Tensor[[NR, NR, 64], pl.FP32]],
            ):
                data_buf = pld.alloc_window_buffer(pld.world_size() * 256)
                sig_buf = pld.alloc_window_buffer(pld.world_size() * %d)
                for r in pl.range(pld.world_size()):
                    data = pld.window(data_buf, [pld.world_size(), 64], dtype=pl.FP32)
                    sig = pld.window(sig_buf, [pld.world_size(), %d], dtype=pl.INT32)
                    x_r = x[r]
                    y_r = y[r]
                    self.chip(x_r, y_r, data, sig, device=r)
        """
            .formatted(body.indent(8), 4 * columns, columns);
    return run(
        text,
        ranks,
        seed,
        HostTensor.zeros(DType.FP32, ranks, 1, 64),
        HostTensor.zeros(DType.FP32, ranks, ranks, 64));
  }

  private static final String STAGE =
      """
      local = pl.load(x, [0, 0], [1, 64])
      data = pl.store(local, [me, 0], data)
      """;

  private static final String NOTIFY =
      """
      for peer in pl.range(nranks):
          if peer != me:
              pld.system.notify(sig, peer=peer, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd)
      """;

  private static final String WAIT =
      """
      for src in pl.range(nranks):
          if src != me:
              pld.system.wait(sig, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)
      """;

  private static final String PULL =
      """
      for from_rank in pl.range(nranks):
          recv = pld.tile.remote_load(data, peer=from_rank, offsets=[from_rank, 0], shape=[1, 64])
          y = pl.store(recv, [from_rank, 0], y)
      """;

  private static final String ALLGATHER =
      """
      data = pld.tensor.allgather(x, data, sig)
      for row in pl.range(nranks):
          chunk = pl.load(data, [row, 0], [1, 64])
          y = pl.store(chunk, [row, 0], y)
      """;

  private static String resource(String name) throws IOException {
    try (InputStream in = EndToEndTest.class.getResourceAsStream(name)) {
      assertThat(in).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void theCompositionIsCleanAndItsTrafficIsAsPublished() throws IOException {
    String text = resource("/io/ringmaster/worker/lowering/composition.ir");
    for (int ranks : new int[] {1, 2, 3, 4, 5, 8}) {
      for (long seed = 0; seed < SEEDS; seed++) {
        Observation observation =
            run(
                text,
                ranks,
                seed,
                HostTensor.zeros(DType.FP32, ranks, 1, 64),
                HostTensor.zeros(DType.FP32, 1, 64),
                HostTensor.zeros(DType.FP32, ranks, 1, 64),
                HostTensor.zeros(DType.FP32, ranks, 1, ranks * 64L));
        assertThat(observation.findings()).as("P = %d, seed %d", ranks, seed).isEmpty();
        assertThat(observation.collectives())
            .extracting(CollectiveTraffic::op)
            .containsExactly("broadcast", "allreduce", "allgather");
        long others = ranks - 1L;
        assertThat(observation.collectives().get(0).wireBytes().getFirst()).isZero();
        assertThat(observation.collectives().get(0).wireBytes().subList(1, ranks))
            .allMatch(bytes -> bytes == ROW);
        assertThat(observation.collectives().get(1).wireBytes()).containsOnly(others * ROW);
        assertThat(observation.collectives().get(2).wireBytes()).containsOnly(others * ROW);
        assertThat(observation.collectives().get(2).payloadBytes()).containsOnly(ranks * ROW);
        assertThat(observation.barriers()).hasSize(ranks == 1 ? 0 : 4);
      }
    }
  }

  @Test
  void theHandWrittenAllgatherIsCleanButForItsResidue() {
    for (int ranks : new int[] {2, 3, 4, 8}) {
      for (long seed = 0; seed < SEEDS; seed++) {
        Observation observation = kernel(STAGE + NOTIFY + WAIT + PULL, 1, ranks, seed);
        assertThat(Found.kinds(observation)).containsExactly(Kind.RESIDUE);
        assertThat(observation.barriers()).hasSize(1);
        CollectiveTraffic hand = observation.collectives().getFirst();
        assertThat(hand.algorithm()).isEqualTo("hand");
        assertThat(hand.wireBytes()).containsOnly((ranks - 1) * ROW);
        assertThat(observation.traffic().operations().remoteLoads())
            .isEqualTo((long) ranks * ranks);
      }
    }
  }

  @Test
  void withoutItsBarrierItRacesInEveryOrder() {
    for (long seed = 0; seed < SEEDS; seed++) {
      List<Finding> races = Found.of(kernel(STAGE + PULL, 1, 4, seed), Kind.RACE);
      assertThat(races).hasSize(1);
      assertThat(races.getFirst().message())
          .matches(
              "rank \\d reads row (\\d) of `data_buf` \\(bytes \\d+..\\d+\\) before rank \\1's"
                  + " store is ordered before it \\(seen 12 times, the first is described\\)");
    }
  }

  @Test
  void repeatingTheBuiltInAllgatherAtOnceRaces() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Observation observation = kernel(ALLGATHER + ALLGATHER, 1, 3, seed);
      assertThat(Found.errors(observation)).containsOnly(Kind.RACE);
      assertThat(observation.findings().getFirst().message()).contains("again before");
      String barrier = "sig = pld.tensor.barrier(sig)\n";
      assertThat(kernel(ALLGATHER + barrier + ALLGATHER, 1, 3, seed).findings()).isEmpty();
    }
  }

  @Test
  void aWaitThatNobodyNotifiesIsADeadlock() {
    Finding deadlock = Found.of(kernel(STAGE + WAIT + PULL, 1, 3, 0), Kind.DEADLOCK).getFirst();
    assertThat(deadlock.message()).contains("which holds 0 and needs at least 1");
    assertThat(deadlock.cell()).contains("[1, 0]");
    assertThat(deadlock.seen()).contains(0L);
    assertThat(deadlock.needed()).contains(1L);
  }

  /**
   * Two levels of a tree whose first lacks its guard, so that the last of an odd number of ranks
   * waits for one that doesn't exist: no cell is named by its sender.
   */
  @ParameterizedTest
  @CsvSource({
    "3, 1, '[0, 0]', '[1, 0]'",
    "5, 1, '[0, 0]', '[1, 0]'",
    "3, 3, '[0, 0]', '[0, 1]'",
    "5, 3, '[2, 2]', '[2, 1]'",
    "7, 2, '[0, 1]', '[1, 0]'"
  })
  void whoIsWaitedForIsWhoWouldNotifyTheCell(int ranks, int columns, String one, String two) {
    String tree =
        """
        if me %% 2 == 0:
            pld.system.wait(sig, %1$s, 1, cmp=pld.WaitCmp.Ge)
        if me %% 2 == 1:
            pld.system.notify(sig, me - 1, %1$s, 1, op=pld.NotifyOp.AtomicAdd)
        if me == nranks - 1:
            pld.system.notify(sig, 0, %2$s, 1, op=pld.NotifyOp.AtomicAdd)
        if me == 0:
            pld.system.wait(sig, %2$s, 1, cmp=pld.WaitCmp.Ge)
        """
            .formatted(one, two);
    int last = ranks - 1;
    Finding deadlock =
        Found.of(kernel(STAGE + tree + PULL, columns, ranks, 0), Kind.DEADLOCK).getFirst();

    assertThat(deadlock.message())
        .startsWith(
            "no rank notifies cell %s of `sig_buf` on rank %d, which waits for it: rank 0 waits for rank %d on cell %s"
                .formatted(one, last, last, two));
    assertThat(deadlock.message()).contains("rank %d waits on cell %s".formatted(last, one));
    assertThat(deadlock.cell()).contains(one);
    assertThat(deadlock.ranks()).containsExactly(0, last);
    assertThat(deadlock.hint()).contains("let some rank notify cell " + one);
  }

  /** Rounds of a dissemination: the rank that leaves is found from how the others send. */
  @ParameterizedTest
  @CsvSource({"5, '[0, 0]'", "8, '[0, 0]'", "5, '[1, 2]'", "8, '[3, 1]'"})
  void whoLeavesARoundIsSeenByHowTheOthersSend(int ranks, String cell) {
    String round =
        """
        if me != 2:
            pld.system.notify(sig, (me + 1) %% nranks, %1$s, 1, op=pld.NotifyOp.AtomicAdd)
            pld.system.wait(sig, %1$s, 1, cmp=pld.WaitCmp.Ge)
        """
            .formatted(cell);
    Finding deadlock = Found.of(kernel(STAGE + round, 3, ranks, 0), Kind.DEADLOCK).getFirst();

    assertThat(deadlock.message())
        .startsWith(
            "rank 2 finished without the notify: rank 3 waits for rank 2 on cell %s"
                .formatted(cell));
    assertThat(deadlock.ranks()).containsExactly(2, 3);
  }

  @Test
  void aCollectiveThatOneRankSkipsNamesTheBranch() {
    String guarded = "if me != 2:\n" + "sig = pld.tensor.barrier(sig)\n".indent(4);
    Finding deadlock = Found.of(kernel(STAGE + guarded + PULL, 1, 4, 0), Kind.DEADLOCK).getFirst();
    assertThat(deadlock.message())
        .startsWith("rank 2 finished without entering barrier (call 1")
        .contains("ranks 0, 1 and 3 wait for rank 2 on cell [2, 0] of `sig_buf`");
    assertThat(deadlock.hint()).contains("rank 2 left the others at the branch");
    assertThat(deadlock.places()).anyMatch(place -> place.rank() == 2);
  }

  @Test
  void aSourceThatIsNotStagedIsNamed() {
    String reduce =
        """
        data = pld.tensor.allreduce(data, sig, core_num=1, mode="mesh", op=pld.ReduceOp.Sum)
        total = pl.load(data, [0, 0], [1, 64])
        y = pl.store(total, [0, 0], y)
        """;
    Observation observation = kernel(STAGE + reduce, 1, 3, 0);
    assertThat(Found.kinds(observation)).containsOnly(Kind.UNINITIALISED_READ);
    assertThat(observation.findings().getFirst().message()).contains("of `data_buf` on rank");
  }
}
