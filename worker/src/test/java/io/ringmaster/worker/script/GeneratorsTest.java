package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.source.DiagnosticException;
import org.junit.jupiter.api.Test;

/** Functions that yield, fixtures and contexts made of them, and small modules. */
class GeneratorsTest {

  @Test
  void aGeneratorRunsFromYieldToYield() {
    assertThat(
            Scripts.output(
                """
                def count(n):
                    print("start")
                    i = 0
                    while True:
                        if i == n:
                            return
                        elif i == 1:
                            i += 1
                            continue
                        yield i
                        i += 1
                def both(n):
                    yield from count(n)
                    for a in range(2):
                        for b in "xy":
                            if b == "y" and a == 0:
                                break
                            yield (a, b)
                g = count(3)
                print("made")
                print(next(g), next(g), list(g), list(both(1)), sum(x for x in count(4)))
                print(next(count(0), "empty"))
                """))
        .isEqualTo(
            "made\nstart\nstart\nstart\n0 2 [] [0, (0, 'x'), (1, 'x'), (1, 'y')] 5\nstart\nempty");
  }

  @Test
  void exceptionsAndEndsPassThroughTryAndWith() {
    assertThat(
            Scripts.output(
                """
                class Box:
                    def __enter__(self):
                        print("enter")
                        return self
                    def __exit__(self, kind, value, trace):
                        print("exit", kind is not None)
                        return isinstance(value, KeyError)
                def g():
                    try:
                        with Box() as b:
                            yield 1
                            raise KeyError("k")
                        yield 2
                        raise ValueError("v")
                    except ValueError as e:
                        yield str(e)
                    else:
                        yield "never"
                    finally:
                        print("finally")
                    yield 3
                def h():
                    try:
                        yield 1
                        return
                    finally:
                        print("end of h")
                print(list(g()))
                print(list(h()))
                """))
        .isEqualTo("enter\nexit True\nfinally\n[1, 2, 'v', 3]\nend of h\n[1]");
  }

  @Test
  void anExceptionComesOutWithItsPlace() {
    ScriptResult result = Scripts.run("def g():\n    yield 1\n    raise OSError('x')\nlist(g())\n");
    assertThat(result.message()).isEqualTo("OSError: x");
    assertThat(result.exception().orElseThrow().trace())
        .contains("  File \"script.py\", line 3, in g");
  }

  @Test
  void aGeneratorIsAContext() {
    assertThat(
            Scripts.output(
                """
                import contextlib
                from contextlib import contextmanager, suppress
                @contextmanager
                def opened(name):
                    print("open", name)
                    try:
                        yield name.upper()
                    except KeyError:
                        print("swallowed")
                    finally:
                        print("close")
                with opened("a") as a:
                    print(a)
                with opened("b"):
                    raise KeyError("k")
                try:
                    with opened("c"):
                        raise ValueError("v")
                except ValueError as e:
                    print("out", e)
                with suppress(ValueError), contextlib.nullcontext(3) as n:
                    print(n)
                    raise ValueError()
                """))
        .isEqualTo("open a\nA\nclose\nopen b\nswallowed\nclose\nopen c\nclose\nout v\n3");
  }

  @Test
  void whatCannotBeYieldedIsRefused() {
    assertThatThrownBy(() -> Scripts.run("def f():\n    x = [(yield 1)]\n"))
        .isInstanceOf(DiagnosticException.class)
        .hasMessage("'yield' is not available in scripts");
    assertThat(Scripts.run("def g():\n    yield from g()\nlist(g())\n").outcome())
        .isEqualTo(ScriptResult.Outcome.LIMIT_EXCEEDED);
    assertThat(
            Scripts.run(
                    "def g():\n    while True: yield 1\nfor x in g(): pass\n",
                    new ScriptLimits(10_000, 50, 1 << 20, 100),
                    Scripts::copy)
                .outcome())
        .isEqualTo(ScriptResult.Outcome.LIMIT_EXCEEDED);
  }

  @Test
  void yieldFixturesEndInReverseOrder() {
    ScriptResult result =
        Scripts.run(
            """
            import pytest
            @pytest.fixture(scope="module", params=["p", "q"])
            def base(request):
                print("up", request.param)
                yield request.param
                print("down", request.param)
            @pytest.fixture
            def top(base):
                print("top")
                yield base + "!"
                print("end of top")
            def test_a(top): print("a", top)
            def test_b(top, base): assert False
            @pytest.fixture
            def twice():
                yield 1
                yield 2
            def test_c(twice): pass
            """,
            "-k",
            "test_a or test_b or test_c");
    assertThat(result.log())
        .isEqualTo(
            """
            up p
            top
            a p!
            end of top
            down p
            up q
            top
            a q!
            end of top
            down q
            up p
            top
            end of top
            down p
            up q
            top
            end of top
            down q
            """);
    assertThat(result.tests().orElseThrow().cases().getLast().message())
        .isEqualTo("fixture function has more than one 'yield'");
    assertThat(result.tests().orElseThrow().cases().getLast().around()).isTrue();
  }

