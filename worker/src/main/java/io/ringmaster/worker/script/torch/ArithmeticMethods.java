package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.function.DoubleUnaryOperator;

/** Tensor methods that compute element by element. */
final class ArithmeticMethods {

  private ArithmeticMethods() {}

  static void define(MethodTable<TensorValue> table) {
    binary(table, "add", ElementOp.ADD);
    binary(table, "sub", ElementOp.SUB);
    binary(table, "mul", ElementOp.MUL);
    binary(table, "div", ElementOp.TRUE_DIVIDE);
    binary(table, "true_divide", ElementOp.TRUE_DIVIDE);
    binary(table, "floor_divide", ElementOp.FLOOR_DIVIDE);
    binary(table, "remainder", ElementOp.REMAINDER);
    binary(table, "fmod", ElementOp.FMOD);
    binary(table, "pow", ElementOp.POW);
    binary(table, "maximum", ElementOp.MAXIMUM);
    binary(table, "minimum", ElementOp.MINIMUM);
    binary(table, "eq", ElementOp.EQ);
    binary(table, "ne", ElementOp.NE);
    binary(table, "lt", ElementOp.LT);
    binary(table, "le", ElementOp.LE);
    binary(table, "gt", ElementOp.GT);
    binary(table, "ge", ElementOp.GE);
    binary(table, "logical_and", ElementOp.LOGICAL_AND);
    binary(table, "logical_or", ElementOp.LOGICAL_OR);
    binary(table, "logical_xor", ElementOp.LOGICAL_XOR);
    binary(table, "bitwise_and", ElementOp.BITWISE_AND);
    binary(table, "bitwise_or", ElementOp.BITWISE_OR);
    binary(table, "bitwise_xor", ElementOp.BITWISE_XOR);
    real(table, "exp", Math::exp);
    real(table, "log", Math::log);
    real(table, "log2", v -> Math.log(v) / Math.log(2));
    real(table, "sqrt", Math::sqrt);
    real(table, "rsqrt", v -> 1 / Math.sqrt(v));
    real(table, "reciprocal", v -> 1 / v);
    real(table, "sigmoid", v -> 1 / (1 + Math.exp(-v)));
    real(table, "tanh", Math::tanh);
    real(table, "sin", Math::sin);
    real(table, "cos", Math::cos);
    same(table, "neg", (t, c) -> Arithmetic.negate(t, c.interp()));
    same(table, "abs", ArithmeticMethods::abs);
    same(table, "relu", (t, c) -> map(t, v -> v < 0 ? 0 : v, v -> Math.max(v, 0), c));
    same(
        table,
        "square",
        (t, c) -> Arithmetic.apply(ElementOp.MUL, Operand.of(t), Operand.of(t), c.interp()));
    same(table, "floor", (t, c) -> map(t, Math::floor, v -> v, c));
    same(table, "ceil", (t, c) -> map(t, Math::ceil, v -> v, c));
    same(table, "trunc", (t, c) -> map(t, v -> v < 0 ? Math.ceil(v) : Math.floor(v), v -> v, c));
    same(table, "sign", (t, c) -> map(t, ElementFunctions::sign, Long::signum, c));
    same(
        table,
        "logical_not",
        (t, c) -> ((TensorValue) flags(t, v -> v == 0, c)).with(t.lineage().whole(false)));
    same(table, "isnan", (t, c) -> flags(t, Double::isNaN, c));
    same(table, "isinf", (t, c) -> flags(t, Double::isInfinite, c));
    same(table, "isfinite", (t, c) -> flags(t, Double::isFinite, c));
    table
        .add("clamp", "min=, max=", ArithmeticMethods::clamp)
        .add("clip", "min=, max=", ArithmeticMethods::clamp)
        .add(
            "matmul",
            "other",
            (t, a, c) -> MatMul.matmul(t, TensorMethods.tensor(a, "other"), c.interp()))
        .add(
            "where",
            "condition, other",
            (t, a, c) ->
                Creation.where(
                    TensorMethods.tensor(a, "condition"), t, a.get("other"), c.interp()));
  }

  /** What a method without arguments does. */
  private interface Plain {
    Value apply(TensorValue self, Call call);
  }

  private static void same(MethodTable<TensorValue> table, String name, Plain plain) {
    table.add(name, "", (t, a, c) -> plain.apply(t, c));
  }

  private static void real(
      MethodTable<TensorValue> table, String name, DoubleUnaryOperator function) {
    table.add(name, "", (t, a, c) -> Arithmetic.real(t, function, c.interp()));
  }

  private static void binary(MethodTable<TensorValue> table, String name, ElementOp op) {
    table.add(
        name,
        name.equals("add") || name.equals("sub")
            ? "other, *, alpha="
            : name.equals("div") || name.equals("true_divide")
                ? "other, *, rounding_mode="
                : "other",
        (t, a, c) -> {
          Value other = a.get("other");
          if (a.has("alpha")) {
            other =
                c.interp()
                    .binary(
                        io.ringmaster.worker.source.Expr.BinaryOperator.MULTIPLY,
                        other,
                        a.get("alpha"));
          }
          ElementOp chosen = op;
          if (a.has("rounding_mode")) {
            String mode = a.string("rounding_mode");
            if (mode.equals("trunc")) {
              return Pairwise.quotient(t, other, c.interp());
            }
            if (!mode.equals("floor")) {
              throw Errors.runtime(
                  "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '"
                      + mode
                      + "'");
            }
            chosen = ElementOp.FLOOR_DIVIDE;
          }
          Operand right = Operand.require(other, name);
          TensorValue result = Arithmetic.apply(chosen, Operand.of(t), right, c.interp());
          if (op != ElementOp.SUB && op != ElementOp.EQ && op != ElementOp.NE) {
            return result;
          }
          Lineage lineage =
              other instanceof TensorValue tensor
                  ? Lineage.difference(t, tensor)
                  : Lineage.difference(t, right);
          return result.with(
              op == ElementOp.SUB ? lineage : lineage.within(0).whole(op == ElementOp.EQ));
        });
  }

  static Value map(
      TensorValue t, DoubleUnaryOperator real, java.util.function.LongUnaryOperator whole, Call c) {
    return Arithmetic.map(t, t.data().dtype(), real, whole, c.interp());
  }

  static Value flags(TensorValue t, java.util.function.DoublePredicate test, Call c) {
    return Arithmetic.map(
        t, DType.BOOL, v -> test.test(v) ? 1 : 0, v -> test.test((double) v) ? 1 : 0, c.interp());
  }

  static Value abs(TensorValue t, Call c) {
    return Arithmetic.map(t, t.data().dtype(), Math::abs, Math::abs, c.interp())
        .with(t.lineage().whole(true));
  }

  static Value clamp(TensorValue t, Bound a, Call c) {
    TensorValue result = t;
    if (a.has("min")) {
      result =
          Arithmetic.apply(
              ElementOp.MAXIMUM,
              Operand.of(result),
              Operand.require(a.get("min"), "clamp"),
              c.interp());
    }
    if (a.has("max")) {
      result =
          Arithmetic.apply(
              ElementOp.MINIMUM,
              Operand.of(result),
              Operand.require(a.get("max"), "clamp"),
              c.interp());
    }
    if (result == t) {
      throw Errors.runtime("torch.clamp: At least one of 'min' or 'max' must not be None");
    }
    return result;
  }
}
