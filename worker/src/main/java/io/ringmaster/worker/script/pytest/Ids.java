package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Names the parameter sets of a test as pytest does. */
final class Ids {

  private final List<String> names;
  private final Optional<Value> given;
  private final Interp interp;
  private final Span at;

  private Ids(List<String> names, Optional<Value> given, Interp interp, Span at) {
    this.names = names;
    this.given = given;
    this.interp = interp;
    this.at = at;
  }

  /**
   * One id a set, all different.
   *
   * @param names what the sets give values for
   * @param given the {@code ids=} of the mark or fixture: a list or a function
   */
  static List<String> of(
      List<String> names, List<ParamSet> sets, Optional<Value> given, Interp interp, Span at) {
    Ids ids = new Ids(names, given, interp, at);
    List<Optional<Value>> listed = ids.listed(sets.size());
    List<String> all = new ArrayList<>();
    for (int i = 0; i < sets.size(); i++) {
      all.add(ids.one(i, sets.get(i), listed.get(i)));
    }
    return unique(all);
  }

  /** The given list, one entry a set; nothing for those that pytest makes up itself. */
  private List<Optional<Value>> listed(int size) {
    List<Optional<Value>> all = new ArrayList<>();
    if (given.isPresent() && !isFunction(given.get())) {
      List<Value> items = Iteration.toList(given.get(), interp);
      if (items.size() != size) {
        throw Errors.refuse(
            size + " parameter sets specified, with different number of ids: " + items.size(),
            "give one id for each set, or a function",
            at);
      }
      items.forEach(
          item -> all.add(item instanceof Value.None ? Optional.empty() : Optional.of(item)));
      return all;
    }
    for (int i = 0; i < size; i++) {
      all.add(Optional.empty());
    }
    return all;
  }

  private static boolean isFunction(Value value) {
    return switch (value) {
      case FunctionValue function -> true;
      case MethodValue method -> true;
      case NativeFunction function -> true;
      case ClassValue type -> true;
      case ListValue list -> false;
      case TupleValue tuple -> false;
      case NativeObject object -> object.typeName().equals("type");
      default -> false;
    };
  }

  private String one(int index, ParamSet set, Optional<Value> listed) {
    if (set.id().isPresent()) {
      return text(set.id().get());
    }
    if (listed.isPresent()) {
      return text(listed.get());
    }
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < set.values().size(); i++) {
      parts.add(value(set.values().get(i), names.get(Math.min(i, names.size() - 1)), index));
    }
    return String.join("-", parts);
  }

  /** An id that the script wrote out. */
  private String text(Value id) {
    return switch (id) {
      case Value.Str text -> escaped(text.value());
      case Value.Int number -> interp.str(number);
      case Value.Float number -> interp.str(number);
      case Value.Bool bool -> interp.str(bool);
      default ->
          throw Errors.refuse(
              "ids contains unsupported value " + interp.repr(id),
              "Supported types are: str, int, float, complex, bool, None.",
              at);
    };
  }

  private String value(Value value, String name, int index) {
    if (given.isPresent() && isFunction(given.get())) {
      Value made = interp.call(given.get(), Arguments.of(value), at);
      if (!(made instanceof Value.None)) {
        return plain(made).orElse(name + index);
      }
    }
    return plain(value).orElse(name + index);
  }

  /** The id of a value that reads well; empty for others. */
  private Optional<String> plain(Value value) {
    return switch (value) {
      case Value.Str text -> Optional.of(escaped(text.value()));
      case Value.Int number -> Optional.of(interp.str(number));
      case Value.Float number -> Optional.of(interp.str(number));
      case Value.Bool bool -> Optional.of(interp.str(bool));
      case Value.None none -> Optional.of("None");
      case FunctionValue function -> Optional.of(function.name());
      case MethodValue method -> Optional.of(method.function().name());
      case NativeFunction function -> Optional.of(function.name());
      case ClassValue type -> Optional.of(type.name());
      case InstanceValue instance when instance.attributes().containsKey("_name_") ->
          Optional.of(interp.str(instance));
      case ModuleValue module -> Optional.of(module.name());
      case NativeObject object ->
          object
              .attribute("__name__")
              .filter(Value.Str.class::isInstance)
              .map(name -> escaped(((Value.Str) name).value()));
      default -> Optional.empty();
    };
  }

  /** Letters beyond ASCII and control characters as Python writes them in a literal. */
  private static String escaped(String text) {
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                  if (c >= 0x20 && c < 0x7f) {
                    out.append((char) c);
                  } else if (c < 0x100) {
                    out.append(String.format("\\x%02x", c));
                  } else if (c < 0x10000) {
                    out.append(String.format("\\u%04x", c));
                  } else {
                    out.append(String.format("\\U%08x", c));
                  }
                }
              }
            });
    return out.toString();
  }

  /** Equal ids get a number each. */
  private static List<String> unique(List<String> ids) {
    Map<String, Integer> counts = new HashMap<>();
    ids.forEach(id -> counts.merge(id, 1, Integer::sum));
    // As with pytest, an id that has got its number is free again.
    Map<String, Integer> taken = new HashMap<>(counts);
    Map<String, Integer> next = new HashMap<>();
    List<String> all = new ArrayList<>();
    for (String id : ids) {
      if (counts.getOrDefault(id, 0) < 2) {
        all.add(id);
        continue;
      }
      String join = !id.isEmpty() && Character.isDigit(id.charAt(id.length() - 1)) ? "_" : "";
      int number = next.getOrDefault(id, 0);
      while (taken.getOrDefault(id + join + number, 0) > 0) {
        number++;
      }
      String made = id + join + number;
      taken.merge(id, -1, Integer::sum);
      taken.merge(made, 1, Integer::sum);
      next.put(id, number + 1);
      all.add(made);
    }
    return all;
  }
}
