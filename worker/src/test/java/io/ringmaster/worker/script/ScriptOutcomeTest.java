package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.script.ScriptResult.Outcome;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How scripts end: well, badly, at a limit, or not started at all. */
class ScriptOutcomeTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          print('x')                            | FINISHED
          try:\\n    import numpy\\nexcept ImportError:\\n    numpy = 1\\nassert numpy == 1 | FINISHED
          try:\\n    import a.b\\nexcept (KeyError, ModuleNotFoundError) as e:\\n    assert 'a' in str(e) | FINISHED
          try:\\n    from math import nothing\\nexcept:\\n    nothing = 1\\nassert nothing == 1 | FINISHED
          def f():\\n    try:\\n        import numpy\\n    except Exception:\\n        return 1\\nassert f() == 1 | FINISHED
          import sys\\nsys.exit(0)              | FINISHED
          import sys\\nsys.exit()               | FINISHED
          import sys\\nsys.exit(3)              | EXITED
          import enum\\nclass E(enum.IntEnum):\\n    OK = 0\\nraise SystemExit(E.OK) | FINISHED
          import enum\\nclass E(enum.IntEnum):\\n    BAD = 2\\nexit(E.BAD) | EXITED
          raise SystemExit('need 2 devices')    | EXITED
          assert 1 == 2, 'differs'              | ASSERTION_FAILED
          raise AssertionError('no')            | ASSERTION_FAILED
          raise ValueError('bad')               | RAISED
          {}['k']                               | RAISED
          [][0]                                 | RAISED
          1 / 0                                 | RAISED
          None.x                                | RAISED
          """)
  void theOutcomeFollowsTheException(String text, Outcome expected) {
    assertThat(Scripts.run(text.replace("\\n", "\n")).outcome()).isEqualTo(expected);
  }

  @Test
  void anEscapedExceptionShowsItsWay() {
    ScriptResult result = Scripts.run("def f(n):\n    return n / 0\n\nprint(1)\nf(3)\n");
    assertThat(result.message()).isEqualTo("ZeroDivisionError: division by zero");
    assertThat(result.log()).isEqualTo("1\n");
    assertThat(result.exception().orElseThrow().span().line()).isEqualTo(2);
    assertThat(result.exception().orElseThrow().trace())
        .containsExactly(
            "Traceback (most recent call last):",
            "  File \"script.py\", line 5, in <module>",
            "    f(3)",
            "  File \"script.py\", line 2, in f",
            "    return n / 0",
            "ZeroDivisionError: division by zero");
  }

  @Test
  void anAssertionThatNobodyCanSeeThroughBecomesAFailedCheck() {
    ScriptResult result = Scripts.run("assert len([1]) == 2, 'one is missing'");
    assertThat(result.checks()).hasSize(1);
    assertThat(result.checks().getFirst().passed()).isFalse();
    assertThat(result.checks().getFirst().explanation()).isEqualTo("one is missing");
    assertThat(result.isVerified()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          while True: pass                                       | STEPS
          for i in range(10**15): pass                           | STEPS
          sum(range(10**15))                                     | STEPS
          x = [1]\\nfor y in x: x.append(1)                      | STEPS
          def f(): return f()\\nf()                              | RECURSION
          f = lambda: f()\\nf()                                  | RECURSION
          'a' * 10**12                                           | TEXT_SIZE
          [0] * 10**12                                           | MEMORY
          (1,) * 10**30                                          | MEMORY
          x = 'ab'\\nwhile True: x = x + x                       | TEXT_SIZE
          x = [1]\\nwhile True: x = x + x                           | MEMORY
          'a'.ljust(10**12)                                      | TEXT_SIZE
          'ab'.replace('', 'x' * 10**6) * 10**6                  | TEXT_SIZE
          import torch\\ntorch.zeros(10**12)                     | MEMORY
          import torch\\ntorch.zeros((2**40, 2**40))             | MEMORY
          import torch\\nx = torch.zeros(1).expand(2**40).clone()| MEMORY
          10**10**8                                              | NUMBER_SIZE
          1 << 10**9                                             | NUMBER_SIZE
          x = 3\\nwhile True: x = x * x                          | NUMBER_SIZE
          import math\\nmath.factorial(10**8)                    | NUMBER_SIZE
          """)
  void limitsEndAScriptAndSayWhichAndWhere(String text, LimitExceeded.Kind kind) {
    ScriptLimits limits = new ScriptLimits(200_000, 200, 64 << 20, 1 << 16);
    ScriptResult result = Scripts.run(text.replace("\\n", "\n"), limits, Scripts::copy);
    assertThat(result.outcome()).isEqualTo(Outcome.LIMIT_EXCEEDED);
    String word =
        switch (kind) {
          case STEPS -> "step limit";
          case RECURSION -> "recursion limit";
          case MEMORY -> "memory limit";
          case NUMBER_SIZE -> "integer limit";
          case TEXT_SIZE -> "text limit";
        };
    assertThat(result.message()).startsWith(word).contains("script.py:");
  }

  @Test
  void noHandlerOfTheScriptCatchesALimit() {
    ScriptLimits limits = new ScriptLimits(50_000, 100, 1 << 20, 1 << 16);
    String text =
        """
        try:
            while True:
                pass
        except BaseException:
            print("caught")
        finally:
            print("finally")
        """;
    ScriptResult result = Scripts.run(text, limits, Scripts::copy);
    assertThat(result.outcome()).isEqualTo(Outcome.LIMIT_EXCEEDED);
    assertThat(result.message()).startsWith("step limit");
    assertThat(result.log()).isEmpty();
  }

  @Test
  void tooManyNestedCallsAreAnExceptionFirst() {
    ScriptLimits limits = new ScriptLimits(50_000, 100, 1 << 20, 1 << 16);
    String text =
        """
        def down(n):
            return 0 if n == 0 else 1 + down(n - 1)

        def each(n):
            yield n
            yield from each(n + 1)

        for kind in (RecursionError, RuntimeError, Exception):
            for attempt in range(3):
                try:
                    down(10**6)
                except kind as e:
                    print(type(e).__name__, e)
        print(down(98))
        try:
            sum(each(0))
        except RecursionError:
            print("each")
        print(down(98))
        try:
            down(99 + 1)
        except ValueError:
            print("caught as another")
        finally:
            print("finally")
        """;
    ScriptResult result = Scripts.run(text, limits, Scripts::copy);
    assertThat(result.log())
        .isEqualTo(
            "RecursionError maximum recursion depth exceeded\n".repeat(9)
                + "98\neach\n98\nfinally\n");
    assertThat(result.outcome()).isEqualTo(Outcome.LIMIT_EXCEEDED);
    assertThat(result.message())
        .isEqualTo("recursion limit: more than 100 nested calls at script.py:2:33");
  }

  @Test
  void handlersThatRecurseAgainEndByTheStepsTheyTake() {
    ScriptLimits limits = new ScriptLimits(50_000, 100, 1 << 20, 1 << 16);
    String text =
        """
        def f():
            try:
                f()
            except Exception:
                f()
        f()
        """;
    ScriptResult result = Scripts.run(text, limits, Scripts::copy);
    assertThat(result.outcome()).isEqualTo(Outcome.LIMIT_EXCEEDED);
    assertThat(result.message()).startsWith("step limit");
  }

  @Test
  void nestedListsDontOverflowTheStack() {
    String text = "l = []\nfor i in range(50000): l = [l]\nprint(l)";
    assertThat(Scripts.run(text).message()).startsWith("RecursionError");
    assertThat(Scripts.output("l = [1]\nl.append(l)\nprint(l)")).isEqualTo("[1, [...]]");
    String compare = "a = []\nb = []\nfor i in range(50000):\n  a = [a]\n  b = [b]\na == b";
    assertThat(Scripts.run(compare).message()).startsWith("RecursionError");
  }

  @Test
  void interruptingTheCallerCancelsTheScript() {
    ScriptLimits limits = new ScriptLimits(Long.MAX_VALUE, 100, 1 << 20, 1 << 16);
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          Thread caller = Thread.currentThread();
          String text =
              Scripts.PRELUDE
                  + "run(Copy, torch.zeros(2, 4), torch.zeros(2, 4))\nwhile True: pass\n";
          ScriptResult result = Scripts.run(text, limits, arguments -> caller.interrupt());
          assertThat(result.outcome()).isEqualTo(Outcome.CANCELLED);
          assertThat(Thread.interrupted()).isTrue();
        });
  }

  @Test
  void aLongLogKeepsItsEnds() {
    ScriptLimits limits = new ScriptLimits(5_000_000, 100, 64 << 20, 1000);
    ScriptResult result =
        Scripts.run("for i in range(1000): print('line', i)", limits, Scripts::copy);
    assertThat(result.log())
        .startsWith("line 0\n")
        .endsWith("line 999\n")
        .contains("characters of output dropped")
        .hasSizeLessThan(1200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      value = {
        "torch.allclose = print | allclose",
        "x, torch.allclose = 1, 2 | allclose",
        "setattr(torch, 'allclose', print) | allclose",
        "del torch.allclose | allclose",
        "for torch.allclose in [1]: pass | allclose"
      })
  void aModuleIsNotTheScriptsToChange(String change, String name) {
    Diagnostic diagnostic = refusal("import torch\n" + change);
    assertThat(diagnostic.message())
        .isEqualTo(
            "module 'torch' can't be changed by a script: '"
                + name
                + "' can be neither set nor deleted there");
    assertThat(diagnostic.hint()).isEqualTo("use a name of your own instead of torch." + name);
    assertThat(diagnostic.span().line()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          import os.nothing                          | 1 | module 'os.nothing' is not available in scripts
          import os\\nos.system('x')                 | 2 | module 'os' has no attribute 'system'
          def f():\\n    import subprocess           | 2 | module 'subprocess' is not available in scripts
          import numpy as np                         | 1 | module 'numpy' is not available in scripts
          import socket                              | 1 | module 'socket' is not available in scripts
          from os import system                      | 1 | cannot import name 'system' from 'os'
          import torch.optim                         | 1 | module 'torch.optim' is not available in scripts
          from . import x                            | 1 | relative imports are not available in scripts
          from math import *                         | 1 | 'from math import *' is not available in scripts
          try:\\n    import numpy\\nexcept ValueError: pass | 2 | module 'numpy' is not available in scripts
          try:\\n    pass\\nexcept ImportError:\\n    import numpy | 4 | module 'numpy' is not available in scripts
          try:\\n    from math import *\\nexcept ImportError: pass | 2 | 'from math import *' is not available in scripts
          from math import sqroot                    | 1 | cannot import name 'sqroot' from 'math'
          def f():\\n    return lenn([])             | 2 | name 'lenn' is not defined
          import torch\\ntorch.allclse(1, 2)         | 2 | module 'torch' has no attribute 'allclse'
          if False:\\n    open('x')                  | 2 | 'open' is not available in scripts
          eval('1')                                  | 1 | 'eval' is not available in scripts
          ().__mro__                                 | 1 | attribute '__mro__' is not available in scripts
          print.__self__                             | 1 | attribute '__self__' is not available in scripts
          def f():\\n    return (yield 1)            | 2 | 'yield' is not available in scripts
          b'x'                                       | 1 | bytes are not available in scripts
          type A = int                                 | 1 | 'type' is not available in scripts
          async def f(): pass                        | 1 | 'async def' is not available in scripts
          """)
  void whatIsNotKnownIsRefusedBeforeAnythingRuns(String text, int line, String message) {
    Diagnostic diagnostic = refusal("print('ran')\n" + text.replace("\\n", "\n"));
    assertThat(diagnostic.message()).isEqualTo(message);
    assertThat(diagnostic.span().line()).isEqualTo(line + 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          def f(): return lenn([])             | did you mean 'len'?
          import torch\\ntorch.allclse         | did you mean 'allclose'?
          import torch\\ntorch.zeros(1).reshap | did you mean 'reshape'?
          import torch\\ntorch.zeros(1, dtyp=1)| did you mean 'dtype'?
          'a'.uper()                           | did you mean 'upper'?
          from math import sqroot              | did you mean 'sqrt'?
          sorted([], revers=True)              | did you mean 'reverse'?
          import pypto.language as pl\\n@pl.progam\\nclass P: pass | did you mean 'program'?
          import pypto.language as pl\\n@pl.program\\ndef f(): pass | a function outside of a class has @pl.jit, @pl.jit.host or @pl.jit.incore; or put it with @pl.function(type=...) into a class with @pl.program
          type A = int | assign the type to a name
          def f(lambda): pass | 'lambda' is a reserved word; choose another name
          import unittest.mock                 | of unittest there are TestCase, main, skip, skipIf, skipUnless, expectedFailure and SkipTest
          """)
  void aRefusalNamesTheNearestKnownName(String text, String hint) {
    assertThat(refusal(text.replace("\\n", "\n")).hint()).isEqualTo(hint);
  }

  @Test
  void aNameThatIsNearToNoneHasNoHint() {
    assertThat(refusal("import torch\ntorch.svd\n").hint()).isEmpty();
    assertThat(refusal("import math\nmath.foo\n").hint()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "getattr([], '__class__')",
        "'{0.__class__}'.format(1)",
        "getattr(print, '__globals__')",
        "x = [].__init__.__globals__",
        "type('X', (), {})",
        "setattr([], '__class__', 1)",
      })
  void thereIsNoWayIntoTheMachinery(String text) {
    assertThatThrownBy(
            () -> {
              ScriptResult result = Scripts.run(text);
              throw new IllegalStateException(result.outcome() + " " + result.message());
            })
        .satisfiesAnyOf(
            e -> assertThat(e).isInstanceOf(DiagnosticException.class),
            e -> assertThat(e).hasMessageContaining("RAISED"));
  }

  @Test
  void allProblemsOfAScriptAreToldAtOnce() {
    List<Diagnostic> all =
        diagnostics("import socket\nimport torch\nx = foo\n\ndef f():\n    return torch.bar\n");
    assertThat(all.stream().map(d -> d.span().line()).toList()).containsExactly(1, 3, 6);
  }

  private static Diagnostic refusal(String text) {
    return diagnostics(text).getFirst();
  }

  private static List<Diagnostic> diagnostics(String text) {
    try {
      ScriptResult result = Scripts.run(text);
      throw new AssertionError("not refused: " + result.outcome() + " " + result.message());
    } catch (DiagnosticException refused) {
      return refused.diagnostics();
    }
  }

  @Test
  void aTypeOfTheKernelLanguageMayHaveAName() {
    ScriptResult result =
        Scripts.run(
            """
            import pypto.language as pl
            Row = pl.Tensor[[1, 64], pl.FP32]
            print(Row, pl.Out[Row])
            """);
    assertThat(result.log()).isEqualTo("pl.Tensor[...] pl.Out[...]\n");
  }
}
