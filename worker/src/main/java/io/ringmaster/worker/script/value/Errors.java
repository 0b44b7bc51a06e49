package io.ringmaster.worker.script.value;

import io.ringmaster.worker.script.LimitExceeded;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import java.util.Collection;
import java.util.List;

/** Makes the exceptions that scripts meet. */
public final class Errors {

  private Errors() {}

  public static PyError type(String message) {
    return of(Exceptions.TYPE_ERROR, message);
  }

  public static PyError value(String message) {
    return of(Exceptions.VALUE_ERROR, message);
  }

  public static PyError index(String message) {
    return of(Exceptions.INDEX_ERROR, message);
  }

  public static PyError attribute(String message) {
    return of(Exceptions.ATTRIBUTE_ERROR, message);
  }

  /** Of an object that can't be changed. */
  public static PyError frozen(String message) {
    return of(Exceptions.FROZEN_INSTANCE, message);
  }

  /** Of a text that isn't JSON. */
  public static PyError json(String message) {
    return of(Exceptions.JSON_DECODE, message);
  }

  public static PyError runtime(String message) {
    return of(Exceptions.RUNTIME_ERROR, message);
  }

  /** Of a container that was changed while it was gone through. */
  public static PyError changedSize(String kind) {
    return runtime(kind + " changed size during iteration");
  }

  public static PyError overflow(String message) {
    return of(Exceptions.OVERFLOW, message);
  }

  public static PyError zeroDivision(String message) {
    return of(Exceptions.ZERO_DIVISION, message);
  }

  /** Of calls that are nested too deeply. */
  static PyError recursion(LimitExceeded limit) {
    return new PyError(
        Exceptions.make(
            Exceptions.RECURSION_ERROR, List.of(Value.of("maximum recursion depth exceeded"))),
        limit);
  }

  public static PyError of(ClassValue type, String message) {
    return new PyError(Exceptions.make(type, List.of(Value.of(message))));
  }

  /** The script uses something that isn't known here; no handler of the script can catch it. */
  public static DiagnosticException refuse(String message, String hint, Span at) {
    return new DiagnosticException(Diagnostic.error(message, hint, at));
  }

  /** Like {@link #refuse}, hinting at the nearest of the names that are known. */
  public static DiagnosticException refuse(
      String message, String wanted, Collection<String> known, Span at) {
    return refuse(message, Nearest.hint(wanted, known), at);
  }
}
