package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Builtins;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Resumable;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import java.util.function.Predicate;

/** Which values the abstract types of {@code typing} and {@code collections.abc} take. */
final class AbstractTypes {

  private AbstractTypes() {}

  static Predicate<Value> of(String name) {
    return switch (name) {
      case "Callable" -> Builtins::isCallable;
      case "Sequence" -> value -> isSequence(value) || has(value, ClassValue.SEQUENCE);
      case "MutableSequence" ->
          value -> value instanceof ListValue || has(value, ClassValue.SEQUENCE);
      case "Mapping", "MutableMapping" -> AbstractTypes::isMapping;
      case "Set" -> value -> value instanceof SetValue;
      case "Sized", "Collection" -> value -> isCollection(value) || has(value, "__len__");
      case "Container" -> value -> isCollection(value) || has(value, "__contains__");
      case "Iterable" ->
          value -> isCollection(value) || value instanceof IteratorValue || has(value, "__iter__");
      case "Iterator" -> value -> value instanceof IteratorValue || has(value, "__next__");
      case "Generator" ->
          value -> value instanceof IteratorValue it && it.items() instanceof Resumable;
      case "List" -> ListValue.class::isInstance;
      case "Dict", "DefaultDict" -> DictValue.class::isInstance;
      case "Tuple" -> TupleValue.class::isInstance;
      default -> value -> false;
    };
  }

  private static boolean isSequence(Value value) {
    return value instanceof ListValue
        || value instanceof TupleValue
        || value instanceof Value.Str
        || value instanceof Value.Range;
  }

  private static boolean isMapping(Value value) {
    return value instanceof DictValue || has(value, ClassValue.MAPPING);
  }

  private static boolean isCollection(Value value) {
    return isSequence(value)
        || isMapping(value)
        || value instanceof SetValue
        || (value instanceof NativeObject object && object.typeName().equals("Tensor"));
  }

  private static boolean has(Value value, String member) {
    return value instanceof InstanceValue one && one.type().member(member).isPresent();
  }
}
