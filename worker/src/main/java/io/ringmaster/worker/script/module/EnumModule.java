package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Descriptor;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Signature;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.CompareOperator;
import io.ringmaster.worker.source.Span;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** {@code enum}: classes whose plain members are the only objects of them. */
public final class EnumModule {

  /** What enumerations derive from. */
  public static final ClassValue ENUM =
      new ClassValue(
          "Enum",
          List.of(),
          Map.of(
              "__str__", text("__str__", (m, i) -> m.type().name() + "." + name(m)),
              "__repr__",
                  text(
                      "__repr__",
                      (m, i) ->
                          "<"
                              + m.type().name()
                              + "."
                              + name(m)
                              + ": "
                              + i.repr(m.attributes().getOrDefault("value", Value.NONE))
                              + ">")),
          List.of());

  /** Enumerations whose members count as their values. */
  private static final ClassValue INT_ENUM =
      new ClassValue("IntEnum", List.of(ENUM), numeric(), List.of());

  private static final ClassValue STR_ENUM =
      new ClassValue("StrEnum", List.of(ENUM), textual(), List.of());

  /** What {@code str} and {@code int} beside {@code Enum} make of a class. */
  private static final Map<String, ClassValue> MIXED =
      Map.of(
          "str", new ClassValue("str", List.of(), without(textual()), List.of()),
          "int", new ClassValue("int", List.of(), without(numeric()), List.of()));

  static final ModuleValue MODULE =
      new ModuleValue(
          "enum",
          Map.of(
              "Enum",
              ENUM,
              "IntEnum",
              INT_ENUM,
              "StrEnum",
              STR_ENUM,
              "auto",
              NativeFunction.of("auto", "", (a, c) -> new Auto(Optional.empty())),
              "_pseudo",
              NativeFunction.of("_pseudo", "cls, name, value", (a, c) -> pseudo(a)),
              "unique",
              NativeFunction.of("unique", "cls", (a, c) -> unique(a.get("cls")))));

  /** The member of an enumeration whose members can be combined. */
  private static final String FLAG = "_flag_";

  /** The member with the combinations that were made. */
  private static final String COMPOSITES = "_composites_";

  private static final String BY_NAME = "__members__";

  private EnumModule() {}

  /** Refuses two names for one value. */
  private static Value unique(Value cls) {
    if (cls instanceof ClassValue type) {
      List<String> aliases = new ArrayList<>();
      for (DictValue.Entry entry : byName(type).orElseGet(DictValue::new).entries()) {
        if (entry.value() instanceof InstanceValue one
            && entry.key() instanceof Value.Str name
            && !name(one).equals(name.value())) {
          aliases.add(name.value() + " -> " + name(one));
        }
      }
      if (!aliases.isEmpty()) {
        throw Errors.value(
            "duplicate values found in <enum '"
                + type.name()
                + "'>: "
                + String.join(", ", aliases));
      }
    }
    return cls;
  }

  private static Descriptor text(String name, BiFunction<InstanceValue, Interp, String> text) {
    return new Descriptor(
        Descriptor.Kind.NATIVE,
        NativeFunction.of(
            name,
            "self",
            (a, c) ->
                a.get("self") instanceof InstanceValue member
                    ? Value.of(text.apply(member, c.interp()))
                    : Value.of("<enum>")));
  }

  /** {@code auto()}: a number that isn't known before the class is whole. */
  private static final class Auto implements NativeObject {

    private final Optional<Supplier<Value>> combined;
    private Optional<Value> value = Optional.empty();

    Auto(Optional<Supplier<Value>> combined) {
      this.combined = combined;
    }

    /** The number; {@code fresh} gives it when it is the next one. */
    Value resolved(Supplier<Value> fresh) {
      Value number = value.orElseGet(combined.orElse(fresh));
      value = Optional.of(number);
      return number;
    }

    private static Value resolved(Value part) {
      return part instanceof Auto auto
          ? auto.resolved(
              () -> {
                throw Errors.type("auto() stands before the name that it gives a number");
              })
          : part;
    }

