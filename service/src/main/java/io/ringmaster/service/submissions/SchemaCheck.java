package io.ringmaster.service.submissions;

import io.ringmaster.service.problems.Nearest;
import io.ringmaster.service.problems.Quoting;
import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestErrors;
import io.ringmaster.service.web.Contract;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Holds a JSON value against a schema of the contract, and says everything that is wrong with it.
 * Below an object to which the contract lets others be added, such as a report, only types are
 * looked at: a run whose report is refused for a text too long would be lost.
 */
final class SchemaCheck {

  /** Longer texts are what scripts print: any character may be in them. */
  private static final int MOST_NOTE = 1000;

  private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/]*+={0,2}");

  private final Contract contract;
  private final RequestErrors errors;

  SchemaCheck(Contract contract, RequestErrors errors) {
    this.contract = contract;
    this.errors = errors;
  }

  /** Notes what is wrong with a body. */
  void check(Map<String, Object> schema, Json body) {
    check(schema, body, "", true);
  }

  private void check(Map<String, Object> node, Json value, String pointer, boolean strict) {
    var schema = contract.resolve(node);
    if (schema.get("oneOf") instanceof List<?> choices) {
      if (choices.stream().noneMatch(choice -> fits(Contract.map(choice), value, strict))) {
        wrong(schema, value, pointer, Kind.WRONG_TYPE);
      }
      return;
    }
    switch (String.valueOf(schema.get("type"))) {
      case "object" -> {
        if (value instanceof Json.Members members) {
          members(schema, members, pointer, strict);
        } else {
          wrong(schema, value, pointer, Kind.WRONG_TYPE);
        }
      }
      case "array" -> {
        if (value instanceof Json.Items items) {
          items(schema, items, pointer, strict);
        } else {
          wrong(schema, value, pointer, Kind.WRONG_TYPE);
        }
      }
      case "string" -> {
        if (value instanceof Json.Text text) {
          text(schema, text, pointer, strict);
        } else {
          wrong(schema, value, pointer, Kind.WRONG_TYPE);
        }
      }
      case "integer", "number" -> {
        if (!(value instanceof Json.Numeral number)) {
          wrong(schema, value, pointer, Kind.WRONG_TYPE);
        } else if (!isInRange(schema, number.text(), strict)) {
          wrong(schema, value, pointer, Kind.OUT_OF_RANGE);
        }
      }
      case "boolean" -> {
        if (!(value instanceof Json.Flag)) {
          wrong(schema, value, pointer, Kind.WRONG_TYPE);
        }
      }
      default -> {}
    }
  }

  private boolean fits(Map<String, Object> choice, Json value, boolean strict) {
    var trial = new RequestErrors();
    new SchemaCheck(contract, trial).check(choice, value, "", strict);
    return trial.count() == 0;
  }

  private void members(
      Map<String, Object> schema, Json.Members object, String pointer, boolean strict) {
    var properties = Contract.map(schema.get("properties"));
    var required = schema.get("required") instanceof List<?> names ? names : List.of();
    for (var name : required) {
      if (!object.values().containsKey(String.valueOf(name))) {
        var at = Pointers.child(pointer, String.valueOf(name));
        var wanted = wanted(contract.resolve(Contract.map(properties.get(name))));
        errors.body(at, Kind.MISSING, "%s is missing. It must be %s.".formatted(words(at), wanted));
      }
    }
    boolean open = !schema.containsKey("additionalProperties");
    object
        .values()
        .forEach(
            (name, value) -> {
              var at = Pointers.child(pointer, name);
              var property = properties.getOrDefault(name, schema.get("additionalProperties"));
              if (property instanceof Map<?, ?> known) {
                boolean absent = open && value instanceof Json.Nothing && !required.contains(name);
                if (!absent) {
                  check(Contract.map(known), value, at, strict && !open);
                }
              } else if (!open) {
                errors.body(
                    at,
                    Kind.UNKNOWN,
                    "There is no field %s here. %s"
                        .formatted(
                            Quoting.quote(words(at)), Nearest.hint(name, properties.keySet())));
              }
            });
  }

  private void items(Map<String, Object> schema, Json.Items list, String pointer, boolean strict) {
    int size = list.values().size();
    boolean few = schema.get("minItems") instanceof Integer least && size < least;
    boolean many = schema.get("maxItems") instanceof Integer most && size > most;
    if (strict && (few || many)) {
      errors.body(
          pointer,
          many ? Kind.TOO_MANY : Kind.BAD_VALUE,
          "%s must be %s, got %,d.".formatted(words(pointer), wanted(schema), size));
      return;
    }
    for (int i = 0; i < size; i++) {
      check(
          Contract.map(schema.get("items")),
          list.values().get(i),
          Pointers.child(pointer, Integer.toString(i)),
          strict);
    }
  }

  private void text(Map<String, Object> schema, Json.Text text, String pointer, boolean strict) {
    var value = text.value();
    if (schema.get("enum") instanceof List<?> allowed) {
      if (!allowed.contains(value)) {
        wrong(schema, text, pointer, Kind.BAD_VALUE);
      }
      return;
    }
    if ("byte".equals(schema.get("format"))
        && (value.length() % 4 != 0 || !BASE64.matcher(value).matches())) {
      wrong(schema, text, pointer, Kind.BAD_VALUE);
    }
    if (!strict) {
      return;
    }
    int most = schema.get("maxLength") instanceof Integer some ? some : Integer.MAX_VALUE;
    int length = value.codePointCount(0, value.length());
    if (length > most) {
      errors.body(
          pointer,
          Kind.TOO_LONG,
          "%s may have %,d characters, it has %,d.".formatted(words(pointer), most, length));
    } else if (schema.get("minLength") instanceof Integer least && length < least) {
      wrong(schema, text, pointer, Kind.BAD_VALUE);
    } else if (schema.get("pattern") instanceof String pattern
        && !Pattern.compile(pattern).matcher(value).find()) {
      wrong(schema, text, pointer, Kind.BAD_VALUE);
    } else if (most <= MOST_NOTE) {
      Names.storageFault(value)
          .ifPresent(fault -> errors.body(pointer, Kind.BAD_VALUE, words(pointer) + " " + fault));
    }
  }

  private static boolean isInRange(Map<String, Object> schema, String numeral, boolean strict) {
    double value = Double.parseDouble(numeral);
    if ("integer".equals(schema.get("type"))) {
      var whole = Fields.whole(numeral);
      boolean isShort = "int32".equals(schema.get("format"));
      if (whole.isEmpty() || (isShort && whole.get() != whole.get().intValue())) {
        return false;
      }
    }
    boolean below = schema.get("minimum") instanceof Number least && value < least.doubleValue();
    boolean above = schema.get("maximum") instanceof Number most && value > most.doubleValue();
    return Double.isFinite(value) && !(strict && (below || above));
  }

  private void wrong(Map<String, Object> schema, Json value, String pointer, Kind kind) {
    errors.body(
        pointer,
        kind,
        "%s must be %s, got %s.".formatted(words(pointer), wanted(schema), value.described()));
  }

  /** What the contract asks for, as the end of a sentence. */
  private String wanted(Map<String, Object> schema) {
    if (schema.get("oneOf") instanceof List<?> choices) {
      return String.join(
          " or ",
          choices.stream().map(one -> wanted(contract.resolve(Contract.map(one)))).toList());
    }
    if (schema.get("enum") instanceof List<?> allowed) {
      return "one of " + String.join(", ", allowed.stream().map(String::valueOf).toList());
    }
    if (schema.get("x-must-be") instanceof String rule) {
      return rule;
    }
    if (schema.get("pattern") instanceof String pattern) {
      return "a text that matches " + pattern;
    }
    return switch (String.valueOf(schema.get("type"))) {
      case "string" ->
          "byte".equals(schema.get("format"))
              ? "bytes as Base64"
              : schema.containsKey("minLength") ? "a text that is not empty" : "a text";
      case "integer" -> "a whole number" + range(schema);
      case "number" -> "a number" + range(schema);
      case "boolean" -> "true or false";
      case "array" -> "a list" + count(schema) + ofWhat(schema);
      case "object" -> "a JSON object";
      default -> "a value";
    };
  }

  private static String range(Map<String, Object> schema) {
    var least = Optional.ofNullable(schema.get("minimum"));
    if (schema.containsKey("maximum")) {
      return " from %s to %s".formatted(least.orElse("any"), schema.get("maximum"));
    }
    return least.map(from -> " from " + from + " up").orElse("");
  }

  private static String count(Map<String, Object> schema) {
    var least = schema.get("minItems");
    var most = schema.get("maxItems");
    if (most == null) {
      return least == null ? "" : " of at least " + least;
    }
    if (most.equals(least)) {
      return " of " + most;
    }
    return least == null ? " of at most " + most : " of " + least + " to " + most;
  }

  private String ofWhat(Map<String, Object> schema) {
    var item = contract.resolve(Contract.map(schema.get("items")));
    var word =
        switch (String.valueOf(item.get("type"))) {
          case "string" -> "texts";
          case "integer" -> "whole numbers";
          case "number" -> "numbers";
          case "array" -> "lists";
          case "object" -> "objects";
          default -> "values";
        };
    return count(schema).isEmpty() ? " of " + word : " " + word;
  }

  /** The place as a person would say it: {@code devices.0}. */
  private static String words(String pointer) {
    return pointer.isEmpty()
        ? "The body"
        : pointer.substring(1).replace('/', '.').replace("~1", "/").replace("~0", "~");
  }
}
