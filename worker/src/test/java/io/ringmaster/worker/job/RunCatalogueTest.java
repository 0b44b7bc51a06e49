package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rows of the catalogue of wrong programs that show only while they run: verdict, kind of
 * finding, message, advice and place.
 */
class RunCatalogueTest {

  private static final List<Integer> ROWS =
      List.of(
          34, 52, 67, 68, 69, 70, 71, 72, 73, 74, 76, 88, 89, 93, 95, 113, 114, 115, 116, 117, 118,
          119, 120, 121, 125, 126, 127);

  static Stream<Bodies.Body> rows() {
    return Bodies.in("job/run_catalogue.txt");
  }

  @ParameterizedTest
  @MethodSource("rows")
  void aWrongProgramIsNamedAtItsPlace(Bodies.Body row) {
    assertThat(row.says()).as("words of the message").isNotEmpty();
    assertThat(row.verdict() == Verdict.WRONG_RESULT || !Marks.in(row.source()).isEmpty())
        .as("a place is marked, or a check fails and has its own")
        .isTrue();
    row.run();
  }

  @Test
  void noRowIsLeftOut() {
    assertThat(rows().map(row -> Integer.valueOf(row.name().split(":", 2)[0])).distinct())
        .containsExactlyElementsOf(ROWS);
  }
}