    /** {@code A | B} in the body of a class. */
    @Override
    public Optional<Value> binary(
        BinaryOperator operator, Value other, boolean reflected, Interp interp) {
      return Optional.of(
          new Auto(
              Optional.of(
                  () ->
                      reflected
                          ? interp.binary(operator, resolved(other), resolved(this))
                          : interp.binary(operator, resolved(this), resolved(other)))));
    }

    @Override
    public String typeName() {
      return "auto";
    }

    @Override
    public String repr(Interp interp) {
      return "auto()";
    }
  }

  /** The class that a built-in type stands for among the bases of an enumeration. */
  public static Optional<ClassValue> mixed(String type, boolean withEnum) {
    return withEnum ? Optional.ofNullable(MIXED.get(type)) : Optional.empty();
  }

  /** Beside {@code Enum}, members print as those of any enumeration. */
  private static Map<String, Value> without(Map<String, Value> members) {
    members.remove("__str__");
    return members;
  }

  /** What members that count as their values have in common. */
  private static Map<String, Value> counting() {
    Map<String, Value> members = new LinkedHashMap<>();
    members.put(ClassValue.COUNTS_AS_VALUE, Value.TRUE);
    members.put("__str__", text("__str__", (m, i) -> i.str(value(m))));
    members.put("__eq__", comparison("__eq__", CompareOperator.EQ));
    members.put("__lt__", comparison("__lt__", CompareOperator.LT));
    members.put("__le__", comparison("__le__", CompareOperator.LE));
    members.put("__gt__", comparison("__gt__", CompareOperator.GT));
    members.put("__ge__", comparison("__ge__", CompareOperator.GE));
    return members;
  }

  private static Map<String, Value> textual() {
    Map<String, Value> members = counting();
    members.put("__len__", method("__len__", "self", (a, c) -> Value.of(length(a, c.interp()))));
    return members;
  }

  private static long length(Bound a, Interp interp) {
    return interp.str(value(a.get("self"))).length();
  }

  private static Map<String, Value> numeric() {
    Map<String, Value> members = counting();
    members.put("__int__", method("__int__", "self", (a, c) -> value(a.get("self"))));
    members.put("__index__", method("__index__", "self", (a, c) -> value(a.get("self"))));
    members.put(
        "__bool__",
        method("__bool__", "self", (a, c) -> Value.of(c.interp().truth(value(a.get("self"))))));
    arithmetic(members, "add", BinaryOperator.ADD);
    arithmetic(members, "sub", BinaryOperator.SUBTRACT);
    arithmetic(members, "mul", BinaryOperator.MULTIPLY);
    arithmetic(members, "floordiv", BinaryOperator.FLOOR_DIVIDE);
    arithmetic(members, "mod", BinaryOperator.MODULO);
    return members;
  }

  private static void arithmetic(Map<String, Value> to, String name, BinaryOperator operator) {
    to.put(
        "__" + name + "__",
        method(
            "__" + name + "__",
            "self, other",
            (a, c) -> c.interp().binary(operator, value(a.get("self")), value(a.get("other")))));
    to.put(
        "__r" + name + "__",
        method(
            "__r" + name + "__",
            "self, other",
            (a, c) -> c.interp().binary(operator, value(a.get("other")), value(a.get("self")))));
  }

  private static Descriptor comparison(String name, CompareOperator operator) {
    return method(
        name,
        "self, other",
        (a, c) -> c.interp().compare(operator, value(a.get("self")), value(a.get("other"))));
  }

  private static Descriptor method(String name, String parameters, NativeFunction.Body body) {
    return new Descriptor(Descriptor.Kind.NATIVE, NativeFunction.of(name, parameters, body));
  }

  /** A member's value; anything else is its own. */
  private static Value value(Value member) {
    return member instanceof InstanceValue one && one.type().isSubclassOf(ENUM)
        ? one.attributes().getOrDefault("value", Value.NONE)
        : member;
  }

