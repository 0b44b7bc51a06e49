package io.ringmaster.service.submissions;

import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.RequestErrors;
import io.ringmaster.service.web.Contract;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Type;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.RequestBodyAdvice;

/**
 * Holds every JSON body against the contract before it becomes an object: nothing is missing, null,
 * of another type or misspelt in what a controller gets, and what is wrong is said with its place.
 */
@ControllerAdvice
class ContractBodies implements RequestBodyAdvice {

  /** Far beyond any report with what the kernels left; a body is kept whole while it is read. */
  private static final long MOST_BYTES = Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 4);

  private static final String MODELS = "io.ringmaster.api.model";

  private final Contract contract;

  ContractBodies(Contract contract) {
    this.contract = contract;
  }

  @Override
  public boolean supports(
      MethodParameter parameter,
      Type target,
      Class<? extends HttpMessageConverter<?>> converterType) {
    return target instanceof Class<?> type && type.getPackageName().equals(MODELS);
  }

  @Override
  public HttpInputMessage beforeBodyRead(
      HttpInputMessage message,
      MethodParameter parameter,
      Type target,
      Class<? extends HttpMessageConverter<?>> converterType)
      throws IOException {
    RequestBodies.checkCoding(
        message.getHeaders().getFirst(HttpHeaders.CONTENT_ENCODING),
        message.getHeaders().getContentType());
    byte[] bytes = message.getBody().readNBytes(Math.toIntExact(MOST_BYTES + 1));
    if (bytes.length > MOST_BYTES) {
      throw RequestBodies.tooLarge("The body", OptionalLong.empty(), MOST_BYTES);
    }
    var text = Utf8.decode(bytes, "The body");
    // The generated models have the names of the schemas.
    var name = ((Class<?>) target).getSimpleName();
    var schema = contract.schema(name);
    var errors = new RequestErrors();
    var json = JsonReader.readAll(text.startsWith("\uFEFF") ? text.substring(1) : text, "The body");
    if (!(json instanceof Json.Members)) {
      throw new ProblemException(
          ProblemCode.MALFORMED_BODY,
          "The body must be a JSON object, a %s of the contract at /openapi.yaml, got %s."
              .formatted(name, json.described()));
    }
    new SchemaCheck(contract, errors).check(schema, json);
    errors.throwIfAny();
    return new Kept(message.getHeaders(), new ByteArrayInputStream(bytes));
  }

  @Override
  public Object afterBodyRead(
      Object body,
      HttpInputMessage message,
      MethodParameter parameter,
      Type target,
      Class<? extends HttpMessageConverter<?>> converterType) {
    return body;
  }

  @Override
  public @Nullable Object handleEmptyBody(
      @Nullable Object body,
      HttpInputMessage message,
      MethodParameter parameter,
      Type target,
      Class<? extends HttpMessageConverter<?>> converterType) {
    throw new ProblemException(
        ProblemCode.MALFORMED_BODY,
        "The body is empty; it must be a JSON object, a %s of the contract at /openapi.yaml."
            .formatted(((Class<?>) target).getSimpleName()));
  }

  /** The same message, once more. */
  private record Kept(HttpHeaders headers, InputStream body) implements HttpInputMessage {
    @Override
    public HttpHeaders getHeaders() {
      return headers;
    }

    @Override
    public InputStream getBody() {
      return body;
    }
  }
}
