package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** {@code str} and {@code repr} of any value. */
public final class Renderer {

  private static final int MAX_NESTING = 100;

  private final Interp interp;
  private final Budget budget;
  private final Deque<Value> open = new ArrayDeque<>();

  public Renderer(Interp interp) {
    this.interp = interp;
    this.budget = interp.session().budget();
  }

  public String str(Value value) {
    return switch (value) {
      case Value.Str text -> text.value();
      case NativeObject object -> object.str(interp);
      case InstanceValue instance -> instanceStr(instance);
      default -> repr(value);
    };
  }

  public String repr(Value value) {
    budget.step();
    String text =
        switch (value) {
          case Value.None none -> "None";
          case Value.Bool _, Value.Int _, Value.Float _ -> number(value);
          case Value.Str string -> Texts.quoted(string.value());
          case Value.Ellipsis ellipsis -> "Ellipsis";
          case Value.Slice slice ->
              "slice("
                  + repr(slice.start())
                  + ", "
                  + repr(slice.stop())
                  + ", "
                  + repr(slice.step())
                  + ")";
          case Value.Range range ->
              "range("
                  + range.start()
                  + ", "
                  + range.stop()
                  + (range.step() == 1 ? "" : ", " + range.step())
                  + ")";
          case ListValue list -> nested(list, "[", list.items(), "]");
          case TupleValue tuple -> tuple(tuple);
          case DictValue dict -> dict(dict);
          case SetValue set -> set(set);
          case IteratorValue iterator -> "<" + iterator.typeName() + " object>";
          case FunctionValue function -> "<function " + function.name() + ">";
          case MethodValue method -> "<bound method " + method.function().name() + ">";
          case NativeFunction function -> "<built-in function " + function.name() + ">";
          case ClassValue type -> "<class '" + type.name() + "'>";
          case ModuleValue module -> "<module '" + module.name() + "'>";
          case InstanceValue instance -> instanceRepr(instance);
          case NativeObject object -> object.repr(interp);
        };
    budget.text(text.length());
    return text;
  }

  /** A number, or a truth value, as Python writes it. */
  static String number(Value value) {
    return switch (value) {
      case Value.Bool bool -> bool.value() ? "True" : "False";
      case Value.Int number -> number.value().toString();
      case Value.Float number -> Texts.floatRepr(number.value());
      default -> throw new IllegalArgumentException("not a number: " + value);
    };
  }

  private String tuple(TupleValue tuple) {
    if (!tuple.fields().isEmpty()) {
      boolean ofScript = tuple.type().isPresent();
      String separator = ofScript ? ", " : ",\n";
      StringBuilder out = new StringBuilder(tuple.typeName()).append(ofScript ? "(" : "(\n");
      for (int i = 0; i < tuple.items().size(); i++) {
        out.append(tuple.fields().get(i)).append('=').append(repr(tuple.items().get(i)));
        out.append(i + 1 < tuple.items().size() ? separator : ")");
      }
      return out.toString();
    }
    if (tuple.typeName().equals("torch.Size")) {
      return "torch.Size(" + nested(tuple, "[", tuple.items(), "]") + ")";
    }
    return nested(tuple, "(", tuple.items(), tuple.items().size() == 1 ? ",)" : ")");
  }

  private String dict(DictValue dict) {
    if (!enter(dict)) {
      return "{...}";
    }
    StringBuilder out = new StringBuilder("{");
    // A copy, because the __repr__ of what is in it may change the dict.
    List<DictValue.Entry> entries = new ArrayList<>(dict.size());
    dict.entries().forEach(entries::add);
    for (DictValue.Entry entry : entries) {
      out.append(out.length() > 1 ? ", " : "");
      out.append(repr(entry.key())).append(": ").append(repr(entry.value()));
      budget.room(out.length());
    }
    open.pop();
    return out.append("}").toString();
  }

  private String set(SetValue set) {
    if (set.size() == 0) {
      return set.frozen() ? "frozenset()" : "set()";
    }
    List<Value> items = new ArrayList<>(set.size());
    set.items().forEach(items::add);
    String body = nested(set, "{", items, "}");
    return set.frozen() ? "frozenset(" + body + ")" : body;
  }

  private String nested(Value owner, String start, List<Value> items, String end) {
    if (!enter(owner)) {
      return start + "..." + end;
    }
    StringBuilder out = new StringBuilder(start);
    // By place: the __repr__ of what is in a list may change the list.
    for (int i = 0; i < items.size(); i++) {
      out.append(i == 0 ? "" : ", ").append(repr(items.get(i)));
      budget.room(out.length());
    }
    open.pop();
    return out.append(end).toString();
  }

  @SuppressWarnings("ReferenceEquality") // A list inside itself, not inside its equal.
  private boolean enter(Value owner) {
    for (Value at : open) {
      if (at == owner) {
        return false;
      }
    }
    if (open.size() >= MAX_NESTING) {
      throw Errors.of(
          Exceptions.RECURSION_ERROR, "more than " + MAX_NESTING + " nested values to show");
    }
    open.push(owner);
    return true;
  }

  private String instanceStr(InstanceValue instance) {
    Optional<Value> own = instance.type().member("__str__");
    if (own.isPresent()) {
      return text(instance, own.get(), "__str__");
    }
    if (!instance.type().isSubclassOf(Exceptions.BASE_EXCEPTION)) {
      return repr(instance);
    }
    var arguments = Exceptions.arguments(instance);
    if (arguments.isEmpty()) {
      return "";
    }
    if (arguments.size() > 1) {
      return repr(new TupleValue(arguments));
    }
    return instance.type().isSubclassOf(Exceptions.KEY_ERROR)
        ? repr(arguments.getFirst())
        : str(arguments.getFirst());
  }

  private String instanceRepr(InstanceValue instance) {
    Optional<Value> own = instance.type().member("__repr__");
    if (own.isPresent()) {
      return text(instance, own.get(), "__repr__");
    }
    if (!instance.type().isSubclassOf(Exceptions.BASE_EXCEPTION)) {
      return "<" + instance.type().name() + " object>";
    }
    var arguments = Exceptions.arguments(instance);
    return instance.type().name() + nested(instance, "(", arguments, ")");
  }

  private String text(InstanceValue self, Value method, String name) {
    Value result = interp.call(method, Arguments.of(self), budget.here());
    if (result instanceof Value.Str string) {
      return string.value();
    }
    throw Errors.type(name + " returned non-string (type " + Types.nameOf(result) + ")");
  }
}
