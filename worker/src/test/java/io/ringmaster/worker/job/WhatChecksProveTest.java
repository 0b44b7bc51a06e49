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
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  static Stream<Arguments> blindCollectives() {
    return sections("collectives_blind.txt");
  }

  static Stream<Arguments> legalCollectives() {
    return sections("collectives_legal.txt");
  }

  /** Each section at some numbers of ranks. */
  private static Stream<Arguments> ofRanks(String name, Integer... numbers) {
    return sections(name)
        .flatMap(
            section ->
                Stream.of(numbers)
                    .map(
                        ranks ->
                            arguments(
                                section.get()[0], section.get()[1], section.get()[2], ranks)));
  }

  static Stream<Arguments> furtherBlind() {
    return ofRanks("further_blind.txt", 2, 4);
  }

  static Stream<Arguments> furtherLegal() {
    return Stream.concat(ofRanks("further_legal.txt", 2, 4), ofRanks("missing_legal.txt", 4, 8));
  }

  static Stream<Arguments> missingBlind() {
    return ofRanks("missing_blind.txt", 4, 8);
  }

  static Stream<Arguments> infinite() {
    return sections("inf.txt");
  }

  static Stream<Arguments> nan() {
    return sections("nan.txt");
  }

  private static JobReport run(String ending, String factor) {
    return run("F = " + factor + "\n" + resource("prelude.py") + ending, List.of(0, 1));
  }

  private static JobReport collective(String ending, int wrong) {
    return collective(ending, wrong, 4);
  }

  private static JobReport collective(String ending, int wrong, int ranks) {
    String prelude = resource("collectives.py").replace("\nP = 4\n", "\nP = " + ranks + "\n");
    return run(
        "WRONG = " + wrong + "\n" + prelude + ending, IntStream.range(0, ranks).boxed().toList());
  }

  private static JobReport run(String text, List<Integer> devices) {
    return new JobRunner()
        .run(
            new JobSpec(
                SourceFile.of("test_k.py", text),
                "a2a3sim",
                List.of(devices),
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

  /** Of four ranks, inside the kernel, and as tests. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("blindCollectives")
  void aCheckThatAWrongCollectivePassesDoesNotCount(String title, String words, String ending) {
    JobReport report = collective(ending, 1);

    boolean said = words.startsWith("of output");
    assertThat(report.verdict())
        .as(report.sentence())
        .isEqualTo(said ? Verdict.PASSED : Verdict.NOT_VERIFIED);
    assertThat(said ? report.runs().getFirst().findings().toString() : report.sentence())
        .contains(words);
  }

  @ParameterizedTest(name = "{0}, {3} ranks")
  @MethodSource("furtherBlind")
  void whatAWrongCollectivePassesIsNotVerified(
      String title, String words, String ending, int ranks) {
    JobReport report = collective(ending, 1, ranks);

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.sentence()).contains(words);
  }

  /** Also when no rank is missing: nobody would know. */
  @ParameterizedTest(name = "{0}, {3} ranks")
  @MethodSource("missingBlind")
  void aToleranceThatTakesInARankVerifiesNoExchange(
      String title, String words, String ending, int ranks) {
    JobReport wrong = collective(ending, 1, ranks);
    assertThat(wrong.verdict()).as(wrong.sentence()).isEqualTo(Verdict.NOT_VERIFIED);

    JobReport right = collective(ending, 0, ranks);
    assertThat(right.verdict()).as(right.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
    if (ranks == 8) {
      assertThat(right.sentence()).contains(words);
    }
  }

  @ParameterizedTest(name = "{0}, {3} ranks")
  @MethodSource("furtherLegal")
  void whatTellsARightCollectiveCounts(String title, String words, String ending, int ranks) {
    JobReport right = collective(ending, 0, ranks);
    assertThat(right.verdict())
        .as(() -> right.sentence() + right.diagnostics())
        .isEqualTo(Verdict.PASSED);

    JobReport wrong = collective(ending, 1, ranks);
    assertThat(wrong.verdict()).as(wrong.sentence()).isEqualTo(Verdict.WRONG_RESULT);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("legalCollectives")
  void aUsualComparisonOfACollectiveCounts(String title, String words, String ending) {
    JobReport right = collective(ending, 0);
    assertThat(right.verdict())
        .as(() -> right.sentence() + right.diagnostics())
        .isEqualTo(Verdict.PASSED);

    JobReport wrong = collective(ending, 1);
    assertThat(wrong.verdict()).as(wrong.sentence()).isEqualTo(Verdict.WRONG_RESULT);
  }

  /** No golden tells one rank's share from another's when all are the same. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          x = torch.ones(P, 1, N) | all ranks get the same in 'x' of Gather
          x = torch.zeros(P, 1, N); x[:] = 3.0 | all ranks get the same in 'x' of Gather
          x = torch.stack([torch.randn(1, N, generator=torch.manual_seed(0)) for r in range(P)]) | all ranks get the same
          """)
  void inputsThatAreAlikeAreSaid(String inputs, String message) {
    String ending =
        "run(gather(0), x, z)\nassert torch.allclose(z, x.reshape(1, P, N).expand(P, P, N))\n";

    JobReport alike = collective(inputs.replace("; ", "\n") + "\n" + ending, 0);
    assertThat(alike.verdict()).as(alike.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(alike.runs().getFirst().findings())
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.kind()).isEqualTo("ALIKE_INPUTS");
              assertThat(found.severity()).isEqualTo("NOTE");
              assertThat(found.message()).startsWith(message).endsWith("(line 105)");
              assertThat(found.hint()).contains("torch.manual_seed(r)");
            });

    JobReport other =
        collective(
            inputs.replace("; ", "\n")
                + "\n"
                + ending
                + "x = x + torch.arange(P).reshape(P, 1, 1)\n"
                + ending,
            0);
    assertThat(other.runs().getFirst().findings()).isEmpty();
  }

  /** Also where what the kernel wrote is no number, which no sum or product changes. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "0", "float('nan')", "float('inf')"})
  void aScriptThatComparesNothingVerifiesNothing(String factor) {
    JobReport report = run("run(scale(F), x * " + factor + ", y)\nprint('OK')\n", "2.0");

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.sentence()).contains("the script compared nothing");
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

  /** A kernel that leaves NaN: no check that looks there may be green. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("nan")
  void whatIsNoNumberIsNeverGreen(String title, String words, String ending) {
    JobReport right = run(ending, "2.0");
    assertThat(right.verdict()).as(right.sentence()).isEqualTo(Verdict.PASSED);
    JobReport wrong = run(ending, "3.0");
    assertThat(wrong.verdict()).as(wrong.sentence()).isEqualTo(Verdict.WRONG_RESULT);

    JobReport nan = run(ending, "float('nan')");
    int space = words.indexOf(' ');
    assertThat(nan.verdict()).as(nan.sentence()).hasToString(words.substring(0, space));
    assertThat(nan.sentence()).contains(words.substring(space + 1));
  }

  /** A kernel that makes infinities of numbers: no check may put something in their place. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("infinite")
  void infinitiesOfNumbersAreNeverGreen(String title, String words, String ending) {
    JobReport right = run(ending, "2.0");
    assertThat(right.verdict()).as(right.sentence()).isEqualTo(Verdict.PASSED);
    JobReport wrong = run(ending, "3.0");
    assertThat(wrong.verdict()).as(wrong.sentence()).isEqualTo(Verdict.WRONG_RESULT);

    JobReport infinite = run(ending, "2e38");
    assertThat(infinite.verdict()).as(infinite.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(infinite.sentence()).contains("16 of the 32 elements of 'y' are infinite");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          run(pair(F), x, y, z); assert torch.allclose(y, golden) | NOTE | UNCOMPARED_OUTPUT | output 'z' of Pair is compared by no check
          run(scale(F), x, y); assert torch.allclose(y[0], golden[0]) | NOTE | UNCOMPARED_OUTPUT | of output 'y' of Scale 16 of 32 elements that a kernel wrote are compared; no check looks at row 1
          run(scale(F), x, y); assert torch.allclose(y[:, :, :4], golden[:, :, :4]) | NOTE | UNCOMPARED_OUTPUT | of output 'y' of Scale 8 of 32 elements that a kernel wrote are compared
          run(scale(F), x, y); assert torch.equal(y[0], golden[0]); assert (y[1] - golden[1]).abs().max() < 60 | NOTE | UNCOMPARED_OUTPUT | of output 'y' of Scale 16 of 32 elements that a kernel wrote are compared; no check looks at row 1
          run(scale(F), x, y); assert y[1, 0, 3].item() == golden[1, 0, 3] | NOTE | UNCOMPARED_OUTPUT | of output 'y' of Scale 1 of 32 elements that a kernel wrote are compared
          run(pair(F), x, y, z); assert torch.allclose(y, golden); assert (z - golden).sum() == 0 | NOTE | UNCOMPARED_OUTPUT | output 'z' of Pair is compared by no check
          run(doubled(0.0), x, y); run(scale(F), y, z); assert torch.allclose(z, y * 2) | NOTE | UNCOMPARED_OUTPUT | output 'y' of Doubled is compared by no check
          run(scale(F), x, y); y[:, :, 12:] = 0; golden[:, :, 12:] = 0; assert torch.allclose(y, golden) | NOTE | UNCOMPARED_OUTPUT | of output 'y' of Scale 24 of 32 elements that a kernel wrote are compared; the script itself had written over the rest (line 187)
          y = golden.clone(); y[:, :, :8] = 0; run(half(F), x, y); assert torch.allclose(y, golden) | WARNING | PREFILLED_OUTPUT | y ~ golden agrees where no kernel wrote, because the script had put the right values there (never written: row 0 elements 8..15, row 1 elements 8..15)
          x.fill_(4); y.fill_(8); run(half(F), x, y); assert torch.allclose(y, x * 2) | WARNING | PREFILLED_OUTPUT | y ~ x * 2 agrees where no kernel wrote
          """)
  void whatNoCheckProvesIsSaid(String ending, String severity, String kind, String message) {
    JobReport report = run(ending.replace("; ", "\n") + "\n", "2.0");

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.sentence()).matches(".*holds? \\(.*(never compared|no kernel wrote).*\\)");
    assertThat(report.runs().getFirst().findings())
        .filteredOn(found -> !found.kind().equals("ALIKE_INPUTS"))
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.kind()).isEqualTo(kind);
              assertThat(found.severity()).isEqualTo(severity);
              assertThat(found.message()).startsWith(message).containsPattern("\\(line \\d+\\)$");
              assertThat(found.hint()).isNotEmpty();
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run(pair(F), x, y, z); assert torch.allclose(torch.cat([y, z]), golden.repeat(2, 1, 1))",
        "run(scale(F), x, y); [torch.allclose(y[r], golden[r]) for r in range(2)]",
        "run(scale(F), x, y); run(scale(F), y, z); assert torch.allclose(z, golden * 2)",
        "run(scale(F), x, y); assert all(a == b for a, b in zip(y.flatten().tolist(),"
            + " golden.flatten().tolist()))",
        "run(scale(F), x, y); run(doubled(0.0), x, z); assert torch.equal(y, z);"
            + " assert torch.equal(z, golden)",
        "run(scale(F), x, y); got = y.double().cpu().clone(); assert torch.equal(got.float(),"
            + " golden)",
        "run(scale(F), x, y); assert torch.equal(y, golden); run(scale(F), x, y)",
        "run(half(F), x, y); g = torch.zeros(2, 1, N); g[:, :, :8] = golden[:, :, :8];"
            + " assert torch.allclose(y, g)",
        "y.fill_(-1); run(half(F), x, y); g = torch.full((2, 1, N), -1.0);"
            + " g[:, :, :8] = golden[:, :, :8]; assert torch.allclose(y, g)",
        "a = x.clone(); run(inplace(F), a); assert torch.allclose(a, golden)",
        "both = torch.zeros(2, 1, 2 * N); run(scale(F), x, both[:, :, :N]);"
            + " run(doubled(0.0), x, both[:, :, N:]);"
            + " assert torch.allclose(both[:, :, :N], golden);"
            + " assert torch.allclose(both[:, :, N:], x + x)",
      })
  void whatIsComparedInAnyFormNeedsNoRemark(String ending) {
    JobReport report = run(ending.replace("; ", "\n") + "\n", "2.0");

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getFirst().findings()).isEmpty();
  }
}
