package io.ringmaster.worker.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.engine.Limits;
import io.ringmaster.worker.engine.RunOutcome;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.observe.Observation;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every algorithm that is timed is also right, clean, and as long with values as without. */
class TrialTest {

  static Stream<Arguments> algorithms() {
    List<Arguments> cases = new ArrayList<>();
    for (Algorithm algorithm : Algorithm.values()) {
      for (int ranks : new int[] {2, 3, 4, 8}) {
        cases.add(Arguments.of(algorithm, ranks, 256L));
      }
      cases.add(Arguments.of(algorithm, 4, 40_000L));
    }
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void anAlgorithmIsRightAndClean(Algorithm algorithm, int ranks, long bytes) {
    var trial = new Trial(algorithm, ranks, bytes, HardwareProfile.sim(), true);
    var observation = new Observation(ranks);

    RunOutcome outcome = trial.run(List.of(observation), Limits.DEFAULT, List.of());

    assertThat(outcome.isFinished()).as(outcome.sentence() + outcome.findings()).isTrue();
    assertThat(trial.isRight()).as("values").isTrue();
    assertThat(observation.findings())
        .filteredOn(finding -> finding.severity() == Finding.Severity.ERROR)
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void aRunForTimingOnlyExecutesTheSameOperations(Algorithm algorithm, int ranks, long bytes) {
    var full = new Trial(algorithm, ranks, bytes, HardwareProfile.sim(), true);
    var bare = new Trial(algorithm, ranks, bytes, HardwareProfile.sim(), false);

    RunOutcome withValues = full.run(List.of(), Limits.DEFAULT, List.of());
    RunOutcome timed = bare.run(List.of(), Limits.DEFAULT, List.of());

    assertThat(timed.isFinished()).as(timed.sentence()).isTrue();
    assertThat(timed.operations()).isEqualTo(withValues.operations());
  }

  /** Hears nothing, but has to hear it in order. */
  private static final FabricListener ORDERED = new FabricListener() {};

  @ParameterizedTest
  @MethodSource("algorithms")
  void ranksThatRunAheadTakeTheSameTimeAndGetTheSameValues(
      Algorithm algorithm, int ranks, long bytes) {
    var conditions =
        List.of(Condition.parse("straggler=1:3us"), Condition.parse("slow-link=0-1:3x"));
    for (boolean values : new boolean[] {true, false}) {
      var trial = new Trial(algorithm, ranks, bytes, HardwareProfile.sim(), values);

      RunOutcome ahead = trial.run(List.of(), Limits.DEFAULT, conditions);
      boolean right = trial.isRight();
      RunOutcome inOrder = trial.run(List.of(ORDERED), Limits.DEFAULT, conditions);

      assertThat(right).isTrue();
      assertThat(ahead.virtualNanos()).isEqualTo(inOrder.virtualNanos());
      assertThat(ahead.operations()).isEqualTo(inOrder.operations());
    }
  }
}
