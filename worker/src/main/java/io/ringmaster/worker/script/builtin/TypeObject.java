package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A built-in type: calling it converts, {@code isinstance} asks it.
 *
 * @param constructor what a call does; empty for a type that can't be called
 * @param members attributes of the type itself, such as {@code str.upper}
 */
public record TypeObject(
    String name,
    Optional<NativeFunction> constructor,
    Predicate<Value> holds,
    java.util.function.Function<String, Optional<Value>> members)
    implements NativeObject {

  public static TypeObject of(
      String name, String parameters, NativeFunction.Body body, Predicate<Value> holds) {
    return new TypeObject(
        name,
        Optional.of(NativeFunction.of(name, parameters, body)),
        holds,
        member -> Optional.empty());
  }

  /** A type that only stands in annotations and {@code isinstance}. */
  public static TypeObject inert(String name, Predicate<Value> holds) {
    return new TypeObject(name, Optional.empty(), holds, member -> Optional.empty());
  }

  /** The same with attributes of the type itself. */
  public TypeObject with(java.util.function.Function<String, Optional<Value>> more) {
    return new TypeObject(name, constructor, holds, more);
  }

  @Override
  public String typeName() {
    return "type";
  }

  @Override
  public Value call(Arguments arguments, Call call) {
    if (constructor.isEmpty()) {
      throw Errors.refuse("'" + name + "' can't be called here", "", call.span());
    }
    NativeFunction make = constructor.get();
    return make.body().apply(make.signature().bind(arguments, call.span()), call);
  }

  @Override
  public Optional<Value> attribute(String wanted) {
    return wanted.equals("__name__") ? Optional.of(Value.of(name)) : members.apply(wanted);
  }

  /** {@code list[int]} in an annotation is the type itself. */
  @Override
  public Value item(Value index, Interp interp) {
    return this;
  }

  /** {@code int | None} in an annotation. */
  @Override
  public Optional<Value> binary(
      Expr.BinaryOperator operator, Value other, boolean reflected, Interp interp) {
    return operator == Expr.BinaryOperator.BIT_OR ? Optional.of(this) : Optional.empty();
  }

  @Override
  public String repr(Interp interp) {
    return "<class '" + name + "'>";
  }

  @Override
  public Optional<Object> key() {
    return Optional.of("type " + name);
  }
}
