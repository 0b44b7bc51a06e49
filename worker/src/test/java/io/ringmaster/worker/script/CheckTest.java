package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.script.ScriptResult.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a script compares becomes a check, with what the script wants and what was never written.
 */
class CheckTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          assert torch.allclose(y, x)                                     | allclose
          print(torch.allclose(y, x))                                     | allclose
          assert torch.equal(y, x)                                        | equal
          assert y.equal(x)                                               | equal
          assert y.allclose(x)                                            | allclose
          torch.testing.assert_close(y, x)                                | assert_close
          from torch.testing import assert_close\\nassert_close(y, x)     | assert_close
          assert (y == x).all()                                           | comparison
          assert (y == x).all().item()                                    | comparison
          assert bool((y == x).all())                                     | comparison
          assert torch.all(y == x)                                        | comparison
          assert torch.all(torch.isclose(y, x))                           | comparison
          assert (y - x).abs().max() < 1e-5                               | comparison
          assert (y - x).abs().max().item() < 1e-5                        | comparison
          assert torch.max(torch.abs(y - x)).item() <= 1e-5               | comparison
          assert float((y - x).abs().max()) < 1e-5                        | comparison
          assert ((y - x).abs() < 1e-5).all()                             | comparison
          assert y.tolist() == x.tolist()                                 | comparison
          assert int(y[0, 0]) == 1                                        | comparison
          assert y[1, 3].item() == 8                                      | comparison
          assert not (y - x).abs().max().item() > 1e-5                    | comparison
          assert not torch.any(y != x)                                    | comparison
          d = (y - x).abs().max().item()\\nif d > 1e-5:\\n    raise AssertionError(d) | comparison
          if not torch.allclose(y, x):\\n    raise AssertionError('no')   | allclose
          ok = torch.allclose(y, x)\\nif not ok:\\n    raise ValueError   | allclose
          ok = torch.allclose(y, x)\\nassert ok == True                   | allclose
          ok = torch.allclose(y, x)\\nif False or not ok: print(ok)\\nassert ok | allclose
          ok = torch.allclose(y, x)\\nshow = not ok or False\\nraise SystemExit(int(not ok)) | allclose
          assert all(torch.allclose(y[r], x[r]) for r in range(1))        | allclose
          bad = []\\nif (y - x).abs().max().item() > 1e-3: bad.append(0)\\nassert not bad | comparison
          ok = True\\nok &= (y - x).abs().max().item() < 1e-3\\nassert ok | comparison
          w = 0.0\\nfor r in range(2): w = max(w, (y[r] - x[r]).abs().max().item())\\nassert w < 1e-3 | comparison
          w = 0.0\\nfor r in range(2):\\n    d = (y[r] - x[r]).abs().max().item()\\n    if d > w: w = d\\nassert w < 1e-3 | comparison
          for r in range(2):\\n    for c in range(4): assert y[r, c].item() == x[r, c].item() | comparison
          """)
  void aComparisonOfAnOutputIsACheckThatVerifies(String text, String kind) {
    ScriptResult right = Copies.run(text);
    assertThat(right.outcome()).as(right.message()).isEqualTo(Outcome.FINISHED);
    assertThat(right.checks()).hasSize(1);
    Check check = right.checks().getFirst();
    assertThat(check.kind()).isEqualTo(kind);
    assertThat(check.passed()).as(check.explanation()).isTrue();
    assertThat(check.verifies()).isTrue();
    // What is compared is as fine as what was written, but for whole numbers.
    assertThat(check.explanation())
        .matches(text.contains("int(y[") ? "differences up to 0\\.\\d+ in 'y' go unseen: .*" : "");
    assertThat(right.isVerified()).isTrue();
    ScriptResult faulty = Copies.run(text, Copies::wrong);
    assertThat(faulty.checks()).hasSize(1);
    assertThat(faulty.checks().getFirst().passed()).isFalse();
    assertThat(faulty.checks().getFirst().explanation()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          assert not torch.allclose(y, x + 1)                                             | false
          assert not torch.equal(y, x + 1)                                                | false
          assert torch.equal(y, x + 1) == False                                           | false
          assert torch.equal(y, x + 1) is False                                           | false
          if torch.allclose(y, x + 1):\\n    raise AssertionError('should differ')      | false
          assert (y != x + 1).any()                                                       | false
          assert (y - x - 1).abs().max().item() > 0.5                                     | false
          assert torch.equal(y, x + 1) or torch.equal(y, x)                               | false
          assert any(torch.equal(y, x + i) for i in (1, 0))                               | false
          assert not torch.equal(y, x + 1) and torch.equal(y, x)                          | true
          """)
  void aWantedDifferenceHoldsWhenTheTensorsDifferButVerifiesNothing(String text, boolean more) {
    ScriptResult result = Copies.run(text);
    assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.FINISHED);
    assertThat(result.checks()).isNotEmpty().allMatch(Check::passed);
    assertThat(result.isVerified()).isEqualTo(more);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          print(torch.allclose(y, x + 1))
          torch.equal(y, x + 1)
          ok = torch.allclose(y, x + 1)\\nprint('OK' if ok else 'FAILED')
          if torch.allclose(y, x + 1): print('OK')
          try:\\n    assert torch.equal(y, x + 1)\\nexcept AssertionError:\\n    print('bad')
          assert not torch.equal(y, x)
          def same(a, b):\\n    if (a - b).abs().max().item() > 1e-3:\\n        return False\\n    return True\\nprint(same(y, x + 1))
          """)
  void aFailureThatTheScriptSwallowsStillCounts(String text) {
    ScriptResult result = Copies.run(text);
    assertThat(result.hasFailedCheck()).isTrue();
  }

  @Test
  void comparisonsThatOnlyChooseAWayAreNoChecks() {
    String text =
        "worst = 0.0\\n"
            + "for r in range(2):\\n"
            + "    d = y[r].sum().item()\\n"
            + "    if d > worst:\\n"
            + "        worst = d\\n"
            + "m = max(v.item() for v in y[0])\\n"
            + "print(sorted(y[0].tolist()), m)";
    assertThat(Copies.run(text).checks()).isEmpty();
    assertThat(Copies.run(text).isVerified()).isFalse();
  }

  @Test
  void aCheckWithoutAnOutputIsRecordedButVerifiesNothing() {
    ScriptResult result = Copies.run("assert torch.allclose(x, x.clone())");
    assertThat(result.checks()).hasSize(1);
    assertThat(result.checks().getFirst().passed()).isTrue();
    assertThat(result.isVerified()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          z = y * 2\\nassert torch.equal(z, x * 2)
          z = torch.zeros(2, 4)\\nz += y\\nassert torch.equal(z, x)
          z = torch.zeros(2, 4)\\nz[0] = y[0]\\nassert torch.equal(z[0], x[0])
          z = torch.stack([y[0], y[1]])\\nassert torch.equal(z, x)
          z = torch.tensor(y.tolist())\\nassert torch.equal(z, x)
          assert torch.equal(y.clone().reshape(-1), x.flatten())
          """)
  void whatIsComputedFromAnOutputVerifiesToo(String text) {
    ScriptResult result = Copies.run(text);
    assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.FINISHED);
    assertThat(result.isVerified()).isTrue();
  }

  @Test
  void aCheckHasNumbersNamesAndStatistics() {
    ScriptResult result =
        Copies.run(
            "e = x.clone()\\ne[1, 2] += 0.5\\nfor r in range(2):\\n"
                + "    print(torch.allclose(y[r], e[r], rtol=0, atol=0.25))");
    assertThat(result.checks().stream().map(Check::name).toList())
        .containsExactly("y[0] ~ e[0]", "y[1] ~ e[1]");
    Check bad = result.checks().getLast();
    assertThat(bad.passed()).isFalse();
    assertThat(bad.elements()).isEqualTo(4);
    assertThat(bad.mismatches()).isEqualTo(1);
    assertThat(bad.maxAbsDifference()).isEqualTo(0.5);
    assertThat(bad.maxAt()).containsExactly(2L);
    assertThat(bad.rtol()).isEqualTo(0.0);
    assertThat(bad.atol()).isEqualTo(0.25);
    assertThat(bad.explanation())
        .contains("1 of 4 elements differs")
        .contains("got 7, expected 7.5");
    assertThat(bad.actual().orElseThrow().maximum()).isEqualTo(8.0);
    assertThat(bad.expected().orElseThrow().mean()).isEqualTo(6.625);
  }

  @Test
  void equalNamesAreToldApart() {
    ScriptResult result = Copies.run("for i in range(2): assert torch.equal(y, x)");
    assertThat(result.checks().stream().map(Check::name).toList())
        .containsExactly("y == x", "y == x #2");
  }

  @Test
  void aRowNobodyWroteIsNamed() {
    Scripts.Kernel leavesOut =
        arguments -> {
          Scripts.promise(arguments.get(1));
          Scripts.rows(arguments.get(0), arguments.get(1), 0, -1);
        };
    for (String text :
        List.of(
            "x[1] = 0\nassert torch.allclose(y, x)",
            "x[1] = 0\nassert (y - x).abs().max().item() < 1",
            "x[1] = 0\nassert (y == x).all()",
            "z = y + 0\nx[1] = 0\nassert torch.equal(z, x)")) {
      Check check = Copies.run(text, leavesOut).checks().getFirst();
      assertThat(check.passed()).as("the rest agrees: %s", text).isTrue();
      assertThat(check.verifies()).isTrue();
      assertThat(check.explanation())
          .isEqualTo("never written: row 1; the host's own bytes agree there");
    }
    Check differs = Copies.run("assert torch.allclose(y, x)", leavesOut).checks().getFirst();
    assertThat(differs.passed()).isFalse();
    assertThat(differs.explanation()).contains("never written: row 1");
    Check alone = Copies.run("assert (y[1] == 0).all()", leavesOut).checks().getFirst();
    assertThat(alone.passed()).isTrue();
    assertThat(alone.verifies()).as("it looked at no byte of the kernel").isFalse();
    assertThat(Copies.run("assert torch.equal(y[0], x[0])", leavesOut).hasFailedCheck()).isFalse();
    assertThat(Copies.run("y[1] = x[1]\nassert torch.equal(y, x)", leavesOut).hasFailedCheck())
        .as("the script filled it itself")
        .isFalse();
  }

  @Test
  void whatTheScriptPutIntoAnOutputIsNotTheKernels() {
    for (String text :
        List.of(
            "y[0] = x[0]\nassert torch.equal(y[0], x[0])",
            "y[0].copy_(x[0])\nassert torch.equal(y[0], x[0])",
            "y[0, :] = x[0]\nassert torch.equal(y[0], x[0])")) {
      Check check = Copies.run(text).checks().getFirst();
      assertThat(check.passed()).as(text).isTrue();
      assertThat(check.verifies()).as(text).isFalse();
    }
    assertThat(Copies.run("y[0] = x[0]\nassert torch.equal(y, x)").checks().getFirst().verifies())
        .as("row 0 may have been wrong")
        .isFalse();
    assertThat(
            Copies.run("y[0] = 0\nx[0] = 0\nassert torch.equal(y, x)")
                .checks()
                .getFirst()
                .verifies())
        .as("row 0 is padding, the other rows are the kernel's")
        .isTrue();
  }

  @Test
  void aComparisonThatMayFailProvesNothing() {
    Check check = Copies.run("assert torch.equal(y, x + 1) or True").checks().getFirst();
    assertThat(check.passed()).isTrue();
    assertThat(check.verifies()).isFalse();
    assertThat(check.explanation()).contains("doesn't hold");
  }

  @Test
  void anOutputNobodyWroteProvesNothingWhateverItsValues() {
    Scripts.Kernel idle = arguments -> Scripts.promise(arguments.get(1));
    Check check = Copies.run("x.zero_()\nassert torch.equal(y, x)", idle).checks().getFirst();
    assertThat(check.passed()).isFalse();
    assertThat(check.explanation()).isEqualTo("never written: every element");
  }

  @Test
  void theOutputOfAnEarlierRunIsNotThisOnes() {
    int[] runs = {0};
    Scripts.Kernel forgetful =
        arguments -> {
          Scripts.promise(arguments.get(1));
          Scripts.rows(arguments.get(0), arguments.get(1), 0, runs[0]++ == 0 ? 1 : -1);
        };
    ScriptResult result =
        Copies.run(
            "assert torch.equal(y, x)\\nrun(Copy, x, y)\\nassert torch.equal(y, x)", forgetful);
    assertThat(result.checks().stream().map(Check::passed).toList()).containsExactly(true, false);
    assertThat(result.checks().getLast().explanation()).isEqualTo("never written: row 1");
  }

  @Test
  void aMissingShareOfASumIsTracedToItsRank() {
    ScriptResult result = Copies.run("assert torch.equal(y[0], x.sum(0))");
    assertThat(result.checks().getFirst().explanation())
        .startsWith("the contribution of rank 1 is missing");
    assertThat(Copies.run("assert torch.equal(y, x * 3)").checks().getFirst().explanation())
        .startsWith("the output is each rank's input as it was");
  }

  @Test
  void zeroingAnOutputMakesItTheScriptsOwn() {
    ScriptResult result = Copies.run("y.zero_()\\nassert torch.equal(y, torch.zeros(2, 4))");
    assertThat(result.checks()).hasSize(1);
    assertThat(result.isVerified()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "if (y - x).abs().max().item() > 1e-3: raise AssertionError",
        "if (y - x).abs().max() > 1e-3: raise AssertionError",
        "if ((y - x).abs() > 1e-3).any(): raise AssertionError",
        "assert not ((y - x).abs() > 1e-3).any()",
        "assert (y - x).abs().max().item() < 1e-3",
      })
  void nanPassesNoBound(String text) {
    Scripts.Kernel poisons =
        arguments -> {
          Scripts.copy(arguments);
          arguments
              .get(1)
              .buffer()
              .segment()
              .setAtIndex(java.lang.foreign.ValueLayout.JAVA_FLOAT, 3, Float.NaN);
        };
    assertThat(Copies.run(text, poisons).checks().getFirst().passed()).isFalse();
    assertThat(Copies.run(text).checks().getFirst().passed()).isTrue();
  }

  @Test
  void nanIsWhatDiffers() {
    ScriptResult result =
        Copies.run("e = x.clone()\\ne[0, 1] = float('nan')\\nprint(torch.allclose(y, e))");
    assertThat(result.checks().getFirst().explanation())
        .startsWith("NaN is what differs in 1 element");
    String equalNan =
        "e = x.clone()\\ne[0, 1] = float('nan')\\nprint(torch.allclose(e, e, equal_nan=True))";
    assertThat(Copies.run(equalNan).checks().getFirst().passed()).isTrue();
  }

  @Test
  void broadcastingAGoldenIsNoted() {
    ScriptResult result = Copies.run("torch.allclose(y, x[0])");
    assertThat(result.checks().getFirst().name())
        .isEqualTo("y ~ x[0] (broadcast: [2, 4] against [4])");
    assertThat(Copies.run("print(torch.equal(y, x[0]))").checks().getFirst().explanation())
        .isEqualTo("shapes differ: [2, 4] and [4]");
    assertThat(Copies.run("torch.allclose(y, x.double())").message())
        .isEqualTo("RuntimeError: Float did not match Double");
  }

  @Test
  void returnStyleAllocatesTheOutputs() {
    String text =
        """
        @pl.program
        class Make:
            def host(self, x, y) -> int:
                pass
        y = ir.compile(Make)(x)
        assert torch.equal(y, x)
        ir.compile(Make)(x, y, x)
        """;
    ScriptResult result = Copies.run(text);
    assertThat(result.isVerified()).isTrue();
    assertThat(result.message())
        .isEqualTo(
            "TypeError: DistributedCompiledProgram expects 2 (in-place) or 1 (return) arguments,"
                + " got 3");
    assertThat(Copies.run("run(Copy, x, 1.0)").message())
        .startsWith("TypeError: One-shot distributed programs only support host torch.Tensor");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          run(Copy, x.double(), y)        | argument 'x' has dtype FP64, the parameter is FP32
          run(Copy, x[0], y)              | argument 'x' has 1 dimensions [4], the parameter has 2
          run(Copy, x, torch.zeros(3, 4)) | argument 'y' has shape [3, 4], the parameter wants 2 in dimension 0
          """)
  void aTensorThatDoesNotFitItsParameterIsRefused(String text, String message) {
    assertThatThrownBy(() -> Copies.run(text))
        .isInstanceOf(io.ringmaster.worker.source.DiagnosticException.class)
        .hasMessage(message);
  }

  @Test
  void preparedWorkersWantSharedTensors() {
    String ready =
        """
        x.share_memory_(); y.share_memory_()
        with ir.compile(Copy).prepare() as rt:
            rt(x, y)
        assert torch.equal(x, y)
        rt(x, y)
        """;
    assertThat(Copies.run(ready).message())
        .isEqualTo("RuntimeError: DistributedWorker called after close()");
    assertThat(Copies.run(ready).isVerified()).isTrue();
    String late =
        "with ir.compile(Copy).prepare() as rt:\\n"
            + "    x.share_memory_(); y.share_memory_()\\n"
            + "    rt(x, y)";
    assertThat(Copies.run(late).message())
        .contains("must be shared memory allocated BEFORE prepare()");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          DistributedConfig(device_ids=[])            | ValueError: device_ids must not be empty
          DistributedConfig(device_ids=[0, -1])       | ValueError: device_ids must be non-negative device indices, got [0, -1]
          DistributedConfig(device_ids=[True])        | ValueError: device_ids must be non-negative device indices, got [True]
          DistributedConfig(device_ids=[1.5])         | ValueError: device_ids must be non-negative device indices, got [1.5]
          DistributedConfig(device_ids=[4, 4])        | ValueError: device_ids must be distinct, got [4, 4]
          DistributedConfig(num_sub_workers=-1)       | ValueError: num_sub_workers must be non-negative
          DistributedConfig(aicpu_thread_num=1)       | ValueError: aicpu_thread_num must be 0 (architecture default) or at least 2
          """)
  void aConfigurationIsChecked(String text, String message) {
    assertThat(Copies.run(text).message()).isEqualTo(message);
    assertThat(Copies.run("print(DistributedConfig(device_ids=[4, 9]).world_size)").log())
        .isEqualTo("2\n");
  }
}
