package io.ringmaster.worker.script.value;

import io.ringmaster.worker.source.Expr;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** An object written in Java; what it doesn't override, it can't do. */
public non-sealed interface NativeObject extends Value {

  /** Python's name of its type. */
  String typeName();

  /** An attribute or bound method; empty when there is none. */
  default Optional<Value> attribute(String name) {
    return Optional.empty();
  }

  /** What {@link #attribute} knows, to name the nearest. */
  default Collection<String> attributeNames() {
    return List.of();
  }

  default void setAttribute(String name, Value value) {
    throw Errors.attribute("'" + typeName() + "' object attribute '" + name + "' is read-only");
  }

  /** True for what {@code callable} takes. */
  default boolean isCallable() {
    return false;
  }

  default Value call(Arguments arguments, Call call) {
    throw Errors.type("'" + typeName() + "' object is not callable");
  }

  /** A binary operator with this object on the left, or on the right when {@code reflected}. */
  default Optional<Value> binary(
      Expr.BinaryOperator operator, Value other, boolean reflected, Interp interp) {
    return Optional.empty();
  }

  /** An augmented assignment; empty to fall back to {@link #binary}. */
  default Optional<Value> inPlace(Expr.BinaryOperator operator, Value other, Interp interp) {
    return Optional.empty();
  }

  /** A comparison with this object on the left; empty when it doesn't know the other. */
  default Optional<Value> compare(Expr.CompareOperator operator, Value other, Interp interp) {
    return Optional.empty();
  }

  default Value unary(Expr.UnaryOperator operator, Interp interp) {
    throw Errors.type(
        "bad operand type for unary " + operator.spelling() + ": '" + typeName() + "'");
  }

  /** The numbers that it holds, in order; empty for something else, and for more than so many. */
  default Optional<double[]> numbers(int most) {
    return Optional.empty();
  }

  default boolean truth(Interp interp) {
    return true;
  }

  /** The truth value as the script sees it in an assert; may carry a claim. */
  default Value.Bool truthValue(Interp interp) {
    return Value.of(truth(interp));
  }

  default Value item(Value index, Interp interp) {
    throw Errors.type("'" + typeName() + "' object is not subscriptable");
  }

  default void setItem(Value index, Value value, Interp interp) {
    throw Errors.type("'" + typeName() + "' object does not support item assignment");
  }

  default Iterator<Value> iterate(Interp interp) {
    throw Errors.type("'" + typeName() + "' object is not iterable");
  }

  default long length() {
    throw Errors.type("object of type '" + typeName() + "' has no len()");
  }

  /** {@code len(...)} as the script sees it; may remember where the number stems from. */
  default Value lengthValue() {
    return Value.of(length());
  }

  default boolean contains(Value value, Interp interp) {
    throw Errors.type("argument of type '" + typeName() + "' is not iterable");
  }

  /** {@code with object as value}: called on entry. */
  default Value enter(Call call) {
    throw Errors.type("'" + typeName() + "' object does not support the context manager protocol");
  }

  default void exit() {}

  /**
   * {@code with object}: called on leaving.
   *
   * @return true to swallow the exception
   */
  default boolean exit(Optional<PyError> error, Call call) {
    exit();
    return false;
  }

  /** Its value where a whole number is asked for; empty when it is none. */
  default Optional<Long> asIndex() {
    return Optional.empty();
  }

  /** Its value where a number is asked for; empty when it is none. */
  default Optional<Double> asNumber() {
    return Optional.empty();
  }

  /** The number it holds, for {@code int(...)} and {@code float(...)}; empty when it is none. */
  default Optional<Value> scalar(Interp interp) {
    return Optional.empty();
  }

  String repr(Interp interp);

  default String str(Interp interp) {
    return repr(interp);
  }

  /** What stands for it as a dict key; empty for its identity. */
  default Optional<Object> key() {
    return Optional.empty();
  }
}
