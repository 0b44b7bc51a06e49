package io.ringmaster.worker.source;

/**
 * A source line as a compiler shows it, with a caret under the place.
 *
 * <pre>
 *     if x
 *         ^
 * </pre>
 *
 * @param line the line, cut to the surroundings of the place when it is long
 * @param caret marks the place; tabs of the line stay tabs, so that it lines up at any tab width
 */
public record Excerpt(String line, String caret) {

  private static final int WIDEST = 160;
  private static final int BEFORE_CARET = 60;
  private static final String CUT = "...";

  /**
   * Shows {@code [column, endColumn)} of a line; at least one column is marked.
   *
   * @param column 1-based, in code points
   */
  public static Excerpt of(String text, int column, int endColumn) {
    int[] line = text.codePoints().toArray();
    int start = Math.clamp(column - 1L, 0, line.length);
    int end = Math.min(endColumn - 1, line.length);
    int from = line.length > WIDEST ? Math.max(0, start - BEFORE_CARET) : 0;
    int to = line.length > WIDEST ? Math.min(line.length, from + WIDEST) : line.length;
    var shown = new StringBuilder(from > 0 ? CUT : "");
    for (int i = from; i < to; i++) {
      shown.appendCodePoint(printable(line[i]));
    }
    shown.append(to < line.length ? CUT : "");
    var caret = new StringBuilder(from > 0 ? " ".repeat(CUT.length()) : "");
    for (int i = from; i < start; i++) {
      caret.append(line[i] == '\t' ? "\t" : " ".repeat(width(line[i])));
    }
    int marks = 0;
    for (int i = start; i < Math.min(end, to); i++) {
      marks += width(line[i]);
    }
    caret.repeat('^', Math.max(1, marks));
    return new Excerpt(shown.toString(), caret.toString());
  }

  /** The beginning of a line, without its indentation. */
  public static String of(String text) {
    return of(text.strip(), 1, 1).line();
  }

  /**
   * Columns of a terminal: two for the wide characters of East Asia and pictures, none for marks.
   */
  private static int width(int codePoint) {
    int type = Character.getType(codePoint);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    boolean fullWidth =
        (codePoint >= 0x3000 && codePoint <= 0x303E)
            || (codePoint >= 0xFF01 && codePoint <= 0xFF60);
    boolean picture = codePoint >= 0x1F300 && codePoint <= 0x1FAFF;
    boolean letter =
        Character.isIdeographic(codePoint)
            || (codePoint >= 0x3041 && codePoint <= 0x30FF)
            || (codePoint >= 0xAC00 && codePoint <= 0xD7A3);
    return fullWidth || picture || letter ? 2 : 1;
  }

  /** Control characters would move the caret, or worse, on a terminal. */
  private static int printable(int codePoint) {
    return codePoint == '\t' || !Character.isISOControl(codePoint) ? codePoint : 0xFFFD;
  }
}
