package io.ringmaster.worker.source;

/**
 * A range of source text. Lines and columns count from 1; columns count Unicode code points; the
 * end column is exclusive. {@link #NONE} stands for text the compiler made up.
 *
 * @param file name of the source file as the user gave it
 */
public record Span(String file, int line, int column, int endLine, int endColumn) {

  /** No position: a node that no source line stands for. */
  public static final Span NONE = new Span("", 0, 0, 0, 0);

  /** The smallest span that covers this one and {@code other}. */
  public Span to(Span other) {
    return new Span(file, line, column, other.endLine, other.endColumn);
  }

  /** True when {@code other} is a part of this text. */
  public boolean covers(Span other) {
    return file.equals(other.file)
        && (other.line > line || (other.line == line && other.column >= column))
        && (other.endLine < endLine || (other.endLine == endLine && other.endColumn <= endColumn));
  }

  /** True for a real position. */
  public boolean isKnown() {
    return line > 0;
  }

  @Override
  public String toString() {
    return file + ":" + line + ":" + column;
  }
}
