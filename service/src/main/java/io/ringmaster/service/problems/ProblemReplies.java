package io.ringmaster.service.problems;

import io.ringmaster.api.model.Problem;
import io.ringmaster.api.model.ProblemError;
import io.ringmaster.api.model.ProblemQuota;
import io.ringmaster.service.problems.RequestError.Where;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** Turns problems into replies. */
final class ProblemReplies {

  private ProblemReplies() {}

  static ResponseEntity<Object> reply(ProblemException problem, String path, HttpHeaders headers) {
    var all = new HttpHeaders();
    headers.forEach(all::addAll);
    all.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    problem
        .retryAfterSeconds()
        .ifPresent(seconds -> all.set(HttpHeaders.RETRY_AFTER, Long.toString(seconds)));
    return ResponseEntity.status(problem.code().status()).headers(all).body(body(problem, path));
  }

  static Problem body(ProblemException problem, String path) {
    var code = problem.code();
    var body =
        new Problem(
            code.type(),
            code.title(),
            code.status(),
            problem.detail(),
            Quoting.uri(path),
            code.name(),
            TraceFilter.current());
    if (problem.errors().isEmpty()) {
      body.setErrors(null);
    } else {
      body.setErrors(problem.errors().stream().map(ProblemReplies::error).toList());
    }
    if (problem.diagnostics().isEmpty()) {
      body.setDiagnostics(null);
    } else {
      body.setDiagnostics(DiagnosticViews.of(problem.diagnostics()));
    }
    problem
        .quota()
        .ifPresent(
            fault ->
                body.setQuota(
                    new ProblemQuota(fault.name(), fault.owner(), fault.limit(), fault.current())));
    problem.limitBytes().ifPresent(body::setLimitBytes);
    problem.actualBytes().ifPresent(body::setActualBytes);
    problem.byteOffset().ifPresent(body::setByteOffset);
    return body;
  }

  private static ProblemError error(RequestError error) {
    var out = new ProblemError(error.kind().name(), error.message());
    error.in(Where.BODY).map(Quoting::encodable).ifPresent(out::setPointer);
    error.in(Where.PARAMETER).map(Quoting::encodable).ifPresent(out::setParameter);
    error.in(Where.HEADER).ifPresent(out::setHeader);
    return out;
  }
}
