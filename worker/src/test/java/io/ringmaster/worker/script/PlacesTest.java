package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringmaster.worker.source.DiagnosticException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors are told at their place, however the lines of a file are joined, ended and indented. */
class PlacesTest {

  private static final String TEXT =
      """
      x = 1 + \\
          nope1
      y = f"{x + nope2} {nope3!r:>{nope4}}"
      if x:
      \tz = nope5
      w = (1 +
           2 + nope6
           + "größe" * nope7)
      v = \"\"\"
      a {x}
      \"\"\" + nope8
      """;

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r"})
  void placesAreThoseOfTheText(String lineEnd) {
    assertThat(places(TEXT.replace("\n", lineEnd))).isEqualTo(places("\uFEFF" + TEXT));
    assertThat(places(TEXT))
        .isEqualTo(
            "nope1 2:5, nope2 3:12, nope3 3:20, nope4 3:30, nope5 5:6, nope6 7:10, nope7 8:18,"
                + " nope8 11:7");
  }

  private static String places(String text) {
    return String.join(
        ", ",
        catchThrowableOfType(DiagnosticException.class, () -> Scripts.run(text))
            .diagnostics()
            .stream()
            .map(
                d ->
                    d.message().replaceAll("name '(\\w+)' .*", "$1")
                        + " "
                        + d.span().line()
                        + ":"
                        + d.span().column())
            .toList());
  }
}
