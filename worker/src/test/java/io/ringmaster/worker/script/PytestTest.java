package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.ringmaster.worker.script.TestCase.Status;
import io.ringmaster.worker.source.DiagnosticException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of tests: what is collected, how it is named, chosen, set up, and how cases end. */
class PytestTest {

  private static final String IMPORT = "import pytest\n";

  private static String resource(String name) throws IOException {
    try (var in = Objects.requireNonNull(PytestTest.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static List<TestCase> cases(String text, String... arguments) {
    return Scripts.run(text, arguments).tests().orElseThrow().cases();
  }

  private static List<String> names(String text, String... arguments) {
    return cases(text, arguments).stream().map(TestCase::name).toList();
  }

  private static TestCase only(String body) {
    List<TestCase> all = cases(IMPORT + body);
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  private static String statuses(String body) {
    return String.join(
        " ", cases(IMPORT + body).stream().map(c -> c.name() + "=" + c.status()).toList());
  }

  /** The list was made by pytest itself: {@code pytest --collect-only -q}. */
  @Test
  void casesHaveTheNamesThatPytestGivesThem() throws IOException {
    List<String> ids =
        cases(resource("test_ids.py")).stream()
            .map(c -> c.nodeId().replace("script.py::", "test_ids.py::"))
            .toList();

    assertThat(ids).containsExactlyElementsOf(resource("test_ids.txt").lines().toList());
  }

  /** The counts are pytest's. */
  @ParameterizedTest
  @CsvSource({
    "stack and not 2-, 2",
    "TestC, 8",
    "testc and not inner, 6",
    "1_0 or (dup and same), 4",
    "parametrize, 61",
    "x1_0, 1",
    "cls1], 4",
    "skip, 2"
  })
  void theKeywordChoosesByPartsOfNames(String expression, int count) throws IOException {
    assertThat(cases(resource("test_ids.py"), "-k", expression)).hasSize(count);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "script.py::TestC                    | 8",
        "script.py::TestC::test_m            | 4",
        "script.py::TestC::test_m[7-cls2]    | 1",
        "tests/st/script.py::test_stack      | 4",
        "script.py                           | 67",
        "::test_stack[2-0]                   | 1"
      })
  void nodeIdsChoose(String nodeId, int count) throws IOException {
    assertThat(cases(resource("test_ids.py"), nodeId)).hasSize(count);
  }

  @Test
  void severalNodeIdsAreJoinedAndOthersTakenAway() throws IOException {
    assertThat(
            names(
                resource("test_ids.py"),
                "script.py::test_r",
                "script.py::test_dup",
                "--deselect",
                "script.py::test_r[0]"))
        .containsExactly("test_dup[same0]", "test_dup[same1]", "test_r[1]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-k     | a and    | at column 6",
        "-k     | (a       | expected right parenthesis",
        "-k     | a b      | expected end of input",
        "-m     | a & b    | unexpected character",
        "-k     | or       | expected not OR left parenthesis OR identifier",
        "--tbb  | x        | did you mean '--tb'",
        "--maxfail | x     | invalid int value",
        "-q     | script.py::test_on | did you mean 'script.py::test_one'",
        "-q     | other.py | not found: other.py"
      })
  void aSelectionThatCannotBeIsRefused(String option, String value, String says) {
    assertThatThrownBy(() -> cases(IMPORT + "def test_one(): pass\n", option, value))
        .isInstanceOfSatisfying(
            DiagnosticException.class,
            e ->
                assertThat(e.getMessage() + " " + e.diagnostics().getFirst().hint())
                    .contains(says));
  }

  @Test
  void marksAreChosenByName() {
    String text =
        IMPORT
            + """
            @pytest.mark.slow
            def test_a(): pass
            def test_b(): pass
            @pytest.mark.platforms("a2a3")
            class TestC:
                def test_c(self): pass
            """;
    assertThat(names(text, "-m", "slow")).containsExactly("test_a");
    assertThat(names(text, "-m", "not slow and not platforms")).containsExactly("test_b");
    assertThat(names(text, "-m", "platforms")).containsExactly("test_c");
  }

  @Test
  void casesEndInTheirOwnWays() {
    assertThat(
            statuses(
                """
                def test_ok(): assert 1 == 1
                def test_assert(): assert 1 == 2, "no"
                def test_raises(): raise KeyError("k")
                def test_skip(): pytest.skip("not today")
                def test_fail(): pytest.fail("broken")
                def test_xfail(): pytest.xfail("known")
                @pytest.mark.skip
                def test_mark(): assert False
                @pytest.mark.skipif(True, reason="r")
                def test_if(): assert False
                @pytest.mark.skipif(1 > 2, reason="r")
                def test_ifnot(): pass
                @pytest.mark.xfail(reason="bug")
                def test_x(): assert False
                @pytest.mark.xfail
                def test_xp(): pass
                @pytest.mark.xfail(strict=True)
                def test_xs(): pass
                @pytest.mark.xfail(raises=KeyError)
                def test_xr(): assert False
                @pytest.mark.xfail(raises=(KeyError, ValueError))
                def test_xk(): raise ValueError("v")
                @pytest.mark.xfail(run=False)
                def test_xn(): raise ValueError("v")
                @pytest.mark.xfail(1 > 2, reason="no")
                def test_xc(): assert False
                def test_unknown(): unknown_thing = test_config_missing if False else 1
                """
                    .replace("test_config_missing", "None")))
        .isEqualTo(
            "test_ok=FINISHED test_assert=ASSERTION_FAILED test_raises=RAISED test_skip=SKIPPED"
                + " test_fail=ASSERTION_FAILED test_xfail=XFAILED test_mark=SKIPPED"
                + " test_if=SKIPPED test_ifnot=FINISHED test_x=XFAILED test_xp=XPASSED"
                + " test_xs=ASSERTION_FAILED test_xr=ASSERTION_FAILED test_xk=XFAILED"
                + " test_xn=XFAILED test_xc=ASSERTION_FAILED test_unknown=FINISHED");
  }

  @Test
  void aCaseThatUsesTooMuchOrSomethingUnknownDoesNotEndTheOthers() {
    assertThat(
            statuses(
                """
                import torch
                def forever(n): return forever(n + 1)
                def test_deep(): forever(0)
                def test_unknown(): getattr(torch, "zeros")(2).frobnicate()
                def test_ok(): pass
                """))
        .isEqualTo("test_deep=LIMIT_EXCEEDED test_unknown=REJECTED test_ok=FINISHED");
  }

  @Test
  void reasonsAndPlacesAreKept() {
    TestCase failed = only("def test_a():\n    x = 1\n    raise KeyError('k')\n");
    assertThat(failed.message()).isEqualTo("KeyError: 'k'");
    assertThat(failed.line()).isEqualTo(2);
    assertThat(failed.exception().orElseThrow().span().line()).isEqualTo(4);
    assertThat(failed.className()).isEqualTo("script");
    assertThat(only("def test_a():\n    pytest.skip('no devices')\n").message())
        .isEqualTo("no devices");
  }

  @Test
  void classesGetAFreshInstanceForEachCaseAndTheirSetup() {
    ScriptResult result =
        Scripts.run(
            """
            log = []
            def setup_module(module): log.append("module")
            def teardown_module(): print("teardown", log)
            def setup_function(function): log.append(function.__name__)
            class TestA:
                @classmethod
                def setup_class(cls): log.append("class")
                @classmethod
                def teardown_class(cls): log.append("end of class")
                def setup_method(self, method): self.x = 1
                def teardown_method(self): log.append(self.x)
                def test_one(self): self.x += 1
                def test_two(self): assert self.x == 1
            def test_plain(): log.append("plain")
            """);
    assertThat(result.log())
        .isEqualTo("teardown ['module', 'class', 2, 1, 'end of class', 'test_plain', 'plain']\n");
  }

  @Test
  void fixturesDependOnEachOtherAndLiveAsLongAsTheirScope() {
    ScriptResult result =
        Scripts.run(
            IMPORT
                + """
                made = []
                @pytest.fixture(scope="module")
                def base():
                    made.append("base")
                    return 10
                @pytest.fixture
                def size(base):
                    made.append("size")
                    return base + 1
                @pytest.fixture(autouse=True)
                def always(request):
                    request.addfinalizer(lambda: made.append("end of " + request.node.name))
                @pytest.fixture(name="renamed")
                def _hidden(): return 5
                class TestA:
                    @pytest.fixture
                    def size(self, size): return size * 2
                    def test_own(self, size): assert size == 22
                def test_plain(size, base, renamed): assert (size, base, renamed) == (11, 10, 5)
                @pytest.mark.usefixtures("size")
                def test_by_mark(request):
                    assert request.getfixturevalue("size") == 11
                    print(made)
                """);
    assertThat(result.tests().orElseThrow().cases())
        .allMatch(c -> c.status() == Status.FINISHED, "finished");
    assertThat(result.log())
        .isEqualTo("['base', 'size', 'end of test_own', 'size', 'end of test_plain', 'size']\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "def test_a(nothing): pass | fixture 'nothing' not found",
        "def test_a(test_confg): pass | did you mean 'test_config'?",
        "@pytest.fixture(scope='module')\\n"
            + "def m(request, f): pass\\n"
            + "@pytest.fixture\\n"
            + "def f(): pass\\n"
            + "def test_a(m): pass | ScopeMismatch",
        "@pytest.fixture\\ndef f(g): pass\\n@pytest.fixture\\ndef g(f): pass\\n"
            + "def test_a(f): pass | recursive dependency involving fixture 'f' detected"
            + " (f -> g -> f)",
        "@pytest.fixture\\ndef f(request): return request.getfixturevalue('f')\\n"
            + "def test_a(f): pass | recursive dependency involving fixture 'f'",
        "@pytest.fixture\\ndef f(): pass\\ndef test_a(): f() | called directly",
        "@pytest.fixture\\ndef f(): raise OSError('gone')\\ndef test_a(f): pass | OSError: gone"
      })
  void aFixtureThatFailsIsNamed(String text, String says) {
    TestCase failed = only(text.replace("\\n", "\n") + "\n");
    assertThat(failed.message()).contains(says);
    assertThat(failed.status()).isIn(Status.RAISED, Status.ASSERTION_FAILED);
  }

  @Test
  void anUnknownFixtureIsAnErrorAtItsTest() {
    TestCase failed = only("def test_a(nothing):\n    pass\n\n\ndef helper():\n    pass\n");
    assertThat(failed.status()).isEqualTo(Status.RAISED);
    assertThat(failed.exception().orElseThrow().span().line()).isEqualTo(2);
  }

  @Test
  void theJobsPlatformAndDevicesComeByFixture() {
    String text =
        """
        def test_a(test_config, device_ids, request, pytestconfig):
            assert test_config.platform == "a5sim"
            assert test_config.device_ids == device_ids == [4, 9]
            assert not test_config.save_kernels and test_config.save_kernels_dir is None
            assert getattr(test_config, "something_else", 7) == 7
            assert request.config.getoption("--platform") == "a5sim"
            assert pytestconfig.getoption("--codegen-only") is True
            assert request.config.getoption("--other", default="x") == "x"
        """;
    assertThat(cases(text, "-p", "a5sim", "-d", "4,9", "--codegen-only"))
        .allMatch(c -> c.status() == Status.FINISHED, "finished");
  }

  @Test
  void anUnknownSettingIsRefusedByName() {
    TestCase refused = only("def test_a(test_config):\n    test_config.save_kernel\n");
    assertThat(refused.status()).isEqualTo(Status.REJECTED);
    assertThat(refused.refusal().getFirst().hint()).isEqualTo("did you mean 'save_kernels'?");
    assertThat(refused.refusal().getFirst().span().line()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "@pytest.mark.parametrize('b', [1])\\ndef test_a(a): pass | function uses no argument 'b'",
        "@pytest.mark.parametrize('a', [1])\\n"
            + "def test_a(a=1): pass | already takes an argument 'a' with a default",
        "@pytest.mark.parametrize('a,b', [(1, 2, 3)])\\n"
            + "def test_a(a, b): pass | the number of names (2)",
        "@pytest.mark.parametrize('a', [1])\\n"
            + "@pytest.mark.parametrize('a', [1])\\n"
            + "def test_a(a): pass | duplicate parametrization of 'a'",
        "@pytest.mark.parametrize('a', [1, 2], ids=['x'])\\n"
            + "def test_a(a): pass | different number of ids: 1",
        "@pytest.mark.parametrize('a', range(20000))\\ndef test_a(a): pass | more than 10000 cases",
        "@pytest.mark.parametrize('a')\\n"
            + "def test_a(a): pass | missing required argument: 'argvalues'"
      })
  void aWrongParameterListIsRefused(String text, String says) {
    assertThatThrownBy(() -> cases(IMPORT + text.replace("\\n", "\n") + "\n"))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining(says);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "with pytest.raises(ValueError, match='b.d'):\\n"
            + "        raise ValueError('so bad') | FINISHED",
        "with pytest.raises((KeyError, ValueError)) as e:\\n"
            + "        raise ValueError('so')\\n"
            + "    assert str(e.value) == 'so' and e.type is ValueError | FINISHED",
        "with pytest.raises(ValueError, match='^bad'):\\n"
            + "        raise ValueError('so bad') | ASSERTION_FAILED",
        "with pytest.raises(ValueError):\\n        pass | ASSERTION_FAILED",
        "with pytest.raises(ValueError):\\n        raise KeyError('x') | RAISED",
        "e = pytest.raises(ZeroDivisionError, lambda x: 1 // x, 0)\\n"
            + "    assert e.match('zero') | FINISHED",
        "with pytest.raises(AssertionError):\\n        assert False | FINISHED",
        "with pytest.raises(SystemExit):\\n        raise SystemExit('need 2') | FINISHED",
        "with pytest.raises(ValueError, match='(?P<x>a)[[&]b'):\\n"
            + "        raise ValueError('a&b') | FINISHED"
      })
  void raisesAsksForAnException(String body, Status status) {
    assertThat(only("def test_a():\n    " + body.replace("\\n", "\n") + "\n").status())
        .isEqualTo(status);
  }

  @Test
  void aRefusalThatWasAskedForIsACheckAndFailuresInsideAreNot() {
    ScriptResult result =
        Scripts.run(
            Scripts.PRELUDE
                + IMPORT
                + """
                def test_a():
                    x = torch.ones(2, 4)
                    y = torch.zeros(2, 4)
                    run(Copy, x, y)
                    with pytest.raises(AssertionError, match="differ|mismatch|close"):
                        torch.testing.assert_close(y, x + 1)
                def test_b():
                    with pytest.raises(Exception):
                        raise OSError()
                def test_c():
                    with pytest.raises(ValueError, match="device_ids"):
                        DistributedConfig(device_ids=[])
                """);
    assertThat(result.checks()).allMatch(Check::passed);
    assertThat(result.checks())
        .filteredOn(Check::verifies)
        .extracting(Check::kind, Check::test)
        .containsExactly(tuple("raises", "script.py::test_c"));
    assertThat(result.checks())
        .extracting(Check::test)
        .containsOnly("script.py::test_a", "script.py::test_c");
    assertThat(result.checks())
        .filteredOn(check -> check.kind().equals("raises") && !check.verifies())
        .singleElement()
        .satisfies(check -> assertThat(check.explanation()).contains("is a comparison that fails"));
  }

  @Test
  void approxOfTensorsIsACheckOfEveryElement() {
    ScriptResult result =
        Scripts.run(
            Scripts.PRELUDE
                + IMPORT
                + """
                x = torch.arange(8.0).reshape(2, 4)
                @pytest.fixture
                def y():
                    y = torch.zeros(2, 4)
                    run(Copy, x, y)
                    return y
                def test_right(y):
                    assert y == pytest.approx(x, rel=1e-3)
                def test_lists(y):
                    assert {"y": [y[0], y[1]]} == pytest.approx({"y": [x[0], x[1]]})
                def test_wrong(y):
                    assert y == pytest.approx(x * 2, rel=1e-3)
                def test_shape(y):
                    assert y == pytest.approx(x[0])
                """);
    assertThat(result.checks())
        .extracting(Check::test, Check::passed, Check::elements, Check::mismatches)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("script.py::test_right", true, 8L, 0L),
            org.assertj.core.groups.Tuple.tuple("script.py::test_lists", true, 4L, 0L),
            org.assertj.core.groups.Tuple.tuple("script.py::test_lists", true, 4L, 0L),
            org.assertj.core.groups.Tuple.tuple("script.py::test_wrong", false, 8L, 7L),
            org.assertj.core.groups.Tuple.tuple("script.py::test_shape", false, 1L, 1L));
    assertThat(result.checks().getLast().explanation()).contains("shapes differ: [2, 4] and [4]");
  }

  @Test
  void checksBelongToTheirCase() {
    ScriptResult result =
        Scripts.run(
            Scripts.PRELUDE
                + IMPORT
                + """
                @pytest.mark.parametrize("k", [1, 2])
                def test_a(k):
                    x = torch.full((2, 4), k, dtype=torch.float32)
                    y = torch.zeros(2, 4)
                    run(Copy, x, y)
                    assert torch.allclose(y, torch.ones(2, 4))
                    assert y[0, 0].item() == pytest.approx(1)
                """);
    assertThat(result.checks())
        .extracting(Check::test, Check::passed)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("script.py::test_a[1]", true),
            org.assertj.core.groups.Tuple.tuple("script.py::test_a[1]", true),
            org.assertj.core.groups.Tuple.tuple("script.py::test_a[2]", false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "if __name__ == '__main__':\n    pytest.main([__file__, '-v'])\n",
        "if __name__ == '__main__':\n    raise SystemExit(pytest.main([__file__]))\n",
        """
        import sys
        if __name__ == '__main__':
            sys.exit(pytest.main([__file__, '-v', '-s', '--tb=short', *sys.argv[1:]]))
        """,
        "pytest.main()\n",
        ""
      })
  void theMainPartRunsTheCasesOnce(String main) {
    String text = IMPORT + "def test_a(): assert __name__ != 'x'\ndef test_b(): pass\n" + main;
    assertThat(names(text, "-p", "a2a3sim", "-d", "0,1")).containsExactly("test_a", "test_b");
  }

  @Test
  void theMainPartsOwnSelectionCounts() {
    String text =
        IMPORT
            + "def test_a(): pass\ndef test_b(): pass\n"
            + "if __name__ == '__main__':\n    pytest.main([__file__, '-k', 'test_b'])\n";
    assertThat(names(text)).containsExactly("test_b");
    assertThat(names(text, "-k", "test_a")).containsExactly("test_a");
  }

  @Test
  void aDriverWithFunctionsCalledTestStaysADriver() {
    String text =
        """
        def test_it(n):
            print("ran", n)
        def main():
            test_it(3)
        if __name__ == "__main__":
            main()
        """;
    ScriptResult result = Scripts.run(text);
    assertThat(result.tests()).isEmpty();
    assertThat(result.log()).isEqualTo("ran 3\n");
    assertThat(Scripts.run("def test_it(n):\n    print(n)\ntest_it(3)\n").tests()).isEmpty();
  }

  @Test
  void aWholeFileCanBeSkipped() {
    ScriptResult result =
        Scripts.run(
            IMPORT + "pytest.skip('no cards', allow_module_level=True)\ndef test_a(): pass\n");
    assertThat(result.tests().orElseThrow().skipped()).contains("no cards");
    assertThat(result.outcome()).isEqualTo(ScriptResult.Outcome.FINISHED);
    assertThat(
            Scripts.run(IMPORT + "np = pytest.importorskip('numpy')\ndef test_a(): pass\n")
                .tests()
                .orElseThrow()
                .skipped()
                .orElseThrow())
        .contains("could not import 'numpy'");
    assertThat(statuses("pytestmark = pytest.mark.skipif(True, reason='x')\ndef test_a(): pass\n"))
        .isEqualTo("test_a=SKIPPED");
  }

  @Test
  void theRunEndsAtItsStepLimitAndSaysWhatDidNotRun() {
    ScriptResult result =
        Scripts.run(
            "def test_a():\n    while True: pass\ndef test_b(): pass\n",
            new ScriptLimits(20_000, 50, 1 << 20, 1000),
            Scripts::copy);
    assertThat(result.outcome()).isEqualTo(ScriptResult.Outcome.LIMIT_EXCEEDED);
    assertThat(result.tests().orElseThrow().cases())
        .extracting(TestCase::status)
        .containsExactly(Status.LIMIT_EXCEEDED, Status.NOT_RUN);
  }

  @Test
  void aPatternThatBacktracksForEverEndsAtTheStepLimit() {
    ScriptResult result =
        Scripts.run(
            IMPORT
                + "def test_a():\n"
                + "    with pytest.raises(ValueError,"
                + " match='(x|xx)*(x|xx)*(x|xx)*(x|xx)*(x|xx)*(x|xx)*y'):\n"
                + "        raise ValueError('x' * 2000)\n",
            new ScriptLimits(200_000, 50, 1 << 20, 1000),
            Scripts::copy);
    assertThat(result.outcome()).isEqualTo(ScriptResult.Outcome.LIMIT_EXCEEDED);
  }

  @Test
  void optionsThatAFileAddsHaveTheirDefaults() {
    assertThat(
            statuses(
                """
                def pytest_addoption(parser):
                    group = parser.getgroup("sizes")
                    group.addoption("--my-size", action="store", default=4, type=int, help="rows")
                    parser.addoption("--fast", action="store_true")
                    parser.addoption("--where", dest="place")
                def test_a(request, pytestconfig):
                    assert request.config.getoption("--my-size") == 4
                    assert request.config.getoption("my_size") == 4
                    assert pytestconfig.getoption("--fast") is False
                    assert pytestconfig.getoption("place") is None
                def test_b(request):
                    request.config.getoption("--mine")
                """))
        .isEqualTo("test_a=FINISHED test_b=RAISED");
  }

  @Test
  void hooksThatNobodyCallsAreNamed() {
    ScriptResult result =
        Scripts.run("def pytest_collection_modifyitems(config, items): pass\ndef test_a(): pass\n");
    assertThat(result.log()).contains("note: pytest_collection_modifyitems isn't called");
  }

  @Test
  void changesOfTheEnvironmentEndWithTheCase() {
    assertThat(
            statuses(
                """
                class Box: value = 1
                table = {"a": 1}
                def test_a(monkeypatch, capsys, tmp_path):
                    monkeypatch.setattr(Box, "value", 2)
                    monkeypatch.setitem(table, "a", 2)
                    print("hello")
                    assert capsys.readouterr().out == "hello\\n"
                    assert str(tmp_path / "x.txt").endswith("test_a/x.txt")
                    assert (Box.value, table["a"]) == (2, 2)
                def test_b():
                    assert (Box.value, table["a"]) == (1, 1)
                """))
        .isEqualTo("test_a=FINISHED test_b=FINISHED");
  }
}
