package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What one job leaves for the next makes it faster, and nothing else. */
class ReuseTest {

  private final JobRunner runner = new JobRunner();

  private static String text(String file) throws IOException {
    return Files.readString(Path.of("../examples").resolve(file));
  }

  private static JobSpec spec(String name, String text, int ranks) {
    return new JobSpec(
        SourceFile.of(name, text),
        "a2a3sim",
        List.of(IntStream.range(0, ranks).boxed().toList()),
        List.of(),
        JobSpec.Limits.DEFAULT,
        0);
  }

  /** A report without what no two runs have in common: wall times. */
  private static String told(JobReport report) {
    return ReportJson.write(report)
        .replaceAll("\"\\w*([wW]all|compile|verify)Nanos\" ?: ?(\\[[^]]*]|\\d+)", "");
  }

  @Test
  void everyReportIsTheOneOfARunnerThatKnowsNothing() throws IOException {
    for (var file :
        List.of(
            "ladder/16_putting_it_together.py",
            "ladder/13_allgather.py",
            "wrong/gather_own_window.py",
            "wrong/wait_nobody_notifies.py",
            "wrong/allgather_from_tile.py")) {
      for (int ranks : List.of(2, 4)) {
        var spec = spec(file, text(file), ranks);
        var alone = told(new JobRunner().run(spec, RunControl.none()));
        for (int i = 0; i < 3; i++) {
          assertThat(told(runner.run(spec, RunControl.none()))).as(file).isEqualTo(alone);
        }
      }
    }
  }

  @Test
  void aProgramIsCompiledOnceForEachNumberOfRanks() throws IOException {
    var text = text("ladder/16_putting_it_together.py");
    for (int ranks : List.of(2, 2, 4, 2)) {
      runner.run(spec("16.py", text, ranks), RunControl.none());
    }
    assertThat(runner.reuse()).isEqualTo(new JobRunner.Reuse(3, 1, 2, 2));
  }

  /** The same program further down is another one: its places are those of its own text. */
  @Test
  void findingsNameTheLinesOfTheirOwnText() throws IOException {
    var text = text("wrong/wait_nobody_notifies.py");
    var first = runner.run(spec("a.py", text, 2), RunControl.none());
    var lower = runner.run(spec("a.py", "\n\n\n" + text, 2), RunControl.none());
    var place = first.runs().getFirst().findings().getFirst().places().getFirst();
    assertThat(lower.runs().getFirst().findings().getFirst().places().getFirst().line())
        .isEqualTo(place.line() + 3);
  }

  @Test
  void runsOfOneProgramAtOnceDoNotDisturbEachOther() throws Exception {
    var spec = spec("16.py", text("ladder/16_putting_it_together.py"), 4);
    var alone = told(new JobRunner().run(spec, RunControl.none()));
    var calls = new ArrayList<Callable<String>>();
    for (int i = 0; i < 40; i++) {
      calls.add(() -> told(runner.run(spec, RunControl.none())));
    }
    try (var threads = Executors.newFixedThreadPool(4)) {
      for (var result : threads.invokeAll(calls)) {
        assertThat(result.get()).isEqualTo(alone);
      }
    }
  }

  @Test
  void whatIsKeptHasABound() {
    var memo = new Memo<Integer, String>(100);
    for (int i = 0; i < 50; i++) {
      int number = i;
      assertThat(memo.get(i, 10, () -> "" + number)).isEqualTo("" + i);
    }
    assertThat(memo.get(49, 10, () -> "new")).isEqualTo("49");
    assertThat(memo.get(0, 10, () -> "new")).isEqualTo("new");
    assertThat(memo.get(100, 26, () -> "large")).isEqualTo("large");
    assertThat(memo.get(100, 26, () -> "made again")).isEqualTo("made again");
    assertThat(memo.hits()).isEqualTo(1);
  }
}
