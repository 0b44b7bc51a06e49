package io.ringmaster.worker.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.engine.Limits;
import io.ringmaster.worker.engine.RunOutcome;
import io.ringmaster.worker.fabric.Finding;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What late ranks, slow links, lost notifies and full ports do to a collective. */
class ConditionsTest {

  private static RunOutcome run(Algorithm algorithm, long bytes, String... conditions) {
    return new Trial(algorithm, 8, bytes, HardwareProfile.a2a3sim(), false)
        .run(List.of(), Limits.DEFAULT, Arrays.stream(conditions).map(Condition::parse).toList());
  }

  private static long nanos(Algorithm algorithm, long bytes, String... conditions) {
    RunOutcome outcome = run(algorithm, bytes, conditions);
    assertThat(outcome.isFinished()).as(outcome.sentence()).isTrue();
    return outcome.virtualNanos();
  }

  @Test
  void aMeshCongestsPortsAndARingDoesNot() {
    long bytes = 1 << 20;

    assertThat(nanos(Algorithm.ALLREDUCE_MESH, bytes))
        .isGreaterThan(nanos(Algorithm.ALLREDUCE_MESH, bytes, "ports=off"));
    assertThat(nanos(Algorithm.ALLREDUCE_RING, bytes))
        .isEqualTo(nanos(Algorithm.ALLREDUCE_RING, bytes, "ports=off"));
  }

  @Test
  void aBarrierEndsAsMuchLaterAsItsLastRank() {
    long alone = nanos(Algorithm.BARRIER_CREDIT, 0);

    assertThat(nanos(Algorithm.BARRIER_CREDIT, 0, "straggler=2:50us"))
        .isGreaterThan(alone + 40_000);
    assertThat(nanos(Algorithm.BARRIER_CREDIT, 0, "straggler=2:5us")).isLessThan(alone + 5_001);
  }

  @Test
  void aSlowRankAndASlowLinkHoldUpEverybody() {
    long alone = nanos(Algorithm.ALLREDUCE_NEIGHBOUR, 1 << 16);

    assertThat(nanos(Algorithm.ALLREDUCE_NEIGHBOUR, 1 << 16, "straggler=3:2x"))
        .isGreaterThan(alone * 5 / 4);
    assertThat(nanos(Algorithm.ALLREDUCE_NEIGHBOUR, 1 << 16, "slow-link=0-1:4x"))
        .isGreaterThan(alone * 3 / 2);
    assertThat(nanos(Algorithm.ALLREDUCE_NEIGHBOUR, 1 << 16, "slow-link=0-2:4x"))
        .as("a link that the ring doesn't use")
        .isEqualTo(alone);
  }

  @Test
  void aDelayedNotifyDelaysWhoWaitsForIt() {
    long alone = nanos(Algorithm.BARRIER_DISSEMINATION, 0);

    assertThat(nanos(Algorithm.BARRIER_DISSEMINATION, 0, "delay-notify=0-1:30us"))
        .isBetween(alone + 25_000, alone + 30_000);
    assertThat(nanos(Algorithm.BARRIER_DISSEMINATION, 0, "delay-notify=0-1#2:30us"))
        .as("there is only one")
        .isEqualTo(alone);
  }

  @Test
  void aDroppedNotifyIsADeadlockThatSaysWhatWasDropped() {
    RunOutcome outcome = run(Algorithm.BARRIER_CREDIT, 0, "drop-notify=0-1");

    assertThat(outcome.status()).isEqualTo(RunOutcome.Status.DEADLOCK);
    assertThat(outcome.findings())
        .extracting(Finding::kind, Finding::ranks)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(Finding.Kind.NOTIFY_DROPPED, List.of(0, 1)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "straggler=2:5000ns",
        "straggler=2:1.5x",
        "slow-link=0-1:4x",
        "delay-notify=0-1:3000ns",
        "delay-notify=0-1#2:3000ns",
        "drop-notify=0-1",
        "drop-notify=1-0#7",
        "ports=off"
      })
  void aConditionReadsBack(String text) {
    assertThat(Condition.parse(text).text()).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "late=2, isn't a condition; write KIND=VALUE with one of delay-notify",
    "straggler=2, write RANK:DELAY or RANK:FACTORx",
    "straggler=2:5, it doesn't have the form",
    "straggler=2:0.5x, a factor lies in 1..1000000",
    "straggler=2:5000000s, a delay is an hour at most",
    "straggler=99999999:5us, there is no rank 99999999",
    "slow-link=1-1:4x, a rank has no link to itself",
    "drop-notify=0-1#0, notifies are counted from 1",
    "ports=on, ports are on unless they are off",
  })
  void aMistakeIsNamedWithTheForm(String text, String message) {
    assertThatThrownBy(() -> Condition.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
