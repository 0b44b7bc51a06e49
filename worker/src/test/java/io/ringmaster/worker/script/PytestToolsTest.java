package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What test files and command lines use of pytest beside marks; pytest 9 does the same. */
class PytestToolsTest {

  private static final String FILE =
      """
      import pytest, sys, os, warnings

      @pytest.mark.parametrize("v", [1, 1, "", "", math if False else os])
      def test_ids(v): pass

      def test_ends_know_their_exceptions():
          with pytest.raises(pytest.fail.Exception, match="x"):
              pytest.fail("x")
          with pytest.raises(pytest.skip.Exception):
              pytest.skip("x")

      def test_warnings_are_a_sequence():
          with pytest.warns(UserWarning, match="hey") as seen:
              warnings.warn("hey you", UserWarning)
          assert len(seen) == 1 and seen[0].category is UserWarning
          assert str(seen.list[0].message) == "hey you"
          assert str(seen.pop(UserWarning).message) == "hey you" and not seen

      def test_recwarn(recwarn):
          warnings.warn("a")
          assert [str(w.message) for w in recwarn] == ["a"]

      def test_filters():
          with warnings.catch_warnings():
              warnings.simplefilter("error")
              with pytest.raises(UserWarning, match="boom"):
                  warnings.warn("boom")
              warnings.filterwarnings("ignore", message="quiet.*", category=UserWarning)
              warnings.warn("quiet please")
          with warnings.catch_warnings(record=True) as seen:
              warnings.warn("shown")
              assert len(seen) == 1

      def test_approx_of_dicts_and_texts():
          assert {"a": 0.1 + 0.2, "b": "x"} == pytest.approx({"a": 0.3, "b": "x"})
          assert {"a": 0.4} != pytest.approx({"a": 0.3})
          assert {"a": 0.3, "b": 1} != pytest.approx({"a": 0.3})
          assert None == pytest.approx(None)

      values = {"a": 1}

      def test_monkeypatch(monkeypatch):
          monkeypatch.delitem(values, "a")
          assert not values
          with monkeypatch.context() as inner:
              inner.setenv("NOPE", "2")
              assert os.getenv("NOPE") == "2"
          assert os.getenv("NOPE") is None
          monkeypatch.setenv("NOPE", "3")
          monkeypatch.undo()
          assert os.getenv("NOPE") is None and values == {"a": 1}
          with pytest.raises(KeyError):
              monkeypatch.delenv("NOPE")
          monkeypatch.delenv("NOPE", raising=False)

      def test_folders(tmp_path, tmp_path_factory):
          assert tmp_path_factory.mktemp("d") != tmp_path_factory.mktemp("d")

      @pytest.mark.slow
      def test_keywords(request):
          assert "slow" in request.keywords and "test_keywords" in request.node.keywords
      """
          .replace("math if False else os", "os");

  @Test
  void allOfItWorks() {
    assertThat(Scripts.run(FILE).tests().orElseThrow().cases())
        .allSatisfy(
            one ->
                assertThat(one.status())
                    .as("%s: %s", one.name(), one.message())
                    .isEqualTo(TestCase.Status.FINISHED))
        .extracting(TestCase::name)
        .startsWith("test_ids[1_0]", "test_ids[1_1]", "test_ids[0]", "test_ids[1]", "test_ids[os]");
  }

  @ParameterizedTest
  @CsvSource({
    "-xvs, 13",
    "-sv, 13",
    "-kwarn, 2",
    "-mslow, 1",
    "'-p no:xdist -rA --durations=0 --ignore other.py -W error', 13",
    "'--deselect script.py::test_ids', 8",
    "'-k=test_ids[1_0]', 1"
  })
  void commandLinesAreRead(String line, int cases) {
    assertThat(Scripts.run(FILE, line.split(" ")).tests().orElseThrow().cases()).hasSize(cases);
  }

  @ParameterizedTest
  @CsvSource({"--collect-only, 13", "--co -q, 13", "--co -k warn, 2"})
  void casesAreListedWithoutBeingRun(String line, int listed) {
    ScriptResult result = Scripts.run(FILE, line.split(" "));
    ScriptResult.Tests tests = result.tests().orElseThrow();
    assertThat(tests.listed()).hasValue(listed);
    assertThat(tests.cases()).isEmpty();
    assertThat(result.log().lines().filter(one -> one.contains("::"))).hasSize(listed);
    assertThat(result.log()).contains(listed + (listed == 13 ? " tests" : "/13 tests"));
  }

  @Test
  void setupAndTeardownFunctionsStandAroundEachCase() {
    assertThat(
            Scripts.run(
                    """
                    import pytest
                    calls = []
                    def setup_function(function): calls.append(function.__name__)
                    def teardown_function(): calls.append("end")
                    @pytest.fixture(autouse=True, scope="module")
                    def around(): yield calls.append("module")
                    @pytest.fixture(autouse=True)
                    def own(): yield calls.append("own")
                    def test_a(): pass
                    def test_b(): print(calls)
                    """)
                .log())
        .contains("['module', 'test_a', 'own', 'end', 'test_b', 'own']");
  }
}
