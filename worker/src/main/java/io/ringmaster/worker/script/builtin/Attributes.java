package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.module.NamedTuples;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.AttributesDict;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.MethodValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Resumable;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** {@code value.name}: read and write. There is no way from a value to the machinery behind it. */
public final class Attributes {

  /** The special names a script may ask for; all others lead to reflection. */
  private static final Set<String> SPECIAL =
      Set.of(
          "__name__",
          "__doc__",
          "__init__",
          "__init_subclass__",
          "__repr__",
          "__str__",
          "__eq__",
          "__len__",
          "__call__",
          "__post_init__",
          "__enter__",
          "__exit__",
          "__version__",
          "__class__",
          "__cause__",
          "__dict__",
          "__wrapped__",
          "__members__",
          "__qualname__");

  private static final MethodTable<Value.Int> INT =
      new MethodTable<Value.Int>()
          .add("bit_length", "", (n, a, c) -> Value.of(n.value().abs().bitLength()))
          .add("bit_count", "", (n, a, c) -> Value.of(n.value().abs().bitCount()))
          .add("is_integer", "", (n, a, c) -> Value.TRUE);

  private static final MethodTable<Value.Float> FLOAT =
      new MethodTable<Value.Float>()
          .add("is_integer", "", (n, a, c) -> Value.of(n.value() == Math.rint(n.value())));

  private Attributes() {}

  /** True for a special name that scripts may not use. */
  public static boolean isForbidden(String name) {
    return name.startsWith("__") && name.endsWith("__") && !SPECIAL.contains(name);
  }

  /** The refusal of a special name. */
  public static DiagnosticException forbidden(String name, Span at) {
    return Errors.refuse(
        "attribute '" + name + "' is not available in scripts",
        name.equals("__dict__")
            ? "objects of classes have it; ask for the attributes of a class or function by name"
            : "scripts have no way to look into objects; use the object's own methods",
        at);
  }

  /** Reads an attribute. */
  public static Value get(Value value, String name, Interp interp, Span at) {
    if (isForbidden(name) || (name.equals("__dict__") && !(value instanceof InstanceValue))) {
      throw forbidden(name, at);
    }
    Optional<Value> found = find(value, name, interp, at);
    if (found.isPresent()) {
      return found.get();
    }
    throw missing(value, name, at);
  }

  /** The refusal to set or to delete what a module has: all scripts of a process share it. */
  public static DiagnosticException unchangeable(ModuleValue module, String name, Span at) {
    return Errors.refuse(
        "module '"
            + module.name()
            + "' can't be changed by a script: '"
            + name
            + "' can be neither set nor deleted there",
        switch (module.name() + "." + name) {
          case "sys.stdout" -> "with contextlib.redirect_stdout(text): takes what is printed";
          case "sys.stderr" -> "with contextlib.redirect_stderr(text): takes what is printed";
          case "sys.argv" -> "hand a parser its arguments: parser.parse_args([...])";
          default -> "use a name of your own instead of " + module.name() + "." + name;
        },
        at);
  }

  private static RuntimeException missing(Value value, String name, Span at) {
    return switch (value) {
      case ModuleValue module ->
          Errors.refuse(
              "module '" + module.name() + "' has no attribute '" + name + "'",
              module.hint(name),
              at);
      case InstanceValue instance ->
          Errors.attribute(
              "'" + instance.type().name() + "' object has no attribute '" + name + "'");
      case ClassValue type ->
          Errors.attribute("type object '" + type.name() + "' has no attribute '" + name + "'");
      case Value.None none -> Errors.attribute("'NoneType' object has no attribute '" + name + "'");
      case FunctionValue function ->
          Errors.attribute("'function' object has no attribute '" + name + "'");
      default ->
          Errors.refuse(
              "'" + Types.nameOf(value) + "' object has no attribute '" + name + "'",
              name,
              names(value),
              at);
    };
  }

