package io.ringmaster.service.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.stereotype.Component;
import org.yaml.snakeyaml.Yaml;

/** The HTTP contract as this service has it at hand: its text, and what it says of parameters. */
@Component
public final class Contract {

  private static final ClassPathResource FILE = new ClassPathResource("openapi/ringmaster.yaml");

  private final String text;
  private final Map<String, Object> root;
  private final Map<String, List<Parameter>> byOperation = new LinkedHashMap<>();

  public Contract() {
    try {
      text = FILE.getContentAsString(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("The contract is not in this build.", e);
    }
    root = map(new Yaml().load(text));
    map(root.get("paths"))
        .forEach(
            (path, item) ->
                map(item)
                    .forEach(
                        (method, operation) -> {
                          if (!method.equals("parameters")) {
                            var all = new ArrayList<>(parameters(root, map(item)));
                            all.addAll(parameters(root, map(operation)));
                            byOperation.put(key(method, path), List.copyOf(all));
                          }
                        }));
  }

  /** The document, as YAML. */
  public String text() {
    return text;
  }

  /** The parameters of an operation; empty for a path that is not in the contract. */
  public Optional<List<Parameter>> parameters(String method, String path) {
    return Optional.ofNullable(byOperation.get(key(method.equals("HEAD") ? "GET" : method, path)));
  }

  /** A schema by its name. */
  public Map<String, Object> schema(String name) {
    return resolve(Map.of("$ref", "#/components/schemas/" + name));
  }

  /** What a node stands for: itself, unless it is a reference. */
  public Map<String, Object> resolve(Map<String, Object> node) {
    return resolve(root, node);
  }

  private static String key(String method, String path) {
    return method.toUpperCase(Locale.ROOT) + " " + path;
  }

  private static List<Parameter> parameters(Map<String, Object> root, Map<String, Object> holder) {
    var list = holder.get("parameters") instanceof List<?> some ? some : List.of();
    return list.stream().map(item -> Parameter.of(root, resolve(root, map(item)))).toList();
  }

  static Map<String, Object> resolve(Map<String, Object> root, Map<String, Object> node) {
    if (!(node.get("$ref") instanceof String reference)) {
      return node;
    }
    Map<String, Object> at = root;
    for (var step : reference.substring("#/".length()).split("/", -1)) {
      at = map(at.get(step));
    }
    return resolve(root, at);
  }

  /** A node that is an object; empty for one that is absent. */
  @SuppressWarnings("unchecked") // keys of this document are strings
  public static Map<String, Object> map(@Nullable Object node) {
    return (Map<String, Object>) Objects.requireNonNullElse(node, Map.of());
  }
}
