package io.ringmaster.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HostTest {

  private static final String COPY =
      """
      NR = pl.dynamic("NR")

      @pl.program
      class Copy:
          @pl.function(type=pl.FunctionType.InCore)
          def step(self, x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
              t = pl.load(x, [0, 0], [1, 8])
              t2 = pl.add(t, 1.0)
              y = pl.store(t2, [0, 0], y)

          @pl.function(type=pl.FunctionType.Orchestration)
          def chip(self, x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
              self.step(x, y)

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(self, x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
      """;

  private static RunOutcome copy(String host, int ranks, EventLog log, HostTensor... tensors) {
    return Runs.run(COPY + host.indent(8), ranks, log, tensors);
  }

  private static HostTensor tensor(int ranks) {
    return HostTensor.zeros(DType.FP32, ranks, 1, 8);
  }

  @Test
  void disjointRowsOrderNobody() {
    var log = new EventLog();
    copy(
        """
        for r in pl.range(pld.world_size()):
            x_r = x[r]
            y_r = y[r]
            self.chip(x_r, y_r, device=r)
        """,
        4,
        log,
        tensor(4),
        tensor(4));
    assertThat(log.dispatches).hasSize(4).allMatch(d -> d.after().isEmpty());
    assertThat(log.dispatches).extracting(DispatchInfo::rank).containsExactly(0, 1, 2, 3);
  }

  @Test
  void aReaderOfAnotherRanksOutputRunsAfterIt() {
    var log = new EventLog();
    var x = tensor(2);
    var y = tensor(2);
    copy(
        """
        a = x[0]
        b = y[0]
        c = y[1]
        self.chip(a, b, device=0)
        self.chip(b, c, device=1)
        """,
        2,
        log,
        x,
        y);
    assertThat(log.dispatches.get(1).after()).containsExactly(0L);
    assertThat(Runs.floats(y)[0]).isEqualTo(1);
    assertThat(Runs.floats(y)[8]).isEqualTo(2);
  }

  @Test
  void aRankRunsItsDispatchesInOrder() {
    var log = new EventLog();
    var y = tensor(1);
    copy(
        """
        a = x[0]
        b = y[0]
        self.chip(a, b, device=0)
        self.chip(b, b, device=0)
        self.chip(b, b, device=0)
        """,
        1,
        log,
        tensor(1),
        y);
    assertThat(log.dispatches.get(2).after()).containsExactly(1L);
    assertThat(Runs.floats(y)[0]).isEqualTo(3);
  }

  @Test
  void hostDivisionFloorsAndLoopsMayDescend() {
    var y = tensor(2);
    var log = new EventLog();
    RunOutcome outcome =
        copy(
            """
            for i in pl.range(1, -1, -1):
                k = (i - 1) % 2
                a = x[k]
                b = y[k]
                self.chip(a, b, device=0)
            """,
            2, log, tensor(2), y);
    assertThat(outcome.isFinished()).isTrue();
    assertThat(Runs.floats(y)[0]).isEqualTo(1);
    assertThat(Runs.floats(y)[8]).isEqualTo(1);
    assertThat(outcome.findings())
        .extracting(Finding::kind)
        .containsExactly(Finding.Kind.IDLE_RANK);
  }

  @Test
  void anIntermediateOfHostIsZeroedAndOrdersItsUsers() {
    var y = tensor(1);
    copy(
        """
        t = pl.create_tensor([1, 8], dtype=pl.FP32)
        b = y[0]
        self.chip(t, t, device=0)
        self.chip(t, b, device=0)
        """,
        1,
        new EventLog(),
        tensor(1),
        y);
    assertThat(Runs.floats(y)[0]).isEqualTo(2);
  }

  @Test
  void aRankBeyondTheDevicesIsRejected() {
    assertThatThrownBy(
            () ->
                copy(
                    "a = x[0]\nb = y[0]\nself.chip(a, b, device=3)",
                    2,
                    new EventLog(),
                    tensor(2),
                    tensor(2)))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("device=3 is out of range")
        .hasMessageContaining("2 device(s)");
  }

  @Test
  void tooFewRowsAreExplained() {
    assertThatThrownBy(
            () ->
                copy(
                    """
                    for r in pl.range(pld.world_size()):
                        x_r = x[r]
                        y_r = y[r]
                        self.chip(x_r, y_r, device=r)
                    """,
                    4,
                    new EventLog(),
                    tensor(3),
                    tensor(3)))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("leading dim 3 < world_size 4");
  }

  @Test
  void argumentsAreComparedWithTheParameters() {
    String pass = "pass";
    assertThatThrownBy(() -> copy(pass, 2, new EventLog(), tensor(2)))
        .hasMessageContaining("'host' expects 2 arguments, got 1");
    assertThatThrownBy(
            () -> copy(pass, 2, new EventLog(), tensor(2), HostTensor.zeros(DType.FP64, 2, 1, 8)))
        .hasMessageContaining("'y' has dtype FP64, the parameter is FP32");
    assertThatThrownBy(
            () -> copy(pass, 2, new EventLog(), tensor(2), HostTensor.zeros(DType.FP32, 2, 8)))
        .hasMessageContaining("with 2 dimensions, the parameter has 3");
    assertThatThrownBy(
            () -> copy(pass, 2, new EventLog(), tensor(2), HostTensor.zeros(DType.FP32, 2, 1, 9)))
        .hasMessageContaining("dimension 2 of the parameter is 8");
    assertThatThrownBy(() -> copy(pass, 2, new EventLog(), tensor(2), tensor(3)))
        .hasMessageContaining("'NR' has conflicting bindings: 2 from dimension 0 of 'x'");
  }

  @Test
  void devicesMustBeDistinctAndNonNegative() {
    var program = IrParser.parse(COPY + "        pass\n");
    for (List<Integer> ids : List.of(List.of(4, 4), List.of(-1), List.<Integer>of())) {
      var request =
          RunRequest.of(
              program, HardwareProfile.a2a3sim(), ids, List.of(tensor(1), tensor(1)), List.of());
      assertThatThrownBy(() -> new Engine().run(request))
          .isInstanceOf(DiagnosticException.class)
          .hasMessageContaining("device_ids must");
    }
  }

  @Test
  void twoDomainsNumberTheirRanksFromZero() {
    var y = HostTensor.zeros(DType.INT32, 3, 1, 8);
    String text =
        """
        NR = pl.dynamic("NR")

        @pl.program
        class Groups:
            # pld.comm_domain: devices=[0, 1], slots=[a]
            # pld.comm_domain: devices=[1, 2], slots=[b]
            @pl.function(type=pl.FunctionType.InCore)
            def step(self, y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], at: pl.Scalar[pl.INT32], add: pl.Scalar[pl.INT32]):
                ctx = pld.get_comm_ctx(s)
                me = pld.rank(ctx)
                peer = 1 - me
                pld.system.notify(s, peer=peer, offsets=[me, 0], value=me + add, op=pld.NotifyOp.AtomicAdd)
                pld.system.wait(s, offsets=[peer, 0], expected=1, cmp=pld.WaitCmp.Ge)
                v = pl.read(s, [peer, 0])
                pl.write(y, [0, at], v)

            @pl.function(type=pl.FunctionType.Orchestration)
            def chip(self, y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], at: pl.Scalar[pl.INT32], add: pl.Scalar[pl.INT32]):
                self.step(y, s, at, add)

            @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
            def host(self, y: pl.InOut[pl.Tensor[[NR, 1, 8], pl.INT32]]):
                a = pld.alloc_window_buffer(8)
                b = pld.alloc_window_buffer(8)
                for r in pl.range(2):
                    s = pld.window(a, [2, 1], dtype=pl.INT32)
                    y_r = y[r]
                    self.chip(y_r, s, 0, 10, device=r)
                for q in pl.range(1, 3):
                    s2 = pld.window(b, [2, 1], dtype=pl.INT32)
                    y_q = y[q]
                    self.chip(y_q, s2, 1, 20, device=q)
        """;
    RunOutcome outcome = Runs.run(text, 3, new EventLog(), y);
    assertThat(outcome.isFinished()).as(outcome.sentence()).isTrue();
    int[] values = Runs.ints(y);
    assertThat(IntStream.of(values[0], values[8], values[9], values[17]).toArray())
        .containsExactly(11, 10, 21, 20);
  }

  private static RunOutcome limited(String host, Limits limits, boolean cancelled) {
    var program = IrParser.parse(COPY + host.indent(8));
    return new Engine()
        .run(
            new RunRequest(
                program,
                HardwareProfile.sim(),
                List.of(0),
                List.of(tensor(1), tensor(1)),
                0,
                limits,
                List.of(),
                () -> cancelled));
  }

  private static final String ENDLESS =
      """
      a = x[0]
      b = y[0]
      while 1 > 0:
          self.chip(a, b, device=0)
      """;

  @Test
  void anEndlessLoopEndsAtTheInstructionLimit() {
    RunOutcome outcome =
        limited(ENDLESS, new Limits(10_000, Duration.ofMinutes(1), 1 << 20), false);
    assertThat(outcome.status()).isEqualTo(RunOutcome.Status.RESOURCE);
    assertThat(outcome.sentence()).contains("10000 kernel instructions");
    assertThat(outcome.instructions()).isEqualTo(10_000);
  }

  @Test
  void theWallLimitAndCancellationAreToldApart() {
    assertThat(limited(ENDLESS, new Limits(Long.MAX_VALUE, Duration.ZERO, 1 << 20), false).status())
        .isEqualTo(RunOutcome.Status.TIMED_OUT);
    assertThat(limited(ENDLESS, Limits.DEFAULT, true).status())
        .isEqualTo(RunOutcome.Status.CANCELLED);
  }

  @Test
  void tooMuchMemoryIsToldWithTheNumbers() {
    RunOutcome outcome =
        limited(
            "w = pld.alloc_window_buffer(5000)",
            new Limits(10_000, Duration.ofMinutes(1), 4096),
            false);
    assertThat(outcome.status()).isEqualTo(RunOutcome.Status.RESOURCE);
    assertThat(outcome.sentence()).contains("window buffer 'w'").contains("4096");
  }
}
