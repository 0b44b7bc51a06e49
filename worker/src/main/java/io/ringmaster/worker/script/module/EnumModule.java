package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Descriptor;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  static final ModuleValue MODULE =
      new ModuleValue(
          "enum",
          Map.of(
              "Enum", ENUM, "unique", NativeFunction.of("unique", "cls", (a, c) -> a.get("cls"))));

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
        member.attributes().put("value", entry.getValue());
        type.members().put(entry.getKey(), member);
        members.add(member);
      }
    }
    type.members().put(ClassValue.ENUM_MEMBERS, ListValue.of(members));
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
