package io.ringmaster.worker.source;

/**
 * What a source may cost to read; exceeding one is an error that names the limit and the place.
 *
 * @param sourceLength characters of text
 * @param lines lines of text
 * @param tokens tokens read in all
 * @param expressionDepth brackets, prefix operators, lambdas and the like inside one another; it
 *     bounds the stack that the parser needs
 * @param blockDepth blocks inside one another
 * @param treeHeight levels of the finished tree, counted from the file down. A chain such as {@code
 *     a + b + c}, {@code a.b.c} or {@code if/elif/elif} costs a level for each link, so this is the
 *     stack that a recursive reader of the tree needs
 * @param integerDigits digits of one integer literal
 */
public record ParserLimits(
    int sourceLength,
    int lines,
    int tokens,
    int expressionDepth,
    int blockDepth,
    int treeHeight,
    int integerDigits) {

  /** Ample for anything written by hand, and safe on a thread with an ordinary stack. */
  public static final ParserLimits DEFAULT =
      new ParserLimits(10 * 1024 * 1024, 200_000, 1_000_000, 200, 100, 1_000, 4_300);

  public ParserLimits {
    requirePositive("sourceLength", sourceLength);
    requirePositive("lines", lines);
    requirePositive("tokens", tokens);
    requirePositive("expressionDepth", expressionDepth);
    requirePositive("blockDepth", blockDepth);
    requirePositive("treeHeight", treeHeight);
    requirePositive("integerDigits", integerDigits);
  }

  private static void requirePositive(String name, int value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be positive but is " + value);
    }
  }
}
