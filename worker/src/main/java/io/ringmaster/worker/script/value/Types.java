package io.ringmaster.worker.script.value;

/** Python's names of types. */
public final class Types {

  private Types() {}

  public static String nameOf(Value value) {
    return switch (value) {
      case Value.None none -> "NoneType";
      case Value.Bool bool -> "bool";
      case Value.Int number -> "int";
      case Value.Float number -> "float";
      case Value.Str text -> "str";
      case Value.Ellipsis ellipsis -> "ellipsis";
      case Value.Slice slice -> "slice";
      case Value.Range range -> "range";
      case ListValue list -> "list";
      case TupleValue tuple -> tuple.typeName();
      case DictValue dict -> "dict";
      case SetValue set -> set.frozen() ? "frozenset" : "set";
      case IteratorValue iterator -> iterator.typeName();
      case FunctionValue function -> "function";
      case MethodValue method -> "method";
      case NativeFunction function -> "builtin_function_or_method";
      case ClassValue type -> "type";
      case InstanceValue instance -> instance.type().name();
      case ModuleValue module -> "module";
      case NativeObject object -> object.typeName();
    };
  }
}
