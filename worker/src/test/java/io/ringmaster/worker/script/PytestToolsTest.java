package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What test files and command lines use of pytest beside marks; pytest 9 does the same. */
class PytestToolsTest {

  private static final String FILE =
      """
      import logging, pytest, sys, os, torch, warnings

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

      def test_approx_of_tensors():
          t = torch.tensor([1.0, 2.0])
          assert t == pytest.approx(torch.tensor([1.0, 2.0])) and t == pytest.approx([1.0, 2.0])
          assert [1.0, 2.0] == pytest.approx(t) and (1.0, 2.1) != pytest.approx(t)
          assert torch.ones(2, 2) == pytest.approx(1) and 1.0 == pytest.approx(torch.tensor(1.0))
          assert torch.ones(2, 2) != pytest.approx(torch.ones(4))
          assert {"a": t, "b": 1.0} == pytest.approx({"a": t + 1e-9, "b": 1.0})
          assert [t, t] != pytest.approx([t, t + 1])
          assert t == pytest.approx(t + 0.5, abs=0.5) and t != pytest.approx(t + 0.5, rel=0.01)
          # The larger of both tolerances counts, not their sum.
          assert t != pytest.approx(t + 0.15, abs=0.1, rel=0.05)
          nan = torch.tensor([float("nan")])
          assert nan != pytest.approx(nan) and nan == pytest.approx(nan, nan_ok=True)
          with pytest.raises(TypeError, match="BFloat16"):
              t.bfloat16() == pytest.approx(t)
          with pytest.raises(ValueError, match="negative"):
              pytest.approx(1, abs=-1)

      log = logging.getLogger("k.x")

      def test_logs(caplog: pytest.LogCaptureFixture):
          log.info("nothing")
          assert caplog.text == "" and not caplog.records
          with caplog.at_level(logging.INFO):
              log.info("built %d", 3)
          log.info("nothing")
          assert "INFO     k.x:" in caplog.text and "built 3" in caplog.text
          assert caplog.record_tuples == [("k.x", logging.INFO, "built 3")]
          assert [r.message for r in caplog.records] == ["built 3"]
          caplog.clear()
          caplog.set_level("DEBUG", logger="k")
          log.debug("x", extra={"rank": 3})
          assert caplog.messages == ["x"] and caplog.records[0].rank == 3
          with caplog.filtering(lambda record: False):
              log.error("hidden")
          assert caplog.get_records("call") == caplog.records and len(caplog.records) == 1

      @pytest.fixture
      def seen(caplog):
          return caplog

      def test_logs_are_of_one_case(seen, caplog):
          log.debug("x")
          assert not caplog.records and seen is caplog and len(logging.root.handlers) == 1

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
    "-xvs, 16",
    "-sv, 16",
    "-kwarn, 2",
    "-mslow, 1",
    "'-p no:xdist -rA --durations=0 --ignore other.py -W error', 16",
    "'--deselect script.py::test_ids', 11",
    "'-k=test_ids[1_0]', 1"
  })
  void commandLinesAreRead(String line, int cases) {
    assertThat(Scripts.run(FILE, line.split(" ")).tests().orElseThrow().cases()).hasSize(cases);
  }

  @ParameterizedTest
  @CsvSource({"--collect-only, 16", "--co -q, 16", "--co -k warn, 2"})
  void casesAreListedWithoutBeingRun(String line, int listed) {
    ScriptResult result = Scripts.run(FILE, line.split(" "));
    ScriptResult.Tests tests = result.tests().orElseThrow();
    assertThat(tests.listed()).hasValue(listed);
    assertThat(tests.cases()).isEmpty();
    assertThat(result.log().lines().filter(one -> one.contains("::"))).hasSize(listed);
    assertThat(result.log()).contains(listed + (listed == 16 ? " tests" : "/16 tests"));
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
