package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Descriptor;
import io.ringmaster.worker.script.builtin.TypeObject;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Nearest;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.CompareOperator;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** {@code dataclasses}: constructor, text form and equality from a class's annotations. */
final class DataclassesModule {

  static final ModuleValue MODULE =
      new ModuleValue(
          "dataclasses",
          Map.of(
              "KW_ONLY",
              TypeObject.inert("dataclasses.KW_ONLY", value -> false),
              "InitVar",
              TypeObject.inert("dataclasses.InitVar", value -> false),
              "FrozenInstanceError",
              Exceptions.FROZEN_INSTANCE,
              "asdict",
              NativeFunction.of(
                  "asdict", "obj", (a, c) -> plain(object(a.get("obj"), "asdict"), true)),
              "astuple",
              NativeFunction.of(
                  "astuple", "obj", (a, c) -> plain(object(a.get("obj"), "astuple"), false)),
              "replace",
              NativeFunction.of("replace", "obj, **named", DataclassesModule::replaced),
              "fields",
              NativeFunction.of("fields", "obj", (a, c) -> fieldList(a)),
              "is_dataclass",
              NativeFunction.of(
                  "is_dataclass",
                  "obj",
                  (a, c) ->
                      Value.of(
                          a.get("obj") instanceof InstanceValue one
                              && !fields(one.type()).isEmpty())),
              "dataclass",
              NativeFunction.of(
                  "dataclass",
                  "cls=, *, init=, repr=, eq=, order=, unsafe_hash=, frozen=, match_args=,"
                      + " kw_only=, slots=, weakref_slot=",
                  DataclassesModule::decorate),
              "field",
              NativeFunction.of(
                  "field",
                  "*, default=, default_factory=, init=, repr=, hash=, compare=, metadata=,"
                      + " kw_only=",
                  (a, c) ->
                      new Field(
                          a.find("default"),
                          a.find("default_factory"),
                          a.flag("init", true),
                          a.flag("repr", true),
                          a.flag("compare", true)))));

  private DataclassesModule() {}

  /** What {@code field(...)} leaves in the class body. */
  private record Field(
      Optional<Value> otherwise,
      Optional<Value> factory,
      boolean init,
      boolean shown,
      boolean compared)
      implements NativeObject {

    private static final Field PLAIN =
        new Field(Optional.empty(), Optional.empty(), true, true, true);

    /** What the class body says of a field; the usual when it says nothing. */
    private static Field of(ClassValue type, String name) {
      return type.member(name).filter(Field.class::isInstance).map(Field.class::cast).orElse(PLAIN);
    }

    @Override
    public String typeName() {
      return "Field";
    }

    @Override
    public String repr(Interp interp) {
      return "Field()";
    }
  }

  private static Value decorate(Bound a, Call call) {
    if (!a.has("cls")) {
      boolean ordered = a.flag("order", false);
      boolean frozen = a.flag("frozen", false);
      boolean compared = a.flag("eq", true);
      boolean keys = (frozen && compared) || a.flag("unsafe_hash", false);
      return NativeFunction.of(
          "dataclass",
          "cls",
          (b, c) -> {
            Value type = finished(b.get("cls"), compared, ordered, keys);
            if (frozen && type instanceof ClassValue made) {
              made.members().put(ClassValue.FROZEN, Value.TRUE);
            }
            return type;
          });
    }
    return finished(a.get("cls"), /* compared= */ true, /* ordered= */ false, /* keys= */ false);
  }

