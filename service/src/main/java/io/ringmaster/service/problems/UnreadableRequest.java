package io.ringmaster.service.problems;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.catalina.connector.Request;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.coyote.http11.Http11InputBuffer;
import org.apache.tomcat.util.res.StringManager;
import org.jspecify.annotations.Nullable;

/**
 * Says what is wrong with a request that the container could not read. The container itself tells a
 * status at most, so this looks for the reason where the standard names one, in the order in which
 * a request is read: first line, path, headers.
 */
final class UnreadableRequest {

  private static final String OVERFLOW =
      StringManager.getManager(Http11InputBuffer.class)
          .getString("iib.requestheadertoolarge.error");

  private final Request request;

  private UnreadableRequest(Request request) {
    this.request = request;
  }

  /**
   * The problem to answer with.
   *
   * @param status what the container means to answer
   * @param cause what it stumbled over, where it says so
   */
  static ProblemException problem(Request request, int status, @Nullable Throwable cause) {
    var unreadable = new UnreadableRequest(request);
    if (cause != null && OVERFLOW.equals(cause.getMessage())) {
      return unreadable.overflow();
    }
    if (status == 400 && unreadable.hasTooManyHeaders()) {
      return new ProblemException(
          ProblemCode.HEADERS_TOO_LARGE,
          "The request has more than %d headers. Send fewer."
              .formatted(
                  unreadable.http().map(AbstractHttp11Protocol::getMaxHeaderCount).orElse(0)));
    }
    var code = ProblemCode.ofStatus(status);
    return new ProblemException(code, unreadable.detail(code));
  }

  /** Without a path, the first line alone has filled the buffer. */
  private ProblemException overflow() {
    var limit = "%,d bytes".formatted(headerLimit());
    return isFirstLineUnread()
        ? new ProblemException(
            ProblemCode.URI_TOO_LONG,
            "The path with its query is longer than "
                + limit
                + ". Ask with fewer or shorter parameters.")
        : new ProblemException(
            ProblemCode.HEADERS_TOO_LARGE,
            "The request's first line and headers together are longer than "
                + limit
                + ". Send fewer or shorter ones.");
  }

  private int headerLimit() {
    return http().map(AbstractHttp11Protocol::getMaxHttpRequestHeaderSize).orElse(0);
  }

  private boolean hasTooManyHeaders() {
    int count = request.getCoyoteRequest().getMimeHeaders().size();
    return http().filter(some -> count >= some.getMaxHeaderCount()).isPresent();
  }

  private Optional<AbstractHttp11Protocol<?>> http() {
    return request.getConnector().getProtocolHandler() instanceof AbstractHttp11Protocol<?> some
        ? Optional.of(some)
        : Optional.empty();
  }

  private String detail(ProblemCode code) {
    return switch (code) {
      case HTTP_VERSION_NOT_SUPPORTED ->
          "The request speaks " + quoted(request.getProtocol()) + ". Speak HTTP/1.1.";
      case EXPECTATION_FAILED ->
          "The header Expect is "
              + quoted(request.getHeader("Expect"))
              + "; only 100-continue can be met. Leave the header out.";
      case NOT_IMPLEMENTED -> transferEncoding().orElseGet(this::method);
      case METHOD_NOT_ALLOWED -> method();
      case INVALID_REQUEST -> invalid();
      case INTERNAL -> "The service failed; this is not the request's fault.";
      case MALFORMED_BODY,
          NOT_UTF8,
          UNAUTHENTICATED,
          FORBIDDEN,
          NOT_FOUND,
          NOT_ACCEPTABLE,
          NOT_FINISHED,
          NOT_COMPARABLE,
          NOT_PASSED,
          PRECONDITION_FAILED,
          PRECONDITION_REQUIRED,
          LEASE_ENDED,
          TOO_LARGE,
          URI_TOO_LONG,
          UNSUPPORTED_MEDIA_TYPE,
          RANGE_NOT_SATISFIABLE,
          IDEMPOTENCY_KEY_REUSED,
          CANNOT_BE_PLACED,
          BEYOND_QUOTA,
          QUOTA_EXCEEDED,
          SOURCE_REJECTED,
          HEADERS_TOO_LARGE,
          UNAVAILABLE ->
          code.title() + ". The contract is at /openapi.yaml.";
    };
  }

  private String method() {
    return "The method "
        + quoted(request.getMethod())
        + " is not supported. The contract at /openapi.yaml says which are.";
  }

  private String invalid() {
    if (isFirstLineUnread() || request.getCoyoteRequest().protocol().isNull()) {
      return "The request's first line cannot be read. It must be a method, a path and HTTP/1.1,"
          + " with one space between them; in the path, spaces, characters such as < > \" #"
          + " { } | and those beyond ASCII are percent-encoded (%20, %3C). This port speaks"
          + " plain HTTP, not TLS.";
    }
    return PathFault.of(request.getRequestURI())
        .or(this::host)
        .or(this::contentLength)
        .or(this::transferEncoding)
        .orElse(
            "A header cannot be read. Each is one line, a name of letters, digits and hyphens, a"
                + " colon and a value without control characters. Where the first line has a whole"
                + " URL, its host must be that of the header Host.");
  }

  private boolean isFirstLineUnread() {
    return request.getRequestURI() == null;
  }

  private Optional<String> host() {
    var hosts = headers("Host");
    if (hosts.size() == 1) {
      return hosts.getFirst().matches("[A-Za-z0-9._~%\\[\\]:-]*")
          ? Optional.empty()
          : Optional.of(
              "The header Host is "
                  + quoted(hosts.getFirst())
                  + "; it must be a host's name, with :port if needed.");
    }
    return Optional.of(
        hosts.isEmpty()
            ? "The header Host is missing; HTTP/1.1 requires it."
            : "The header Host is given " + hosts.size() + " times; it may be given once.");
  }

  private Optional<String> contentLength() {
    var lengths = headers("Content-Length");
    if (lengths.size() > 1) {
      return Optional.of("The header Content-Length is given twice; it may be given once.");
    }
    return lengths.stream()
        .filter(length -> !length.matches("[0-9]{1,18}"))
        .findFirst()
        .map(
            length ->
                "The header Content-Length is "
                    + quoted(length)
                    + "; it must be the number of the body's bytes.");
  }

  private Optional<String> transferEncoding() {
    var encodings = headers("Transfer-Encoding");
    return encodings.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "The header Transfer-Encoding is "
                + encodings.stream()
                    .map(UnreadableRequest::quoted)
                    .collect(Collectors.joining(", "))
                + "; only chunked is supported. Send that, or a Content-Length.");
  }

  private List<String> headers(String name) {
    var found = new ArrayList<String>();
    var values = request.getHeaders(name);
    while (values.hasMoreElements()) {
      found.add(values.nextElement());
    }
    return found;
  }

  private static String quoted(@Nullable String value) {
    return value == null ? "missing" : Quoting.quote(value);
  }
}