  private static String name(InstanceValue member) {
    return member.attributes().get("name") instanceof Value.Str name ? name.value() : "";
  }

  /** Makes the plain members of a new class objects of it. */
  public static void finish(ClassValue type) {
    if (!type.isSubclassOf(ENUM)) {
      return;
    }
    boolean isFlag = type.member(FLAG).isPresent();
    List<Value> shown = new ArrayList<>();
    List<Value> all = new ArrayList<>();
    DictValue byName = new DictValue();
    for (Map.Entry<String, Value> entry : new LinkedHashMap<>(type.members()).entrySet()) {
      if (!isPlain(entry)) {
        continue;
      }
      Value value =
          entry.getValue() instanceof Auto auto
              ? auto.resolved(() -> next(type, entry.getKey(), all))
              : entry.getValue();
      Value member =
          all.stream()
              .filter(one -> sameValue(one, value))
              .findFirst()
              .orElseGet(() -> member(type, entry.getKey(), value));
      type.members().put(entry.getKey(), member);
      byName.put(Value.of(entry.getKey()), member);
      boolean isNew = !all.contains(member);
      if (isNew) {
        all.add(member);
      }
      if (isNew && (!isFlag || isOneBit(value))) {
        shown.add(member);
      }
    }
    type.members().put(ClassValue.ENUM_MEMBERS, ListValue.of(shown));
    type.members().put(BY_NAME, byName);
  }

  private static final Signature FUNCTIONAL =
      Signature.of("Enum", "value, names, *, module=, qualname=, type=, start=, boundary=");

  /** {@code Enum("Colour", "RED GREEN")}: an enumeration that is made by a call. */
  public static Value made(ClassValue base, Arguments arguments, Interp interp) {
    Bound a = FUNCTIONAL.bind(arguments, interp.session().budget().here());
    if (byName(base).filter(members -> members.size() > 0).isPresent()) {
      throw Errors.type("<enum '" + base.name() + "'> cannot extend");
    }
    String name = a.string("value");
    long start = a.integer("start", 1);
    Map<String, Value> members = new LinkedHashMap<>();
    for (Value one : listed(a.get("names"), interp)) {
      List<Value> pair = one instanceof Value.Str ? List.of(one) : Iteration.toList(one, interp);
      if (pair.isEmpty() || pair.size() > 2 || !(pair.getFirst() instanceof Value.Str key)) {
        throw Errors.type("names of an enumeration are texts, or pairs of a text and a value");
      }
      Value value =
          pair.size() == 2
              ? pair.getLast()
              : start == 1 ? new Auto(Optional.empty()) : Value.of(start + members.size());
      if (key.value().isEmpty() || key.value().startsWith("_")) {
        throw Errors.value("'" + key.value() + "' can't be the name of a member");
      }
      if (members.put(key.value(), value) != null) {
        throw Errors.type("'" + key.value() + "' already defined as a member of " + name);
      }
    }
    ClassValue type = new ClassValue(name, List.of(base), members, List.of(), Optional.of(interp));
    finish(type);
    return type;
  }

  /** Names, or pairs of a name and a value. */
  private static List<Value> listed(Value names, Interp interp) {
    List<Value> all = new ArrayList<>();
    switch (names) {
      case Value.Str text -> {
        for (String word : text.value().replace(',', ' ').strip().split("\\s+", -1)) {
          all.add(Value.of(word));
        }
      }
      case DictValue dict ->
          dict.entries().forEach(entry -> all.add(TupleValue.of(entry.key(), entry.value())));
      default -> all.addAll(Iteration.toList(names, interp));
    }
    return all;
  }

  private static boolean isPlain(Map.Entry<String, Value> member) {
    return !member.getKey().startsWith("_")
        && !(member.getValue() instanceof FunctionValue)
        && !(member.getValue() instanceof Descriptor);
  }

