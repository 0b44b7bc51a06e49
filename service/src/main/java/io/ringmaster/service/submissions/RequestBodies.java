package io.ringmaster.service.submissions;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.Quoting;
import io.ringmaster.service.problems.RequestError;
import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestErrors;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;

/** Gets a submission out of a request, whichever way it came. */
@Component
class RequestBodies {

  /** JSON may spell a character with six; what else a submission holds fits in the rest. */
  private static final long JSON_GROWTH = 6;

  private static final long OTHER_FIELDS = 2 << 20;

  private final long maxScript;

  RequestBodies(RingmasterProperties properties) {
    this.maxScript = properties.submit().maxScript().toBytes();
  }

  /**
   * A submission's fields.
   *
   * @param members all fields but a script that came as a file
   * @param script the script, when it came as a file
   * @param fileName the file's name, where the client gave one
   */
  record Body(Json.Members members, Optional<byte[]> script, Optional<String> fileName) {}

  /**
   * Reads the body, whatever its type.
   *
   * @param known the fields that are possible
   * @throws ProblemException for a body that cannot be read
   */
  Body read(HttpServletRequest request, List<String> known, RequestErrors errors)
      throws IOException, ServletException {
    // The endpoint has refused a request whose type is missing or cannot be read.
    var type = MediaType.parseMediaType(request.getContentType());
    checkCoding(request.getHeader(HttpHeaders.CONTENT_ENCODING), type);
    return MediaType.MULTIPART_FORM_DATA.isCompatibleWith(type)
        ? FormBody.read(request, known, errors, maxScript)
        : readJson(request);
  }

  /**
   * Refuses a packed body, and one that is not UTF-8.
   *
   * @throws ProblemException UNSUPPORTED_MEDIA_TYPE
   */
  static void checkCoding(@Nullable String encoding, @Nullable MediaType type) {
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw unsupported("The body's Content-Encoding is %s; send it unpacked.", encoding);
    }
    var charset = type == null ? null : type.getCharset();
    if (charset != null && !charset.equals(StandardCharsets.UTF_8)) {
      throw unsupported("The body's charset is %s; send UTF-8.", charset.name());
    }
  }

  private static ProblemException unsupported(String message, String value) {
    return new ProblemException(
        ProblemCode.UNSUPPORTED_MEDIA_TYPE, message.formatted(Quoting.quote(value)));
  }

  private Body readJson(HttpServletRequest request) throws IOException {
    long limit = maxScript * JSON_GROWTH + OTHER_FIELDS;
    long announced = request.getContentLengthLong();
    if (announced > limit) {
      throw tooLarge("The body", OptionalLong.of(announced), limit);
    }
    byte[] bytes = request.getInputStream().readNBytes(Math.toIntExact(limit + 1));
    if (bytes.length > limit) {
      throw tooLarge("The body", OptionalLong.empty(), limit);
    }
    var text = Utf8.decode(bytes, "The body");
    var json =
        JsonReader.read(text.startsWith("\uFEFF") ? text.substring(1) : text, "The body", "");
    if (json instanceof Json.Members members) {
      return new Body(members, Optional.empty(), Optional.empty());
    }
    throw new ProblemException(
        ProblemCode.MALFORMED_BODY,
        "The body must be a JSON object, got %s.".formatted(json.described()));
  }

  /**
   * The script as UTF-8, whichever way it came.
   *
   * @throws ProblemException TOO_LARGE, NOT_UTF8
   */
  Optional<byte[]> script(Body body, Fields fields) {
    if (body.script().isPresent()) {
      Utf8.decode(checkSize(body.script().get()), "The script");
      return body.script().map(RequestBodies::refuseNul);
    }
    return fields
        .required("script", "Send the kernel's source text, or with curl: -F script=@kernel.py")
        .flatMap(value -> fields.text("script", value))
        .map(this::encode)
        .map(RequestBodies::refuseNul);
  }

  private static byte[] refuseNul(byte[] script) {
    for (int offset = 0; offset < script.length; offset++) {
      if (script[offset] == 0) {
        var fault =
            "The script has a NUL at byte offset %d; no source text has one. Is it a binary file?"
                .formatted(offset);
        throw ProblemException.of(
                ProblemCode.INVALID_REQUEST,
                new RequestError(RequestError.Where.BODY, "/script", Kind.BAD_VALUE, fault))
            .withByteOffset(offset);
      }
    }
    return script;
  }

  private byte[] encode(String script) {
    for (int i = 0; i < script.length(); i++) {
      char c = script.charAt(i);
      boolean isPair =
          Character.isHighSurrogate(c)
              && i + 1 < script.length()
              && Character.isLowSurrogate(script.charAt(i + 1));
      if (isPair) {
        i++;
      } else if (Character.isSurrogate(c)) {
        int offset = script.substring(0, i).getBytes(StandardCharsets.UTF_8).length;
        throw new ProblemException(
                ProblemCode.NOT_UTF8,
                "The script has half a surrogate pair, \\u%04X, at byte offset %d; no UTF-8 text can hold it."
                    .formatted((int) c, offset))
            .withByteOffset(offset);
      }
    }
    return checkSize(script.getBytes(StandardCharsets.UTF_8));
  }

  private byte[] checkSize(byte[] script) {
    if (script.length > maxScript) {
      throw tooLarge("The script", OptionalLong.of(script.length), maxScript);
    }
    return script;
  }

  static ProblemException tooLarge(String what, OptionalLong actual, long limit) {
    var size = actual.isPresent() ? "%,d bytes".formatted(actual.getAsLong()) : "larger";
    return new ProblemException(
            ProblemCode.TOO_LARGE,
            "%s is %s; accepted are at most %,d bytes.".formatted(what, size, limit))
        .withSizes(limit, actual);
  }
}
