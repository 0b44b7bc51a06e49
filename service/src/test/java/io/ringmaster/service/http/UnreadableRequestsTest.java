package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.ringmaster.service.testing.ContractCheck;
import io.ringmaster.service.testing.RawHttp;
import io.ringmaster.service.testing.TestService;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Requests that never reach an endpoint are answered with problems like all others. */
@TestInstance(Lifecycle.PER_CLASS)
class UnreadableRequestsTest {

  private static final String JOBS = "/api/v1/jobs";
  private static final String GOOD =
      "{\"script\":\"x = 1\",\"platform\":\"a2a3sim\",\"devices\":[0]}";
  private static final JsonMapper JSON = new JsonMapper();

  private final TestService service = TestService.inMemory();
  private final RawHttp http = new RawHttp(service.port());
  private final ContractCheck contract = new ContractCheck();

  @AfterAll
  void stop() {
    service.close();
  }

  private static String request(String line, String... headers) {
    var all = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    return line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + all + "\r\n";
  }

  private static String get(String path, String... headers) {
    return request("GET " + path, headers);
  }

  private static String post(String body, String... headers) {
    return request("POST " + JOBS, headers) + body;
  }

  private static String json(String body, String type, String... headers) {
    return post(
        body,
        "Content-Type: " + type,
        "Content-Length: " + body.length(),
        headers.length == 0 ? "X-None: 1" : headers[0]);
  }

  private static String form(String body) {
    return json(body, "multipart/form-data; boundary=XX");
  }

  private static String part(String header, String content) {
    return "--XX\r\n" + header + "\r\n\r\n" + content + "\r\n";
  }

