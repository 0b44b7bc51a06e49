package io.ringmaster.service.web;

import io.ringmaster.service.problems.Quoting;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One parameter of the contract and what it allows.
 *
 * @param in {@code query}, {@code path} or {@code header}
 * @param description what it means
 * @param required whether a request without it makes no sense
 * @param repeatable whether it may be given more than once
 * @param schema schema of one value, references resolved
 */
public record Parameter(
    String name,
    String in,
    String description,
    boolean required,
    boolean repeatable,
    Map<String, Object> schema) {

  static Parameter of(Map<String, Object> root, Map<String, Object> node) {
    var schema = Contract.resolve(root, Contract.map(node.get("schema")));
    boolean repeatable = "array".equals(schema.get("type"));
    var one = repeatable ? Contract.resolve(root, Contract.map(schema.get("items"))) : schema;
    return new Parameter(
        String.valueOf(node.get("name")),
        String.valueOf(node.get("in")),
        String.valueOf(node.get("description")),
        Boolean.TRUE.equals(node.get("required")),
        repeatable,
        one);
  }

  /** What is wrong with a value, as a sentence; empty when it is fine. */
  public Optional<String> faultOf(String value) {
    if (schema.get("enum") instanceof List<?> allowed) {
      return unless(
          allowed.stream().anyMatch(one -> String.valueOf(one).equalsIgnoreCase(value)),
          "must be one of " + String.join(", ", allowed.stream().map(String::valueOf).toList()),
          value);
    }
    return switch (String.valueOf(schema.get("type"))) {
      case "integer" -> unless(isInRange(value), "must be a whole number" + range(), value);
      case "boolean" ->
          unless(
              value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false"),
              "must be true or false",
              value);
      default -> faultOfText(value);
    };
  }

  private Optional<String> faultOfText(String value) {
    if ("date-time".equals(schema.get("format"))) {
      return unless(
          isTime(value),
          "must be a time such as 2026-01-31T12:00:00Z (write + as %2B in a URL)",
          value);
    }
    if (value.indexOf('\0') >= 0) {
      return Optional.of(name + " must not hold a NUL; no value that is kept here does.");
    }
    int length = value.codePointCount(0, value.length());
    if (schema.get("minLength") instanceof Integer least && length < least) {
      return Optional.of(name + " must not be empty.");
    }
    if (schema.get("maxLength") instanceof Integer most && length > most) {
      return Optional.of(
          name + " must have at most " + most + " characters, it has " + length + ".");
    }
    if (schema.get("pattern") instanceof String pattern) {
      // A pattern is for machines; the contract says beside it what it means.
      var rule =
          schema.containsKey("x-must-be")
              ? "must be " + schema.get("x-must-be")
              : "must match " + pattern;
      return unless(Pattern.compile(pattern).matcher(value).find(), rule, value);
    }
    return Optional.empty();
  }

  private Optional<String> unless(boolean fine, String rule, String value) {
    return fine
        ? Optional.empty()
        : Optional.of(name + " " + rule + ", got " + Quoting.quote(value) + ".");
  }

  private boolean isInRange(String value) {
    if (!value.matches("-?[0-9]{1,18}")) {
      return false;
    }
    long number = Long.parseLong(value);
    return !(schema.get("minimum") instanceof Number least && number < least.longValue())
        && !(schema.get("maximum") instanceof Number most && number > most.longValue());
  }

  private String range() {
    return schema.containsKey("minimum") && schema.containsKey("maximum")
        ? " from " + schema.get("minimum") + " to " + schema.get("maximum")
        : "";
  }

  /** RFC 3339 has years of four digits; those of a billion fit no database. */
  private static boolean isTime(String value) {
    try {
      OffsetDateTime.parse(value);
      return value.matches("[0-9]{4}-.*");
    } catch (DateTimeException e) {
      return false;
    }
  }
}