  private static Value member(ClassValue type, String name, Value value) {
    InstanceValue member = new InstanceValue(type);
    name(member, Value.of(name), value);
    Optional<Value> init = type.member("__init__");
    if (init.isPresent() && type.runner().isPresent()) {
      List<Value> arguments = new ArrayList<>(List.of(member));
      if (value instanceof TupleValue tuple) {
        arguments.addAll(tuple.items());
      } else {
        arguments.add(value);
      }
      Interp interp = type.runner().get();
      interp.call(init.get(), new Arguments(arguments, Map.of()), interp.session().budget().here());
    }
    return member;
  }

  private static void name(InstanceValue member, Value name, Value value) {
    member.attributes().put("name", name);
    member.attributes().put("_name_", name);
    member.attributes().put("value", value);
    member.attributes().put("_value_", value);
  }

  /** Two names with one value are one member. */
  private static boolean sameValue(Value member, Value value) {
    Value other = value(member);
    return switch (value) {
      case Value.Str text -> other.equals(text);
      case Value.Int number -> other instanceof Value.Int o && o.value().equals(number.value());
      case Value.Float number -> other instanceof Value.Float o && o.value() == number.value();
      case Value.Bool truth -> other instanceof Value.Bool o && o.value() == truth.value();
      case TupleValue tuple -> other instanceof TupleValue o && o.items().equals(tuple.items());
      default -> false;
    };
  }

  private static boolean isOneBit(Value value) {
    return value instanceof Value.Int number
        && number.value().signum() > 0
        && number.value().bitCount() == 1;
  }

  private static Value next(ClassValue type, String name, List<Value> members) {
    if (type.isSubclassOf(STR_ENUM)) {
      return Value.of(name.toLowerCase(Locale.ROOT));
    }
    BigInteger highest = BigInteger.ZERO;
    for (Value member : members) {
      if (value(member) instanceof Value.Int number) {
        highest = highest.max(number.value());
      }
    }
    return new Value.Int(
        type.member(FLAG).isPresent()
            ? BigInteger.ONE.shiftLeft(highest.bitLength())
            : highest.add(BigInteger.ONE));
  }

  /** A member that several flags make together; the same flags make the same member. */
  private static Value pseudo(Bound a) {
    ClassValue type = (ClassValue) a.get("cls");
    DictValue made = (DictValue) type.members().computeIfAbsent(COMPOSITES, key -> new DictValue());
    Optional<Value> known = made.get(a.get("value"));
    if (known.isPresent()) {
      return known.get();
    }
    InstanceValue member = new InstanceValue(type);
    name(member, a.get("name"), a.get("value"));
    made.put(a.get("value"), member);
    return member;
  }

  /** All members of an enumeration by name, those that share a value too. */
  public static Optional<DictValue> byName(ClassValue type) {
    return Optional.ofNullable(type.members().get(BY_NAME))
        .filter(DictValue.class::isInstance)
        .map(DictValue.class::cast);
  }

  /** True for a member, and for the value of one. */
  public static boolean contains(ClassValue type, Value wanted, Interp interp) {
    return (wanted instanceof InstanceValue one && one.type().isSubclassOf(ENUM))
        ? one.type() == type
        : find(type, wanted, interp).isPresent();
  }

  private static Optional<Value> find(ClassValue type, Value wanted, Interp interp) {
    for (DictValue.Entry entry : byName(type).orElseGet(DictValue::new).entries()) {
      if (entry.value() instanceof InstanceValue one
          && (one == wanted
              || interp.equal(one.attributes().getOrDefault("value", Value.NONE), wanted))) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }

  /** The member with a value: {@code Mode("hand")}. */
  public static Value ofValue(ClassValue type, Value wanted, Interp interp) {
    Optional<Value> known = find(type, wanted, interp);
    if (known.isPresent()) {
      return known.get();
    }
    Span here = interp.session().budget().here();
    if (type.member("_missing_").isPresent()) {
      Value missing = interp.attribute(type, "_missing_");
      Value made = interp.call(missing, Arguments.of(wanted), here);
      if (made instanceof InstanceValue one && one.type() == type) {
        return made;
      }
    }
    throw Errors.value(interp.repr(wanted) + " is not a valid " + type.name());
  }
}