  @Test
  void theHarmlessPartOfOsAndTheSmallModulesWork() {
    assertThat(
            Scripts.output(
                """
                import os, re, copy, logging, warnings
                from pathlib import Path
                from collections import namedtuple
                print(os.environ.get("PLATFORM", "a2a3sim"), os.getenv("X"), "X" in os.environ)
                print(os.path.join(os.path.dirname("/a/b.py"), "c"), os.path.splitext("b.py"))
                print(Path("a") / "b.txt", Path("a/b.txt").stem, Path("/x/y").parent)
                m = re.search(r"(?P<n>\\d+)x(\\d+)", "size 12x34")
                print(m.group("n"), m.groups(), re.findall("[a-c]", "abcd"), re.match("z", "a"))
                print(re.compile("A", re.I).match("a") is not None, re.escape("a.b"))
                a = [1, [2]]
                b = copy.deepcopy(a)
                b[1][0] = 3
                print(a, b, copy.copy(a)[1] is a[1])
                P = namedtuple("P", "x, y")
                print(P(1, 2).y, P(1, y=3).x)
                logging.getLogger(__name__).info("quiet")
                logging.warning("loud %d", 3)
                """))
        .isEqualTo(
            """
            a2a3sim None False
            /a/c ('b', '.py')
            a/b.txt b /x
            12 ('12', '34') ['a', 'b', 'c'] None
            True a\\.b
            [1, [2]] [1, [3]] True
            2 1
            WARNING:root:loud 3\
            """
                .indent(0)
                .strip());
  }

  @Test
  void enumerationsHaveTheirMembersOnly() {
    assertThat(
            Scripts.output(
                """
                from enum import Enum
                class Mode(Enum):
                    HAND = "hand"
                    BUILTIN = "builtin"
                    def short(self): return self.value[0]
                print(Mode.HAND, repr(Mode.HAND), Mode.HAND.name, Mode.BUILTIN.value)
                print([m.short() for m in Mode], Mode("hand") is Mode.HAND, Mode["BUILTIN"].value)
                print(Mode.HAND == Mode.HAND, Mode.HAND == Mode.BUILTIN, isinstance(Mode.HAND, Mode))
                try:
                    Mode("ring")
                except ValueError as e:
                    print(e)
                """))
        .isEqualTo(
            """
            Mode.HAND <Mode.HAND: 'hand'> HAND builtin
            ['h', 'b'] True builtin
            True False True
            'ring' is not a valid Mode\
            """);
    assertThat(
            Scripts.run(
                    """
                    import enum, pytest
                    class Mode(enum.Enum):
                        A = 1
                        B = 2
                    @pytest.mark.parametrize("mode", list(Mode))
                    def test_a(mode): assert mode in Mode
                    """)
                .tests()
                .orElseThrow()
                .cases())
        .extracting(TestCase::name)
        .containsExactly("test_a[Mode.A]", "test_a[Mode.B]");
  }

  @Test
  void osReachesNothingOutside() {
    Scripts.run(
        """
        import os
        import os.path
        from os import environ, getenv, path
        from os.path import basename, join
        assert basename(join("a", "b.py")) == "b.py" == path.basename("a/b.py")
        assert environ.get("HOME") is None and getenv("HOME", "no") == "no"
        assert os.path.basename("x/y") == "y"
        """);
    for (String reach : new String[] {"os.system('x')", "os.popen('x')", "os.listdir('/')"}) {
      assertThatThrownBy(() -> Scripts.run("import os\nos.getenv('A')\n" + reach + "\n"))
          .isInstanceOfSatisfying(
              DiagnosticException.class,
              e -> {
                assertThat(e.getMessage()).startsWith("module 'os' has no attribute ");
                assertThat(e.diagnostics().getFirst().hint()).contains("no files, network");
                assertThat(e.diagnostics().getFirst().span().line()).isEqualTo(3);
              });
    }
  }

  @Test
  void aFunctionIsCalledUntilItGivesTheSentinel() {
    assertThat(
            Scripts.output(
                """
                values = [1, 2, None, 0, 4]
                print(list(iter(lambda: values.pop(0), 0)), values)
                def ends():
                    raise StopIteration
                print(list(iter(ends, 0)))
                try:
                    next(iter(3, 4))
                except TypeError as e:
                    print(e)
                """))
        .isEqualTo("[1, 2, None] [4]\n[]\n'int' object is not callable");
  }
}
