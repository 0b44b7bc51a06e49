package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.frontend.Catalogue;
import io.ringmaster.worker.frontend.CatalogueTest;
import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is wrong with programs that lean on values nobody knows is said, and nothing else. */
class GuessedProgramsTest {

  private static final String NUMPY = "module 'numpy' is not available in scripts";

  private static List<String> said(String text) {
    SourceFile source = SourceFile.of("guessed.py", text);
    JobReport report = Examples.run(source, List.of(0, 1));
    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    // Whoever submits it is told the same before it is queued.
    assertThat(new JobRunner().check(source)).isEqualTo(report.diagnostics());
    return report.diagnostics().stream().map(d -> d.line() + " " + d.message()).toList();
  }

  @ParameterizedTest
  @MethodSource("io.ringmaster.worker.job.Examples#rightPrograms")
  void nothingIsWrongWithARightProgramBesideAnUnknownImport(Path file) throws IOException {
    String text = Files.readString(file);
    int end = (int) text.lines().count() + 2;
    assertThat(said(text + "\nimport numpy\n")).containsExactly(end + " " + NUMPY);
    assertThat(said(text + "\ndef mistyped():\n    return not_there + 1\n"))
        .containsExactly(end + 1 + " name 'not_there' is not defined");
    for (String known : List.of("argparse", "torch", "sys", "pytest")) {
      String unknown = text.replaceFirst("(?m)^import " + known + "$", "import numpy as " + known);
      if (!unknown.equals(text)) {
        assertThat(said(unknown)).as(known).singleElement().asString().endsWith(NUMPY);
      }
    }
  }

  static Stream<Catalogue.Row> wrongPrograms() {
    return CatalogueTest.rows();
  }

  /** The program as a function builds it, with an import that isn't there above. */
  private static String built(String program) {
    StringBuilder imports = new StringBuilder("import numpy as np\n");
    StringBuilder rest = new StringBuilder("def build(nr, np):\n");
    boolean isHead = true;
    for (String line : program.lines().toList()) {
      isHead &= line.startsWith("import ") || line.startsWith("from ");
      (isHead ? imports.append(line) : rest.append("    ").append(line)).append('\n');
    }
    return imports.append(rest).append("    return nr\n\nprint(build(2, np))\n").toString();
  }

  @ParameterizedTest
  @MethodSource("wrongPrograms")
  void whatIsWrongWithAProgramThatAFunctionBuildsIsSaidBesideAnUnknownImport(Catalogue.Row row) {
    JobReport report = Examples.run(SourceFile.of("built.py", built(row.source())), List.of(0, 1));
    List<String> places = new ArrayList<>(List.of("1:8"));
    row.places().stream().map(GuessedProgramsTest::inside).forEach(places::add);
    var said = assertThat(report.diagnostics()).extracting(d -> d.line() + ":" + d.column());
    if (row.form().startsWith("jit")) {
      // Much about a free function is known with the shapes of a call only.
      said.isSubsetOf(places);
    } else {
      said.containsExactlyElementsOf(places);
    }
    assertThat(report.diagnostics().subList(1, report.diagnostics().size()))
        .allSatisfy(d -> assertThat(d.message()).contains(row.phrases()));
  }

  private static String inside(String place) {
    int colon = place.indexOf(':');
    return (Integer.parseInt(place.substring(0, colon)) + 2)
        + ":"
        + (Integer.parseInt(place.substring(colon + 1)) + 4);
  }

  private static String kernel(String width, String type, String body) {
    return """
    @pl.program
    class P:
        @pl.function(type=pl.FunctionType.InCore)
        def k(
            self, x: pl.Tensor[[1, WIDTH], TYPE], y: pl.Out[pl.Tensor[[1, WIDTH], TYPE]]
        ) -> pl.Tensor[[1, WIDTH], TYPE]:
            t = pl.load(x, [0, 0], [1, WIDTH])
            BODY
            return pl.store(t, [0, 0], y)
    """
        .replace("WIDTH", width)
        .replace("TYPE", type)
        .replace("BODY", body);
  }

  private static String inFunction(String head, String before, String program) {
    return head + "\n" + before.indent(4) + program.indent(4) + "    return P\n\n";
  }

  private static final String HEAD =
      "import numpy as np\nimport sys\nimport pypto.language as pl\n\n";

  private static List<String> beside(String text) {
    List<String> all = said(HEAD + text);
    assertThat(all).contains("1 " + NUMPY);
    return all.stream()
        .map(line -> line.substring(line.indexOf(' ') + 1))
        .filter(line -> !line.equals(NUMPY))
        .toList();
  }

  private static final String UNDEFINED = "Undefined variable 'aa'";

  @Test
  void aProgramThatLeansOnParametersIsReadWithNumbersAndDefaults() {
    assertThat(beside("N = np.prod([2])\nDT = np.float32\n" + kernel("N", "DT", "pass"))).isEmpty();
    assertThat(
            beside(
                inFunction("def build(n, DT=pl.FP32):", "N = n * 8", kernel("N", "DT", "u = aa"))))
        .containsExactly(UNDEFINED);
  }

  @Test
  void aRightProgramForSomeNumbersIsNotHeldToBeWrong() {
    assertThat(
            beside(
                inFunction(
                    "def build(n, total):",
                    "N = total // n\nassert N % 8 == 0\nif N > 9:\n    M = 8\nelse:\n    M = 4",
                    kernel("N", "pl.FP32", "u = pl.slice(t, [1, M], [0, 0])"))))
        .isEmpty();
    assertThat(
            beside(
                inFunction(
                    "def build(op):",
                    "",
                    kernel("64", "pl.FP32", "t = op(t, t)\n        t = pl.mul(t, op)"))))
        .isEmpty();
  }

  @Test
  void whatATestExpectsIsNoNews() {
    String wrong = inFunction("def build(N):", "", kernel("N", "pl.FP32", "u = aa"));
    assertThat(
            beside(
                "import pytest\n"
                    + wrong
                    + "def test_it():\n    with pytest.raises(Exception):\n        build(8)\n"))
        .isEmpty();
    assertThat(beside("import pytest\n\n@pytest.mark.xfail\n" + wrong)).isEmpty();
  }

  @Test
  void methodsThatBuildProgramsAreReadToo() {
    assertThat(
            beside(
                "class Suite:\n"
                    + inFunction("def build(self, N):", "", kernel("N", "pl.FP32", "u = aa"))
                        .indent(4)))
        .containsExactly(UNDEFINED);
  }
}
