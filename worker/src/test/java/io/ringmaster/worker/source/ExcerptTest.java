package io.ringmaster.worker.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExcerptTest {

  @Test
  void marksThePlace() {
    assertThat(Excerpt.of("    return 1 + größe", 16, 21))
        .isEqualTo(new Excerpt("    return 1 + größe", "               ^^^^^"));
  }

  @Test
  void tabsStayTabsSoThatTheCaretLinesUp() {
    assertThat(Excerpt.of("\tx = = 1", 6, 7).caret()).isEqualTo("\t    ^");
  }

  @Test
  void aPlaceThatEndsBeyondTheLineIsMarkedToItsEnd() {
    assertThat(Excerpt.of("a(1,", 2, 9).caret()).isEqualTo(" ^^^");
  }

  @Test
  void anEmptyPlaceAtTheEndOfTheLineStillHasACaret() {
    assertThat(Excerpt.of("if x", 5, 5).caret()).isEqualTo("    ^");
    assertThat(Excerpt.of("if x", 50, 51).caret()).isEqualTo("    ^");
    assertThat(Excerpt.of("", 0, 0).caret()).isEqualTo("^");
  }

  @Test
  void ofALongLineTheSurroundingsAreShown() {
    Excerpt excerpt = Excerpt.of("x = [" + "1, ".repeat(1_000) + "]", 1_000, 1_001);

    assertThat(excerpt.line()).startsWith("...").endsWith("...").hasSize(166);
    assertThat(excerpt.caret().indexOf('^')).isEqualTo(63);
    assertThat(Excerpt.of("  " + "y".repeat(1_000))).hasSize(163).startsWith("yyy");
  }

  @Test
  void controlCharactersDontReachTheTerminal() {
    assertThat(Excerpt.of("x = '\u001b[31m'", 1, 2).line()).isEqualTo("x = '\uFFFD[31m'");
    assertThat(Excerpt.of("x = '\u001b[31m'")).isEqualTo("x = '\uFFFD[31m'");
  }

  @Test
  void wideCharactersTakeTwoColumns() {
    Excerpt excerpt = Excerpt.of("f(\"\u4f60\u597d\", e\u0301, xx)", 13, 15);
    assertThat(excerpt.caret()).isEqualTo(" ".repeat(13) + "^^");
  }
}
