package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/**
 * A check of what is left of an output once it was rounded, cast or written as text holds for a
 * kernel that is off by less: it decides, and its sentence says what it doesn't see.
 */
class CoarseComparisonTest {

  private static JobReport run(String text) {
    try (InputStream in = CoarseComparisonTest.class.getResourceAsStream("/checks/prelude.py")) {
      String prelude =
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return Examples.run(SourceFile.of("test_c.py", prelude + text), List.of(0, 1));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** {@code off} is added to what the kernel should write. */
  private static JobReport doubled(double off, String check) {
    return run("run(doubled(" + off + "), x, y)\n" + check.replace("; ", "\n") + "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      value = {
        "assert torch.equal(y.int(), golden.int()) | 0.3",
        "assert torch.equal(y.long(), golden.long()) | 0.3",
        "assert torch.equal(y.to(torch.int32), golden.to(torch.int32)) | 0.3",
        "assert torch.equal(y.to(torch.int16).float(), golden) | 0.3",
        "assert torch.equal(y.round(), golden.round()) | 0.3",
        "assert torch.equal(torch.floor(y), torch.floor(golden)) | 0.3",
        "assert torch.equal(torch.trunc(y), golden) | 0.3",
        "assert torch.equal(y // 1, golden // 1) | 0.3",
        "assert torch.equal(y // 4, golden // 4) | 0.3",
        "assert torch.allclose(y.int().float(), golden) | 0.3",
        "assert (y.int() == golden.int()).all() | 0.3",
        "assert (y.round() - golden).abs().max() == 0 | 0.3",
        "assert (y.int() != golden.int()).sum().item() == 0 | 0.3",
        "assert y.int().tolist() == golden.int().tolist() | 0.3",
        "assert [int(v) for v in y.flatten().tolist()] == [int(v) for v in golden.flatten()] | 0.3",
        "for v, w in zip(y.flatten().tolist(), golden.flatten().tolist()):;     assert round(v) =="
            + " w | 0.3",
        "assert all(int(v) == w for v, w in zip(y.flatten().tolist(), golden.flatten().tolist()))"
            + " | 0.3",
        "assert str(y.int()) == str(golden.int()) | 0.3",
        "assert [f'{v:.0f}' for v in y.flatten().tolist()] == [f'{w:.0f}' for w in"
            + " golden.flatten().tolist()] | 0.3",
        "assert torch.equal(y.half(), golden.half()) | 0.0002",
        "assert torch.equal(y.bfloat16(), golden.bfloat16()) | 0.001",
        "torch.testing.assert_close(y.bfloat16(), golden.bfloat16(), rtol=0, atol=0) | 0.001",
      })
  void whatIsRoundedAwayIsSaid(String check, double off) {
    JobReport right = doubled(0, check);
    JobReport wrong = doubled(off, check);

    for (JobReport report : List.of(right, wrong)) {
      assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
      assertThat(report.sentence())
          .matches(
              "(1 check holds|all \\d+ checks hold) \\(differences up to [0-9.]+ in 'y' go unseen;"
                  + " verified at P=2 only\\)");
      assertThat(report.runs().getFirst().findings())
          .singleElement()
          .satisfies(
              found -> {
                assertThat(found.kind()).isEqualTo("COARSE_COMPARISON");
                assertThat(found.severity()).isEqualTo("NOTE");
                assertThat(found.message())
                    .startsWith("what is compared of output 'y' of Doubled is coarser than")
                    .contains("the script is green all the same when element ");
                assertThat(found.hint()).contains("torch.allclose(output, golden)");
              });
      assertThat(report.runs().getFirst().checks())
          .anySatisfy(one -> assertThat(one.explanation()).contains("go unseen"));
    }
    double said =
        Double.parseDouble(right.sentence().replaceAll(".*differences up to ([0-9.]+) in.*", "$1"));
    assertThat(said).as("at least what it let through").isGreaterThanOrEqualTo(off * 0.9);
  }

  /** Every element seems to be compared, and most of them have been made alike before. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "m = torch.ones_like(y); m[:, :, 8:] = 0; assert torch.equal(y * m, golden * m)",
        "m = torch.ones_like(y); m[:, :, 8:] = 0; assert torch.allclose(torch.where(m > 0, y,"
            + " golden), golden)",
        "m = torch.ones_like(y); m[:, :, 8:] = 0; assert ((y - golden) * m).abs().max().item() <"
            + " 1e-5",
        "m = torch.ones_like(y); m[:, :, 8:] = 0; assert torch.equal(y.masked_fill(m == 0, 0),"
            + " golden.masked_fill(m == 0, 0))",
      })
  void whatAMaskHidesIsSaid(String check) {
    JobReport report = doubled(0, check);

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.sentence()).contains("(elements of 'y' go unseen;");
    assertThat(report.runs().getFirst().findings())
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.kind()).isEqualTo("COARSE_COMPARISON");
              assertThat(found.message())
                  .containsPattern("green all the same when element \\d+ of it is anything");
            });
  }

  /** What tells its tolerance by itself, or is as fine as the output is. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "assert torch.allclose(y, golden)",
        "assert torch.allclose(y, golden, atol=0.5)",
        "assert torch.equal(y.double(), golden.double())",
        "assert (y - golden).abs().max().item() < 1e-3",
        "assert torch.allclose(y * 2, golden * 2)",
        "assert torch.allclose(y.sqrt(), golden.sqrt())",
        "assert y.tolist() == golden.tolist()",
        "for v, w in zip(y.flatten().tolist(), golden.flatten().tolist()):;     assert abs(v - w) <"
            + " 1e-2",
        "bad = [r for r in range(2) if (y[r] - golden[r]).abs().max() > 1e-2]; assert not bad",
        "assert str(y.tolist()) == str(golden.tolist())",
        // Another check looks more closely at the same.
        "assert torch.equal(y.int(), golden.int()); assert torch.allclose(y, golden)",
      })
  void whatIsFineEnoughHasNothingToSay(String check) {
    JobReport report = doubled(0, check);

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.sentence()).endsWith("(verified at P=2 only)");
    assertThat(report.runs().getFirst().findings()).isEmpty();
  }

  /** What the kernel leaves as whole numbers may be off by one at least to be seen. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "assert torch.equal(k // 4, (x * 2).int() // 4) | true",
        "assert torch.equal(k, (x * 2).int()) | false",
        "assert torch.equal(k.float(), x * 2) | false",
        "assert k.tolist() == (x * 2).int().tolist() | false",
      })
  void wholeNumbersAreTriedByOne(String check, boolean coarse) {
    JobReport report =
        run(
            "k = torch.zeros(2, 1, N, dtype=torch.int32)\n"
                + "run(scale(2, pl.INT32), x.int(), k)\n"
                + check
                + "\n");

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.sentence().contains("go unseen")).as(report.sentence()).isEqualTo(coarse);
  }

  @Test
  void onlyThatPartIsCoarseThatNobodyComparesMoreClosely() {
    JobReport report =
        doubled(
            0, "assert torch.allclose(y[0], golden[0]); assert torch.equal(y.int(), golden.int())");

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.runs().getFirst().findings())
        .singleElement()
        .satisfies(
            found -> assertThat(found.message()).containsPattern("element (1[6-9]|2\\d|3[01]) of"));
  }

  /** A case says it for itself, the file names the first one, and JUnit XML has both. */
  @Test
  void eachCaseSaysItForItself() throws Exception {
    JobReport report =
        run(
            """
            def doubling():
                y = torch.zeros(2, 1, N)
                run(doubled(0.3), x, y)
                return y
            @pytest.mark.parametrize("n", [1, 2])
            def test_coarse(n):
                assert torch.equal(doubling().int(), golden.int())
            def test_fine():
                assert torch.allclose(doubling(), golden + 0.3)
            """);

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.PASSED);
    assertThat(report.sentence())
        .startsWith("3 cases: 3 passed (test_coarse[1]: differences up to ");
    JobReport.Run run = report.runs().getFirst();
    assertThat(run.tests())
        .extracting(one -> one.message().contains("go unseen"))
        .containsExactly(true, true, false);
    assertThat(run.findings())
        .singleElement()
        .satisfies(
            found ->
                assertThat(found.message())
                    .startsWith("in test_c.py::test_coarse[1] and 1 more test, what is compared"));
    Element suite = suite(JUnitXml.write("job", report));
    assertThat(suite.getAttribute("skipped")).isEqualTo("0");
    assertThat(
            ((Element) suite.getElementsByTagName("testcase").item(1))
                .getElementsByTagName("system-out")
                .item(0)
                .getTextContent())
        .contains("go unseen");
  }

  private static Element suite(String xml) throws Exception {
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(xml)));
    return (Element) document.getElementsByTagName("testsuite").item(0);
  }
}
