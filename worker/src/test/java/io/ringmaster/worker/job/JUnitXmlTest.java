package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ringmaster.worker.source.SourceFile;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class JUnitXmlTest {

  @Test
  void aPassedRunHasACaseForEachCheckAndOneForTheVerdict() throws Exception {
    JobReport report = Examples.run(Examples.ladder("13_allgather.py"), List.of(0, 1, 2));

    Element suite = suite(JUnitXml.write("job & <name>", report));

    assertThat(suite.getAttribute("name")).isEqualTo("job & <name> a2a3sim [0, 1, 2]");
    assertThat(suite.getAttribute("tests")).isEqualTo("4");
    assertThat(suite.getAttribute("failures")).isEqualTo("0");
    assertThat(suite.getElementsByTagName("testcase").getLength()).isEqualTo(4);
    assertThat(seconds(suite, 3)).isPositive().isCloseTo(wholeSeconds(suite), within(1e-5));
  }

  @Test
  void aRejectedJobFailsWithItsReason() throws Exception {
    JobReport report =
        new JobReport(Verdict.REJECTED, "bad \u0000 character", List.of(), List.of());

    Element failure =
        (Element) suite(JUnitXml.write("k", report)).getElementsByTagName("failure").item(0);

    assertThat(failure.getAttribute("type")).isEqualTo("REJECTED");
    assertThat(failure.getAttribute("message")).isEqualTo("bad \uFFFD character");
  }

  @Test
  void aRunThatWasOnlyToCompileIsSkipped() throws Exception {
    Element suite =
        suite(
            JUnitXml.write(
                "k",
                Examples.run(
                    Examples.ladder("01_two_devices.py"), List.of(0, 1), "--compile-only")));

    assertThat(suite.getAttribute("failures")).isEqualTo("0");
    assertThat(suite.getAttribute("skipped")).isEqualTo("1");
    Element skipped = (Element) suite.getElementsByTagName("skipped").item(0);
    assertThat(skipped.getAttribute("type")).isEqualTo("NOT_VERIFIED");
    assertThat(skipped.getAttribute("message")).startsWith("it compiled, and --compile-only asks");
  }

  @Test
  void aRejectedRunSaysAllThatIsWrong() throws Exception {
    JobReport report =
        Examples.run(SourceFile.of("x.py", "import nothing_of_it\nx = = 3\n"), List.of(0, 1));

    Element failure =
        (Element) suite(JUnitXml.write("k", report)).getElementsByTagName("failure").item(0);

    assertThat(failure.getTextContent().lines())
        .satisfiesExactly(
            first ->
                assertThat(first).startsWith("line 1, column 8: error: module 'nothing_of_it'"),
            second -> assertThat(second).startsWith("line 2, column 5: error: expected an"));
  }

  @Test
  void aFileOfTestsHasExactlyItsCases() throws Exception {
    SourceFile file =
        SourceFile.of("test_x.py", "def test_a():\n    pass\n\ndef test_b(nothing):\n    pass\n");

    Element suite = suite(JUnitXml.write("job", Examples.run(file, List.of(0, 1))));

    assertThat(suite.getAttribute("tests")).isEqualTo("2");
    assertThat(suite.getAttribute("failures")).isEqualTo("0");
    assertThat(suite.getAttribute("errors")).isEqualTo("1");
    assertThat(suite.getElementsByTagName("testcase").getLength()).isEqualTo(2);
    assertThat(seconds(suite, 0)).isPositive();
    assertThat(seconds(suite, 1)).isPositive();
  }

  /** Cases compile, and have fixtures, beside what they launch. */
  @Test
  void aSuiteTakesAsLongAsItsCasesTogether() throws Exception {
    SourceFile file = Examples.source(Path.of("../examples/tests/test_allgather.py"));

    Element suite = suite(JUnitXml.write("job", Examples.run(file, List.of(0, 1))));

    int cases = suite.getElementsByTagName("testcase").getLength();
    double sum = IntStream.range(0, cases).mapToDouble(i -> seconds(suite, i)).sum();
    assertThat(cases).isGreaterThan(1);
    assertThat(sum).isPositive();
    assertThat(wholeSeconds(suite)).isGreaterThanOrEqualTo(sum - 1e-9);
  }

  /** Whatever other cases of the file prove: each stands for itself. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "y                       | it ran, but the script compared nothing",
        "assert torch.isfinite(y).all() | it ran, but nothing was verified",
      })
  void aCaseThatProvesNothingIsNoneThatPassed(String check, String why) throws Exception {
    String kernel = Examples.ladder("08_allreduce_mesh.py").text();
    String cases =
        """
        @pytest.fixture
        def outputs(device_ids):
            nr = len(device_ids)
            x, y = torch.randn((nr, 1, SIZE)), torch.zeros((nr, 1, SIZE))
            ir.compile(
                AllReduceMesh,
                platform="a2a3sim",
                distributed_config=DistributedConfig(device_ids=device_ids),
            )(x, y)
            return y, x.sum(dim=0, keepdim=True).expand(nr, 1, SIZE)


        def test_right(outputs):
            y, golden = outputs
            assert torch.allclose(y, golden, atol=1e-5)


        def test_nothing(outputs):
            y, golden = outputs
        """;
    String file =
        "import pytest\n"
            + kernel.substring(0, kernel.indexOf("def parse_arguments"))
            + cases
            + "    "
            + check
            + "\n";
    JobReport report = Examples.run(SourceFile.of("test_x.py", file), List.of(0, 1));
    Element suite = suite(JUnitXml.write("job", report));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(suite.getAttribute("tests")).isEqualTo("2");
    assertThat(suite.getAttribute("failures")).isEqualTo("0");
    assertThat(suite.getAttribute("skipped")).isEqualTo("1");
    Element right = (Element) suite.getElementsByTagName("testcase").item(0);
    assertThat(right.getElementsByTagName("skipped").getLength()).isZero();
    assertThat(right.getElementsByTagName("system-out").item(0).getTextContent())
        .isEqualTo("1 check holds (verified at P=2 only)");
    Element nothing = (Element) suite.getElementsByTagName("testcase").item(1);
    Element skipped = (Element) nothing.getElementsByTagName("skipped").item(0);
    assertThat(skipped.getAttribute("type")).isEqualTo("NOT_VERIFIED");
    assertThat(skipped.getAttribute("message")).startsWith(why);
  }

  @Test
  void aCheckThatProvesNothingIsNoneThatPassed() throws Exception {
    String text = Examples.source(Path.of("../examples/right/sum_without_own.py")).text();
    String more =
        text.replaceFirst("(?m)^( *)assert ", "$1assert torch.isfinite(y).all()\n$1assert ");
    JobReport report = Examples.run(SourceFile.of("x.py", more), List.of(0, 1, 2));
    Element suite = suite(JUnitXml.write("job", report));

    assertThat(more).isNotEqualTo(text);
    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(suite.getAttribute("skipped")).isNotEqualTo("0");
    Element skipped = (Element) suite.getElementsByTagName("skipped").item(0);
    assertThat(skipped.getAttribute("message")).startsWith("this check can't fail");
    assertThat(((Element) skipped.getParentNode()).getAttribute("name")).contains("isfinite");
  }

  private static double wholeSeconds(Element suite) {
    return Double.parseDouble(suite.getAttribute("time"));
  }

  private static double seconds(Element suite, int testcase) {
    Element one = (Element) suite.getElementsByTagName("testcase").item(testcase);
    return Double.parseDouble(one.getAttribute("time"));
  }

  @Test
  void aFileOfTestsWithoutAFaultyCaseSaysWhyItDidNotPass() throws Exception {
    SourceFile file = SourceFile.of("test_x.py", "def test_a():\n    pass\n");

    Element suite = suite(JUnitXml.write("job", Examples.run(file, List.of(0, 1))));

    assertThat(suite.getAttribute("tests")).isEqualTo("2");
    Element failure = (Element) suite.getElementsByTagName("failure").item(0);
    assertThat(failure.getAttribute("type")).isEqualTo("NOT_VERIFIED");
  }

  private static Element suite(String xml) throws Exception {
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(xml)));
    return (Element) document.getElementsByTagName("testsuite").item(0);
  }
}
