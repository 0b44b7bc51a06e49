package io.ringmaster.worker.ir;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.patch.Patch;
import com.github.difflib.text.DiffRow;
import com.github.difflib.text.DiffRowGenerator;
import java.util.ArrayList;
import java.util.List;

/** Two IR texts compared line by line: what a lowering changed, or how two variants differ. */
public final class IrDiff {

  private IrDiff() {}

  /** How the two sides of a row relate. */
  public enum Mark {
    COMMON(' '),
    CHANGED('|'),
    ONLY_LEFT('<'),
    ONLY_RIGHT('>');

    private final char sign;

    Mark(char sign) {
      this.sign = sign;
    }

    /** The sign between the columns. */
    public char sign() {
      return sign;
    }
  }

  /** A line of both texts; the side that lacks it is empty. */
  public record Row(Mark mark, String left, String right) {}

  /** The texts side by side, every line of both in order. */
  public static List<Row> rows(String left, String right) {
    List<DiffRow> compared =
        DiffRowGenerator.create()
            .lineNormalizer(line -> line)
            .build()
            .generateDiffRows(left.lines().toList(), right.lines().toList());
    List<Row> out = new ArrayList<>();
    for (DiffRow row : compared) {
      Mark mark =
          switch (row.getTag()) {
            case EQUAL -> Mark.COMMON;
            case CHANGE -> Mark.CHANGED;
            case DELETE -> Mark.ONLY_LEFT;
            case INSERT -> Mark.ONLY_RIGHT;
          };
      out.add(new Row(mark, row.getOldLine(), row.getNewLine()));
    }
    return out;
  }

  /** A unified diff with {@code context} common lines around each change; empty when equal. */
  public static String unified(
      String leftName, String left, String rightName, String right, int context) {
    List<String> before = left.lines().toList();
    Patch<String> patch = DiffUtils.diff(before, right.lines().toList());
    List<String> lines =
        UnifiedDiffUtils.generateUnifiedDiff(leftName, rightName, before, patch, context);
    return lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
  }

  /**
   * Two columns with a sign between them: {@code |} changed, {@code <} only left, {@code >} only
   * right. Lines that don't fit end in an ellipsis.
   *
   * @param width characters of the whole table, at least 20
   */
  public static String columns(String left, String right, int width) {
    int column = (Math.max(width, 20) - 3) / 2;
    StringBuilder out = new StringBuilder();
    for (Row row : rows(left, right)) {
      String text =
          fit(row.left(), column, true)
              + " "
              + row.mark().sign()
              + " "
              + fit(row.right(), column, false);
      out.append(text.stripTrailing()).append('\n');
    }
    return out.toString();
  }

  private static String fit(String line, int column, boolean pad) {
    int length = line.codePointCount(0, line.length());
    if (length > column) {
      return line.substring(0, line.offsetByCodePoints(0, column - 1)) + "…";
    }
    return pad ? line + " ".repeat(column - length) : line;
  }
}
