package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An error that a test asks for says something of a kernel only where compiling or launching one
 * raised it: a file of nothing else isn't green, although none of its cases fails.
 */
class WantedErrorsTest {

  private static final String NOT_OF_A_KERNEL =
      "the error that it wants doesn't come from compiling or launching a kernel";

  private static final String HELPERS =
      """
      import unittest
      import warnings

      class Odd(Exception):
          pass

      def even(n):
          if n % 2:
              raise ValueError("must be even")

      def bad():
          @pl.program
          class Bad:
              @pl.function(type=pl.FunctionType.InCore)
              def kernel(self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]):
                  pl.store(nothing, [0, 0], y)

      def other(work, error):
          try:
              work()
          except Exception:
              raise error

      def two_of_one():
          return DistributedConfig(device_ids=[0, 0])

      """;

  private static JobReport run(String cases) {
    try (InputStream in = WantedErrorsTest.class.getResourceAsStream("/checks/prelude.py")) {
      String prelude =
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return Examples.run(
          SourceFile.of("test_e.py", "F = 2.0\n" + prelude + HELPERS + cases), List.of(0, 1));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String test(String body) {
    return "def test_it():\n" + body.replace("; ", "\n").indent(4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "with pytest.raises(ValueError):; ____int('x')",
        "with pytest.raises(ValueError, match='even'):; ____even(3)",
        "pytest.raises(ZeroDivisionError, lambda: 1 // 0)",
        "with pytest.raises(Odd):; ____raise Odd()",
        "with pytest.raises(AssertionError, match='no'):; ____assert 1 + 1 == 3, 'no'",
        "with pytest.raises(SystemExit):; ____sys.exit(2)",
        "with pytest.raises(UserWarning):; ____raise UserWarning('w')",
        "with pytest.raises(RuntimeError):; ____torch.zeros(3).view(2, 2)",
        "with pytest.raises(Exception, match='invalid'):; ____int('x')",
        "scale(F); with pytest.raises(ValueError):; ____int('x')",
        "unittest.TestCase().assertRaises(ValueError, int, 'x')",
        "with unittest.TestCase().assertRaises(ValueError):; ____int('x')",
        "with unittest.TestCase().assertRaisesRegex(ValueError, 'even'):; ____even(3)",
      })
  void anErrorOfSomethingElseSaysNothingOfAKernel(String body) {
    JobReport report = run(test(body.replace("____", "    ")));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.sentence())
        .startsWith("nothing was verified: 1 case: 1 proved nothing; test_e.py::test_it: ")
        .contains("no kernel ran, so nothing was verified: raises ", NOT_OF_A_KERNEL);
    assertThat(report.runs().getFirst().tests().getFirst().outcome())
        .isEqualTo(JobReport.Outcome.PASSED);
  }

  /** What the kernel wrote is looked at by nobody. */
  @Test
  void anErrorOfTorchBesideALaunchSaysNothingOfIt() {
    JobReport report =
        run(test("run(scale(F), x, y); with pytest.raises(RuntimeError):;     y.view(3, 7)"));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.sentence()).contains("it ran, but nothing was verified", NOT_OF_A_KERNEL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@pytest.mark.skip(reason='no')\ndef test_other():\n    pass\n",
        "def test_other():\n    with pytest.warns(UserWarning):\n        warnings.warn('w')\n",
        "def test_other():\n    with pytest.raises(Exception):\n        int('x')\n",
        "def test_other():\n    assert even(2) is None\n",
      })
  void aFileOfSuchCasesAndOthersThatCompareNothingIsNotVerified(String more) {
    JobReport report = run(test("with pytest.raises(ValueError):;     int('x')") + "\n" + more);

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.sentence()).startsWith("nothing was verified: 2 cases: ");
  }

  /** Outside of a case, too. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "with pytest.raises(ValueError):\n    int('x')\n",
        "try:\n    int('x')\nexcept ValueError:\n    print('OK')\n"
      })
  void aScriptOfNothingElseIsNotVerified(String text) {
    JobReport report = run(text);

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(report.sentence()).startsWith("no kernel ran, so nothing was verified");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "with pytest.raises(Exception, match='Undefined variable'):; ____bad()",
        "with pytest.raises(ValueError, match='distinct'):; ____two_of_one()",
        "with unittest.TestCase().assertRaises(ValueError):; ____two_of_one()",
        "with pytest.raises(ValueError):; ____ir.compile(scale(F), platform='h100')",
        "with pytest.raises(TypeError):; ____run(scale(F), x, y, z)",
        "with pytest.raises(TypeError):; ____run(scale(F), x, 3)",
        "with pytest.raises(TypeError):; ____run(lambda a, b: a, x, y)",
        "with pytest.raises(ValueError):; ____run(scale(F), x, y.double())",
        // What a helper makes of it, whatever it calls it.
        "with pytest.raises(Odd):; ____other(bad, Odd('refused'))",
        "with pytest.raises(Odd):; ____other(two_of_one, Odd('refused'))",
      })
  void aRefusalOfAKernelOrItsLaunchIsACheck(String body) {
    JobReport report = run(test(body.replace("____", "    ")));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
  }

  /** The error that a helper raises for a reason of its own doesn't become the kernel's. */
  @Test
  void anErrorAfterARefusalThatWasCaughtIsOnesOwn() {
    JobReport report =
        run(
            test(
                "try:;     two_of_one(); except ValueError:;     pass; "
                    + "with pytest.raises(Odd):;     raise Odd()"));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.NOT_VERIFIED);
  }

  @Test
  void besideACheckThatCountsItsCaseIsTheOnlyOneThatProvesNothing() {
    JobReport report =
        run(
            test("with pytest.raises(ValueError):;     int('x')")
                + "\ndef test_right():\n    run(scale(F), x, y)\n"
                + "    assert torch.allclose(y, golden)\n");

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.sentence()).startsWith("2 cases: 1 passed, 1 proved nothing");
  }
}