  private static Value finished(Value value, boolean compared, boolean ordered, boolean keys) {
    if (!(value instanceof ClassValue type)) {
      throw Errors.type("dataclass() needs a class");
    }
    for (String field : type.fields()) {
      Value member = type.members().getOrDefault(field, Value.NONE);
      if (member instanceof ListValue
          || member instanceof DictValue
          || member instanceof SetValue) {
        throw Errors.value("mutable default for field is not allowed: use default_factory");
      }
    }
    type.members()
        .putIfAbsent(
            ClassValue.MATCH_ARGS,
            new TupleValue(
                fields(type).stream()
                    .filter(name -> Field.of(type, name).init())
                    .map(Value::of)
                    .toList()));
    method(type, "__init__", "self, *values, **named", DataclassesModule::initialise);
    method(type, "__repr__", "self", (a, c) -> Value.of(text(instance(a), c.interp())));
    if (compared) {
      method(type, "__eq__", "self, other", (a, c) -> equal(instance(a), a.get("other"), c));
    }
    if (keys) {
      type.members()
          .put(
              ClassValue.KEY,
              new TupleValue(
                  stored(type).stream()
                      .filter(name -> Field.of(type, name).compared())
                      .map(Value::of)
                      .toList()));
    }
    if (ordered) {
      order(type, "__lt__", CompareOperator.LT);
      order(type, "__le__", CompareOperator.LE);
      order(type, "__gt__", CompareOperator.GT);
      order(type, "__ge__", CompareOperator.GE);
    }
    return type;
  }

  private static void order(ClassValue type, String name, CompareOperator operator) {
    method(
        type,
        name,
        "self, other",
        (a, c) ->
            c.interp()
                .compare(
                    operator, compared(instance(a)), compared(object(a.get("other"), "order"))));
  }

  private static TupleValue compared(InstanceValue self) {
    return new TupleValue(
        stored(self.type()).stream()
            .filter(name -> Field.of(self.type(), name).compared())
            .map(name -> self.attributes().getOrDefault(name, Value.NONE))
            .toList());
  }

  private static TupleValue tuple(InstanceValue self) {
    return new TupleValue(
        stored(self.type()).stream()
            .map(name -> self.attributes().getOrDefault(name, Value.NONE))
            .toList());
  }

  private static InstanceValue object(Value value, String function) {
    if (value instanceof InstanceValue instance && !fields(instance.type()).isEmpty()) {
      return instance;
    }
    throw Errors.type(function + "() should be called on dataclass instances");
  }

  /** {@code asdict} and {@code astuple}, of the objects inside as well. */
  private static Value plain(Value value, boolean dict) {
    return switch (value) {
      case InstanceValue inner when !stored(inner.type()).isEmpty() -> {
        if (!dict) {
          yield new TupleValue(
              tuple(inner).items().stream().map(one -> plain(one, false)).toList());
        }
        DictValue out = new DictValue();
        stored(inner.type())
            .forEach(
                name ->
                    out.put(
                        Value.of(name),
                        plain(inner.attributes().getOrDefault(name, Value.NONE), true)));
        yield out;
      }
      case ListValue list ->
          ListValue.of(list.items().stream().map(one -> plain(one, dict)).toList());
      default -> value;
    };
  }

  private static Value replaced(Bound a, Call call) {
    if (a.get("obj") instanceof ConfigValue config) {
      return PyptoModule.replaced(config, a.named(), call);
    }
    InstanceValue old = object(a.get("obj"), "replace");
    Map<String, Value> named = new LinkedHashMap<>();
    stored(old.type())
        .forEach(name -> named.put(name, old.attributes().getOrDefault(name, Value.NONE)));
    named.putAll(a.named());
    return call.interp().call(old.type(), new Arguments(List.of(), named), call.span());
  }

  private static Value fieldList(Bound a) {
    ClassValue type =
        a.get("obj") instanceof ClassValue given ? given : object(a.get("obj"), "fields").type();
    return new TupleValue(
        stored(type).stream()
            .<Value>map(name -> new TupleValue(List.of(Value.of(name)), "Field", List.of("name")))
            .toList());
  }

  private static void method(
      ClassValue type, String name, String parameters, NativeFunction.Body body) {
    type.members()
        .putIfAbsent(
            name,
            new Descriptor(Descriptor.Kind.NATIVE, NativeFunction.of(name, parameters, body)));
  }

