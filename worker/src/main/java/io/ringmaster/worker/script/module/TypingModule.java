package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.TypeObject;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code typing} and {@code __future__}: names that mean nothing to the evaluator. */
final class TypingModule {

  static final ModuleValue MODULE = new ModuleValue("typing", names());

  static final ModuleValue FUTURE =
      new ModuleValue("__future__", Map.of("annotations", Value.NONE));

  private TypingModule() {}

  private static Map<String, Value> names() {
    Map<String, Value> names = new HashMap<>();
    for (String name :
        List.of(
            "Any",
            "Callable",
            "ClassVar",
            "Dict",
            "Final",
            "FrozenSet",
            "Generator",
            "Iterable",
            "Iterator",
            "List",
            "Literal",
            "Mapping",
            "NoReturn",
            "Optional",
            "Sequence",
            "Set",
            "Tuple",
            "Type",
            "Union",
            "Annotated",
            "Self",
            "Hashable",
            "Sized")) {
      names.put(name, TypeObject.inert("typing." + name, value -> false));
    }
    names.put("TYPE_CHECKING", Value.FALSE);
    names.put("cast", NativeFunction.of("cast", "type, value", (a, c) -> a.get("value")));
    names.put(
        "TypeVar",
        NativeFunction.of(
            "TypeVar", "name, *bounds", (a, c) -> TypeObject.inert(a.string("name"), v -> false)));
    return names;
  }
}
