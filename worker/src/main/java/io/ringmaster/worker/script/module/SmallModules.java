package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.FilePath;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.builtin.TypeObject;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Modules of which scripts use a few names only: copy, pathlib, collections. */
final class SmallModules {

  private static final int DEEPEST = 100;

  static final ModuleValue COPY =
      new ModuleValue(
          "copy",
          Map.of(
              "copy", NativeFunction.of("copy", "x", (a, c) -> copied(a.get("x"), 1, c)),
              "deepcopy",
                  NativeFunction.of(
                      "deepcopy", "x, memo=", (a, c) -> copied(a.get("x"), DEEPEST, c))));

  static final ModuleValue PATHLIB =
      new ModuleValue(
          "pathlib",
          Map.of(
              "Path", filePath("Path"),
              "PurePath", filePath("PurePath")));

  static final ModuleValue COLLECTIONS =
      new ModuleValue(
          "collections",
          Map.of(
              "abc",
              TypingModule.ABSTRACT,
              "defaultdict",
              TypeObject.of(
                  "defaultdict",
                  "default_factory=, items=, **named",
                  SmallModules::dict,
                  DictValue.class::isInstance),
              "OrderedDict",
              TypeObject.of(
                  "OrderedDict",
                  "items=, **named",
                  SmallModules::dict,
                  DictValue.class::isInstance),
              "namedtuple",
              NativeFunction.of(
                  "namedtuple",
                  "typename, field_names, *, rename=, defaults=, module=",
                  SmallModules::named)));

  private SmallModules() {}

  private static TypeObject filePath(String name) {
    return TypeObject.of(name, "*parts", SmallModules::path, FilePath.class::isInstance);
  }

  /** Copies containers and objects so many levels deep, and tensors at any level. */
  private static Value copied(Value value, int levels, Call call) {
    if (levels == 0) {
      return value;
    }
    call.interp().session().budget().step();
    return switch (value) {
      case ListValue list ->
          new ListValue(
              new ArrayList<>(
                  list.items().stream().map(v -> copied(v, levels - 1, call)).toList()));
      case TupleValue tuple ->
          new TupleValue(
              tuple.items().stream().map(v -> copied(v, levels - 1, call)).toList(),
              tuple.typeName(),
              tuple.fields(),
              tuple.type());
      case DictValue dict -> {
        DictValue copy = new DictValue();
        dict.entries().forEach(e -> copy.put(e.key(), copied(e.value(), levels - 1, call)));
        yield copy;
      }
      case SetValue set -> {
        SetValue copy = new SetValue(set.frozen());
        Iteration.toList(set, call.interp()).forEach(copy::add);
        yield copy;
      }
      case InstanceValue instance -> {
        InstanceValue copy = new InstanceValue(instance.type());
        instance
            .attributes()
            .forEach((name, v) -> copy.attributes().put(name, copied(v, levels - 1, call)));
        yield copy;
      }
      case NativeObject object when object.attribute("clone").isPresent() ->
          call.interp().call(object.attribute("clone").get(), Arguments.of(), call.span());
      default -> value;
    };
  }

  private static Value path(Bound a, Call call) {
    String text = "";
    for (Value part : a.rest()) {
      text = FilePath.join(text, call.interp().str(part));
    }
    return new FilePath(text.isEmpty() ? "." : text);
  }

  private static Value dict(Bound a, Call call) {
    DictValue dict =
        new DictValue(a.has("default_factory") ? a.find("default_factory") : Optional.empty());
    if (a.has("items") && a.get("items") instanceof DictValue other) {
      other.entries().forEach(e -> dict.put(e.key(), e.value()));
    } else if (a.has("items")) {
      for (Value pair : Iteration.toList(a.get("items"), call.interp())) {
        List<Value> both = Iteration.toList(pair, call.interp());
        if (both.size() != 2) {
          throw Errors.value("OrderedDict() takes pairs of a key and a value");
        }
        dict.put(both.get(0), both.get(1));
      }
    }
    a.named().forEach((name, value) -> dict.put(Value.of(name), value));
    return dict;
  }

  private static Value named(Bound a, Call call) {
    String type = a.string("typename");
    List<String> fields = new ArrayList<>();
    if (a.get("field_names") instanceof Value.Str text) {
      for (String name : text.value().replace(',', ' ').split(" ", -1)) {
        if (!name.isBlank()) {
          fields.add(name);
        }
      }
    } else {
      Iteration.toList(a.get("field_names"), call.interp())
          .forEach(name -> fields.add(call.interp().str(name)));
    }
    List<Value> defaults =
        a.has("defaults") ? Iteration.toList(a.get("defaults"), call.interp()) : List.of();
    Map<String, Value> otherwise = new HashMap<>();
    for (int i = 0; i < Math.min(defaults.size(), fields.size()); i++) {
      otherwise.put(fields.get(fields.size() - 1 - i), defaults.get(defaults.size() - 1 - i));
    }
    return NamedTuples.type(type, fields, otherwise);
  }

  /** {@code traceback}: what a script prints about an exception it caught. */
  static final ModuleValue TRACEBACK =
      new ModuleValue(
          "traceback",
          Map.of(
              "print_exc",
                  NativeFunction.of(
                      "print_exc",
                      "limit=, file=, chain=",
                      (a, c) -> {
                        c.interp().session().log().write(handled(c.interp()));
                        return Value.NONE;
                      }),
              "format_exc",
                  NativeFunction.of(
                      "format_exc", "limit=, chain=", (a, c) -> Value.of(handled(c.interp())))));

  private static String handled(Interp interp) {
    return interp
        .handling()
        .map(
            error -> {
              String text = interp.str(error.exception());
              return "Traceback (most recent call last):\n"
                  + error.exception().type().name()
                  + (text.isEmpty() ? "" : ": " + text)
                  + "\n";
            })
        .orElse("NoneType: None\n");
  }
}
