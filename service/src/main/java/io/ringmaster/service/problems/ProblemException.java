package io.ringmaster.service.problems;

import io.ringmaster.worker.job.JobReport.DiagnosticLine;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Ends a request with a problem; the only exception that features throw at clients. */
public final class ProblemException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ProblemCode code;
  private transient List<RequestError> errors = List.of();
  private transient List<DiagnosticLine> diagnostics = List.of();
  private transient OptionalLong limitBytes = OptionalLong.empty();
  private transient OptionalLong actualBytes = OptionalLong.empty();
  private transient OptionalLong byteOffset = OptionalLong.empty();
  private transient OptionalLong retryAfterSeconds = OptionalLong.empty();
  private transient Optional<QuotaFault> quota = Optional.empty();

  /**
   * A problem without particulars.
   *
   * @param detail this occurrence in a sentence or two; names the value, the limit and the way out
   */
  public ProblemException(ProblemCode code, String detail) {
    super(detail);
    this.code = code;
  }

  /** Something that the path names is not there. */
  public static ProblemException notFound(String detail) {
    return new ProblemException(ProblemCode.NOT_FOUND, detail);
  }

  /** With one fault that is also the detail. */
  public static ProblemException of(ProblemCode code, RequestError error) {
    return new ProblemException(code, error.message()).withErrors(List.of(error));
  }

  ProblemException withErrors(List<RequestError> faults) {
    errors = List.copyOf(faults);
    return this;
  }

  /** With messages about the source. */
  public ProblemException withDiagnostics(List<DiagnosticLine> lines) {
    diagnostics = List.copyOf(lines);
    return this;
  }

  /** With the most that is accepted, and what came where that is known. */
  public ProblemException withSizes(long limit, OptionalLong actual) {
    limitBytes = OptionalLong.of(limit);
    actualBytes = actual;
    return this;
  }

  /** With the place of the first byte that is wrong, from 0. */
  public ProblemException withByteOffset(long offset) {
    byteOffset = OptionalLong.of(offset);
    return this;
  }

  /** With the quota that is meant. */
  public ProblemException withQuota(QuotaFault fault) {
    quota = Optional.of(fault);
    return this;
  }

  /** With the time after which trying again makes sense. */
  public ProblemException withRetryAfter(long seconds) {
    retryAfterSeconds = OptionalLong.of(seconds);
    return this;
  }

  public ProblemCode code() {
    return code;
  }

  public String detail() {
    return String.valueOf(getMessage());
  }

  List<RequestError> errors() {
    return errors;
  }

  List<DiagnosticLine> diagnostics() {
    return diagnostics;
  }

  OptionalLong limitBytes() {
    return limitBytes;
  }

  OptionalLong actualBytes() {
    return actualBytes;
  }

  OptionalLong byteOffset() {
    return byteOffset;
  }

  Optional<QuotaFault> quota() {
    return quota;
  }

  OptionalLong retryAfterSeconds() {
    return retryAfterSeconds;
  }
}
