package io.ringmaster.worker.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No source, however deep or long, does more than cost a message. */
class ParserLimitsTest {

  @ParameterizedTest
  @ValueSource(strings = {"(", "[", "{", "-", "not ", "lambda: ", "2 ** ", "a if b else ", "f'{"})
  void expressionsNestedTooDeeply(String opening) {
    assertThat(error("x = 1\ny = " + opening.repeat(5_000) + "1"))
        .startsWith("2:")
        .endsWith("this expression is nested more than 200 levels deep, which is the limit");
  }

  @Test
  void blocksNestedTooDeeply() {
    String source =
        IntStream.range(0, 500)
            .mapToObj(depth -> " ".repeat(depth) + "if x:\n")
            .collect(Collectors.joining("", "", " ".repeat(500) + "pass\n"));

    assertThat(error(source))
        .isEqualTo("101:101 blocks are nested more than 100 levels deep, which is the limit");
  }

  @ParameterizedTest
  @ValueSource(strings = {" + a", ".a", "()", "[0]"})
  void chainsThatMakeAHighTree(String link) {
    assertThat(error("x = a" + link.repeat(20_000)))
        .endsWith("the program is more than 1000 levels deep here, which is the limit");
  }

  @Test
  void anElifChainIsLimitedAndNamedWhereItGetsTooLong() {
    assertThat(error("if a: pass\n" + "elif a: pass\n".repeat(5_000)))
        .isEqualTo("1001:1 the program is more than 1000 levels deep here, which is the limit");
  }

  @Test
  void longFlatSourcesAreFine() {
    String source =
        "x = 1\n".repeat(20_000)
            + ("y = [" + "1, ".repeat(100_000) + "]\n")
            + ("z = a" + " < a".repeat(20_000) + "\n")
            + ("z = a" + " or a".repeat(20_000) + "\n")
            + ("z = " + "'a' ".repeat(20_000) + "\n")
            + ("if a: pass\n" + "elif a: pass\n".repeat(900))
            + ("z = a" + " + a".repeat(900) + "\n");

    assertThat(PythonParser.parse(SourceFile.of("k.py", source)).body()).hasSize(20_006);
  }

  @Test
  void sourcesThatAreTooLong() {
    var limits = new ParserLimits(10, 10, 100, 10, 10, 10, 10);

    assertThat(error("x = 1 # 345", limits))
        .isEqualTo("1:1 the source has 11 characters; the limit is 10");
  }

  @Test
  void tooManyTokens() {
    var limits = new ParserLimits(1_000, 10, 10, 10, 10, 10, 10);

    assertThat(error("a = 1\nb = 2\nc = 3\n", limits))
        .isEqualTo("3:4 the source has more than 10 tokens, which is the limit");
  }

  @Test
  void integersThatAreTooLong() {
    assertThat(error("x = " + "9".repeat(5_000)))
        .isEqualTo("1:5 this integer has 5000 digits; the limit is 4300");
  }

  @Test
  void manyBracketsThatAreNeverClosed() {
    assertThat(error("foo(a b\n".repeat(5_000))).isEqualTo("1:4 '(' was never closed");
  }

  private static String error(String source) {
    return error(source, ParserLimits.DEFAULT);
  }

  private static String error(String source, ParserLimits limits) {
    DiagnosticException rejected =
        catchThrowableOfType(
            DiagnosticException.class,
            () -> PythonParser.parse(SourceFile.of("k.py", source), limits));
    Diagnostic first = rejected.diagnostics().getFirst();
    return first.span().line() + ":" + first.span().column() + " " + first.message();
  }
}
