package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
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

  private static final String MAKER = "_new_";

  private NamedTuples() {}

  /** The class of tuples with these elements: {@code namedtuple(...)}. */
  static Value type(String name, List<String> fields, Map<String, Value> otherwise) {
    return finish(new ClassValue(name, List.of(BASE), otherwise, fields));
  }

  /** True for a class whose objects are tuples. */
  public static boolean isTuples(ClassValue type) {
    return type.isSubclassOf(BASE);
  }

  /** A tuple of a class, from the arguments of a call. */
  public static Value made(ClassValue type, Arguments arguments, Call call) {
    Value maker = type.member(MAKER).orElseThrow(() -> Errors.type("NamedTuple has no elements"));
    return call.interp().call(maker, arguments, call.span()) instanceof TupleValue tuple
        ? new TupleValue(tuple.items(), type.name(), tuple.fields(), Optional.of(type))
        : Value.NONE;
  }

  /** The function that takes a tuple's elements by their names. */
  private static Value maker(String type, List<String> fields, Map<String, Value> otherwise) {
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
                    return new TupleValue(items, tuple.typeName(), tuple.fields(), tuple.type());
                  }));
      default -> Optional.empty();
    };
  }

  /**
   * Makes a class of the script that derives from {@code NamedTuple} one whose objects are tuples.
   */
  public static ClassValue finish(ClassValue type) {
    if (!type.bases().contains(BASE)) {
      return type;
    }
    Map<String, Value> otherwise = new HashMap<>();
    for (String field : type.fields()) {
      Value value = type.members().remove(field);
      if (value != null) {
        otherwise.put(field, value);
      }
    }
    type.members().put(MAKER, maker(type.name(), type.fields(), otherwise));
    type.members().put("_fields", new TupleValue(type.fields().stream().map(Value::of).toList()));
    type.members()
        .put(
            "_make",
            NativeFunction.of(
                "_make",
                "iterable",
                (a, c) ->
                    made(
                        type,
                        new Arguments(Iteration.toList(a.get("iterable"), c.interp()), Map.of()),
                        c)));
    return type;
  }
}
