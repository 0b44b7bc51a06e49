package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tuples whose elements have names: {@code namedtuple(...)} and {@code typing.NamedTuple}. */
public final class NamedTuples {

  /** What {@code class Point(NamedTuple):} derives from. */
  static final ClassValue BASE = new ClassValue("NamedTuple", List.of(), Map.of(), List.of());

  private NamedTuples() {}

  /** The function that makes tuples of a type. */
  static Value maker(String type, List<String> fields, Map<String, Value> otherwise) {
    List<String> parameters = new ArrayList<>();
    fields.forEach(f -> parameters.add(otherwise.containsKey(f) ? f + "=" : f));
    return NativeFunction.of(
        type,
        String.join(", ", parameters),
        (b, c) ->
            new TupleValue(
                fields.stream()
                    .map(f -> b.find(f).orElseGet(() -> otherwise.getOrDefault(f, Value.NONE)))
                    .toList(),
                type,
                fields));
  }

  /** {@code _asdict}, {@code _replace}, {@code _fields}. */
  public static Optional<Value> attribute(TupleValue tuple, String name) {
    return switch (name) {
      case "_fields" ->
          Optional.of(new TupleValue(tuple.fields().stream().map(Value::of).toList()));
      case "_asdict" ->
          Optional.of(
              NativeFunction.of(
                  name,
                  "",
                  (a, c) -> {
                    DictValue dict = new DictValue();
                    for (int i = 0; i < tuple.fields().size(); i++) {
                      dict.put(Value.of(tuple.fields().get(i)), tuple.items().get(i));
                    }
                    return dict;
                  }));
      case "_replace" ->
          Optional.of(
              NativeFunction.of(
                  name,
                  "**named",
                  (a, c) -> {
                    List<Value> items = new ArrayList<>(tuple.items());
                    for (Map.Entry<String, Value> given : a.named().entrySet()) {
                      int at = tuple.fields().indexOf(given.getKey());
                      if (at < 0) {
                        throw Errors.value(
                            "Got unexpected field names: ['" + given.getKey() + "']");
                      }
                      items.set(at, given.getValue());
                    }
                    return new TupleValue(items, tuple.typeName(), tuple.fields());
                  }));
      default -> Optional.empty();
    };
  }

  /** What stands for a class of the script that derives from {@code NamedTuple}; else itself. */
  public static Value finish(ClassValue type) {
    if (!type.bases().contains(BASE)) {
      return type;
    }
    Map<String, Value> otherwise = new HashMap<>();
    for (String field : type.fields()) {
      Value value = type.members().get(field);
      if (value != null) {
        otherwise.put(field, value);
      }
    }
    return maker(type.name(), type.fields(), otherwise);
  }
}
