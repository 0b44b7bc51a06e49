package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.check.Facts;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.UnaryOperator;
import io.ringmaster.worker.source.Span;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/** Arithmetic operators on any two values. */
public final class Operators {

  private Operators() {}

  public static Value binary(BinaryOperator operator, Value left, Value right, Interp interp) {
    Budget budget = interp.session().budget();
    Optional<Value> result = Numbers.binary(operator, left, right, budget);
    if (result.isEmpty() && left instanceof NativeObject object) {
      result = object.binary(operator, right, false, interp);
    }
    if (result.isEmpty() && right instanceof NativeObject object) {
      result = object.binary(operator, left, true, interp);
    }
    if (result.isEmpty()) {
      result = byMethod(operator, left, right, interp);
    }
    if (result.isEmpty() && operator == BinaryOperator.MODULO && left instanceof Value.Str text) {
      result = Optional.of(Value.of(Percent.format(text.value(), right, interp)));
    }
    if (result.isEmpty()) {
      result = Sequences.binary(operator, left, right, budget);
    }
    if (result.isEmpty()) {
      result = sets(operator, left, right, budget);
    }
    return result.orElseThrow(() -> unsupported(operator, left, right));
  }

  private static RuntimeException unsupported(BinaryOperator operator, Value left, Value right) {
    if (operator == BinaryOperator.ADD) {
      if (left instanceof Value.Str) {
        return Errors.type("can only concatenate str (not \"" + Types.nameOf(right) + "\") to str");
      }
      if (left instanceof ListValue) {
        return Errors.type(
            "can only concatenate list (not \"" + Types.nameOf(right) + "\") to list");
      }
    }
    if (operator == BinaryOperator.MULTIPLY
        && (left instanceof Value.Str || left instanceof ListValue || left instanceof TupleValue)) {
      return Errors.type(
          "can't multiply sequence by non-int of type '" + Types.nameOf(right) + "'");
    }
    String spelling = operator == BinaryOperator.POWER ? "** or pow()" : operator.spelling();
    return Errors.type(
        "unsupported operand type(s) for "
            + spelling
            + ": '"
            + Types.nameOf(left)
            + "' and '"
            + Types.nameOf(right)
            + "'");
  }

  private static Optional<Value> sets(
      BinaryOperator operator, Value left, Value right, Budget budget) {
    if (left instanceof DictValue a
        && right instanceof DictValue b
        && operator == BinaryOperator.BIT_OR) {
      budget.objects((a.size() + (long) b.size()) * Sequences.ELEMENT_BYTES * 2);
      DictValue merged = new DictValue();
      a.entries().forEach(entry -> merged.put(entry.key(), entry.value()));
      b.entries().forEach(entry -> merged.put(entry.key(), entry.value()));
      return Optional.of(merged);
    }
    if (!(left instanceof SetValue a && right instanceof SetValue b)) {
      return Optional.empty();
    }
    budget.objects((a.size() + (long) b.size()) * Sequences.ELEMENT_BYTES);
    SetValue result = new SetValue(a.frozen());
    switch (operator) {
      case BIT_OR -> {
        a.items().forEach(result::add);
        b.items().forEach(result::add);
      }
      case BIT_AND -> a.items().forEach(item -> addIf(result, item, b.contains(item)));
      case SUBTRACT -> a.items().forEach(item -> addIf(result, item, !b.contains(item)));
      case BIT_XOR -> {
        a.items().forEach(item -> addIf(result, item, !b.contains(item)));
        b.items().forEach(item -> addIf(result, item, !a.contains(item)));
      }
      case ADD,
          MULTIPLY,
          DIVIDE,
          FLOOR_DIVIDE,
          MODULO,
          POWER,
          MATRIX_MULTIPLY,
          SHIFT_LEFT,
          SHIFT_RIGHT -> {
        return Optional.empty();
      }
    }
    return Optional.of(result);
  }

  private static void addIf(SetValue set, Value item, boolean wanted) {
    if (wanted) {
      set.add(item);
    }
  }

  private static Optional<Value> byMethod(
      BinaryOperator operator, Value left, Value right, Interp interp) {
    String name =
        switch (operator) {
          case ADD -> "add";
          case SUBTRACT -> "sub";
          case MULTIPLY -> "mul";
          case DIVIDE -> "truediv";
          case FLOOR_DIVIDE -> "floordiv";
          case MODULO -> "mod";
          case POWER -> "pow";
          case MATRIX_MULTIPLY -> "matmul";
          case SHIFT_LEFT -> "lshift";
          case SHIFT_RIGHT -> "rshift";
          case BIT_AND -> "and";
          case BIT_OR -> "or";
          case BIT_XOR -> "xor";
        };
    Optional<Value> own = special(left, "__" + name + "__");
    Span here = interp.session().budget().here();
    Optional<Value> answer =
        own.map(method -> interp.call(method, Arguments.of(left, right), here))
            .flatMap(NotImplementedValue::answer);
    if (answer.isPresent()) {
      return answer;
    }
    Optional<Value> reflected = special(right, "__r" + name + "__");
    return reflected
        .map(method -> interp.call(method, Arguments.of(right, left), here))
        .flatMap(NotImplementedValue::answer);
  }

