package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Random HOST programs come out as a model without any simulator says; with one needed barrier left
 * out they are races, whatever values they give.
 */
class HostProgramsTest {

  private static JobReport run(HostPrograms program, int ranks) {
    return Examples.run(
        new SourceFile("generated.py", program.script()), Examples.firstDevices(ranks));
  }

  @Property(tries = 40)
  void outputsAreThoseOfTheModel(@ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int ranks) {
    HostPrograms program = new HostPrograms(seed, ranks, -1);

    JobReport report = run(program, ranks);

    assertThat(report.verdict())
        .as("%s\n%s", Examples.words(report), program.script())
        .isEqualTo(Verdict.PASSED);
  }

  @Property(tries = 15)
  void aNeededBarrierLeftOutIsARace(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 5) int ranks) {
    int needed = new HostPrograms(seed, ranks, -1).barriers();
    for (int without = 0; without < needed; without++) {
      HostPrograms program = new HostPrograms(seed, ranks, without);

      JobReport report = run(program, ranks);

      assertThat(report.verdict())
          .as("without barrier %d: %s\n%s", without, Examples.words(report), program.script())
          .isEqualTo(Verdict.RACE);
    }
  }
}
