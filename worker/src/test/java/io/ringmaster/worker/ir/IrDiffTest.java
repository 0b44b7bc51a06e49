package io.ringmaster.worker.ir;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.ir.IrDiff.Mark;
import io.ringmaster.worker.ir.IrDiff.Row;
import org.junit.jupiter.api.Test;

class IrDiffTest {

  private static final String HAND = "load\nstore\nbarrier\nfor peer:\n    remote_load\n";
  private static final String BUILTIN = "load\nfor peer:\n    put\nbarrier <&>\nreset\n";

  @Test
  void rowsHoldEveryLineOfBothTexts() {
    var rows = IrDiff.rows(HAND, BUILTIN);
    assertThat(rows.stream().filter(r -> r.mark() != Mark.ONLY_RIGHT).map(Row::left))
        .isEqualTo(HAND.lines().toList());
    assertThat(rows.stream().filter(r -> r.mark() != Mark.ONLY_LEFT).map(Row::right))
        .isEqualTo(BUILTIN.lines().toList());
    assertThat(rows.getFirst()).isEqualTo(new Row(Mark.COMMON, "load", "load"));
  }

  @Test
  void columnsMarkEachLine() {
    assertThat(IrDiff.columns("a\nb\nc\n", "a\nx\nc\nd\n", 21))
        .isEqualTo(
            """
            a           a
            b         | x
            c           c
                      > d
            """);
  }

  @Test
  void longLinesAreCutToTheColumn() {
    assertThat(IrDiff.columns("0123456789abc\n", "0123456789abc\n", 21))
        .isEqualTo("01234567…   01234567…\n");
  }

  @Test
  void unifiedDiffNamesBothSides() {
    assertThat(IrDiff.unified("hand", "a\nb\n", "builtin", "a\nc\n", 1))
        .isEqualTo("--- hand\n+++ builtin\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
  }

  @Test
  void equalTextsHaveNoDifference() {
    assertThat(IrDiff.unified("a", HAND, "b", HAND, 3)).isEmpty();
  }
}
