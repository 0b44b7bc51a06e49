package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Descriptor;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.builtin.TypeObject;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code argparse}. */
final class ArgparseModule {

  static final ClassValue NAMESPACE =
      new ClassValue(
          "Namespace",
          List.of(),
          Map.of(
              "__init__",
              method("__init__", "self, **values", ArgparseModule::setAll),
              "__contains__",
              method(
                  "__contains__",
                  "self, key",
                  (a, c) -> Value.of(self(a).attributes().containsKey(a.string("key")))),
              "__eq__",
              method("__eq__", "self, other", ArgparseModule::same),
              "__repr__",
              method("__repr__", "self", (a, c) -> Value.of(repr(a.get("self"), c.interp())))),
          List.of());

  /** What an action of the script derives from. */
  private static final ClassValue ACTION =
      new ClassValue(
          "Action",
          List.of(),
          Map.of(
              "__init__",
              method(
                  "__init__",
                  "self, option_strings=, dest=, nargs=, const=, default=, type=, choices=,"
                      + " required=, help=, metavar=",
                  (a, c) -> {
                    for (String name : List.of("option_strings", "dest", "nargs", "const")) {
                      self(a).attributes().put(name, a.find(name).orElse(Value.NONE));
                    }
                    return Value.NONE;
                  })),
          List.of());

  private static final ClassValue BOOLEAN =
      new ClassValue("BooleanOptionalAction", List.of(ACTION), Map.of(), List.of());

  static final ClassValue TYPE_ERROR =
      new ClassValue("ArgumentTypeError", List.of(Exceptions.EXCEPTION), Map.of(), List.of());

  static final ModuleValue MODULE = new ModuleValue("argparse", members());

  private ArgparseModule() {}

  /** How a parser calls what a class of actions does. */
  static String action(ClassValue type) {
    return type.isSubclassOf(BOOLEAN) ? "boolean" : "custom";
  }

  private static Descriptor method(String name, String parameters, NativeFunction.Body body) {
    return new Descriptor(Descriptor.Kind.NATIVE, NativeFunction.of(name, parameters, body));
  }

  private static InstanceValue self(Bound a) {
    if (a.get("self") instanceof InstanceValue instance) {
      return instance;
    }
    throw Errors.type(a.function() + " needs an instance");
  }

  private static Value same(Bound a, Call call) {
    return Value.of(
        a.get("other") instanceof InstanceValue other
            && other.type().isSubclassOf(NAMESPACE)
            && call.interp().equal(dict(self(a)), dict(other)));
  }

  private static DictValue dict(InstanceValue instance) {
    DictValue dict = new DictValue();
    instance.attributes().forEach((name, value) -> dict.put(Value.of(name), value));
    return dict;
  }

  private static Value setAll(Bound a, Call call) {
    self(a).attributes().putAll(a.named());
    return Value.NONE;
  }

  private static Map<String, Value> members() {
    Map<String, Value> members = new HashMap<>();
    members.put(
        "ArgumentParser",
        NativeFunction.of(
            "ArgumentParser",
            "prog=, usage=, description=, epilog=, formatter_class=, add_help=, allow_abbrev=,"
                + " conflict_handler=, argument_default=, parents=",
            (a, c) -> {
              ArgumentParser made =
                  new ArgumentParser(
                      a.string("prog", programName(c.interp().session().argv().getFirst())),
                      a.string("description", ""),
                      a.string("epilog", ""),
                      a.flag("add_help", true));
              if (a.has("parents")) {
                made.inherit(Iteration.toList(a.get("parents"), c.interp()));
              }
              return made;
            }));
    members.put("Namespace", NAMESPACE);
    members.put("Action", ACTION);
    members.put("BooleanOptionalAction", BOOLEAN);
    members.put("ArgumentTypeError", TYPE_ERROR);
    for (String formatter :
        List.of(
            "HelpFormatter",
            "ArgumentDefaultsHelpFormatter",
            "RawDescriptionHelpFormatter",
            "RawTextHelpFormatter",
            "MetavarTypeHelpFormatter")) {
      members.put(formatter, TypeObject.inert(formatter, value -> false));
    }
    members.put("SUPPRESS", Value.of("==SUPPRESS=="));
    return members;
  }

  private static String programName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private static String repr(Value self, io.ringmaster.worker.script.value.Interp interp) {
    List<String> parts = new ArrayList<>();
    if (self instanceof InstanceValue instance) {
      instance.attributes().forEach((name, value) -> parts.add(name + "=" + interp.repr(value)));
    }
    return "Namespace(" + String.join(", ", parts) + ")";
  }
}
