package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A refused script says what is wrong with each of its programs, and nothing that follows. */
class FurtherProgramsTest {

  private static final String HEAD =
      """
      import pypto.language as pl
      import torch
      from pypto import ir

      N = 64

      """;

  /** A program that loads {@code from} and has {@code width} columns. */
  private static String program(String name, String width, String from) {
    return """
    @pl.program
    class NAME:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self,
            x: pl.Tensor[[1, WIDTH], pl.FP32],
            y: pl.Out[pl.Tensor[[1, WIDTH], pl.FP32]],
        ) -> pl.Tensor[[1, WIDTH], pl.FP32]:
            t = pl.load(FROM, [0, 0], [1, WIDTH])
            return pl.store(t, [0, 0], y)

    """
        .replace("NAME", name)
        .replace("WIDTH", width)
        .replace("FROM", from);
  }

  private static String indented(String text) {
    return text.indent(4);
  }

  private static JobReport run(String text) {
    return Examples.run(SourceFile.of("several.py", text), List.of(0));
  }

  private static List<String> said(String text) {
    JobReport report = run(text);
    assertThat(report.verdict()).as("%s", report.diagnostics()).isEqualTo(Verdict.REJECTED);
    assertThat(report.diagnostics())
        .isSortedAccordingTo((a, b) -> Integer.compare(a.line(), b.line()));
    return report.diagnostics().stream().map(d -> d.message()).toList();
  }

  private static String undefined(String name) {
    return "Undefined variable '" + name + "'";
  }

  @Test
  void everyWrongProgramOfAFileIsSaid() {
    assertThat(
            said(
                HEAD
                    + program("First", "N", "aa")
                    + "compiled = ir.compile(First)\nx = torch.ones(1, N)\ncompiled(x, x)\n"
                    + "print(x.nonsense)\n"
                    + program("Healthy", "N", "x")
                    + "HALF = N // 2\n"
                    + program("Second", "HALF", "bb")
                    + program("Third", "N", "cc")
                    + "if __name__ == '__main__':\n    ir.compile(Second)\n"))
        .containsExactly(undefined("aa"), undefined("bb"), undefined("cc"));
  }

  @Test
  void aHealthyProgramBesideAWrongOneSaysNothing() {
    assertThat(said(HEAD + program("Wrong", "N", "aa") + program("Healthy", "N", "x")))
        .containsExactly(undefined("aa"));
    assertThat(said(HEAD + program("Healthy", "N", "x") + program("Wrong", "N", "aa")))
        .containsExactly(undefined("aa"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "M = int(torch.ones(1).sum())\n",
        "M = ir.compile(First)\n",
        "M = First\n",
        "M = not_there(N)\n",
        "for M in [8, 16]:\n    pass\n",
        "if N == 64:\n    M = 8\n",
        "def widen():\n    global M\n    M = 8\n\nwiden()\n",
        "try:\n    M = 8\nexcept ValueError:\n    M = 16\n",
      })
  void aProgramThatLeansOnWhatWasNotRunIsLeftAlone(String text) {
    String known = text.replace("not_there", "print");
    assertThat(said(HEAD + program("First", "N", "aa") + known + program("Second", "M", "bb")))
        .containsExactly(undefined("aa"));
  }

  @Test
  void aChangedListIsNotReadAsItWas() {
    assertThat(
            said(
                HEAD
                    + "SIZES = []\n"
                    + program("First", "N", "aa")
                    + "SIZES.append(8)\nM = SIZES[0]\n"
                    + program("Second", "M", "bb")))
        .containsExactly(undefined("aa"));
  }

  @Test
  void whatAFunctionOfTheModuleReadsCountsToo() {
    assertThat(
            said(
                HEAD
                    + "@pl.inline\ndef widened(t):\n    return pl.add(t, M)\n\n"
                    + program("First", "N", "aa")
                    + "M = int(torch.ones(1).sum())\n"
                    + program("Second", "N", "widened(bb)")))
        .containsExactly(undefined("aa"));
  }

  @Test
  void whatAScriptCatchesIsNotSaidUnlessSomethingElseIsRefused() {
    String caught =
        "import pytest\n\nwith pytest.raises(Exception, match='aa'):\n"
            + indented(program("Expected", "N", "aa"))
            + "try:\n"
            + indented(program("Tried", "N", "bb"))
            + "except Exception as e:\n    print('caught')\n\n";
    assertThat(run(HEAD + caught).diagnostics()).isEmpty();
    assertThat(run(HEAD + caught).verdict()).isNotEqualTo(Verdict.REJECTED);
    assertThat(said(HEAD + caught + program("Wrong", "N", "cc") + program("Other", "N", "dd")))
        .containsExactly(undefined("cc"), undefined("dd"));
    assertThat(said(HEAD + program("Wrong", "N", "cc") + caught + program("Other", "N", "dd")))
        .containsExactly(undefined("cc"), undefined("dd"));
  }

  @Test
  void aProgramInsideAFunctionIsReadWhenTheFunctionIsCalled() {
    String factories =
        "def one(n):\n"
            + indented(program("One", "n", "aa"))
            + "    return One\n\ndef two(n):\n"
            + indented(program("Two", "n", "bb"))
            + "    return Two\n\n";
    assertThat(said(HEAD + factories + "one(8)\ntwo(8)\n")).containsExactly(undefined("aa"));
    assertThat(said(HEAD + factories + "one(8)\n" + program("Other", "N", "cc")))
        .containsExactly(undefined("aa"), undefined("cc"));
  }

  @Test
  void unknownNamesOfTheDriverComeWithTheErrorsOfThePrograms() {
    assertThat(
            said(
                HEAD
                    + program("First", "N", "aa")
                    + "torch.zerso(2)\n"
                    + "M = missing + 1\n"
                    + program("Leaning", "M", "bb")
                    + program("Second", "N", "cc")))
        .containsExactly(
            undefined("aa"),
            "module 'torch' has no attribute 'zerso'",
            "name 'missing' is not defined",
            undefined("cc"));
  }

  @Test
  void anErrorSharedByTwoProgramsIsSaidOnce() {
    assertThat(
            said(
                HEAD
                    + "@pl.inline\ndef shared(t):\n    return pl.add(t, aa)\n\n"
                    + program("First", "N", "shared(x)")
                    + program("Second", "N", "shared(x)")))
        .doesNotHaveDuplicates();
  }

  @Test
  void nothingRunsAfterARefusal() {
    assertThat(
            said(
                HEAD
                    + program("First", "N", "aa")
                    + "def forever(*a):\n    while True:\n        pass\n\n"
                    + "M = forever()\n"
                    + "print(forever())\n"
                    + "def late(a=forever()):\n    pass\n\n"
                    + "@forever\nclass Decorated:\n    M = forever()\n\n"
                    + program("Second", "N", "bb")))
        .containsExactly(undefined("aa"), undefined("bb"));
  }
}