  private static InstanceValue instance(Bound a) {
    if (a.get("self") instanceof InstanceValue instance) {
      return instance;
    }
    throw Errors.type(a.function() + " needs an instance");
  }

  private static List<String> fields(ClassValue type) {
    Set<String> fields = new LinkedHashSet<>();
    for (ClassValue at : type.ancestry().reversed()) {
      fields.addAll(at.fields());
    }
    return new ArrayList<>(fields);
  }

  private static Set<String> initOnly(ClassValue type) {
    Set<String> names = new LinkedHashSet<>();
    for (ClassValue at : type.ancestry()) {
      if (at.members().get(ClassValue.INIT_ONLY) instanceof TupleValue all) {
        all.items().forEach(name -> names.add(((Value.Str) name).value()));
      }
    }
    return names;
  }

  /** The fields that its objects have. */
  private static List<String> stored(ClassValue type) {
    List<String> all = fields(type);
    all.removeAll(initOnly(type));
    return all;
  }

  private static Value initialise(Bound a, Call call) {
    InstanceValue self = instance(a);
    List<String> all = fields(self.type());
    List<String> fields = all.stream().filter(name -> Field.of(self.type(), name).init()).toList();
    if (a.rest().size() > fields.size()) {
      throw Errors.type(
          "__init__() takes "
              + (fields.size() + 1)
              + " positional arguments but "
              + (a.rest().size() + 1)
              + " were given");
    }
    for (String name : a.named().keySet()) {
      if (!fields.contains(name)) {
        String hint = Nearest.hint(name, fields);
        throw Errors.type(
            "__init__() got an unexpected keyword argument '" + name + "' (" + hint + ")");
      }
    }
    Set<String> initOnly = initOnly(self.type());
    List<Value> handedOn = new ArrayList<>();
    for (String name : all) {
      int place = fields.indexOf(name);
      Value given =
          place >= 0 && place < a.rest().size() ? a.rest().get(place) : a.named().get(name);
      if (initOnly.contains(name)) {
        handedOn.add(given != null ? given : otherwise(self, name, call));
      } else if (given != null || place >= 0 || hasDefault(Field.of(self.type(), name))) {
        self.attributes().put(name, given != null ? given : otherwise(self, name, call));
      }
    }
    handedOn.addFirst(self);
    self.type()
        .member("__post_init__")
        .ifPresent(
            hook -> call.interp().call(hook, new Arguments(handedOn, Map.of()), call.span()));
    return Value.NONE;
  }

  /** A field that the constructor doesn't take may be left to {@code __post_init__}. */
  private static boolean hasDefault(Field field) {
    return field.otherwise().isPresent() || field.factory().isPresent();
  }

  private static Value otherwise(InstanceValue self, String name, Call call) {
    Optional<Value> value = self.type().member(name);
    if (value.isPresent() && value.get() instanceof Field field) {
      if (field.factory().isPresent()) {
        return call.interp().call(field.factory().get(), Arguments.of(), call.span());
      }
      value = field.otherwise();
    }
    return value.orElseThrow(
        () -> Errors.type("__init__() missing 1 required positional argument: '" + name + "'"));
  }

  private static String text(InstanceValue self, Interp interp) {
    List<String> parts = new ArrayList<>();
    for (String name : stored(self.type())) {
      if (!Field.of(self.type(), name).shown()) {
        continue;
      }
      Value value = self.attributes().getOrDefault(name, Value.NONE);
      parts.add(name + "=" + interp.repr(value));
    }
    return self.type().name() + "(" + String.join(", ", parts) + ")";
  }

  private static Value equal(InstanceValue self, Value other, Call call) {
    if (!(other instanceof InstanceValue that) || that.type() != self.type()) {
      return Value.FALSE;
    }
    return Value.of(call.interp().equal(compared(self), compared(that)));
  }
}
