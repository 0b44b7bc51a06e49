package io.ringmaster.worker.script.value;

import io.ringmaster.worker.script.LimitExceeded;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A Python exception on its way up. */
public final class PyError extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient InstanceValue exception;
  private final transient Optional<DiagnosticException> refusal;
  private final transient Optional<LimitExceeded> limit;
  private final transient List<Frame> frames = new ArrayList<>();
  private transient Span at = Span.NONE;
  private transient boolean ofKernels;

  /** A function that the exception passed, and where it stood. */
  public record Frame(String function, Span at) {}

  public PyError(InstanceValue exception) {
    super(Exceptions.describe(exception), null, false, false);
    this.exception = exception;
    this.refusal = Optional.empty();
    this.limit = Optional.empty();
  }

  /** An exception that ends the run by a limit unless the script catches it. */
  PyError(InstanceValue exception, LimitExceeded limit) {
    super(Exceptions.describe(exception), null, false, false);
    this.exception = exception;
    this.refusal = Optional.empty();
    this.limit = Optional.of(limit);
  }

  /** An exception that stands for a rule a kernel breaks. */
  PyError(InstanceValue exception, DiagnosticException refusal) {
    super(Exceptions.describe(exception), null, false, false);
    this.exception = exception;
    this.refusal = Optional.of(refusal);
    this.limit = Optional.empty();
  }

  /** The broken rule that it stands for. */
  public Optional<DiagnosticException> refusal() {
    return refusal;
  }

  /** The same, known to be a complaint of what compiles and runs kernels. */
  public PyError ofKernels() {
    ofKernels = true;
    return this;
  }

  /** True for a complaint of what compiles and runs kernels, or what a script makes of one. */
  public boolean isOfKernels() {
    return ofKernels || refusal.isPresent();
  }

  /** The limit that ends the run when nobody catches this. */
  public Optional<LimitExceeded> limit() {
    return limit;
  }

  public InstanceValue exception() {
    return exception;
  }

  public boolean is(ClassValue type) {
    return exception.type().isSubclassOf(type);
  }

  /** Gives the place in the innermost function, unless it is known already. */
  public void at(Span place) {
    if (!at.isKnown()) {
      at = place;
    }
  }

  /** The same, known to come from {@code place}. */
  public PyError from(Span place) {
    at(place);
    return this;
  }

  /** The exception leaves {@code function}, which was called at {@code callSite}. */
  public void leaves(String function, Span callSite) {
    frames.add(new Frame(function, at));
    at = callSite;
  }

  /** The functions it passed, outermost first, with {@code module} for the rest. */
  public List<Frame> trace(String module) {
    List<Frame> all = new ArrayList<>(frames);
    all.add(new Frame(module, at));
    return all.reversed();
  }
}
