package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
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
    return report.diagnostics().stream()
        .filter(d -> d.severity().equals("ERROR"))
        .map(d -> d.message())
        .toList();
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
  void aProgramInsideAFunctionThatIsNotReachedIsReadToo() {
    String factories =
        "def one(n):\n"
            + indented(program("One", "n", "aa"))
            + "    return One\n\ndef two(n):\n"
            + indented(program("Two", "n", "bb"))
            + "    return Two\n\n";
    assertThat(said(HEAD + factories + "one(8)\ntwo(8)\n"))
        .containsExactly(undefined("aa"), undefined("bb"));
    assertThat(said(HEAD + factories + "one(8)\n" + program("Other", "N", "cc")))
        .containsExactly(undefined("aa"), undefined("bb"), undefined("cc"));
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
            undefined("bb"),
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

  private static final String JIT_HEAD =
      HEAD
          + """
          @pl.jit.incore
          def scale(x: pl.Tensor, y: pl.Out[pl.Tensor]):
              t = pl.load(x, [0, 0], [1, x.shape[1]])
              return pl.store(pl.mul(t, 2.0), [0, 0], y)

          @pl.jit.inline
          def doubled(t):
              return pl.mul(t, 2.0)

          """;

  private static final String REFUSED = program("First", "N", "aa");

  @Test
  void freeFunctionsThatNothingCallsAreReadWhenTheScriptIsRefused() {
    assertThat(
            said(
                JIT_HEAD
                    + """
                    @pl.jit
                    def chip(x: pl.Tensor, y: pl.Out[pl.Tensor], n: pl.Scalar[pl.INT32]):
                        t = pl.loda(x, [0, bb])
                        scale(x, y, z=1)
                        scale(x)
                        nobody(x)
                        for i in pl.range(n + cc):
                            u = pl.create_tensor(x.shape, dtype=dd)
                            pl.create_tensor()
                        y = doubled(x, y, x)
                        with pl.at(level=pl.Level.CORE_GROUP):
                            v = pl.load(x, [0, 0], [1, ee])
                        return v

                    """
                    + REFUSED))
        .contains(undefined("aa"), undefined("bb"), undefined("cc"), undefined("dd"))
        .contains(undefined("ee"), "Unknown operation 'pl.loda'")
        .contains("Function 'scale' does not accept keyword argument 'z'")
        .contains("Function 'scale' expects 2 argument(s), got 1")
        .contains("Function 'nobody' not defined in program")
        .contains("Inline function 'doubled' expects 1 argument(s), got 3")
        .anyMatch(text -> text.contains("missing 2 required positional arguments"))
        .hasSize(11);
  }

  @Test
  void whatOnlyACallDecidesIsNotHeldAgainstAFunctionThatNothingCalls() {
    assertThat(
            said(
                JIT_HEAD
                    + """
                    @pl.jit.inline
                    def anywhere(t, times, kind):
                        k = t.shape[0] * times
                        for i in pl.unroll(times):
                            t = pl.add(t, t)
                        for j in pl.range(k):
                            t = pl.slice(t, [1, k], [j, 0])
                        if kind == "sum":
                            t = pl.row_sum(t)
                        u = pl.create_tensor([1, k], dtype=t.dtype)
                        pld.system.notify(t, peer=0, offsets=[0, 0], value=1, op=pld.NotifyOp.Set)
                        n = pld.world_size()
                        return u

                    @pl.jit
                    def chip(x: pl.Tensor, y: pl.Out[pl.Tensor], w: pl.InOut[pld.DistributedTensor]):
                        rows, cols = x.shape
                        for i in pl.range(rows // 2):
                            view = x[i * 2 : i * 2 + 2, 0:cols]
                            while x[0, i] > 0.0:
                                y[0, i] = x[0, i]
                        for r in pl.parallel(0, rows, 16):
                            with pl.at(level=pl.Level.CORE_GROUP, name_hint="tile"):
                                t = pl.load(x, [r, 0], [16, 64], target_memory=pl.MemorySpace.Vec)
                                y = pl.store(doubled(t), [r, 0], y)
                        y, tid = pl.submit(scale, x, y, deps=[])
                        return y

                    @pl.jit.host
                    def host(x: pl.Tensor, y: pl.Out[pl.Tensor]):
                        buffer = pld.alloc_window_buffer(x.shape[1] * 4)
                        for r in pl.range(pld.world_size()):
                            w = pld.window(buffer, [1, x.shape[1]], dtype=pl.FP32)
                            chip(x[r], y[r], w, device=r)

                    """
                    + "import pypto.language.distributed as pld\n\n"
                    + REFUSED))
        .containsExactly(undefined("aa"));
  }

  @Test
  void aFunctionThatIsWrongOnPurposeSaysNothing() {
    String wrong = "@pl.jit\ndef NAME(x: pl.Tensor):\n    pl.loda(x)\n\n";
    assertThat(
            said(
                JIT_HEAD
                    + "import pytest\n\n"
                    + wrong.replace("NAME", "expected")
                    + wrong.replace("NAME", "tried")
                    + "def test_it():\n    with pytest.raises(Exception):\n"
                    + "        expected(torch.ones(1, 4))\n\n"
                    + "def other():\n    try:\n        tried(torch.ones(1, 4))\n"
                    + "    except Exception:\n        pass\n\n"
                    + REFUSED))
        .containsExactly(undefined("aa"));
  }

  @Test
  void afterARefusedCallTheOtherFreeFunctionsAreRead() {
    assertThat(
            said(
                JIT_HEAD
                    + """
                    @pl.jit
                    def first(x: pl.Tensor, y: pl.Out[pl.Tensor]):
                        return scale(x, aa)

                    @pl.jit
                    def second(x: pl.Tensor, y: pl.Out[pl.Tensor]):
                        return scale(x, bb)

                    x = torch.ones(1, 4)
                    first(x, x)
                    second(x, x)
                    """))
        .containsExactly(undefined("aa"), undefined("bb"));
  }

  @Test
  void syntaxErrorsComeWithEverythingElseThatIsWrong() {
    String wrongMethod =
        """
            @pl.function(type=pl.FunctionType.InCore)
            def other(self, x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
                t = pl.load(x, [0, 0], [1, 64)
                u = pl.load(bb, [0, 0], [1, 64])
                pl.store(t, [0, 0], y)
                pl.store(u, [0, cc], y)

        """;
    assertThat(
            said(
                HEAD
                    + "M = = 3\n\n"
                    + program("First", "N", "aa")
                    + wrongMethod
                    + program("LeansOnM", "M", "nn")
                    + program("Second", "N", "dd")
                    + "@pl.jit\ndef chip(x: pl.Tensor):\n    pl.load(x, [0 1], ee)\n"
                    + "    pl.load(x, ff)\n\n"
                    + "def main():\n    torch.zerso(M)\n    gg(M)\n    if M\n        hh(M)\n"
                    + "    return ii\n"))
        .containsExactly(
            "expected an expression but found '='",
            undefined("aa"),
            "')' does not match '['",
            undefined("bb"),
            undefined("cc"),
            undefined("dd"),
            "expected ',' or ']' but found the number 1",
            undefined("ff"),
            "module 'torch' has no attribute 'zerso'",
            "name 'gg' is not defined",
            "expected ':' but found the end of the line",
            "name 'hh' is not defined",
            "name 'ii' is not defined");
  }

  /** What couldn't be read may have defined anything that stands in it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "M = (3\n",
        "M, K = 3 4\nprint(K)\n",
        "M 3\n",
        "M: int = = 3\n",
        "M += = 3\n",
        "for M in = 3:\n    K = M\nprint(K)\n",
        "for K, (M, L) in = []:\n    pass\nprint(K, L)\n",
        "with open( as M:\n    pass\n",
        "import math as M, = 3\n",
        "from math import (M, = 3\n",
        "def M(a b):\n    return a\n",
        "class M(a b):\n    pass\n",
        "@torch.foo(\ndef M(a):\n    return nope\n",
        "if N:\nM = 3\n",
        "if N:\n        M = 3\n    K = 3\nprint(K)\n",
        "  M = 3\n",
        "def M():\n    K = = 3\nM()\n",
        "M = '\n",
        "try:\n    M = 3\nprint(M)\n",
        "if (M := 3 3):\n    pass\n",
        "M = \u201c3\u201d\n",
      })
  void namesOfWhatCouldNotBeReadAreNotHeldAgainstTheRest(String text) {
    assertThat(
            said(
                HEAD
                    + text
                    + program("Second", "M", "x")
                    + "def main():\n    return M\n\nmain()\nM + 1\n"))
        .noneMatch(message -> message.contains("ndefined") || message.contains("not defined"));
    String kernel = text + "t = M\npl.store(t, [0, 0], y)\n";
    assertThat(
            said(
                HEAD
                    + program("Broken", "N", "x")
                        .replace("        t = pl.load", kernel.indent(8) + "        t = pl.load")))
        .noneMatch(message -> message.contains("ndefined"));
  }

  /** Whatever is read without being run, nothing is found in a right program. */
  @ParameterizedTest
  @MethodSource("io.ringmaster.worker.job.Examples#rightPrograms")
  void besideARefusedProgramARightOneSaysNothing(Path file) throws IOException {
    String text = Files.readString(file);
    var start = Pattern.compile("(?m)^(@|def |class |if __name__)").matcher(text);
    assertThat(start.find()).isTrue();
    String refused =
        "import pypto.language as other_pl\n\nN = 64\n\n"
            + REFUSED.replace("pl.", "other_pl.").replace("First", "RefusedProgram");
    assertThat(
            said(
                text.substring(0, start.start())
                    + "\n"
                    + refused
                    + "\n"
                    + text.substring(start.start())))
        .containsExactly(undefined("aa"));
  }
}