  /** Name, request, status, code, and what the detail must say. */
  static Stream<Arguments> requests() {
    var field = "Content-Disposition: form-data; name=\"arguments\"";
    return Stream.of(
        arguments("NUL", get("/%00"), 400, "INVALID_REQUEST", "\"%00\" at character 2"),
        arguments(
            "encoded slash",
            get(JOBS + "/..%2f..%2fetc"),
            400,
            "INVALID_REQUEST",
            "\"%2f\" at character 16"),
        arguments("encoded backslash", get("/a%5Cb"), 400, "INVALID_REQUEST", "%5C"),
        arguments("no encoding", get(JOBS + "/%zz"), 400, "INVALID_REQUEST", "\"%zz\""),
        arguments(
            "half an encoding", get(JOBS + "/%"), 400, "INVALID_REQUEST", "holds a percent sign"),
        arguments("path is not UTF-8", get("/%ff"), 400, "INVALID_REQUEST", "not UTF-8"),
        arguments("above the root", get("/../../etc"), 400, "INVALID_REQUEST", "above the root"),
        arguments("path parameter", get(JOBS + ";a=b"), 400, "INVALID_REQUEST", "\";\""),
        arguments("bracket", get("/a<b>"), 400, "INVALID_REQUEST", "first line"),
        arguments("space", get("/a b"), 400, "INVALID_REQUEST", "one space"),
        arguments("query is not UTF-8", get(JOBS + "?name=%ff"), 400, "INVALID_REQUEST", "UTF-8"),
        arguments("binary", "\0\1\2\r\n\r\n", 400, "INVALID_REQUEST", "plain HTTP, not TLS"),
        arguments("long path", get("/" + "a".repeat(100_000)), 414, "URI_TOO_LONG", "8,192 bytes"),
        arguments(
            "long query", get(JOBS + "?name=" + "a".repeat(9_000)), 414, "URI_TOO_LONG", "8,192"),
        arguments(
            "long header",
            get(JOBS, "X: " + "a".repeat(9_000)),
            431,
            "HEADERS_TOO_LARGE",
            "8,192 bytes"),
        arguments(
            "many headers",
            get(JOBS, "X: a\r\n".repeat(150) + "Y: b"),
            431,
            "HEADERS_TOO_LARGE",
            "more than 100 headers"),
        arguments("header's name", get(JOBS, "X Y: a"), 400, "INVALID_REQUEST", "A header"),
        arguments("no host", "GET / HTTP/1.1\r\n\r\n", 400, "INVALID_REQUEST", "Host is missing"),
        arguments("two hosts", get("/", "Host: x"), 400, "INVALID_REQUEST", "given 2 times"),
        arguments(
            "bad host", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "INVALID_REQUEST", "\"a b\""),
        arguments(
            "HTTP/9.9",
            "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
            505,
            "HTTP_VERSION_NOT_SUPPORTED",
            "\"HTTP/9.9\""),
        arguments("method", request("FROB " + JOBS), 405, "METHOD_NOT_ALLOWED", "Possible:"),
        arguments(
            "TRACE",
            request("TRACE " + JOBS),
            405,
            "METHOD_NOT_ALLOWED",
            "TRACE is not possible here. Use GET, POST"),
        arguments(
            "bytes in a key",
            json(GOOD, "application/json", "Idempotency-Key: \u00c3\u00a9\u00e2\u0080\u00a8"),
            400,
            "INVALID_REQUEST",
            "The header Idempotency-Key has the byte 0x80 at character 4"),
        arguments(
            "letters in a key",
            json(GOOD, "application/json", "Idempotency-Key: \u00c3\u00a9"),
            400,
            "INVALID_REQUEST",
            "Idempotency-Key must be visible ASCII"),
        arguments(
            "bytes in a preference",
            json(GOOD, "application/json", "Prefer: wait=\u0085"),
            400,
            "INVALID_REQUEST",
            "The header Prefer has the byte 0x85 at character 6"),
        arguments("bytes in Accept", get(JOBS, "Accept: \u0085"), 406, "NOT_ACCEPTABLE", "Accept"),
        arguments(
            "bytes in Origin", get(JOBS, "Origin: http://\u0085"), 403, "FORBIDDEN", "other sites"),
        arguments(
            "bytes in the media type",
            json(GOOD, "application/\u0085"),
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            "names no"),
        arguments(
            "NUL in a parameter's name",
            get(JOBS + "?a%00b=1"),
            400,
            "INVALID_REQUEST",
            "There is no parameter"),
        arguments(
            "line separator in a parameter's name",
            get(JOBS + "?a%E2%80%A8=1"),
            400,
            "INVALID_REQUEST",
            "There is no parameter"),
        arguments(
            "NUL in a parameter", get(JOBS + "?name=%00"), 400, "INVALID_REQUEST", "hold a NUL"),
        arguments(
            "NUL in a file's name",
            form(
                part(
                        "Content-Disposition: form-data; name=\"script\"; filename=\"a\0b.py\"",
                        "x = 1")
                    + "--XX--\r\n"),
            400,
            "MALFORMED_BODY",
            "NUL"),
        arguments(
            "encoded dots",
            get(JOBS + "/job_%2e%2e"),
            400,
            "INVALID_REQUEST",
            "\"%2e\" at character 18. Write a dot as it is"),
        arguments(
            "two slashes", get("/api//v1/jobs"), 400, "INVALID_REQUEST", "\"//\" at character 5"),
        arguments("two slashes first", get("//x"), 400, "INVALID_REQUEST", "\"//\" at character 1"),
        arguments(
            "nothing but slashes", get("//"), 400, "INVALID_REQUEST", "\"//\" at character 1"),
        arguments(
            "a step back",
            get("/api/../api/v1/jobs"),
            400,
            "INVALID_REQUEST",
            "\"..\" at character 6. Name what is meant without steps of dots"),
        arguments(
            "a step on the spot", get("/api/./v1"), 400, "INVALID_REQUEST", "\".\" at character 6"),
        arguments("above the root", get("/a/../../x"), 400, "INVALID_REQUEST", "above the root"),
        arguments("encoded slash", get("/a%2Fb"), 400, "INVALID_REQUEST", "\"%2F\" at character 3"),
        arguments(
            "encoded percent sign",
            get("/a%252e"),
            400,
            "INVALID_REQUEST",
            "\"%25\" at character 3"),
        arguments(
            "encoded line end", get("/a%0a"), 400, "INVALID_REQUEST", "\"%0a\" at character 3"),
        arguments(
            "line separator in the path", get("/a%E2%80%A8"), 400, "INVALID_REQUEST", "U+2028"),
        arguments("CONNECT", request("CONNECT x:80"), 501, "NOT_IMPLEMENTED", "\"CONNECT\""),
        arguments("method, no path", request("DELETE /no"), 404, "NOT_FOUND", "nothing at /no"),
        arguments(
            "negative length",
            post(GOOD, "Content-Type: application/json", "Content-Length: -5"),
            400,
            "INVALID_REQUEST",
            "Content-Length is \"-5\""),
        arguments(
            "length is no number",
            post(GOOD, "Content-Type: application/json", "Content-Length: five"),
            400,
            "INVALID_REQUEST",
            "\"five\""),
        arguments(
            "two lengths",
            post(GOOD, "Content-Length: 5", "Content-Length: 6"),
            400,
            "INVALID_REQUEST",
            "given twice"),
        arguments(
            "transfer encoding",
            post("", "Transfer-Encoding: frob"),
            501,
            "NOT_IMPLEMENTED",
            "\"frob\"; only chunked"),
        arguments(
            "chunks",
            post("zz\r\nx\r\n", "Content-Type: application/json", "Transfer-Encoding: chunked"),
            400,
            "MALFORMED_BODY",
            "chunks"),
        arguments("expectation", get(JOBS, "Expect: tea"), 417, "EXPECTATION_FAILED", "\"tea\""),
        arguments(
            "unknown charset",
            json(GOOD, "application/json; charset=klingon"),
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            "klingon"),
        arguments(
            "other charset",
            json(GOOD, "application/json; charset=utf-16"),
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            "\"UTF-16\"; send UTF-8"),
        arguments(
            "no media type", json(GOOD, "tea"), 415, "UNSUPPORTED_MEDIA_TYPE", "\"tea\" names no"),
        arguments(
            "packed",
            json(GOOD, "application/json", "Content-Encoding: gzip"),
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            "\"gzip\"; send it unpacked"),
        arguments(
            "form without boundary",
            json("x", "multipart/form-data"),
            400,
            "MALFORMED_BODY",
            "1 to 70"),
        arguments(
            "form with a long boundary",
            json("x", "multipart/form-data; boundary=" + "b".repeat(5_000)),
            400,
            "MALFORMED_BODY",
            "1 to 70"),
        arguments("empty form", form(""), 400, "MALFORMED_BODY", "no fields"),
        arguments("form of something else", form("hello"), 400, "MALFORMED_BODY", "boundary"),
        arguments("form without end", form(part(field, "x")), 400, "MALFORMED_BODY", "line --XX--"),
        arguments("part without headers", form("--XX\r\n\r\nx"), 400, "MALFORMED_BODY", "--XX--"),
        arguments(
            "part with long headers",
            form(part(field + "a".repeat(9_000), "x") + "--XX--\r\n"),
            413,
            "TOO_LARGE",
            "4,096 bytes"),
        arguments(
            "many parts",
            form(part(field, "x").repeat(400) + "--XX--\r\n"),
            413,
            "TOO_LARGE",
            "more than 300 fields"),
        arguments("unknown health", get("/actuator/health/x"), 404, "NOT_FOUND", "no such thing"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("requests")
  void itIsAnsweredWithAProblemThatNamesPlaceAndFix(
      String name, String request, int status, String code, String detail) {
    var problem = problem(request, status);
    assertThat(problem.get("code").asString()).isEqualTo(code);
    assertThat(problem.get("detail").asString()).contains(detail);
    assertThat(problem.get("status").asInt()).isEqualTo(status);
    assertThat(service.rows()).isZero();
  }

  private JsonNode problem(String request, int status) {
    var reply = http.send(request);
    assertThat(reply.status()).as(reply.head() + reply.body()).isEqualTo(status);
    assertThat(reply.header("Content-Type").orElse("")).startsWith("application/problem+json");
    contract.validate("Problem", reply.body());
    return JSON.readTree(reply.body());
  }

  @Test
  void theInstanceIsAReferenceWhateverWasAskedFor() {
    assertThat(problem(get("/%zz"), 400).get("instance").asString()).isEqualTo("/%zz");
    var long_ = problem(get("/" + "a".repeat(4_000)), 404).get("instance").asString();
    assertThat(long_).hasSizeLessThan(600);
    assertThat(problem("\0\r\n\r\n", 400).get("instance").asString()).isEqualTo("/");
  }

  @Test
  void bytesInAHeaderThatNobodyReadsDisturbNobody() {
    var odd = get(JOBS, "X-Odd: \u00e2\u0080\u00a8", "traceparent: \u0085", "User-Agent: \u0085");
    assertThat(http.send(odd).status()).isEqualTo(200);
  }

  @Test
  void theNextClientIsServedAsIfNothingHadHappened() {
    http.send("\0\1\2");
    http.send(get("/%00"));
    service.api().get(JOBS).expect(200);
  }
}
