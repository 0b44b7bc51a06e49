package io.ringmaster.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.BlockedRank;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SignalsTest {

  private static final String PARAMS =
      "y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], "
          + "s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]";

  private static final String RANK =
      """
      ctx = pld.get_comm_ctx(s)
      me = pld.rank(ctx)
      n = pld.nranks(ctx)
      """;

  private static RunOutcome run(int ranks, EventLog log, HostTensor y, String body) {
    return Runs.run(
        Runs.kernel(
            PARAMS,
            RANK + body,
            "y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]",
            "sb = pld.alloc_window_buffer(pld.world_size() * 4)",
            """
            s = pld.window(sb, [pld.world_size(), 1], dtype=pl.INT32)
            y_r = y[r]
            self.step(y_r, s, device=r)
            """),
        ranks,
        log,
        y);
  }

  private static HostTensor output(int ranks) {
    return HostTensor.zeros(DType.INT32, ranks, 1, 8);
  }

  @Test
  void aValueThatNoCellHoldsIsNamed() {
    RunOutcome outcome =
        run(
            1,
            new EventLog(),
            output(1),
            """
            big = pl.cast(me, pl.INT64) + 4294967297
            pld.system.notify(s, peer=0, offsets=[0, 0], value=big, op=pld.NotifyOp.AtomicAdd)
            """);

    assertThat(outcome.isFinished()).isFalse();
    assertThat(outcome.sentence()).contains("4294967297 doesn't fit into a signal cell");
  }

  @Test
  void pingPongTakesTurns() {
    var y = output(2);
    RunOutcome outcome =
        run(
            2,
            new EventLog(),
            y,
            """
            for i in pl.range(10):
                if me == 0:
                    pld.system.notify(s, peer=1, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
                    pld.system.wait(s, offsets=[1, 0], expected=pl.cast(i + 1, pl.INT32), cmp=pld.WaitCmp.Ge)
                else:
                    pld.system.wait(s, offsets=[0, 0], expected=pl.cast(i + 1, pl.INT32), cmp=pld.WaitCmp.Ge)
                    pld.system.notify(s, peer=0, offsets=[1, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            other = 1 - me
            v = pl.read(s, [other, 0])
            pl.write(y, [0, 0], v)
            """);
    assertThat(outcome.isFinished()).as(outcome.sentence()).isTrue();
    assertThat(Runs.ints(y)[0]).isEqualTo(10);
    assertThat(Runs.ints(y)[8]).isEqualTo(10);
    assertThat(outcome.operations().waits()).isEqualTo(20);
    assertThat(outcome.virtualNanos()).isGreaterThan(20 * 1040);
  }

  @Test
  void aWaitNobodyNotifiesIsADeadlockWithValues() {
    var log = new EventLog();
    RunOutcome outcome =
        run(
            2,
            log,
            output(2),
            """
            if me == 1:
                pld.system.wait(s, offsets=[0, 0], expected=3, cmp=pld.WaitCmp.Ge)
            """);
    assertThat(outcome.status()).isEqualTo(RunOutcome.Status.DEADLOCK);
    assertThat(outcome.blocked()).hasSize(1).isEqualTo(log.blocked);
    BlockedRank blocked = outcome.blocked().getFirst();
    assertThat(blocked.rank()).isEqualTo(1);
    assertThat(blocked.seen()).isZero();
    assertThat(blocked.awaited()).isPresent();
    assertThat(blocked.reason()).contains("cell [0, 0] of 'sb' to be >= 3; it is 0");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 8})
  void everyRankWaitingBeforeItNotifiesIsADeadlockOfAll(int ranks) {
    RunOutcome outcome =
        run(
            ranks,
            new EventLog(),
            output(ranks),
            """
            left = (me + n - 1) % n
            pld.system.wait(s, offsets=[left, 0], expected=1, cmp=pld.WaitCmp.Ge)
            pld.system.notify(s, peer=(me + 1) % n, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            """);
    assertThat(outcome.status()).isEqualTo(RunOutcome.Status.DEADLOCK);
    assertThat(outcome.blocked()).hasSize(ranks);
    assertThat(outcome.operations().notifies()).isZero();
  }

  @Test
  void setOverwritesAndAddAddsAndTheCellWraps() {
    var y = output(1);
    run(
        1,
        new EventLog(),
        y,
        """
        pld.system.notify(s, peer=0, offsets=[0, 0], value=2147483647, op=pld.NotifyOp.Set)
        pld.system.notify(s, peer=0, offsets=[0, 0], value=2, op=pld.NotifyOp.AtomicAdd)
        v = pl.read(s, [0, 0])
        pl.write(y, [0, 0], v)
        """);
    assertThat(Runs.ints(y)[0]).isEqualTo(Integer.MIN_VALUE + 1);
  }

  @Test
  void anExactWaitMissesAValueThatMovedPastIt() {
    RunOutcome outcome =
        run(
            2,
            new EventLog(),
            output(2),
            """
            if me == 0:
                pld.system.notify(s, peer=1, offsets=[0, 0], value=2, op=pld.NotifyOp.AtomicAdd)
            else:
                pld.system.wait(s, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Eq)
            """);
    assertThat(outcome.status()).isEqualTo(RunOutcome.Status.DEADLOCK);
    assertThat(outcome.blocked().getFirst().seen()).isEqualTo(2);
  }

  @Test
  void notificationsOfOneSenderArriveInOrderUnderAnySeed() {
    String text =
        Runs.kernel(
            PARAMS,
            RANK
                + """
                if me == 0:
                    for i in pl.range(20):
                        pld.system.notify(s, peer=1, offsets=[0, 0], value=pl.cast(i + 1, pl.INT32), op=pld.NotifyOp.Set)
                else:
                    pld.system.wait(s, offsets=[0, 0], expected=20, cmp=pld.WaitCmp.Ge)
                    v = pl.read(s, [0, 0])
                    pl.write(y, [0, 0], v)
                """,
            "y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]",
            "sb = pld.alloc_window_buffer(8)",
            """
            s = pld.window(sb, [2, 1], dtype=pl.INT32)
            y_r = y[r]
            self.step(y_r, s, device=r)
            """);
    for (long seed = 0; seed < 20; seed++) {
      var y = output(2);
      var plain =
          Runs.request(io.ringmaster.worker.ir.IrParser.parse(text), 2, java.util.List.of(), y);
      var outcome =
          new Engine()
              .run(
                  new RunRequest(
                      plain.program(),
                      plain.profile(),
                      plain.deviceIds(),
                      plain.arguments(),
                      seed,
                      plain.limits(),
                      plain.listeners(),
                      plain.cancelled()));
      assertThat(outcome.isFinished()).isTrue();
      assertThat(Runs.ints(y)[8]).isEqualTo(20);
    }
  }

  @Test
  void aPeerOutsideTheDomainIsAFaultOfThatRank() {
    RunOutcome outcome =
        run(
            2,
            new EventLog(),
            output(2),
            """
            pld.system.notify(s, peer=me + 1, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            pld.system.wait(s, offsets=[1 - me, 0], expected=1, cmp=pld.WaitCmp.Ge)
            """);
    assertThat(outcome.status()).isEqualTo(RunOutcome.Status.FAULT);
    Finding fault = outcome.findings().getFirst();
    assertThat(fault.kind()).isEqualTo(Finding.Kind.OUT_OF_BOUNDS);
    assertThat(fault.message()).contains("rank 1").contains("peer 2 outside [0, 2)");
    assertThat(fault.places().getFirst().span().isKnown()).isTrue();
    assertThat(outcome.blocked()).extracting(BlockedRank::rank).containsExactly(0);
    assertThat(outcome.blocked().getFirst().reason()).contains("because rank 1 failed");
  }

  @Test
  void aRemainderThatTruncatesBelowZeroIsNamedTwice() {
    RunOutcome outcome =
        run(
            3,
            new EventLog(),
            output(3),
            """
            left = (me - 1) % n
            pld.system.notify(s, peer=left, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            """);
    assertThat(outcome.findings())
        .extracting(Finding::kind)
        .containsExactly(Finding.Kind.OUT_OF_BOUNDS, Finding.Kind.NEGATIVE_DIVIDEND);
    assertThat(outcome.findings().getFirst().message()).contains("peer -1 outside [0, 3)");
    assertThat(outcome.findings().get(1).message()).contains("(-1) % 3 is -1");
  }

  @Test
  void aCellOutsideTheSignalIsAFault() {
    RunOutcome outcome =
        run(
            2,
            new EventLog(),
            output(2),
            "pld.system.wait(s, offsets=[me, me], expected=0, cmp=pld.WaitCmp.Ge)");
    Finding fault = outcome.findings().getFirst();
    assertThat(fault.message()).contains("rank 1").contains("offset 1 + extent 1 exceeds 1");
    assertThat(fault.window()).contains("sb");
  }

  @Test
  void anEarlyReturnLeavesOnlyItsBranch() {
    var y = output(2);
    RunOutcome outcome =
        run(
            2,
            new EventLog(),
            y,
            """
            if me == 0:
                pl.write(y, [0, 0], 1)
                return y
            pl.write(y, [0, 1], 2)
            return y
            """
                .replace("0], 1)", "0], pl.const(1, pl.INT32))")
                .replace("1], 2)", "1], pl.const(2, pl.INT32))"));
    assertThat(outcome.isFinished()).as(outcome.sentence()).isTrue();
    assertThat(Runs.ints(y)).startsWith(1, 0).containsSequence(0, 2);
  }
}
