package io.ringmaster.worker.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DiagnosticPrinterTest {

  @Test
  void showsThePlaceTheLineACaretAndTheHint() {
    SourceFile source = SourceFile.of("kernel.py", "def f():\n    return 1 + größe\n");
    Diagnostic diagnostic =
        Diagnostic.error("unknown name", "define it", new Span("kernel.py", 2, 16, 2, 21));

    assertThat(DiagnosticPrinter.print(diagnostic, source))
        .isEqualTo(
            """
            kernel.py:2:16: error: unknown name
                return 1 + größe
                           ^^^^^
              hint: define it
            """);
  }

  @Test
  void tabsStayTabsSoThatTheCaretLinesUp() {
    assertThat(print("\tx = = 1\n", 1, 6, 1, 7)).contains("\tx = = 1\n\t    ^\n");
  }

  @Test
  void aPlaceOfSeveralLinesIsMarkedToTheEndOfTheFirst() {
    assertThat(print("a(1,\n  2)\n", 1, 2, 2, 5)).contains("a(1,\n ^^^\n");
  }

  @Test
  void anEmptyPlaceAtTheEndOfTheLineStillHasACaret() {
    assertThat(print("if x\n", 1, 5, 1, 5)).contains("if x\n    ^\n");
  }

  @Test
  void ofALongLineTheSurroundingsAreShown() {
    List<String> lines =
        print("x = [" + "1, ".repeat(1_000) + "]\n", 1, 1_000, 1, 1_001).lines().toList();

    assertThat(lines.get(1)).startsWith("...").endsWith("...").hasSize(166);
    assertThat(lines.get(2).indexOf('^')).isEqualTo(63);
  }

  @Test
  void controlCharactersDontReachTheTerminal() {
    assertThat(print("x = '\u001b[31m'\n", 1, 1, 1, 2)).contains("x = '\uFFFD[31m'");
  }

  @Test
  void aDiagnosticWithoutAPlaceIsOneLine() {
    assertThat(
            DiagnosticPrinter.print(
                new Diagnostic(Diagnostic.Severity.NOTE, "by the way", "", Span.NONE),
                SourceFile.of("k.py", "x\n")))
        .isEqualTo("note: by the way\n");
  }

  private static String print(String text, int line, int column, int endLine, int endColumn) {
    return DiagnosticPrinter.print(
        Diagnostic.error("m", "", new Span("k.py", line, column, endLine, endColumn)),
        SourceFile.of("k.py", text));
  }
}
