package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.job.JobReport.TestCase;
import io.ringmaster.worker.source.SourceFile;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Classes of {@code unittest.TestCase} are cases, as pytest and {@code unittest.main()} run them.
 */
class UnittestFilesTest {

  private static final String MAIN = "if __name__ == \"__main__\":\n";

  private static final String KERNEL_CASE =
      """
      import unittest
      class Doubling(unittest.TestCase):
          def setUp(self):
              self.x = torch.arange(128.0).reshape(2, 1, 64)
              self.y = torch.zeros((2, 1, 64))
              both = DistributedConfig(device_ids=[0, 1], num_sub_workers=0)
              config = RunConfig(platform="a2a3sim", distributed_config=both)
              on_host.compile(self.x, self.y, config=config)(self.x, self.y)
          def test_it(self):
              golden = self.x * 2 + 1
              COMPARES
      """;

  private static final String CASES =
      """
      import unittest
      order = []
      def setUpModule():
          order.append("module")
      class Ring(unittest.TestCase):
          @classmethod
          def setUpClass(cls):
              order.append("class")
          def setUp(self):
              order.append("up")
              self.addCleanup(order.append, "clean")
          def tearDown(self):
              order.append("down")
          def test_b(self):
              with self.assertRaises(ValueError) as caught:
                  raise ValueError("mine")
              self.assertEqual(str(caught.exception), "mine")
          def test_a(self):
              self.assertEqual(order, ["module", "class", "up"])
          def test_c(self):
              for i in range(3):
                  with self.subTest(i=i):
                      self.assertLess(i, 2)
          @unittest.skipIf(True, "never")
          def test_d(self):
              self.fail("not run")
          @unittest.expectedFailure
          def test_e(self):
              self.assertTrue(False)
          def test_f(self):
              self.skipTest("not now")
          def test_g(self):
              raise KeyError("k")
          def test_z(self):
              self.assertEqual(order[2:6], ["up", "down", "clean", "up"])
      """;

  private static JobReport run(String text, String... arguments) {
    return Examples.run(SourceFile.of("test_u.py", text), List.of(0, 1), arguments);
  }

  private static String kernel(String compares) {
    String ladder = Examples.ladder("01_two_devices.py").text();
    return ladder.substring(0, ladder.indexOf(MAIN)) + KERNEL_CASE.replace("COMPARES", compares);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      value = {
        "self.assertTrue(torch.allclose(self.y, golden)) | PASSED",
        "self.assertTrue(torch.equal(self.y, golden + 1)) | WRONG_RESULT",
        "self.assertEqual(self.y.tolist(), golden.tolist()) | PASSED",
        "self.assertEqual(self.y.tolist(), self.x.tolist()) | WRONG_RESULT",
        "torch.testing.assert_close(self.y, golden) | PASSED",
        "self.assertLess((self.y - golden).abs().max().item(), 1e-5) | PASSED",
        "self.assertLess((self.y - self.x).abs().max().item(), 1e-5) | WRONG_RESULT",
        "self.assertAlmostEqual((self.y - golden).abs().max().item(), 0.0) | PASSED",
        "self.assertFalse((self.y != golden).any()) | PASSED",
        "self.assertTrue(torch.isfinite(self.y).all()) | NOT_VERIFIED",
        "self.assertEqual(self.y.shape, golden.shape) | NOT_VERIFIED",
        "self.assertGreater(self.y.sum().item(), 0) | NOT_VERIFIED"
      })
  void whatACaseComparesIsACheck(String compares, Verdict verdict) {
    JobReport report = run(kernel(compares));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(verdict);
    assertThat(report.runs().getFirst().tests())
        .extracting(TestCase::nodeId)
        .containsExactly("test_u.py::Doubling::test_it");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "if __name__ == '__main__':\n    unittest.main()\n", "unittest.main()\n"})
  void aClassHasItsCasesInTheOrderOfTheirNames(String end) {
    JobReport report = run(CASES + end);

    assertThat(report.runs().getFirst().tests().stream().map(t -> t.name() + " " + t.outcome()))
        .as(report.sentence())
        .containsExactly(
            "test_a PASSED",
            "test_b PASSED",
            "test_c FAILED",
            "test_d SKIPPED",
            "test_e XFAILED",
            "test_f SKIPPED",
            "test_g FAILED",
            "test_z PASSED");
    TestCase failed = report.runs().getFirst().tests().get(2);
    assertThat(failed.message()).contains("line 23", "2 not less than 2");
  }

  @Test
  void whatThereIsntOfUnittestIsNamed() {
    assertThat(run("import unittest.mock\n").diagnostics().getFirst().hint())
        .contains("TestCase", "expectedFailure");
    JobReport report =
        run(
            """
            import unittest
            class Ring(unittest.TestCase):
                def test_a(self):
                    self.assertLogs()
            """);
    assertThat(report.sentence()).contains("'Ring' object has no attribute 'assertLogs'");
  }
}
