package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Api.Reply;
import io.ringmaster.service.testing.TestService;
import io.ringmaster.service.web.Contract;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.json.JsonMapper;

/**
 * Whatever takes a JSON body says which of its fields is wrong, for every field of the contract.
 */
@TestInstance(Lifecycle.PER_CLASS)
class BodiesByContractTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String UUID = "01993c8b-92a1-7c3e-8d52-0f6a1b2c3d4e";

  private final TestService service = TestService.inMemory();
  private final Api api = service.api();
  private final Contract contract = service.bean(Contract.class);

  @AfterAll
  void stop() {
    service.close();
  }

  /**
   * An operation with a JSON body.
   *
   * @param example a body that is fine
   */
  record Operation(
      String method, String path, Map<String, Object> schema, Map<String, Object> example) {
    @Override
    public String toString() {
      return method + " " + path;
    }
  }

  Stream<Operation> operations() {
    var all = new ArrayList<Operation>();
    Map<String, Object> root = new Yaml().load(contract.text());
    Contract.map(root.get("paths"))
        .forEach(
            (path, item) ->
                Contract.map(item)
                    .forEach(
                        (method, operation) -> {
                          if (!method.equals("parameters")) {
                            operation(method, path, Contract.map(operation)).ifPresent(all::add);
                          }
                        }));
    assertThat(all).hasSizeGreaterThan(10);
    return all.stream();
  }

  private Optional<Operation> operation(String method, String path, Map<String, Object> operation) {
    var body = Contract.map(operation.get("requestBody"));
    var json = Contract.map(Contract.map(body.get("content")).get("application/json"));
    if (json.isEmpty()) {
      return Optional.empty();
    }
    var schema = contract.resolve(Contract.map(json.get("schema")));
    var examples = Contract.map(json.get("examples"));
    var example =
        examples.isEmpty()
            ? Contract.map(sample(schema))
            : Contract.map(Contract.map(examples.values().iterator().next()).get("value"));
    var real =
        path.replace("{workerId}", "worker_" + UUID)
            .replace("{leaseId}", "lease_" + UUID)
            .replace("{deviceId}", "embedded:3")
            .replace("{baseline}", "main");
    assertThat(real).doesNotContain("{");
    return Optional.of(new Operation(method, real, schema, example));
  }

  private Object sample(Map<String, Object> node) {
    var schema = contract.resolve(node);
    if (schema.get("enum") instanceof List<?> values) {
      return values.getFirst();
    }
    return switch (String.valueOf(schema.get("type"))) {
      case "object" -> {
        var object = new LinkedHashMap<String, Object>();
        var required = schema.get("required") instanceof List<?> names ? names : List.of();
        for (var name : required) {
          var property = Contract.map(Contract.map(schema.get("properties")).get(name));
          object.put(String.valueOf(name), sample(property));
        }
        yield object;
      }
      case "array" ->
          schema.containsKey("minItems")
              ? List.of(sample(Contract.map(schema.get("items"))))
              : List.of();
      case "integer", "number" -> 1;
      case "boolean" -> true;
      default -> String.valueOf(schema.get("pattern")).startsWith("^job_") ? "job_" + UUID : "text";
    };
  }

  private Reply send(Operation operation, Object body) {
    return sendText(operation, JSON.writeValueAsString(body));
  }

  private Reply sendText(Operation operation, String body) {
    return switch (operation.method()) {
      case "post" -> api.postJson(operation.path(), body);
      case "put" -> api.putJson(operation.path(), body);
      case "patch" -> api.patchJson(operation.path(), body);
      default -> throw new AssertionError(operation);
    };
  }

  private static void refused(Reply reply, String body) {
    assertThat(reply.status()).as(body + reply.text()).isIn(400, 422);
    assertThat(reply.text())
        .as(body)
        .doesNotContain(
            "io.ringmaster", "java.", "tools.jackson", "deserialize", "Required request");
  }

  private void isRefusedAt(Operation operation, String name, Map<String, Object> body) {
    var reply = send(operation, body);
    var text = JSON.writeValueAsString(body);
    refused(reply, text);
    assertThat(reply.get("detail")).as(text).contains(name);
    assertThat(reply.places())
        .as(text + reply.text())
        .anyMatch(place -> place.startsWith("/" + name));
  }

  @ParameterizedTest
  @MethodSource("operations")
  void whatIsNoObjectIsRefused(Operation operation) {
    for (var body : List.of("", " ", "null", "[]", "5", "\"x\"", "true", "{", "{\"a\":1}x")) {
      var reply = sendText(operation, body);
      refused(reply, body);
      assertThat(reply.get("detail")).as(body).contains("The body");
    }
  }

  @ParameterizedTest
  @MethodSource("operations")
  void whatIsRequiredIsMissedByName(Operation operation) {
    var required = operation.schema().get("required") instanceof List<?> names ? names : List.of();
    for (var name : required) {
      var body = new LinkedHashMap<>(operation.example());
      body.remove(String.valueOf(name));
      isRefusedAt(operation, String.valueOf(name), body);
    }
    if (!required.isEmpty()) {
      var reply = sendText(operation, "{}");
      refused(reply, "{}");
      assertThat(reply.places()).contains("/" + required.getFirst());
    }
  }

  @ParameterizedTest
  @MethodSource("operations")
  void whatIsOfAnotherTypeIsNamedAndNeverTakenForSomethingElse(Operation operation) {
    Contract.map(operation.schema().get("properties"))
        .forEach(
            (name, node) -> {
              var schema = contract.resolve(Contract.map(node));
              for (var value : wrong(String.valueOf(schema.get("type")))) {
                var body = new LinkedHashMap<>(operation.example());
                body.put(name, value.json());
                isRefusedAt(operation, name, body);
              }
            });
  }

  /** A value that may be null. */
  private record Value(@Nullable Object json) {}

  private static List<Value> wrong(String type) {
    Map<String, Object> none = Map.of();
    var nothing = new Value(null);
    var aMap = new Value(none);
    var all =
        switch (type) {
          case "string" ->
              List.of(nothing, aMap, new Value(5), new Value(true), new Value(List.of()));
          case "integer" ->
              List.of(
                  nothing, aMap, new Value("1"), new Value(true), new Value(1.5), new Value(1e300));
          case "number" -> List.of(nothing, aMap, new Value("1"), new Value(true));
          case "boolean" -> List.of(nothing, aMap, new Value(1), new Value(0), new Value("true"));
          case "array" ->
              List.of(
                  nothing,
                  aMap,
                  new Value("x"),
                  new Value(5),
                  new Value(Collections.singletonList(null)));
          case "object" -> List.of(nothing, new Value("x"), new Value(5), new Value(List.of()));
          default -> List.of(nothing, new Value(true));
        };
    return all;
  }

  @ParameterizedTest
  @MethodSource("operations")
  void whatIsUnknownIsNamed(Operation operation) {
    var body = new LinkedHashMap<>(operation.example());
    body.put("actoin", 1);
    isRefusedAt(operation, "actoin", body);
  }

  @Test
  void theMessageSaysWhatIsWanted() {
    var worker =
        "{\"name\":\"w\",\"pool\":\"p\",\"platforms\":%s,\"devices\":[[0,1]],\"version\":\"1\"}";
    var missing = api.postJson("/api/v1/workers", "{}").expect(400);
    assertThat(missing.get("detail"))
        .startsWith("name is missing. It must be a text that is not empty.");
    assertThat(missing.places())
        .containsExactly("/name", "/pool", "/platforms", "/devices", "/version");
    assertThat(api.postJson("/api/v1/workers", worker.formatted("null")).get("detail"))
        .isEqualTo("platforms must be a list of 1 to 16 texts, got null.");
    var member = api.postJson("/api/v1/workers", worker.formatted("[null]"));
    assertThat(member.get("detail")).isEqualTo("platforms.0 must be a text, got null.");
    assertThat(member.places()).containsExactly("/platforms/0");
    var one = api.putJson("/api/v1/maintenance", "{\"enabled\":1}").expect(400);
    assertThat(one.get("detail")).isEqualTo("enabled must be true or false, got 1.");
    var pool = api.putJson("/api/v1/maintenance", "{\"enabled\":true,\"pool\":5}").expect(400);
    assertThat(pool.get("detail")).contains("pool must be the name of a pool", "got 5");
    assertThat(api.patchJson("/api/v1/devices/embedded:1", "{\"action\":\"PAINT\"}").get("detail"))
        .isEqualTo("action must be one of DRAIN, QUARANTINE, RELEASE, got \"PAINT\".");
    var nul = "{\"action\":\"DRAIN\",\"reason\":\"a\\u0000b\"}";
    assertThat(api.patchJson("/api/v1/devices/embedded:1", nul).expect(400).get("detail"))
        .isEqualTo("reason must not hold a NUL (at character 2).");
  }

  @Test
  void aReportIsLookedAtBelowItsFields() {
    var path = "/api/v1/workers/worker_" + UUID + "/leases/lease_" + UUID + "/result";
    var report =
        "{\"attempt\":1,\"report\":{\"verdict\":\"PASSED\",\"sentence\":\"\",\"diagnostics\":[],\"runs\":%s}%s}";
    assertThat(api.postJson(path, report.formatted("[null]", "")).expect(400).places())
        .containsExactly("/report/runs/0");
    assertThat(api.postJson(path, report.formatted("[{}]", "")).expect(400).places())
        .anyMatch(place -> place.startsWith("/report/runs/0/"));
    var output = api.postJson(path, report.formatted("[]", ",\"outputs\":{\"a/b\":\"?\"}"));
    assertThat(output.expect(400).get("detail"))
        .isEqualTo("outputs.a/b must be bytes as Base64, got \"?\".");
    assertThat(output.places()).containsExactly("/outputs/a~1b");
    // Types fit, so the next question is whether there is such a worker at all.
    api.postJson(path, report.formatted("[]", ",\"outputs\":{\"a\":\"\"}")).expect(404);
  }
}
