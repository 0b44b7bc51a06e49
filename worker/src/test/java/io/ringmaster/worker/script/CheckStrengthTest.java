package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.script.ScriptResult.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which checks say that a kernel is right, and which would pass whatever it wrote. */
class CheckStrengthTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          golden = y.clone()\\nassert torch.allclose(y, golden)        | both sides come from
          golden = torch.zeros(2, 4)\\ngolden.copy_(y)\\nassert torch.equal(y, golden) | both sides
          golden = torch.zeros(2, 4)\\ngolden[:] = y\\nassert torch.equal(y, golden) | both sides
          golden = y + 0\\nassert torch.allclose(y, golden)            | both sides come from
          golden = torch.stack([y])\\nassert torch.equal(y, golden[0]) | both sides come from
          golden = torch.cat([y[0:1], y[1:2]])\\ntorch.testing.assert_close(y, golden) | both sides
          golden = y.sort().values\\nassert torch.equal(y.sort().values, golden) | both sides
          assert torch.allclose(y, y)                                    | both sides come from
          assert torch.equal(y[0], y.view(8)[:4])                        | both sides come from
          assert y.tolist() == y.tolist()                                | both sides come from
          assert y[0].tolist() == y[0].clone().tolist()                  | both sides come from
          assert (y[0] == y[0]).all()                                    | both sides come from
          assert bool((y == y).all().item())                             | both sides come from
          assert y[0, 0].item() == y[0, 0].item()                        | both sides come from
          golden = y.tolist()\\nassert torch.equal(y, torch.tensor(golden)) | both sides come from
          assert (y - y.clone()).abs().max().item() < 1e-5               | both sides come from
          assert torch.allclose(y, x, atol=1e9)      | (rtol=1.0E-5, atol=1000000000) takes in
          assert torch.allclose(y, x, rtol=1e6)                          | takes in every value
          assert torch.allclose(y, x, rtol=float('inf'))                 | takes in every value
          torch.testing.assert_close(y, x, rtol=0, atol=100)             | takes in every value
          assert (y - x).abs().max().item() < 1e6                        | takes in every value
          assert (y - x).abs().max() <= 1e6                              | takes in every value
          assert torch.isclose(y, x, atol=1e6).all()                     | can't fail
          assert torch.isfinite(y).all()                                 | the same whatever
          assert not torch.isnan(y).any()                                | the same whatever
          assert torch.allclose(y * 0, x * 0)                            | the same whatever
          assert y.max() < float('inf')                                  | the same whatever
          assert y.max().item() < 1e30                                   | the same whatever
          assert y.abs().min() >= 0                                      | the same whatever
          assert torch.equal(torch.where(y == x, y, x), x)               | the same whatever
          y.mul_(0)\\nassert torch.equal(y, torch.zeros(2, 4))         | the same whatever
          y *= 0\\nassert torch.equal(y, torch.zeros(2, 4))            | the same whatever
          y.clamp_(3, 3)\\nassert torch.equal(y, torch.full((2, 4), 3.0)) | the same whatever
          for r in range(2): assert y[r, 0].item() * 0 == 0              | the same whatever
          g = y.clone()\\nif not torch.equal(y, g): raise ValueError   | both sides come from
          g = y.clone()\\nok = True\\nok &= torch.equal(y, g)\\nassert ok | both sides come from
          g = y.clone()\\nassert all(torch.equal(y[r], g[r]) for r in range(2)) | both sides
          """)
  void aCheckThatComesOutTheSameWhateverTheKernelWritesVerifiesNothing(String text, String why) {
    ScriptResult result = Copies.run(text);
    assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.FINISHED);
    assertThat(result.checks())
        .isNotEmpty()
        .allMatch(Check::passed)
        .allSatisfy(
            check ->
                assertThat(check.explanation())
                    .startsWith("this check can't fail: ")
                    .contains(why));
    assertThat(result.isVerified()).isFalse();
    assertThat(Copies.run(text, Copies::wrong).isVerified()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          golden = x.clone()\\nassert torch.allclose(y, golden)
          golden = torch.zeros(2, 4)\\ngolden[:] = x\\nassert torch.equal(y, golden)
          golden = y.clone()\\ngolden[0] = x[0]\\nassert torch.equal(y, golden)
          assert torch.allclose(y, x, rtol=1e-5, atol=1e-8)
          assert torch.allclose(y, x, atol=0.5)
          assert (y - x).abs().max() < 2
          y -= x\\nassert torch.allclose(y, torch.zeros(2, 4))
          assert torch.allclose(y - x, torch.zeros(2, 4))
          n = int(y[0, 3])\\nassert torch.equal(y[0, :n], x[0, :4])
          w = 0.0\\nfor r in range(2): w = max(w, (y[r] - x[r]).abs().max().item())\\nassert w < 1
          assert torch.equal(y.int(), x.int())
          torch.manual_seed(3)\\na = torch.randn(2, 4)\\nassert torch.equal(y + a, x + a)
          """)
  void aCheckThatCouldHaveFailedVerifies(String text) {
    ScriptResult result = Copies.run(text);
    assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.FINISHED);
    assertThat(result.checks()).isNotEmpty().allMatch(Check::passed);
    assertThat(result.isVerified()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          assert torch.argmax(y) == 7
          assert y.sum().item() == 36
          assert [v for v in y[0].tolist() if v > 2] == [3, 4]
          assert sorted(y.reshape(-1).tolist()) == sorted(x.reshape(-1).tolist())
          """)
  void aCheckThatAnotherOutputPassesTooDoesNotCount(String text) {
    ScriptResult result = Copies.run(text);
    assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.FINISHED);
    assertThat(result.checks()).isNotEmpty().allMatch(Check::passed);
    assertThat(result.isVerified()).isFalse();
    assertThat(result.checks())
        .first()
        .extracting(Check::explanation)
        .asString()
        .contains("it also holds when");
  }

  @Test
  void anOutputOfZerosIsHeldAgainstAGoldenOfZeros() {
    ScriptResult result =
        Copies.run(
            "assert torch.allclose(y, torch.zeros(2, 4)) and (y == 0).all()",
            arguments -> {
              Scripts.copy(arguments);
              arguments.get(1).buffer().segment().fill((byte) 0);
            });
    assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.FINISHED);
    assertThat(result.checks()).hasSize(2).allMatch(Check::verifies);
  }

  @Test
  void aHugeToleranceAroundZerosVerifiesNothing() {
    ScriptResult result =
        Copies.run(
            "assert torch.allclose(y, torch.zeros(2, 4), atol=1e9)",
            arguments -> {
              Scripts.copy(arguments);
              arguments.get(1).buffer().segment().fill((byte) 0);
            });
    assertThat(result.checks()).hasSize(1).noneMatch(Check::verifies);
  }

  @Test
  void theCopyOfAnInPlaceOutputCountsOnlyWhenItWasMadeBefore() {
    String before = "golden = x.clone()\nrun(Copy, x, y)\nassert torch.equal(y, golden)";
    String after = "run(Copy, x, y)\ngolden = y.clone()\nassert torch.equal(y, golden)";
    assertThat(Copies.run(before).isVerified()).isTrue();
    assertThat(Copies.run(after).isVerified()).isFalse();
  }

  @Test
  void aGoldenThatIsMostlyTheOutputVerifiesNothing() {
    ScriptResult result =
        Copies.run("golden = y.clone()\ngolden[0, :3] = x[0, :3]\nassert torch.equal(y, golden)");
    assertThat(result.isVerified()).isFalse();
    assertThat(result.checks().getFirst().explanation())
        .isEqualTo(
            "this check doesn't count: 5 of 8 elements are held against what the kernel itself"
                + " wrote");
  }

  @Test
  void aGoldenThatIsTheOutputInPartSaysSo() {
    ScriptResult result =
        Copies.run("golden = y.clone()\ngolden[0] = x[0]\nassert torch.equal(y, golden)");
    assertThat(result.isVerified()).isTrue();
    assertThat(result.checks().getFirst().explanation())
        .isEqualTo("4 of 8 elements are held against what the kernel itself wrote");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "if (y - x).abs().max().item() > 1e-4:\n    raise SystemExit(1)",
        "if torch.max(torch.abs(y - x)) >= 1e-4:\n    raise ValueError('apart')",
        "worst = max((y[r] - x[r]).abs().max().item() for r in range(2))\nif worst > 1e-4:\n"
            + "    raise SystemExit(1)",
        "assert not (y != x).any()",
        "assert (y == 3.0).all()",
        "assert torch.eq(y, 3).all()",
        "assert not (y != 3).any()",
        "assert (y - 3.0).abs().max().item() < 0.5",
        "assert (3.0 - y).abs().max() < 0.5",
        "assert torch.all(torch.abs(torch.sub(y, 3.0)) < 0.5)",
        "if (y != x).any():\n    raise SystemExit('different')",
        "assert torch.ne(y, x).sum() == 0",
        "assert (y != x).sum().item() == 0",
        "assert not (~torch.isclose(y, x)).any()",
        "assert torch.logical_not(y == x).sum().item() == 0",
        "bad = [r for r in range(2) if (y[r] - x[r]).abs().max() > 1e-3]\nassert not bad",
        "bad = {}\nfor r in range(2):\n    e = (y[r] - x[r]).abs().max().item()\n    if e > 1e-3:\n"
            + "        bad[r] = e\nassert not bad, bad",
        "import sys\nrc = 0\nif (y - x).abs().max().item() > 1e-3:\n    rc = 1\nsys.exit(rc)",
      })
  void aFailureTellsWhatDiffersInWhateverFormItIsFound(String text) {
    ScriptResult result = Copies.run(text, Copies::wrong);
    List<String> told =
        result.checks().isEmpty()
            ? List.of(result.message())
            : result.checks().stream()
                .filter(check -> !check.passed())
                .map(Check::explanation)
                .toList();
    assertThat(told)
        .isNotEmpty()
        .allSatisfy(
            words ->
                assertThat(words)
                    .containsPattern("[478] of [48] elements differ")
                    .doesNotContain("there is none"));
    assertThat(result.checks()).allSatisfy(check -> assertThat(check.mismatches()).isPositive());
  }

  @Test
  void aBoundThatIsKeptIsNoMismatchWhicheverWayItIsAsked() {
    assertThat(
            Copies.run("if (y - x).abs().max().item() > 1e-4:\n    raise SystemExit(1)").checks())
        .allSatisfy(
            check -> {
              assertThat(check.passed()).isTrue();
              assertThat(check.mismatches()).isZero();
              assertThat(check.explanation()).isEmpty();
            });
  }
}