  /** Looks for an attribute; empty when there is none or it may not be seen. */
  public static Optional<Value> find(Value value, String name, Interp interp, Span at) {
    if (isForbidden(name)) {
      return Optional.empty();
    }
    return switch (value) {
      case InstanceValue instance when name.equals("__dict__") ->
          Optional.of(new AttributesDict(instance));
      case InstanceValue instance when name.equals("__class__") -> Optional.of(instance.type());
      case TupleValue tuple when name.equals("__class__") && tuple.type().isPresent() ->
          Optional.of(tuple.type().get());
      case ModuleValue module -> Optional.ofNullable(module.members().get(name));
      case NativeObject object when name.equals("__enter__") ->
          Optional.of(NativeFunction.of(name, "", (a, c) -> object.enter(c)));
      case NativeObject object when name.equals("__exit__") ->
          Optional.of(
              NativeFunction.of(
                  name, "*error", (a, c) -> Value.of(object.exit(Optional.empty(), c))));
      case NativeObject object -> object.attribute(name);
      case InstanceValue instance -> ofInstance(instance, name, interp, at);
      case ClassValue type -> ofClass(type, name);
      case Value.Str text -> StrMethods.TABLE.bind(text.value(), name);
      case ListValue list -> ContainerMethods.LIST.bind(list, name);
      case TupleValue tuple when tuple.fields().contains(name) ->
          Optional.of(tuple.items().get(tuple.fields().indexOf(name)));
      case TupleValue tuple when ofType(tuple, name).isPresent() ->
          Optional.of(
              bound(ofType(tuple, name).get(), tuple, tuple.type().orElseThrow(), interp, at));
      case TupleValue tuple when !tuple.fields().isEmpty() && name.startsWith("_") ->
          NamedTuples.attribute(tuple, name);
      case TupleValue tuple when tuple.typeName().equals("torch.Size") && name.equals("numel") ->
          Optional.of(NativeFunction.of("numel", "", (a, c) -> product(tuple)));
      case TupleValue tuple -> ContainerMethods.TUPLE.bind(tuple, name);
      case DictValue dict -> ContainerMethods.DICT.bind(dict, name);
      case SetValue set -> ContainerMethods.SET.bind(set, name);
      case Value.Int number -> INT.bind(number, name);
      case Value.Float number -> FLOAT.bind(number, name);
      case IteratorValue iterator when iterator.items() instanceof Resumable generator ->
          GeneratorMethods.TABLE.bind(generator, name);
      case Value.Range range -> ofRange(range, name);
      case Value.Slice slice -> ofSlice(slice, name);
      case FunctionValue function ->
          Optional.ofNullable(function.attributes().get(name))
              .or(
                  () ->
                      name.equals("__doc__")
                          ? Optional.of(function.documentation())
                          : ofFunction(function.name(), name));
      case MethodValue method -> find(method.function(), name, interp, at);
      case NativeFunction function -> ofFunction(function.name(), name);
      default -> Optional.empty();
    };
  }

  private static Optional<Value> ofType(TupleValue tuple, String name) {
    return tuple.type().flatMap(type -> type.member(name));
  }

  private static Value product(TupleValue size) {
    long total = 1;
    for (Value extent : size.items()) {
      total *= Numbers.whole(extent).orElseThrow().longValue();
    }
    return Value.of(total);
  }

  private static Collection<String> names(Value value) {
    return switch (value) {
      case NativeObject object -> object.attributeNames();
      case Value.Str text -> StrMethods.TABLE.names();
      case ListValue list -> ContainerMethods.LIST.names();
      case TupleValue tuple -> ContainerMethods.TUPLE.names();
      case DictValue dict -> ContainerMethods.DICT.names();
      case SetValue set -> ContainerMethods.SET.names();
      case IteratorValue iterator when iterator.items() instanceof Resumable ->
          GeneratorMethods.TABLE.names();
      default -> List.of();
    };
  }

  private static Optional<Value> ofFunction(String own, String name) {
    return switch (name) {
      case "__name__", "__qualname__" -> Optional.of(Value.of(own));
      case "__doc__" -> Optional.of(Value.NONE);
      default -> Optional.empty();
    };
  }

  private static Optional<Value> ofRange(Value.Range range, String name) {
    return switch (name) {
      case "start" -> Optional.of(Value.of(range.start()));
      case "stop" -> Optional.of(Value.of(range.stop()));
      case "step" -> Optional.of(Value.of(range.step()));
      default -> Optional.empty();
    };
  }

  private static Optional<Value> ofSlice(Value.Slice slice, String name) {
    return switch (name) {
      case "start" -> Optional.of(slice.start());
      case "stop" -> Optional.of(slice.stop());
      case "step" -> Optional.of(slice.step());
      default -> Optional.empty();
    };
  }

  private static Optional<Value> ofInstance(
      InstanceValue instance, String name, Interp interp, Span at) {
    Value own = instance.attributes().get(name);
    if (own != null) {
      return Optional.of(own);
    }
    Optional<Value> member = instance.type().member(name);
    if (member.isPresent()) {
      return Optional.of(bound(member.get(), instance, instance.type(), interp, at));
    }
    if (instance.type().isSubclassOf(Exceptions.BASE_EXCEPTION)) {
      return ofException(instance, name);
    }
    return instance
        .countsAs()
        .flatMap(value -> find(value, name, interp, at))
        .or(
            () ->
                instance
                    .type()
                    .member("__getattr__")
                    .flatMap(get -> made(get, instance, name, interp, at)));
  }

