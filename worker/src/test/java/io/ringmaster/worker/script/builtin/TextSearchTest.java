package io.ringmaster.worker.script.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Finds what Java's own search finds, in texts that repeat themselves. */
class TextSearchTest {

  @Test
  void theFirstAndTheLastPlaceAreThoseOfAPlainSearch() {
    var random = new Random(7);
    for (int round = 0; round < 2_000; round++) {
      String text = repetitive(random, random.nextInt(200));
      String part = repetitive(random, random.nextInt(40));
      int from = random.nextInt(text.length() + 1);

      assertThat(TextSearch.first(text, part, from)).isEqualTo(text.indexOf(part, from));
      assertThat(TextSearch.last(text, part, from))
          .isEqualTo(text.substring(0, from).lastIndexOf(part));
      assertThat(TextSearch.contains(text, part)).isEqualTo(text.contains(part));
    }
  }

  @Test
  void aPartOfTheTextIsFoundWhereItWasCut() {
    var random = new Random(8);
    String text = repetitive(random, 5_000);
    for (int round = 0; round < 200; round++) {
      int from = random.nextInt(4_000);
      String part = text.substring(from, from + 17 + random.nextInt(900));

      assertThat(TextSearch.first(text, part, 0)).isEqualTo(text.indexOf(part));
      assertThat(TextSearch.last(text, part, text.length())).isEqualTo(text.lastIndexOf(part));
    }
  }

  /** Mostly the letter a, so that a search often goes far before it fails. */
  private static String repetitive(Random random, int length) {
    var text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(random.nextInt(12) == 0 ? 'b' : 'a');
    }
    return text.toString();
  }
}
