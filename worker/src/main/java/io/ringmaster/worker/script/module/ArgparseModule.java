package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Descriptor;
import io.ringmaster.worker.script.builtin.TypeObject;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** {@code argparse}. */
final class ArgparseModule {

  static final ClassValue NAMESPACE =
      new ClassValue(
          "Namespace",
          List.of(),
          Map.of(
              "__repr__",
              new Descriptor(
                  Descriptor.Kind.NATIVE,
                  NativeFunction.of(
                      "__repr__", "self", (a, c) -> Value.of(repr(a.get("self"), c.interp()))))),
          List.of());

  static final ClassValue TYPE_ERROR =
      new ClassValue("ArgumentTypeError", List.of(Exceptions.EXCEPTION), Map.of(), List.of());

  static final ModuleValue MODULE = new ModuleValue("argparse", members());

  private ArgparseModule() {}

  private static Map<String, Value> members() {
    Map<String, Value> members = new HashMap<>();
    members.put(
        "ArgumentParser",
        NativeFunction.of(
            "ArgumentParser",
            "prog=, usage=, description=, epilog=, formatter_class=, add_help=, allow_abbrev=,"
                + " conflict_handler=, argument_default=",
            (a, c) ->
                new ArgumentParser(
                    a.string("prog", programName(c.interp().session().argv().getFirst())),
                    a.string("description", ""),
                    a.string("epilog", ""),
                    a.flag("add_help", true))));
    members.put("Namespace", NAMESPACE);
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
      new TreeMap<>(instance.attributes())
          .forEach((name, value) -> parts.add(name + "=" + interp.repr(value)));
    }
    return "Namespace(" + String.join(", ", parts) + ")";
  }
}