  /** A special method that a class of the script defines. */
  public static Optional<Value> special(Value value, String name) {
    return value instanceof InstanceValue instance
        ? instance.type().member(name)
        : Optional.empty();
  }

  /** {@code target op= value}: lists, sets, dicts and native objects change in place. */
  public static Value inPlace(BinaryOperator operator, Value target, Value value, Interp interp) {
    Budget budget = interp.session().budget();
    if (target instanceof NativeObject object) {
      Optional<Value> result = object.inPlace(operator, value, interp);
      if (result.isPresent()) {
        return result.get();
      }
    }
    if (target instanceof ListValue list && operator == BinaryOperator.ADD) {
      List<Value> more = Iteration.toList(value, interp);
      budget.objects(more.size() * Sequences.ELEMENT_BYTES);
      list.items().addAll(more);
      return list;
    }
    if (target instanceof SetValue set && !set.frozen() && value instanceof SetValue) {
      Value result = binary(operator, target, value, interp);
      set.clear();
      ((SetValue) result).items().forEach(set::add);
      return set;
    }
    if (target instanceof DictValue dict
        && value instanceof DictValue more
        && operator == BinaryOperator.BIT_OR) {
      ContainerMethods.fill(dict, more, interp);
      return dict;
    }
    return binary(operator, target, value, interp);
  }

  public static Value unary(UnaryOperator operator, Value operand, Interp interp) {
    if (operator == UnaryOperator.NOT) {
      return not(operand, interp);
    }
    if (operand instanceof NativeObject object) {
      return object.unary(operator, interp);
    }
    if (operand instanceof Value.Float number && operator != UnaryOperator.INVERT) {
      return operator == UnaryOperator.NEGATE
          ? new Value.Float(-number.value(), number.origin().reworked())
          : number;
    }
    String method =
        switch (operator) {
          case NEGATE -> "__neg__";
          case PLUS -> "__pos__";
          case INVERT -> "__invert__";
          case NOT -> "__not__";
        };
    Optional<Value> own = special(operand, method);
    if (own.isPresent()) {
      return interp.call(own.get(), Arguments.of(operand), interp.session().budget().here());
    }
    Optional<BigInteger> whole = Numbers.whole(operand);
    if (whole.isPresent()) {
      BigInteger value = whole.get();
      BigInteger result =
          switch (operator) {
            case NEGATE -> value.negate();
            case INVERT -> value.not();
            case PLUS, NOT -> value;
          };
      return new Value.Int(result, Numbers.origin(operand).reworked());
    }
    throw Errors.type(
        "bad operand type for unary " + operator.spelling() + ": '" + Types.nameOf(operand) + "'");
  }

  private static Value not(Value operand, Interp interp) {
    Value.Bool truth = truthValue(operand, interp);
    return new Value.Bool(!truth.value(), truth.claim(), !truth.inverted());
  }

  /** The truth of a value, with the claim it stands for. */
  public static Value.Bool truthValue(Value value, Interp interp) {
    return switch (value) {
      case Value.Bool bool -> bool;
      case Value.None none -> Value.FALSE;
      case Value.Int number ->
          ofNumber(number.value().signum() != 0, number, number.origin(), interp);
      case Value.Float number -> ofNumber(number.value() != 0, number, number.origin(), interp);
      case Value.Str text -> Value.of(!text.value().isEmpty());
      case ListValue list -> Value.of(!list.items().isEmpty());
      case TupleValue tuple -> Value.of(!tuple.items().isEmpty());
      case DictValue dict -> Value.of(dict.size() > 0);
      case SetValue set -> Value.of(set.size() > 0);
      case Value.Range range -> Value.of(range.size() > 0);
      case NativeObject object -> object.truthValue(interp);
      case InstanceValue instance -> instanceTruth(instance, interp);
      default -> Value.TRUE;
    };
  }

  private static Value.Bool ofNumber(boolean truth, Value number, Origin origin, Interp interp) {
    if (!origin.fromTensor()) {
      return Value.of(truth);
    }
    String text = interp.repr(number);
    Claim claim =
        Claim.of(
            "comparison",
            "value " + (truth ? "is not 0" : "is 0"),
            interp.session().budget().here().line(),
            truth,
            origin,
            () -> Facts.ofNumbers(truth, "the value is " + text));
    return Value.of(truth, claim);
  }

  private static Value.Bool instanceTruth(InstanceValue instance, Interp interp) {
    Optional<Value> own = special(instance, "__bool__");
    Optional<Value> length = own.isPresent() ? own : special(instance, "__len__");
    if (length.isEmpty()) {
      return Value.TRUE;
    }
    if (own.isEmpty()) {
      return Value.of(Builtins.length(instance, interp) != 0);
    }
    Value result =
        interp.call(length.get(), Arguments.of(instance), interp.session().budget().here());
    return truthValue(result, interp);
  }
}
