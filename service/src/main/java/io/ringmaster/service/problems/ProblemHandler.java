package io.ringmaster.service.problems;

import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestError.Where;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.coyote.BadRequestException;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.multipart.MaxUploadSizeExceededException;
import org.springframework.web.multipart.MultipartException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Turns whatever ends a request into an RFC 9457 problem. */
@RestControllerAdvice
class ProblemHandler extends ResponseEntityExceptionHandler {

  private static final Logger LOG = LoggerFactory.getLogger(ProblemHandler.class);
  private static final long RETRY_SECONDS = 5;

  @ExceptionHandler
  ResponseEntity<Object> problem(ProblemException problem, HttpServletRequest request) {
    return ProblemReplies.reply(problem, request.getRequestURI(), HttpHeaders.EMPTY);
  }

  @ExceptionHandler({
    DataAccessResourceFailureException.class,
    CannotCreateTransactionException.class
  })
  ResponseEntity<Object> databaseGone(Exception cause, HttpServletRequest request) {
    LOG.warn(
        "No database for {} {}: {}",
        request.getMethod(),
        request.getRequestURI(),
        NestedExceptionUtils.getMostSpecificCause(cause).toString());
    var problem =
        new ProblemException(
                ProblemCode.UNAVAILABLE, "The database does not answer. Try again in some seconds.")
            .withRetryAfter(RETRY_SECONDS);
    return problem(problem, request);
  }

  @ExceptionHandler
  ResponseEntity<Object> anythingElse(
      Exception cause, HttpServletRequest request, HttpServletResponse response) {
    forget(response);
    LOG.error("Failed to serve {} {}", request.getMethod(), request.getRequestURI(), cause);
    var problem =
        new ProblemException(
            ProblemCode.INTERNAL,
            "The service failed; this is not the request's fault. Its log has more under the"
                + " traceId.");
    return problem(problem, request);
  }

  /** What was said of a file that could not be read isn't true of the problem. */
  private static void forget(HttpServletResponse response) {
    if (!response.isCommitted()) {
      response.setContentLengthLong(-1);
      response.setHeader(HttpHeaders.ETAG, null);
      response.setHeader(HttpHeaders.CONTENT_DISPOSITION, null);
    }
  }

  @ExceptionHandler
  ResponseEntity<Object> badParameter(InvalidParameterException cause, HttpServletRequest request) {
    var problem =
        new ProblemException(
            ProblemCode.INVALID_REQUEST,
            "A query parameter is not percent-encoded UTF-8. Encode its name and value again.");
    return problem(problem, request);
  }

  /** What the firewall refuses only when somebody reads it. */
  @ExceptionHandler
  ResponseEntity<Object> odd(RequestRejectedException cause, HttpServletRequest request) {
    LOG.debug("Refused {} {}", request.getMethod(), request.getRequestURI(), cause);
    var problem =
        new ProblemException(
            ProblemCode.INVALID_REQUEST,
            "The request has characters where none of their kind may be. Headers hold visible ASCII"
                + " characters; what else is in an address is percent-encoded.");
    return problem(problem, request);
  }

  @ExceptionHandler
  ResponseEntity<Object> badMultipart(MultipartException cause, HttpServletRequest request) {
    return problem(FormFault.problem(cause, request), request);
  }

  /** The body broke off, or its chunks cannot be told apart; often nobody reads the reply. */
  @ExceptionHandler
  ResponseEntity<Object> brokenBody(BadRequestException cause, HttpServletRequest request) {
    LOG.debug("The body of {} {} broke off", request.getMethod(), request.getRequestURI(), cause);
    var problem =
        new ProblemException(
            ProblemCode.MALFORMED_BODY,
            "The body broke off, or its chunks do not follow HTTP/1.1. Send it again.");
    // The container has given up on the response already; it will ask the error controller.
    request.setAttribute(ProblemErrorController.PROBLEM, problem);
    return problem(problem, request);
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleExceptionInternal(
      Exception cause,
      @Nullable Object body,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    var servlet = ((ServletWebRequest) request).getRequest();
    return ProblemReplies.reply(
        translate(cause, status, servlet), servlet.getRequestURI(), headers);
  }

  private static ProblemException translate(
      Exception cause, HttpStatusCode status, HttpServletRequest request) {
    return switch (cause) {
      case HttpRequestMethodNotSupportedException e ->
          new ProblemException(
              ProblemCode.METHOD_NOT_ALLOWED,
              e.getMethod()
                  + " is not possible here. Possible: "
                  + String.join(
                      ", ",
                      e.getSupportedMethods() == null ? new String[0] : e.getSupportedMethods())
                  + ".");
      case HttpMediaTypeNotSupportedException e ->
          new ProblemException(
              ProblemCode.UNSUPPORTED_MEDIA_TYPE, unsupported(e, request.getContentType()));
      case HttpMediaTypeNotAcceptableException e ->
          new ProblemException(
              ProblemCode.NOT_ACCEPTABLE,
              "Nothing that the Accept header names can be sent. Possible: "
                  + types(e.getSupportedMediaTypes())
                  + ".");
      case HttpMessageNotReadableException _ ->
          new ProblemException(
              ProblemCode.MALFORMED_BODY,
              "The body does not fit what is wanted here. The contract is at /openapi.yaml.");
      case MaxUploadSizeExceededException e -> FormFault.problem(e, request);
      case MethodArgumentTypeMismatchException e ->
          ProblemException.of(
              ProblemCode.INVALID_REQUEST,
              new RequestError(
                  Where.PARAMETER, e.getName(), Kind.BAD_VALUE, e.getName() + " cannot be read."));
      case ErrorResponse e when status.value() == 404 ->
          ProblemException.notFound(
              "There is nothing at "
                  + request.getRequestURI()
                  + ". The contract is at /openapi.yaml.");
      default ->
          new ProblemException(
              status.is5xxServerError() ? ProblemCode.INTERNAL : ProblemCode.INVALID_REQUEST,
              rootMessage(cause));
    };
  }

  private static String unsupported(
      HttpMediaTypeNotSupportedException cause, @Nullable String given) {
    var sentence =
        given == null
            ? "The body has no Content-Type."
            : cause.getContentType() == null
                ? "The body's Content-Type %s names no media type or no charset that exists."
                    .formatted(Quoting.quote(given))
                : "The body's media type is " + Quoting.quote(given) + ".";
    return sentence + " Accepted: " + types(cause.getSupportedMediaTypes()) + ".";
  }

  private static String types(List<MediaType> types) {
    return types.stream().map(MediaType::toString).collect(Collectors.joining(", "));
  }

  private static String rootMessage(Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return String.valueOf(root.getMessage());
  }
}