  /** What a class's own {@code __getattr__} gives; empty when it says that there is none. */
  private static Optional<Value> made(
      Value get, InstanceValue instance, String name, Interp interp, Span at) {
    try {
      return Optional.of(interp.call(get, Arguments.of(instance, Value.of(name)), at));
    } catch (PyError error) {
      if (error.is(Exceptions.ATTRIBUTE_ERROR)) {
        return Optional.empty();
      }
      throw error;
    }
  }

  private static Optional<Value> ofException(InstanceValue exception, String name) {
    return switch (name) {
      case "add_note", "with_traceback" ->
          Optional.of(NativeFunction.of(name, "value", (a, c) -> exception));
      case "__cause__" -> Optional.of(Value.NONE);
      case "__init__" ->
          Optional.of(
              NativeFunction.of(
                  "__init__",
                  "*args",
                  (a, c) -> {
                    exception.attributes().put("args", new TupleValue(a.rest()));
                    return Value.NONE;
                  }));
      default -> Optional.empty();
    };
  }

  /** A class member as seen from an instance. */
  public static Value bound(Value member, Value self, ClassValue type, Interp interp, Span at) {
    return switch (member) {
      case FunctionValue function -> new MethodValue(self, function);
      case Descriptor descriptor ->
          switch (descriptor.kind()) {
            case PROPERTY -> interp.call(descriptor.function(), Arguments.of(self), at);
            case STATIC -> descriptor.function();
            case CLASS -> onClass(descriptor, type);
            case NATIVE -> onInstance(descriptor, self);
          };
      default -> member;
    };
  }

  private static Value onInstance(Descriptor descriptor, Value self) {
    return NativeFunction.of(
        "method",
        "*values, **named",
        (a, c) -> {
          List<Value> values = new ArrayList<>(a.rest());
          values.addFirst(self);
          return c.interp().call(descriptor.function(), new Arguments(values, a.named()), c.span());
        });
  }

  private static Value onClass(Descriptor descriptor, ClassValue type) {
    return descriptor.function() instanceof FunctionValue function
        ? new MethodValue(type, function)
        : descriptor.function();
  }

  private static Optional<Value> ofClass(ClassValue type, String name) {
    if (name.equals("__name__") || name.equals("__qualname__")) {
      return Optional.of(Value.of(type.name()));
    }
    return type.member(name)
        .map(
            member ->
                member instanceof Descriptor descriptor
                    ? switch (descriptor.kind()) {
                      case PROPERTY -> descriptor;
                      case STATIC, NATIVE -> descriptor.function();
                      case CLASS -> onClass(descriptor, type);
                    }
                    : member);
  }

  /** Writes an attribute. */
  public static void set(Value value, String name, Value to, Interp interp, Span at) {
    if (isForbidden(name)) {
      throw forbidden(name, at);
    }
    interp.session().budget().objects(Sequences.ELEMENT_BYTES);
    switch (value) {
      case InstanceValue instance when instance.type().member(ClassValue.FROZEN).isPresent() ->
          throw Errors.frozen("cannot assign to field '" + name + "'");
      case InstanceValue instance
          when instance.type().member(name).orElse(Value.NONE) instanceof Descriptor property
              && property.setter().isPresent() ->
          interp.call(property.setter().get(), Arguments.of(instance, to), at);
      case FunctionValue function -> function.attributes().put(name, to);
      case InstanceValue instance -> {
        if (instance.type().member(name).filter(Descriptor.class::isInstance).isPresent()) {
          throw Errors.attribute(
              "property '" + name + "' of '" + instance.type().name() + "' object has no setter");
        }
        instance.attributes().put(name, to);
      }
      case ClassValue type when !Exceptions.all().containsValue(type) ->
          type.members().put(name, to);
      case NativeObject object -> object.setAttribute(name, to);
      case ModuleValue module -> throw unchangeable(module, name, at);
      default ->
          throw Errors.attribute(
              "'" + Types.nameOf(value) + "' object has no attribute '" + name + "'");
    }
  }

  /** {@code getattr(object, name[, default])}. */
  static Value getattr(Bound a, Call call) {
    Value object = a.get("object");
    String name = a.string("name");
    Optional<Value> otherwise = a.find("default");
    if (otherwise.isEmpty()) {
      return get(object, name, call.interp(), call.span());
    }
    return tried(object, name, call).orElse(otherwise.get());
  }

  /** {@code hasattr(object, name)}. */
  static boolean hasattr(Bound a, Call call) {
    return tried(a.get("object"), a.string("name"), call).isPresent();
  }

  /** An attribute; one whose own code says that there is none is none. */
  private static Optional<Value> tried(Value object, String name, Call call) {
    try {
      return find(object, name, call.interp(), call.span());
    } catch (PyError error) {
      if (error.is(Exceptions.ATTRIBUTE_ERROR)) {
        return Optional.empty();
      }
      throw error;
    }
  }
}
