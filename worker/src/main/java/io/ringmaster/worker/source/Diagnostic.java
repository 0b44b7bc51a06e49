package io.ringmaster.worker.source;

/**
 * One message about a place in the source.
 *
 * @param hint what to do about it in one line; empty when there is nothing useful to say
 * @param mayFollow true for what is often only the consequence of another error, such as a buffer
 *     that nobody uses because its use is wrong
 */
public record Diagnostic(
    Severity severity, String message, String hint, Span span, boolean mayFollow) {

  /** Messages may quote what a user wrote, however long that is. */
  private static final int LONGEST = 2_000;

  public Diagnostic {
    message = cut(message);
    hint = cut(hint);
  }

  public Diagnostic(Severity severity, String message, String hint, Span span) {
    this(severity, message, hint, span, false);
  }

  private static String cut(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 3) + "...";
  }

  /** How bad it is; only {@code ERROR} rejects a submission. */
  public enum Severity {
    NOTE,
    WARNING,
    ERROR
  }

  /** An error that may be no more than the consequence of another one. */
  public static Diagnostic consequence(String message, String hint, Span span) {
    return new Diagnostic(Severity.ERROR, message, hint, span, true);
  }

  /** An error with a hint. */
  public static Diagnostic error(String message, String hint, Span span) {
    return new Diagnostic(Severity.ERROR, message, hint, span);
  }
}
