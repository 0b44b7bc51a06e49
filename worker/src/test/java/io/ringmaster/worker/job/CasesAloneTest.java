package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A case of a test file has the verdict that it has when it is selected alone, whatever stands
 * beside it and however that ends.
 */
class CasesAloneTest {

  /** Sections that aren't cases already, and need nothing that only stands outside of one. */
  private static final int BESIDE = 6;

  private static final int EVERY = 24;

  private static String resource(String name) {
    try (InputStream in = CasesAloneTest.class.getResourceAsStream("/checks/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> bodies(String name) {
    return Arrays.stream(resource(name).split("(?m)^#: "))
        .skip(1)
        .map(section -> section.substring(section.indexOf('\n') + 1))
        .filter(
            body -> !body.contains("def ") && !body.contains("import ") && !body.contains("\"\"\""))
        .toList();
  }

  /** Blind and usual comparisons side by side; with 3 as a factor the usual ones fail. */
  static Stream<String> files() {
    List<String> blind = bodies("blind.txt");
    List<String> legal = bodies("legal.txt");
    List<String> files = new ArrayList<>();
    for (int start = 0;
        start + BESIDE / 2 <= Math.min(blind.size(), legal.size());
        start += EVERY) {
      StringBuilder text = new StringBuilder(resource("prelude.py"));
      for (int i = 0; i < BESIDE; i++) {
        String body = (i % 2 == 0 ? blind : legal).get(start + i / 2);
        text.append("\n\ndef test_%d():\n".formatted(i));
        text.append("    x = torch.arange(2 * N, dtype=torch.float32).reshape(2, 1, N) + 1\n");
        text.append("    y = torch.zeros(2, 1, N)\n    z = torch.zeros(2, 1, N)\n");
        text.append("    golden = x * 2\n").append(body.indent(4));
      }
      files.add(text.toString());
    }
    return files.stream();
  }

  @ParameterizedTest
  @MethodSource("files")
  void aCaseStandsForItself(String text) {
    for (String factor : List.of("3.0")) {
      compare("F = " + factor + "\n" + text, List.of(0, 1));
    }
  }

  static Stream<Path> examples() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("..", "examples", "tests"))) {
      return files.filter(file -> file.toString().endsWith(".py")).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void aCaseOfAnExampleStandsForItself(Path file) throws IOException {
    compare(Files.readString(file), List.of(0, 1));
  }

  private static void compare(String text, List<Integer> devices) {
    List<JobReport.TestCase> together = run(text, devices, List.of());
    assertThat(together).isNotEmpty();
    for (JobReport.TestCase one : together) {
      List<JobReport.TestCase> alone = run(text, devices, List.of(one.nodeId()));
      assertThat(alone)
          .as(one.nodeId())
          .singleElement()
          .satisfies(
              same -> {
                assertThat(same.verdict()).as(text + same.message()).isEqualTo(one.verdict());
                assertThat(same.message()).isEqualTo(one.message());
              });
    }
  }

  private static List<JobReport.TestCase> run(
      String text, List<Integer> devices, List<String> arguments) {
    JobReport report =
        new JobRunner()
            .run(
                new JobSpec(
                    SourceFile.of("test_k.py", text),
                    "a2a3sim",
                    List.of(devices),
                    arguments,
                    JobSpec.Limits.DEFAULT,
                    0),
                RunControl.none());
    assertThat(report.runs()).as(report.sentence() + report.diagnostics()).isNotEmpty();
    return report.runs().getFirst().tests();
  }
}
