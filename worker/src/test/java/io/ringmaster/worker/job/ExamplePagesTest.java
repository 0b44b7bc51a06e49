package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages of the ladder and of the models show what the product prints today. */
class ExamplePagesTest {

  private static final Path FOLDER = Path.of("..", "examples", "ladder");

  /** A command that prints a program, and the part of it that the page shows. */
  private static final Pattern SHOWN =
      Pattern.compile(
          "```\\n\\./ringmaster compile examples/ladder/(\\S+) --mode (\\S+)\\n```\\n"
              + "(?:\\n[^`\\n][^\\n]*)?\\n*```\\n(.*?)```",
          Pattern.DOTALL);

  private static final Path MODELS = Path.of("..", "examples", "models");

  private static final Pattern MODEL =
      Pattern.compile("\\| `(\\w+\\.py)([^`]*)` \\| (\\d+) \\| (\\d.*) \\|");

  private static final Pattern STEP = Pattern.compile("\\| (\\d\\d) \\| (.*)");

  static Stream<String> costCard() throws IOException {
    return Files.readAllLines(FOLDER.resolve("README.md")).stream()
        .dropWhile(line -> !line.equals("## The cost card"))
        .filter(line -> STEP.matcher(line).matches());
  }

  @ParameterizedTest
  @MethodSource("costCard")
  void theCostCardIsWhatTheRunMeasures(String row) {
    List<String> cells = Arrays.stream(row.split("\\|", -1)).map(String::strip).toList();
    String step = cells.get(1);
    String arguments = cells.get(2).replace("`", "");
    int ranks = Integer.parseInt(cells.get(3));

    assertThat(row)
        .as("what the page says of step %s is another than what the run measures", step)
        .isEqualTo(measured(step, arguments, ranks));
  }

  private static String measured(String step, String arguments, int ranks) {
    Path file =
        Examples.list(FOLDER).stream()
            .filter(f -> f.getFileName().toString().startsWith(step))
            .findFirst()
            .orElseThrow();
    String[] words = arguments.isEmpty() ? new String[0] : arguments.split(" ", -1);
    JobReport.Run run =
        Examples.run(Examples.source(file), Examples.firstDevices(ranks), words).runs().getFirst();
    long own =
        IntStream.range(0, ranks)
            .mapToLong(rank -> run.traffic().payloadBytes().get(rank).get(rank))
            .max()
            .orElseThrow();
    return "| %s | %s | %d | %d | %d | %d | %d | %d | %s |"
        .formatted(
            step,
            arguments.isEmpty() ? "" : "`" + arguments + "`",
            ranks,
            mostInto(run, ranks),
            own,
            run.evidence().operations().notifies() / ranks,
            run.evidence().operations().waits() / ranks,
            run.barriers().size(),
            time(run))
        .replace("|  |", "| |");
  }

  /** Wire bytes from other ranks into the rank that gets most. */
  private static long mostInto(JobReport.Run run, int ranks) {
    List<List<Long>> bytes = run.traffic().wireBytes();
    return IntStream.range(0, ranks)
        .mapToLong(
            to ->
                IntStream.range(0, ranks)
                    .filter(from -> from != to)
                    .mapToLong(from -> bytes.get(from).get(to))
                    .sum())
        .max()
        .orElseThrow();
  }

  private static String time(JobReport.Run run) {
    return String.format(Locale.ROOT, "%.1f us", run.timings().runVirtualNanos() / 1000.0);
  }

  static Stream<String> models() throws IOException {
    return Files.readAllLines(MODELS.resolve("README.md")).stream()
        .filter(line -> MODEL.matcher(line).matches());
  }

  @ParameterizedTest
  @MethodSource("models")
  void thePageOfTheModelsSaysWhatTheRunMeasures(String row) {
    Matcher cells = MODEL.matcher(row);
    assertThat(cells.matches()).isTrue();
    int ranks = Integer.parseInt(cells.group(3));
    String arguments = cells.group(2).strip();
    JobReport report =
        Examples.run(
            Examples.source(MODELS.resolve(cells.group(1))),
            Examples.firstDevices(ranks),
            arguments.isEmpty() ? new String[0] : arguments.split(" ", -1));
    JobReport.Run run = report.runs().getFirst();

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
    assertThat(cells.group(4))
        .isEqualTo(
            "%d | %d | %s"
                .formatted(
                    mostInto(run, ranks),
                    run.evidence().operations().notifies() / ranks,
                    time(run)));
  }

  @Test
  void theCostCardHasEveryStep() throws IOException {
    assertThat(costCard().map(row -> row.substring(2, 4)).distinct()).hasSize(16);
  }

  @Test
  void theProgramsShownAreThoseThatAreRun() throws IOException {
    Matcher shown = SHOWN.matcher(Files.readString(FOLDER.resolve("README.md")));
    int found = 0;
    while (shown.find()) {
      CompiledScript compiled =
          new JobRunner()
              .compile(
                  new JobSpec(
                      Examples.ladder(shown.group(1)),
                      "a2a3sim",
                      List.of(List.of(0, 1)),
                      List.of("--mode", shown.group(2)),
                      JobSpec.Limits.DEFAULT,
                      0));

      assertThat(compiled.text(CompiledScript.LOWERED)).contains(shown.group(3));
      found++;
    }
    assertThat(found).isEqualTo(2);
  }
}
