package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Scripts around kernels that double, or should: a check that a wrong kernel passes doesn't make a
 * job green, and every usual way to compare does, and turns red when the kernel is wrong.
 */
class WhatChecksProveTest {

  private static String resource(String name) {
    try (InputStream in = WhatChecksProveTest.class.getResourceAsStream("/checks/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(name, e);
    }
  }

  private static Stream<Arguments> sections(String name) {
    return Arrays.stream(resource(name).split("(?m)^#: "))
        .skip(1)
        .map(
            section -> {
              int end = section.indexOf('\n');
              int bar = section.indexOf(" | ");
              boolean says = bar >= 0 && bar < end;
              return arguments(
                  section.substring(0, says ? bar : end),
                  says ? section.substring(bar + 3, end) : "",
                  section.substring(end + 1));
            });
  }

  static Stream<Arguments> blind() {
    return sections("blind.txt");
  }

  static Stream<Arguments> legal() {
    return sections("legal.txt");
  }

  private static JobReport run(String ending, String factor) {
    String text = "F = " + factor + "\n" + resource("prelude.py") + ending;
    return new JobRunner()
        .run(
            new JobSpec(
                SourceFile.of("k.py", text),
                "a2a3sim",
                List.of(List.of(0, 1)),
                List.of(),
                JobSpec.Limits.DEFAULT,
                0),
            RunControl.none());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("blind")
  void aCheckThatAWrongKernelPassesDoesNotCount(String title, String words, String ending) {
    JobReport report = run(ending, "3.0");

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.sentence())
        .contains(words)
        .contains("(line ")
        .endsWith("; compare the output with a golden made from the inputs");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("legal")
  void aUsualComparisonCounts(String title, String words, String ending) {
    JobReport right = run(ending, "2.0");
    assertThat(right.verdict())
        .as(() -> right.sentence() + right.diagnostics())
        .isEqualTo(Verdict.PASSED);

    JobReport wrong = run(ending, "3.0");
    assertThat(wrong.verdict()).as(wrong.sentence()).isEqualTo(Verdict.WRONG_RESULT);
  }
}
