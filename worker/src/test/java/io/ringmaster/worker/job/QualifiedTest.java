package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.script.Remark;
import io.ringmaster.worker.source.SourceFile;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A green sentence says what its checks leave open, of scripts and of each case of a file. */
class QualifiedTest {

  private static final String LADDER = Examples.ladder("08_allreduce_mesh.py").text();

  /** The kernel of the ladder, and what the author makes of it. */
  private static final String KERNEL = LADDER.substring(0, LADDER.indexOf("def parse_arguments"));

  private static final String LAUNCH =
      """
          ir.compile(
              AllReduceMesh,
              platform=platform,
              distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0),
          )(x, y)
      """;

  private static final String HELPERS =
      """
      def off(a, b):
          return (a - b).abs().max().item()

      def few(a, b):
          return True if len(torch.nonzero((a - b).abs() > 1e-3)) == 0 else False

      """;

  private static SourceFile script(String inputs, String check) {
    return script(inputs, "", check);
  }

  private static SourceFile script(String inputs, String helpers, String check) {
    return SourceFile.of(
        "part.py",
        KERNEL
            + helpers
            + "def main(platform, ids):\n    nr = len(ids)\n"
            + made(inputs)
            + "    "
            + check
            + "\n\n\nimport sys\nmain(sys.argv[2], [int(d) for d in sys.argv[4].split(',')])\n");
  }

  private static String made(String inputs) {
    return "    x = "
        + inputs
        + "\n    y = torch.zeros((nr, 1, SIZE), dtype=torch.float32)\n"
        + LAUNCH
        + "    golden = x.sum(dim=0, keepdim=True).expand(nr, 1, SIZE)\n";
  }

  private static String test(String name, String inputs, String check) {
    return "\n\ndef "
        + name
        + "(test_config, device_ids):\n"
        + "    platform, ids, nr = test_config.platform, device_ids, len(device_ids)\n"
        + made(inputs)
        + "    "
        + check
        + "\n";
  }

