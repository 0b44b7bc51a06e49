package io.ringmaster.service.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.springframework.core.io.ClassPathResource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Holds replies against the contract: the status must be declared, the media type must fit, and the
 * body must follow its schema with no property that the contract doesn't know.
 */
public final class ContractCheck {

  private static final JsonMapper JSON = new JsonMapper();

  private final JsonNode contract = load();
  private final SchemaRegistry registry =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
  private final Map<String, Schema> schemas = new ConcurrentHashMap<>();

  private static JsonNode load() {
    try (var in = new ClassPathResource("openapi/ringmaster.yaml").getInputStream()) {
      var tree = JSON.<JsonNode>valueToTree(new Yaml().load(in));
      close(tree.path("components").path("schemas"));
      return tree;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Readers must accept unknown properties; the tests must not. */
  private static void close(JsonNode node) {
    if (node instanceof ObjectNode object
        && object.path("type").asString("").equals("object")
        && object.path("properties").isObject()
        && !object.has("additionalProperties")) {
      object.put("additionalProperties", false);
    }
    node.forEach(ContractCheck::close);
  }

  /** The names of a schema's properties. */
  public Set<String> properties(String schema) {
    var names = new TreeSet<String>();
    contract
        .path("components")
        .path("schemas")
        .path(schema)
        .path("properties")
        .properties()
        .forEach(property -> names.add(property.getKey()));
    return names;
  }

  /** The values of an enumeration. */
  public List<String> values(String schema) {
    var values = new ArrayList<String>();
    contract
        .path("components")
        .path("schemas")
        .path(schema)
        .path("enum")
        .forEach(value -> values.add(value.asString()));
    return values;
  }

  void check(HttpRequest request, HttpResponse<byte[]> response) {
    var path = request.uri().getPath();
    var body = new String(response.body(), StandardCharsets.UTF_8);
    if (!path.startsWith("/api/")) {
      return;
    }
    var type = response.headers().firstValue("Content-Type").orElse("");
    if (response.statusCode() >= 400) {
      assertThat(type).as(body).startsWith("application/problem+json");
      validate("Problem", body);
    }
    var operation = operation(request.method(), path);
    if (operation.isMissingNode()) {
      assertThat(response.statusCode()).as(path + " is not in the contract").isGreaterThan(399);
      return;
    }
    var declared = operation.path("responses").path(Integer.toString(response.statusCode()));
    if (declared.isMissingNode()) {
      assertThat(response.statusCode()).as("undeclared status: " + body).isGreaterThan(399);
      return;
    }
    var content = resolve(declared).path("content");
    if (content.isMissingNode()) {
      assertThat(body).isEmpty();
      return;
    }
    var media = type.replaceFirst(";.*", "");
    assertThat(content.has(media)).as(path + " answers with " + type).isTrue();
    var reference = content.path(media).path("schema").path("$ref").asString("");
    if (!reference.isEmpty()) {
      validate(reference.substring(reference.lastIndexOf('/') + 1), body);
    }
  }

  /** Fails when the JSON does not follow a schema of the contract. */
  public void validate(String schema, String json) {
    var errors = schemas.computeIfAbsent(schema, this::schema).validate(JSON.readTree(json));
    assertThat(errors).as(schema + ": " + json).isEmpty();
  }

  private Schema schema(String name) {
    var root = JSON.createObjectNode();
    root.put("$ref", "#/components/schemas/" + name);
    root.set("components", contract.path("components"));
    return registry.getSchema(root);
  }

  private JsonNode resolve(JsonNode node) {
    var reference = node.path("$ref").asString("");
    return reference.isEmpty() ? node : contract.at(reference.substring(1));
  }

  private JsonNode operation(String method, String path) {
    for (var entry : contract.path("paths").properties()) {
      var pattern = Pattern.compile(entry.getKey().replaceAll("\\{\\w+}", "[^/]+")).matcher(path);
      if (pattern.matches()) {
        return entry.getValue().path(method.toLowerCase(Locale.ROOT));
      }
    }
    return contract.path("none");
  }
}
