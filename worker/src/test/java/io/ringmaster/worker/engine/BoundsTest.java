package io.ringmaster.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nothing is clamped: whatever isn't wholly inside stops the run with the values. */
class BoundsTest {

  private static RunOutcome run(String body) {
    return Runs.run(
        Runs.kernel(
            "x: pl.Tensor[[1, 16], pl.FP32], y: pl.Out[pl.Tensor[[1, 16], pl.FP32]], "
                + "g: pl.InOut[pld.DistributedTensor[[2, 16], pl.FP32]]",
            "ctx = pld.get_comm_ctx(g)\nme = pld.rank(ctx)\n" + body,
            "x: pl.Tensor[[NR, 1, 16], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 16], pl.FP32]]",
            "gb = pld.alloc_window_buffer(128)",
            """
            g = pld.window(gb, [2, 16], dtype=pl.FP32)
            x_r = x[r]
            y_r = y[r]
            self.step(x_r, y_r, g, device=r)
            """),
        2,
        new EventLog(),
        HostTensor.zeros(DType.FP32, 2, 1, 16),
        HostTensor.zeros(DType.FP32, 2, 1, 16));
  }

  private static Finding fault(String body) {
    RunOutcome outcome = run(body);
    assertThat(outcome.status()).isEqualTo(RunOutcome.Status.FAULT);
    return outcome.findings().getFirst();
  }

  @Test
  void aNegativeStoreOffsetIsNotClampedToZero() {
    Finding fault =
        fault(
            """
            t = pl.load(x, [0, 0], [1, 8])
            y = pl.store(t, [0, (me - 1) * 8], y)
            """);
    assertThat(fault.kind()).isEqualTo(Finding.Kind.OUT_OF_BOUNDS);
    assertThat(fault.ranks()).containsExactly(0);
    assertThat(fault.message()).contains("pl.store").contains("offset -8 in dimension 1 of 'y'");
  }

  @Test
  void theTwinThatAdjustsTheNegativeValueRuns() {
    RunOutcome outcome =
        run(
            """
            t = pl.load(x, [0, 0], [1, 8])
            y = pl.store(t, [0, (me - 1 + 1) * 8], y)
            """);
    assertThat(outcome.isFinished()).as(outcome.sentence()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "t = pl.load(x, [0, me * 9], [1, 8]); 1; offset 9 + extent 8 exceeds 16",
        "t = pld.tile.remote_load(g, peer=1 - me, offsets=[me * 2, 0], shape=[1, 16]); 1; offset 2 +"
            + " extent 1 exceeds 2",
        "t = pld.tile.remote_load(g, peer=me * 5, offsets=[0, 0], shape=[1, 16]); 1; peer 5 outside"
            + " [0, 2)",
        "v = pl.read(x, [0, 16 * me]); 1; offset 16 + extent 1 exceeds 16",
        "pl.write(y, [me, 0], pl.const(1.0, pl.FP32)); 1; offset 1 + extent 1 exceeds 1",
        "g = pld.tensor.put(g, peer=0, src=x, dst_offsets=[1 + me, 0], src_offsets=[0, 0], shape=[1,"
            + " 16]); 1; offset 2 + extent 1 exceeds 2",
        "y = pld.tensor.get(y, peer=0, src=g, dst_offsets=[0, 0], src_offsets=[-me, 0], shape=[1,"
            + " 16]); 1; offset -1 in dimension 0",
        "z = pl.slice(g, [1, 16], [me * 2, 0]); 1; offset 2 + extent 1 exceeds 2",
      })
  void everyAccessIsChecked(String statement, int rank, String detail) {
    Finding fault = fault(statement);
    assertThat(fault.kind()).isEqualTo(Finding.Kind.OUT_OF_BOUNDS);
    assertThat(fault.ranks()).containsExactly(rank);
    assertThat(fault.message()).contains(detail);
    assertThat(fault.places()).hasSize(1);
  }

  @Test
  void divisionByZeroIsNamed() {
    Finding fault = fault("z = 1 // me");
    assertThat(fault.message()).isEqualTo("rank 0: // by zero");
  }

  @Test
  void aViewLargerThanItsBufferIsRejected() {
    String text =
        Runs.kernel(
            "s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]",
            "pass",
            "x: pl.Tensor[[NR, 1], pl.FP32]",
            "sb = pld.alloc_window_buffer(pld.world_size())",
            """
            s = pld.window(sb, [pld.world_size(), 1], dtype=pl.INT32)
            self.step(s, device=r)
            """);
    assertThatThrownBy(() -> Runs.run(text, 4, new EventLog(), HostTensor.zeros(DType.FP32, 4, 1)))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("needs 16 bytes, the buffer has 4");
  }

  @Test
  void anArgumentSmallerThanTheParameterIsRefused() {
    String text =
        Runs.kernel(
            "s: pl.InOut[pld.DistributedTensor[[4, 2], pl.INT32]]",
            "pass",
            "x: pl.Tensor[[NR, 1], pl.FP32]",
            "sb = pld.alloc_window_buffer(16)",
            """
            s = pld.window(sb, [4, 1], dtype=pl.INT32)
            self.step(s, device=r)
            """);
    RunOutcome outcome = Runs.run(text, 1, new EventLog(), HostTensor.zeros(DType.FP32, 1, 1));
    assertThat(outcome.status()).isEqualTo(RunOutcome.Status.FAULT);
    assertThat(outcome.sentence())
        .contains("argument 's' of 'chip' has INT32[4, 1] with 16 bytes")
        .contains("needs 32");
  }
}