  private static final String RANDOM = "torch.randn((nr, 1, SIZE))";
  private static final String ONES = "torch.ones((nr, 1, SIZE))";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | r | assert torch.allclose(y, golden)              | 1 check holds (verified at P=1"
            + " only: nothing was exchanged)",
        "2 | r | assert torch.allclose(y, golden)              | 1 check holds (verified at P=2"
            + " only)",
        "3 | r | assert torch.allclose(y, golden)              | 1 check holds",
        "4 | r | assert torch.allclose(y, golden)              | 1 check holds",
        "2 | r | assert torch.allclose(y[0], golden[0])        | 1 check holds (64 of 128 elements"
            + " of 'y' never compared; verified at P=2 only)",
        "1 | r | assert torch.allclose(y[..., :32], golden[..., :32]) | 1 check holds (32 of 64"
            + " elements of 'y' never compared; verified at P=1 only: nothing was exchanged)",
        "4 | r | assert torch.allclose(y[0], golden[0])        | 1 check holds (192 of 256 elements"
            + " of 'y' never compared)",
        "4 | r | assert torch.allclose(y[..., :32], golden[..., :32]) | 1 check holds (128 of 256"
            + " elements of 'y' never compared)",
        "4 | r | assert abs(y[0, 0, 0].item() - golden[0, 0, 0].item()) < 1e-3 | 1 check holds (255"
            + " of 256 elements of 'y' never compared)",
        "2 | 1 | assert torch.allclose(y, golden)              | 1 check holds (all ranks got the"
            + " same in 'x'; verified at P=2 only)",
        "4 | 1 | assert torch.allclose(y, golden)              | 1 check holds (all ranks got the"
            + " same in 'x')",
        "4 | 1 | assert torch.allclose(y[1], golden[1])        | 1 check holds (192 of 256 elements"
            + " of 'y' never compared and 1 more note)",
      })
  void aScriptsSentenceSaysWhatIsLeftOpen(int ranks, char inputs, String check, String sentence) {
    SourceFile source = script(inputs == 'r' ? RANDOM : ONES, check);
    JobReport report = Examples.run(source, Examples.firstDevices(ranks));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.sentence()).isEqualTo(sentence);
  }

  /** Of the worst of several, and of a choice that the script makes by it, no comparison tells. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "rows = [(off(y[r], golden[r]), r) for r in range(nr)]; assert max(rows)[0] < 1e-3",
        "rows = [{'r': r, 'e': off(y[r], golden[r])} for r in range(nr)];"
            + " rows.sort(key=lambda d: d['e'], reverse=True); assert rows[0]['e'] < 1e-3",
        "rows = sorted((off(y[r], golden[r]), r) for r in range(nr)); assert rows[-1][0] < 1e-3",
        "rows = sorted(range(nr), key=lambda r: -off(y[r], golden[r]));"
            + " assert off(y[rows[0]], golden[rows[0]]) < 1e-3",
        "assert torch.allclose(y[0], golden[0]);"
            + " assert all([few(y[r], golden[r]) for r in range(nr)])",
      })
  void whatTheWorstOfAllDecidesIsCompared(String check) {
    JobReport report = Examples.run(script(RANDOM, HELPERS, check), List.of(0, 1, 2));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.sentence()).contains("hold").doesNotContain("never compared");
  }

  /** What is left out stays open, and a row of which the first element is. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "assert max((off(y[r], golden[r]), r) for r in range(nr - 1))[0] < 1e-3 | 64 of 192",
        "rows = [(off(y[r, :, 1:], golden[r, :, 1:]), r) for r in range(nr)];"
            + " assert max(rows)[0] < 1e-3 | 129 of 192",
        "assert torch.allclose(y[0], golden[0]);"
            + " assert all([few(y[r], golden[r]) for r in range(2)]) | 64 of 192",
      })
  void whatTheWorstLeavesOutIsSaid(String check, String part) {
    JobReport report = Examples.run(script(RANDOM, HELPERS, check), List.of(0, 1, 2));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.sentence()).contains(part + " elements of 'y' never compared");
  }

  /** What one case compares vouches for nothing in another. */
  @ParameterizedTest
  @CsvSource({"2, 64 of 128, verified at P=2 only", "4, 192 of 256, ''"})
  void eachCaseSaysItForItself(int ranks, String part, String few) {
    String file =
        KERNEL
            + test("test_part", RANDOM, "assert torch.allclose(y[0], golden[0])")
            + test("test_whole", RANDOM, "assert torch.allclose(y, golden)")
            + test("test_last", RANDOM, "assert torch.allclose(y[0], golden[0], atol=1e-4)");
    JobReport.Run run =
        Examples.run(SourceFile.of("test_part.py", file), Examples.firstDevices(ranks))
            .runs()
            .getFirst();

    String and = few.isEmpty() ? "" : "; " + few;
    String open = " (" + part + " elements of 'y' never compared" + and + ")";
    String whole = "1 check holds" + (few.isEmpty() ? "" : " (" + few + ")");
    assertThat(run.verdict()).as(run.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(run.sentence()).isEqualTo("3 cases: 3 passed" + open.replace("(", "(test_part: "));
    assertThat(run.tests())
        .extracting(JobReport.TestCase::message)
        .containsExactly("1 check holds" + open, whole, "1 check holds" + open);
    assertThat(run.findings())
        .filteredOn(found -> found.kind().equals("UNCOMPARED_OUTPUT"))
        .singleElement()
        .satisfies(
            found ->
                assertThat(found.message())
                    .startsWith("in test_part.py::test_part and 1 more test, of output 'y' of "));
  }

  @Test
  void casesThatShareTheirOutputsCompareItTogether() {
    String file =
        KERNEL
            + "\n\nimport pytest\n\n\n@pytest.fixture(scope='module')\n"
            + test("outputs", RANDOM, "return y, golden").stripLeading()
            + "\n\ndef test_first(outputs):\n    y, golden = outputs\n"
            + "    assert torch.allclose(y[0], golden[0])\n"
            + "\n\ndef test_second(outputs):\n    y, golden = outputs\n"
            + "    assert torch.allclose(y[1], golden[1])\n";
    JobReport.Run run =
        Examples.run(SourceFile.of("test_shared.py", file), List.of(0, 1)).runs().getFirst();

    assertThat(run.verdict()).as(run.sentence() + run.log()).isEqualTo(Verdict.PASSED);
    assertThat(run.sentence()).isEqualTo("2 cases: 2 passed (verified at P=2 only)");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void aCaseOfAlikeInputsSaysIt(int ranks) {
    String file = KERNEL + test("test_ones", ONES, "assert torch.allclose(y, golden)");
    JobReport.Run run =
        Examples.run(SourceFile.of("test_ones.py", file), Examples.firstDevices(ranks))
            .runs()
            .getFirst();

    String few = ranks == 2 ? "; verified at P=2 only)" : ")";
    assertThat(run.sentence())
        .isEqualTo("1 case: 1 passed (test_ones: all ranks got the same in 'x'" + few);
    assertThat(run.tests())
        .extracting(JobReport.TestCase::message)
        .containsExactly("1 check holds (all ranks got the same in 'x'" + few);
  }

  /** What failed elsewhere makes it no more right; of what failed nothing more is said. */
  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void aGreenCaseBesideARedOneSaysItToo(int ranks) {
    String file =
        KERNEL
            + test("test_part", RANDOM, "assert torch.allclose(y[0], golden[0])")
            + test("test_ones", ONES, "assert torch.allclose(y, golden)")
            + test("test_wrong", ONES, "assert torch.allclose(y[0], golden[0] + 1)")
            + test("test_raises", ONES, "raise ValueError('not yet')");
    JobReport.Run run =
        Examples.run(SourceFile.of("test_red.py", file), Examples.firstDevices(ranks))
            .runs()
            .getFirst();

    String few = ranks == 2 ? "; verified at P=2 only)" : ")";
    assertThat(run.verdict()).as(run.sentence()).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(run.sentence()).doesNotContain("never compared", "got the same");
    assertThat(run.tests().subList(0, 2))
        .extracting(JobReport.TestCase::message)
        .containsExactly(
            "1 check holds (%d of %d elements of 'y' never compared%s"
                .formatted(ranks * 64 - 64, ranks * 64, few),
            "1 check holds (all ranks got the same in 'x'" + few);
    assertThat(run.findings())
        .as("what the barrier of all four leaves")
        .filteredOn(found -> found.kind().equals("RESIDUE"))
        .hasSize(1);
    assertThat(run.findings())
        .filteredOn(found -> !found.kind().equals("RESIDUE"))
        .extracting(JobReport.FindingLine::test)
        .containsExactlyInAnyOrder("test_red.py::test_part", "test_red.py::test_ones");
  }

  @Test
  void aRedSentenceSaysOnlyWhatIsWrong() {
    JobReport report =
        Examples.run(script(ONES, "assert torch.allclose(y[0], golden[0] + 1)"), List.of(0, 1));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(report.sentence()).doesNotContain("all ranks got", "never compared");
  }

  @Test
  void severalRunsSayItOfTheFirstThatLeavesSomethingOpen() {
    SourceFile source =
        script(RANDOM, "assert torch.allclose(y[:3], golden[:3], rtol=1e-4, atol=1e-4)");
    JobReport report =
        Examples.runOnEach(
            source, List.of(List.of(0, 1), Examples.firstDevices(4), Examples.firstDevices(8)));

    assertThat(report.runs())
        .extracting(JobReport.Run::sentence)
        .containsExactly(
            "1 check holds (verified at P=2 only)",
            "1 check holds (64 of 256 elements of 'y' never compared)",
            "1 check holds (320 of 512 elements of 'y' never compared)");
    assertThat(report.sentence())
        .isEqualTo("all 3 runs passed (run 2: 64 of 256 elements of 'y' never compared)");
    assertThat(JobEnd.ofRuns(report.runs(), List.of()).sentence())
        .as("the service says the same")
        .isEqualTo(report.sentence());
  }

  /** How few ranks it was is said of all runs together: one of more ranks is enough. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 2 4 | all 3 runs passed",
        "1 2   | all 2 runs passed (verified at P=2 only)",
        "2 1   | all 2 runs passed (verified at P=2 only)",
        "1 1   | all 2 runs passed (verified at P=1 only: nothing was exchanged)",
        "2     | 1 check holds (verified at P=2 only)",
      })
  void severalRunsSayTheMostRanks(String ranks, String sentence) {
    List<List<Integer>> devices =
        Arrays.stream(ranks.split(" "))
            .map(count -> Examples.firstDevices(Integer.parseInt(count)))
            .toList();
    JobReport report =
        Examples.runOnEach(script(RANDOM, "assert torch.allclose(y, golden, atol=1e-4)"), devices);

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.sentence()).isEqualTo(sentence);
  }

  /** Each says on how many ranks it was verified itself, and the file the most of those. */
  @ParameterizedTest
  @CsvSource({
    "4, 2, y, 2 cases: 2 passed, 1 check holds (verified at P=2 only)",
    "2, 1, y, 2 cases: 2 passed (verified at P=2 only),"
        + " 1 check holds (verified at P=1 only: nothing was exchanged)",
    "4, 2, x, '2 cases: 1 passed, 1 proved nothing (verified at P=2 only)',"
        + " 1 check holds (verified at P=2 only)",
  })
  void whatProvesNothingOnMoreRanksCountsForNone(
      int devices, int fewer, String compared, String sentence, String few) {
    String file =
        KERNEL
            + test("test_all", RANDOM, "assert torch.allclose(y, " + golden(compared) + ")")
            + test("test_few", RANDOM, "assert torch.allclose(y, golden)")
                .replace("device_ids, len(device_ids)", "device_ids[:%1$d], %1$d".formatted(fewer));
    JobReport.Run run =
        Examples.run(SourceFile.of("test_few.py", file), Examples.firstDevices(devices))
            .runs()
            .getFirst();

    assertThat(run.verdict()).as(run.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(run.sentence()).isEqualTo(sentence);
    assertThat(run.tests().getLast().message()).isEqualTo(few);
  }

  private static String golden(String compared) {
    return compared.equals("x") ? "y.clone()" : "golden";
  }

  @Test
  void onlyTheFirstIsNamedAndTheOthersAreCounted() {
    var first = remark("one of two rows of 'f (x)' never compared");
    var green = new VerdictRules.Decision(Verdict.PASSED, "all 2 checks hold");
    var red = new VerdictRules.Decision(Verdict.RACE, "a race");

    assertThat(Qualified.by(green, List.of(), 4)).isSameAs(green);
    assertThat(Qualified.by(red, List.of(first), 2)).isSameAs(red);
    String three =
        Qualified.by(green, List.of(first, remark("second"), remark("third")), 0).sentence();
    assertThat(three)
        .isEqualTo(
            "all 2 checks hold (one of two rows of 'f (x)' never compared and 2 more notes)");
    assertThat(Qualified.of(Verdict.PASSED, three))
        .isEqualTo("one of two rows of 'f (x)' never compared and 2 more notes");
    assertThat(Qualified.of(Verdict.RACE, "rank 1 (line 3)")).isEmpty();
  }

  private static Remark remark(String brief) {
    return new Remark(
        Remark.Kind.UNCOMPARED_OUTPUT, "in full", brief, "compare it", 3, "", List.of());
  }
}
