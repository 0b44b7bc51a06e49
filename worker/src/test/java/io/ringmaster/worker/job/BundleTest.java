package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.engine.Condition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bundle holds all that a run needs, and gives the same report again. */
class BundleTest {

  private static JobSpec spec(String example) {
    return new JobSpec(
        Examples.source(Path.of("..", "examples", example)),
        "a2a3sim",
        List.of(List.of(0, 1, 2, 3), List.of(4, 7, 5)),
        List.of(),
        new JobSpec.Limits(Duration.ofSeconds(30), 1_000_000, 9_000_000, 1L << 30),
        3,
        List.of(Condition.parse("straggler=1:5us")),
        new Exploration(8, 2, true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ladder/16_putting_it_together.py",
        "wrong/gather_without_barrier.py",
        "wrong/wait_before_notify.py",
        "wrong/allgather_from_tile.py"
      })
  void replaysToTheSameReport(String example) {
    JobSpec spec = spec(example);
    JobReport report = new JobRunner().run(spec, RunControl.none());

    Bundle read = Bundle.read(Bundle.of(spec, report).json());

    assertThat(read.spec().devices()).isEqualTo(spec.devices());
    assertThat(read.spec().limits()).isEqualTo(spec.limits());
    assertThat(read.spec().seed()).isEqualTo(3);
    assertThat(read.spec().exploration()).isEqualTo(spec.exploration());
    assertThat(read.spec().conditions()).isEqualTo(spec.conditions());
    assertThat(read.spec().source().text()).isEqualTo(spec.source().text());
    assertThat(read.differences(new JobRunner().run(read.spec(), RunControl.none()))).isEmpty();
  }

  @Test
  void anotherReportIsToldByItsPlaces() {
    JobSpec spec = spec("ladder/16_putting_it_together.py");
    Bundle bundle = Bundle.of(spec, new JobRunner().run(spec, RunControl.none()));

    JobReport other =
        new JobRunner().run(spec("wrong/gather_without_barrier.py"), RunControl.none());

    assertThat(bundle.differences(other))
        .anySatisfy(
            difference ->
                assertThat(difference)
                    .isEqualTo("/verdict: \"PASSED\" in the bundle, \"RACE\" now"));
  }

  @Test
  void anotherFileIsNoBundle() {
    assertThatThrownBy(() -> Bundle.read("print('hello')")).hasMessageStartingWith("not a bundle");
    assertThatThrownBy(() -> Bundle.read("{}"))
        .hasMessageStartingWith("not a bundle")
        .hasMessageNotContaining("Deserialization");
  }
}
