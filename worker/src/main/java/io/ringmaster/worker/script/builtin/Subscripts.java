package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.module.EnumModule;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import java.util.List;
import java.util.Optional;

/** {@code value[index]}: read, write, delete. */
public final class Subscripts {

  private Subscripts() {}

  public static Value item(Value value, Value index, Interp interp) {
    if (value instanceof DictValue dict) {
      Lookups.note(dict, index, interp);
      return dict.get(index).orElseGet(() -> missing(dict, index, interp));
    }
    if (value instanceof NativeObject object) {
      return object.item(index, interp);
    }
    // Subscripted classes stand in annotations: list[int].
    if (value instanceof ClassValue type) {
      if (type.enumMembers().isPresent() && index instanceof Value.Str name) {
        return EnumModule.byName(type)
            .flatMap(members -> members.get(name))
            .orElseThrow(() -> Errors.of(Exceptions.KEY_ERROR, name.value()));
      }
      return type;
    }
    Optional<Value> own = Operators.special(value, "__getitem__");
    if (own.isPresent()) {
      return interp.call(own.get(), Arguments.of(value, index), interp.session().budget().here());
    }
    return Sequences.item(value, index, interp.session().budget());
  }

  private static Value missing(DictValue dict, Value index, Interp interp) {
    Value factory = dict.factory().orElseThrow(() -> keyError(index));
    Value made = interp.call(factory, Arguments.of(), interp.session().budget().here());
    dict.put(index, made);
    return made;
  }

  public static void setItem(Value value, Value index, Value item, Interp interp) {
    Optional<Value> own = Operators.special(value, "__setitem__");
    if (own.isPresent()) {
      interp.call(own.get(), Arguments.of(value, index, item), interp.session().budget().here());
      return;
    }
    switch (value) {
      case DictValue dict -> {
        int parts = index instanceof TupleValue key ? key.items().size() : 0;
        interp.session().budget().objects((1L + parts) * Sequences.ELEMENT_BYTES);
        dict.put(index, item);
      }
      case NativeObject object -> object.setItem(index, item, interp);
      case ListValue list ->
          Sequences.setItem(
              list,
              index,
              item,
              index instanceof Value.Slice ? Iteration.toList(item, interp) : List.of());
      default ->
          throw Errors.type(
              "'" + Types.nameOf(value) + "' object does not support item assignment");
    }
  }

  public static void delete(Value value, Value index) {
    switch (value) {
      case DictValue dict -> {
        if (dict.remove(index).isEmpty()) {
          throw keyError(index);
        }
      }
      case ListValue list -> Sequences.deleteItem(list, index);
      default ->
          throw Errors.type("'" + Types.nameOf(value) + "' object doesn't support item deletion");
    }
  }

  public static PyError keyError(Value key) {
    return new PyError(Exceptions.make(Exceptions.KEY_ERROR, List.of(key)));
  }
}
