package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code format(value, spec)}, f-string fields and {@code "...".format(...)}. */
public final class StrFormat {

  private StrFormat() {}

  /** One value under a format specification. */
  public static String field(Value value, String spec, Interp interp) {
    if (spec.isEmpty() && Operators.special(value, "__format__").isEmpty()) {
      return interp.str(value);
    }
    if (value instanceof InstanceValue instance) {
      return ofInstance(instance, spec, interp);
    }
    if (value instanceof NativeObject object) {
      if (object.asNumber().isPresent()) {
        Value number =
            object.asIndex().<Value>map(Value::of).orElse(Value.of(object.asNumber().get()));
        return FormatSpec.format(number, spec, interp.session().budget());
      }
      throw Errors.type("unsupported format string passed to " + object.typeName() + ".__format__");
    }
    return FormatSpec.format(value, spec, interp.session().budget());
  }

  /** By the class's own method; members of enumerations count as numbers or as their text. */
  private static String ofInstance(InstanceValue instance, String spec, Interp interp) {
    Optional<Value> own = Operators.special(instance, "__format__");
    if (own.isPresent()) {
      Arguments arguments = Arguments.of(instance, Value.of(spec));
      return interp.str(interp.call(own.get(), arguments, interp.session().budget().here()));
    }
    if (instance.type().enumMembers().isEmpty()) {
      throw Errors.type(
          "unsupported format string passed to " + instance.type().name() + ".__format__");
    }
    Value counted =
        instance
            .countsAs()
            .filter(Numbers::isNumber)
            .orElseGet(() -> Value.of(interp.str(instance)));
    return FormatSpec.format(counted, spec, interp.session().budget());
  }

  /** How deep fields may stand in the specifications of others, as in Python. */
  private static final int MAX_NESTING = 2;

  static String fill(String text, List<Value> positional, Map<String, Value> named, Interp interp) {
    String filled = fill(text, positional, named, MAX_NESTING, interp);
    interp.session().budget().text(filled.length());
    return filled;
  }

  /** Fills {@code {}}, {@code {0}}, {@code {name}}, {@code {name.attribute}}, {@code {name[0]}}. */
  private static String fill(
      String text, List<Value> positional, Map<String, Value> named, int deeper, Interp interp) {
    if (deeper == 0) {
      throw Errors.value("Max string recursion exceeded");
    }
    StringBuilder out = new StringBuilder();
    int next = 0;
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      boolean doubled = at + 1 < text.length() && text.charAt(at + 1) == c;
      if ((c == '{' || c == '}') && doubled) {
        out.append(c);
        at += 2;
      } else if (c == '{') {
        int end = closing(text, at);
        String field = text.substring(at + 1, end);
        int colon = field.indexOf(':');
        String spec = colon < 0 ? "" : field.substring(colon + 1);
        String name = colon < 0 ? field : field.substring(0, colon);
        int bang = name.indexOf('!');
        String conversion = bang < 0 ? "" : name.substring(bang + 1);
        name = bang < 0 ? name : name.substring(0, bang);
        if (spec.contains("{")) {
          spec =
              fill(
                  spec,
                  positional.subList(Math.min(next, positional.size()), positional.size()),
                  named,
                  deeper - 1,
                  interp);
        }
        boolean automatic = name.isEmpty() || name.startsWith(".") || name.startsWith("[");
        Value value = find(automatic ? next++ + name : name, positional, named, interp);
        out.append(converted(value, conversion, spec, interp));
        interp.session().budget().step();
        interp.session().budget().room(out.length());
        at = end + 1;
      } else if (c == '}') {
        throw Errors.value("Single '}' encountered in format string");
      } else {
        out.append(c);
        at++;
      }
    }
    return out.toString();
  }

  /** A value under {@code !r}, {@code !s}, {@code !a} and a specification. */
  public static String converted(Value value, String conversion, String spec, Interp interp) {
    return switch (conversion) {
      case "" -> field(value, spec, interp);
      case "s" -> field(Value.of(interp.str(value)), spec, interp);
      case "r", "a" -> field(Value.of(interp.repr(value)), spec, interp);
      default -> throw Errors.value("unknown conversion specifier '" + conversion + "'");
    };
  }

  private static int closing(String text, int from) {
    int depth = 0;
    for (int at = from; at < text.length(); at++) {
      depth += text.charAt(at) == '{' ? 1 : text.charAt(at) == '}' ? -1 : 0;
      if (depth == 0) {
        return at;
      }
    }
    throw Errors.value("expected '}' before end of string");
  }

  private static Value find(
      String path, List<Value> positional, Map<String, Value> named, Interp interp) {
    int end = 0;
    while (end < path.length() && path.charAt(end) != '.' && path.charAt(end) != '[') {
      end++;
    }
    String first = path.substring(0, end);
    Value value;
    if (!first.isEmpty() && first.chars().allMatch(Character::isDigit) && first.length() < 9) {
      int index = Integer.parseInt(first);
      if (index >= positional.size()) {
        throw Errors.index(
            "Replacement index " + index + " out of range for positional args tuple");
      }
      value = positional.get(index);
    } else {
      Value found = named.get(first);
      if (found == null) {
        throw Errors.of(Exceptions.KEY_ERROR, first);
      }
      value = found;
    }
    return follow(value, path.substring(end), interp);
  }

  private static Value follow(Value start, String path, Interp interp) {
    Value value = start;
    int at = 0;
    while (at < path.length()) {
      boolean subscript = path.charAt(at) == '[';
      int end = at + 1;
      while (end < path.length()
          && (subscript ? path.charAt(end) != ']' : ".[".indexOf(path.charAt(end)) < 0)) {
        end++;
      }
      String name = path.substring(at + 1, end);
      if (subscript) {
        boolean index =
            !name.isEmpty() && name.length() < 9 && name.chars().allMatch(Character::isDigit);
        Value key = index ? Value.of(Integer.parseInt(name)) : Value.of(name);
        value = Subscripts.item(value, key, interp);
        end++;
      } else {
        value = interp.attribute(value, name);
      }
      at = end;
    }
    return value;
  }
}
