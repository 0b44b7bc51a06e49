package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every program under {@code examples/wrong} gets the verdict its header expects, in the words its
 * header says, at the places that are marked; its twin under {@code examples/right} passes without
 * a word of blame.
 */
class WrongProgramsTest {

  private static final Path RIGHT = Path.of("..", "examples", "right");

  static List<Path> programs() {
    return Examples.in("wrong");
  }

  @ParameterizedTest
  @MethodSource("programs")
  void isNamed(Path file) {
    SourceFile source = Examples.source(file);

    JobReport report = run(source);

    String words = Examples.words(report);
    assertThat(report.verdict().name())
        .as("%s said: %s", file, words)
        .isEqualTo(required(source.text(), "expect"));
    assertThat(words).contains(required(source.text(), "says"));
    header(source.text(), "finding")
        .ifPresent(
            kind ->
                assertThat(report.runs().getFirst().findings())
                    .extracting(JobReport.FindingLine::kind)
                    .contains(kind));
    header(source.text(), "hint")
        .ifPresent(hint -> assertThat(Examples.hints(report)).contains(hint));
    assertThat(Marks.in(source.text())).as("marked places").isNotEmpty();
    assertThat(Marks.named(report, source.text())).containsAll(Marks.in(source.text()));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void hasATwinThatIsRight(Path file) {
    SourceFile twin = Examples.source(RIGHT.resolve(file.getFileName()));

    JobReport report = run(twin);

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
    assertThat(report.diagnostics()).isEmpty();
    assertThat(report.runs().getFirst().findings())
        .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo("NOTE"));
  }

  @Test
  void everyTwinBelongsToAWrongProgram() {
    assertThat(Examples.in("right"))
        .allSatisfy(twin -> assertThat(programs()).anyMatch(p -> p.endsWith(twin.getFileName())));
  }

  @Test
  void thePageListsEveryProgram() throws Exception {
    String page = Files.readString(Path.of("..", "examples", "wrong", "README.md"));
    for (Path program : programs()) {
      assertThat(page).contains("`" + program.getFileName() + "`");
    }
  }

  private static JobReport run(SourceFile source) {
    List<Integer> devices =
        Arrays.stream(required(source.text(), "devices").split(",", -1))
            .map(Integer::valueOf)
            .toList();
    boolean lines = header(source.text(), "options").orElse("").equals("--cache-lines");
    var spec =
        new JobSpec(source, "a2a3sim", List.of(devices), List.of(), JobSpec.Limits.DEFAULT, 0)
            .exploring(new Exploration(0, 0, lines));
    return new JobRunner().run(spec, RunControl.none());
  }

  private static String required(String text, String key) {
    Optional<String> value = header(text, key);
    assertThat(value).as("header '# %s:'", key).isPresent();
    return value.orElseThrow();
  }

  private static Optional<String> header(String text, String key) {
    Matcher matcher = Pattern.compile("(?m)^# " + key + ": (.*)$").matcher(text);
    return matcher.find() ? Optional.of(matcher.group(1).strip()) : Optional.empty();
  }
}
