package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.TypeObject;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code typing} and {@code __future__}: names that mean nothing to the evaluator. */
public final class TypingModule {

  /** What a protocol or a generic class derives from: a class without members. */
  private static final ClassValue BASE = new ClassValue("Generic", List.of(), Map.of(), List.of());

  /** What the class of a dict with known keys derives from. */
  static final TypeObject TYPED_DICT =
      TypeObject.inert("typing.TypedDict", DictValue.class::isInstance);

  static final ModuleValue MODULE = new ModuleValue("typing", names());

  static final ModuleValue FUTURE =
      new ModuleValue("__future__", Map.of("annotations", Value.NONE));

  /** Ends the name of each such class, so that one can derive from it, too. */
  private static final String TYPED = ".TypedDict";

  private TypingModule() {}

  /** {@code collections.abc}. */
  static final ModuleValue ABSTRACT = new ModuleValue("collections.abc", abstractNames());

  private static Map<String, Value> abstractNames() {
    Map<String, Value> names = new HashMap<>();
    for (String name :
        List.of(
            "Callable",
            "Collection",
            "Container",
            "Generator",
            "Hashable",
            "Iterable",
            "Iterator",
            "Mapping",
            "MutableMapping",
            "MutableSequence",
            "Sequence",
            "Set",
            "Sized")) {
      names.put(name, TypeObject.inert("collections.abc." + name, AbstractTypes.of(name)));
    }
    return names;
  }

  /** True for {@code TypedDict} and for what was made of it. */
  public static boolean isTypedDict(Value base) {
    return base instanceof TypeObject type && type.name().endsWith(TYPED);
  }

  /** A class that derives from {@code TypedDict}: calling it makes a plain dict. */
  public static TypeObject typedDict(String name) {
    return TypeObject.of(
        name + TYPED,
        "**named",
        (a, c) -> {
          DictValue dict = new DictValue();
          a.named().forEach((key, value) -> dict.put(Value.of(key), value));
          return dict;
        },
        DictValue.class::isInstance);
  }

  private static Value identity() {
    return NativeFunction.of("NewType", "value", (a, c) -> a.get("value"));
  }

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
            "Sized",
            "Text",
            "Never",
            "Deque",
            "DefaultDict",
            "Counter",
            "OrderedDict",
            "Collection",
            "Container",
            "MutableMapping",
            "MutableSequence",
            "TypeAlias",
            "SupportsFloat",
            "SupportsInt",
            "AnyStr",
            "Concatenate",
            "ParamSpec",
            "Required",
            "NotRequired",
            "ContextManager",
            "IO",
            "TextIO",
            "TypeGuard",
            "Unpack",
            "LiteralString")) {
      names.put(name, TypeObject.inert("typing." + name, AbstractTypes.of(name)));
    }
    names.put("NamedTuple", NamedTuples.BASE);
    names.put("Protocol", BASE);
    names.put("Generic", BASE);
    names.put("TypedDict", TYPED_DICT);
    names.put(
        "runtime_checkable",
        NativeFunction.of(
            "runtime_checkable",
            "cls",
            (a, c) -> {
              if (a.get("cls") instanceof ClassValue type) {
                type.members().put(ClassValue.PROTOCOL, Value.TRUE);
              }
              return a.get("cls");
            }));
    names.put("final", NativeFunction.of("final", "f", (a, c) -> a.get("f")));
    names.put("override", NativeFunction.of("override", "f", (a, c) -> a.get("f")));
    names.put("overload", NativeFunction.of("overload", "f", (a, c) -> a.get("f")));
    names.put("NewType", NativeFunction.of("NewType", "name, tp", (a, c) -> identity()));
    names.put("TYPE_CHECKING", Value.FALSE);
    names.put("cast", NativeFunction.of("cast", "type, value", (a, c) -> a.get("value")));
    names.put(
        "TypeVar",
        NativeFunction.of(
            "TypeVar", "name, *bounds", (a, c) -> TypeObject.inert(a.string("name"), v -> false)));
    return names;
  }
}
