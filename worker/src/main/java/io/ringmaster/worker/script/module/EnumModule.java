package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Descriptor;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.CompareOperator;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

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
              NativeFunction.of("auto", "", (a, c) -> new Auto()),
              "unique",
              NativeFunction.of("unique", "cls", (a, c) -> a.get("cls"))));

  private EnumModule() {}

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

  /** {@code auto()}: the next number. */
  private record Auto() implements NativeObject {
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
    List<Value> members = new ArrayList<>();
    for (Map.Entry<String, Value> entry : new LinkedHashMap<>(type.members()).entrySet()) {
      boolean plain =
          !entry.getKey().startsWith("_")
              && !(entry.getValue() instanceof FunctionValue)
              && !(entry.getValue() instanceof Descriptor);
      if (plain) {
        InstanceValue member = new InstanceValue(type);
        member.attributes().put("name", Value.of(entry.getKey()));
        member.attributes().put("_name_", Value.of(entry.getKey()));
        member
            .attributes()
            .put(
                "value",
                entry.getValue() instanceof Auto
                    ? next(type, entry.getKey(), members)
                    : entry.getValue());
        type.members().put(entry.getKey(), member);
        members.add(member);
      }
    }
    type.members().put(ClassValue.ENUM_MEMBERS, ListValue.of(members));
  }

  private static Value next(ClassValue type, String name, List<Value> members) {
    if (type.isSubclassOf(STR_ENUM)) {
      return Value.of(name.toLowerCase(Locale.ROOT));
    }
    Value last = members.isEmpty() ? Value.of(0) : value(members.getLast());
    return last instanceof Value.Int number
        ? new Value.Int(number.value().add(java.math.BigInteger.ONE))
        : Value.of(members.size() + 1);
  }

  /** The member with a value: {@code Mode("hand")}. */
  public static Value ofValue(ClassValue type, List<Value> members, Value wanted, Interp interp) {
    for (Value member : members) {
      if (member instanceof InstanceValue one
          && interp.equal(one.attributes().getOrDefault("value", Value.NONE), wanted)) {
        return member;
      }
    }
    throw Errors.value(interp.repr(wanted) + " is not a valid " + type.name());
  }
}
