package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongBinaryOperator;

/** The less common element-wise functions: special functions, NaN handling, mixed terms. */
final class ElementFunctions {

  /** What torch also has as functions. */
  static final List<String> FUNCTIONS =
      List.of(
          "log10",
          "log1p",
          "expm1",
          "exp2",
          "tan",
          "asin",
          "acos",
          "atan",
          "sinh",
          "cosh",
          "asinh",
          "acosh",
          "atanh",
          "arcsin",
          "arccos",
          "arctan",
          "erf",
          "erfc",
          "frac",
          "deg2rad",
          "rad2deg",
          "logit",
          "sgn",
          "signbit",
          "isposinf",
          "isneginf",
          "isreal",
          "nan_to_num",
          "positive",
          "negative",
          "absolute",
          "fix",
          "bitwise_not",
          "clip",
          "clamp_min",
          "clamp_max",
          "atan2",
          "arctan2",
          "hypot",
          "copysign",
          "fmax",
          "fmin",
          "logaddexp",
          "xlogy",
          "heaviside",
          "lerp",
          "addcmul",
          "addcdiv",
          "subtract",
          "multiply",
          "divide",
          "greater",
          "greater_equal",
          "less",
          "less_equal",
          "not_equal",
          "rsub",
          "bitwise_left_shift",
          "bitwise_right_shift",
          "float_power");

  private ElementFunctions() {}

  static void define(MethodTable<TensorValue> table) {
    real(table, "log10", Math::log10);
    real(table, "log1p", Math::log1p);
    real(table, "expm1", Math::expm1);
    real(table, "exp2", v -> Math.pow(2, v));
    real(table, "tan", Math::tan);
    for (String prefix : List.of("a", "arc")) {
      real(table, prefix + "sin", Math::asin);
      real(table, prefix + "cos", Math::acos);
      real(table, prefix + "tan", Math::atan);
    }
    real(table, "sinh", Math::sinh);
    real(table, "cosh", Math::cosh);
    real(table, "asinh", ElementFunctions::asinh);
    real(table, "acosh", v -> v < 1 ? Double.NaN : Math.log(v + Math.sqrt(v * v - 1)));
    real(table, "atanh", v -> 0.5 * (Math.log1p(v) - Math.log1p(-v)));
    real(table, "erf", ErrorFunction::erf);
    real(table, "erfc", ErrorFunction::erfc);
    real(table, "deg2rad", v -> v * (Math.PI / 180));
    real(table, "rad2deg", v -> v * (180 / Math.PI));
    table
        .add("frac", "", ElementFunctions::frac)
        .add("logit", "eps=", ElementFunctions::logit)
        .add(
            "sgn",
            "",
            (t, a, c) -> ArithmeticMethods.map(t, ElementFunctions::sign, Long::signum, c))
        .add("signbit", "", (t, a, c) -> ArithmeticMethods.flags(t, ElementFunctions::minus, c))
        .add(
            "isposinf",
            "",
            (t, a, c) -> ArithmeticMethods.flags(t, v -> v == Double.POSITIVE_INFINITY, c))
        .add(
            "isneginf",
            "",
            (t, a, c) -> ArithmeticMethods.flags(t, v -> v == Double.NEGATIVE_INFINITY, c))
        .add("isreal", "", (t, a, c) -> ArithmeticMethods.flags(t, v -> true, c))
        .add("nan_to_num", "nan=, posinf=, neginf=", ElementFunctions::nanToNum)
        .add("positive", "", (t, a, c) -> t)
        .add("negative", "", (t, a, c) -> Arithmetic.negate(t, c.interp()))
        .add("absolute", "", (t, a, c) -> ArithmeticMethods.abs(t, c))
        .add(
            "fix",
            "",
            (t, a, c) ->
                ArithmeticMethods.map(t, v -> v < 0 ? Math.ceil(v) : Math.floor(v), v -> v, c))
        .add("bitwise_not", "", (t, a, c) -> Arithmetic.invert(t, c.interp()))
        .add("clamp_min", "min", ArithmeticMethods::clamp)
        .add("clamp_max", "max", ArithmeticMethods::clamp)
        .add("round", "*, decimals=", ElementFunctions::round);
    binary(table, "atan2", Math::atan2);
    binary(table, "arctan2", Math::atan2);
    binary(table, "hypot", Math::hypot);
    binary(table, "copysign", Math::copySign);
    integers(table, "gcd", ElementFunctions::gcd);
    integers(table, "lcm", (x, y) -> x == 0 || y == 0 ? 0 : Math.abs(x / gcd(x, y) * y));
    binary(table, "logaddexp", ElementFunctions::logAddExp);
    binary(table, "xlogy", (x, y) -> Double.isNaN(y) ? y : x == 0 ? 0 : x * Math.log(y));
    extreme(table, "fmax", 1);
    extreme(table, "fmin", -1);
    operator(table, "bitwise_left_shift", ElementOp.SHIFT_LEFT);
    operator(table, "bitwise_right_shift", ElementOp.SHIFT_RIGHT);
    table
        .add("heaviside", "values", ElementFunctions::heaviside)
        .add("float_power", "exponent", ElementFunctions::floatPower)
        .add("lerp", "end, weight", ElementFunctions::lerp)
        .add("addcmul", "tensor1, tensor2, *, value=", (t, a, c) -> term(t, ElementOp.MUL, a, c))
        .add(
            "addcdiv",
            "tensor1, tensor2, *, value=",
            (t, a, c) -> term(t, ElementOp.TRUE_DIVIDE, a, c))
        .add("rsub", "other, *, alpha=", ElementFunctions::reversed);
    alias(table, "subtract", "sub");
    alias(table, "multiply", "mul");
    alias(table, "divide", "div");
    alias(table, "greater", "gt");
    alias(table, "greater_equal", "ge");
    alias(table, "less", "lt");
    alias(table, "less_equal", "le");
    alias(table, "not_equal", "ne");
  }

  private static void alias(MethodTable<TensorValue> table, String name, String of) {
    table.add(name, "*rest, **named", (t, a, c) -> InPlace.call(table, of, t, a, c));
  }

  private static void real(MethodTable<TensorValue> table, String name, DoubleUnaryOperator f) {
    table.add(name, "", (t, a, c) -> Arithmetic.real(t, f, c.interp()));
  }

  private static void binary(MethodTable<TensorValue> table, String name, DoubleBinaryOperator f) {
    table.add(name, "other", (t, a, c) -> Pairwise.real(name, t, a.get("other"), f, c.interp()));
  }

  /** A function of whole numbers, which keeps their common type. */
  private static void integers(
      MethodTable<TensorValue> table, String name, LongBinaryOperator function) {
    table.add(
        name,
        "other",
        (t, a, c) ->
            Pairwise.same(
                name,
                t,
                a.get("other"),
                (x, y) -> {
                  throw Errors.runtime("\"" + name + "_cpu\" not implemented for reals");
                },
                function,
                c.interp()));
  }

  private static long gcd(long x, long y) {
    long a = Math.abs(x);
    long b = Math.abs(y);
    while (b != 0) {
      long rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  private static void operator(MethodTable<TensorValue> table, String name, ElementOp op) {
    table.add(
        name,
        "other",
        (t, a, c) ->
            Arithmetic.apply(op, Operand.of(t), Operand.require(a.get("other"), name), c.interp()));
  }

  /** {@code fmax} and {@code fmin}: a number beats NaN. */
  private static void extreme(MethodTable<TensorValue> table, String name, int sign) {
    DoubleBinaryOperator pick =
        (x, y) ->
            Double.isNaN(x) ? y : Double.isNaN(y) ? x : sign > 0 ? Math.max(x, y) : Math.min(x, y);
    table.add(
        name,
        "other",
        (t, a, c) ->
            Pairwise.same(
                name,
                t,
                TensorMethods.tensor(a, "other"),
                pick,
                sign > 0 ? Math::max : Math::min,
                c.interp()));
  }

  /** The sign of NaN is 0, as in torch. */
  static double sign(double value) {
    return value > 0 ? 1 : value < 0 ? -1 : 0;
  }

  private static boolean minus(double value) {
    return Math.copySign(1, value) < 0 && !Double.isNaN(value);
  }

  private static double asinh(double v) {
    double size = Math.abs(v);
    return Double.isInfinite(v)
        ? v
        : Math.copySign(Math.log1p(size + size * size / (1 + Math.sqrt(size * size + 1))), v);
  }

  private static double logAddExp(double x, double y) {
    double most = Math.max(x, y);
    return Double.isInfinite(most) || Double.isNaN(most)
        ? most
        : most + Math.log1p(Math.exp(Math.min(x, y) - most));
  }

  private static Value frac(TensorValue t, Bound a, Call c) {
    if (!t.data().dtype().isFloat()) {
      throw Errors.runtime(
          "\"frac\" not implemented for '" + Dtypes.scalarName(t.data().dtype()) + "'");
    }
    return ArithmeticMethods.map(t, v -> v - (v < 0 ? Math.ceil(v) : Math.floor(v)), v -> 0, c);
  }

  private static Value logit(TensorValue t, Bound a, Call c) {
    double eps = a.number("eps", -1);
    return Arithmetic.real(
        t,
        v -> {
          double kept = eps < 0 ? v : Math.clamp(v, eps, 1 - eps);
          return Math.log(kept / (1 - kept));
        },
        c.interp());
  }

  private static Value nanToNum(TensorValue t, Bound a, Call c) {
    DType type = t.data().dtype();
    double most = type.isFloat() ? NumberLimits.greatest(type) : 0;
    double nan = a.number("nan", 0);
    double high = a.number("posinf", most);
    double low = a.number("neginf", -most);
    return ArithmeticMethods.map(
        t,
        v ->
            Double.isNaN(v)
                ? nan
                : v == Double.POSITIVE_INFINITY ? high : v == Double.NEGATIVE_INFINITY ? low : v,
        v -> v,
        c);
  }

  private static Value round(TensorValue t, Bound a, Call c) {
    long decimals = a.integer("decimals", 0);
    if (decimals == 0 || !t.data().dtype().isFloat()) {
      return ArithmeticMethods.map(t, Math::rint, v -> v, c);
    }
    double scale = Math.pow(10, (double) Math.abs(decimals));
    return ArithmeticMethods.map(
        t,
        v -> decimals > 0 ? Math.rint(v * scale) / scale : Math.rint(v / scale) * scale,
        v -> v,
        c);
  }

  private static Value heaviside(TensorValue t, Bound a, Call c) {
    TensorValue values = TensorMethods.tensor(a, "values");
    if (values.data().dtype() != t.data().dtype()) {
      throw Errors.runtime(
          "heaviside is not yet implemented for tensors with different dtypes: "
              + Dtypes.scalarName(t.data().dtype())
              + " and "
              + Dtypes.scalarName(values.data().dtype()));
    }
    return Pairwise.same(
        "heaviside",
        t,
        values,
        (x, y) -> Double.isNaN(x) ? 0 : x == 0 ? y : x < 0 ? 0 : 1,
        (x, y) -> x == 0 ? y : x < 0 ? 0 : 1,
        c.interp());
  }

  private static Value floatPower(TensorValue t, Bound a, Call c) {
    Operand exponent = Operand.require(a.get("exponent"), "float_power");
    return Pairwise.apply(
        Operand.of(t), exponent, DType.FP64, ElementOp::power, (x, y) -> 0, c.interp());
  }

  /** {@code self + weight * (end - self)}. */
  private static Value lerp(TensorValue t, Bound a, Call c) {
    TensorValue end = TensorMethods.tensor(a, "end");
    Operand weight = Operand.require(a.get("weight"), "lerp");
    DType type = t.data().dtype();
    if (!type.isFloat()) {
      throw Errors.runtime("\"lerp\" not implemented for '" + Dtypes.scalarName(type) + "'");
    }
    if (end.data().dtype() != type) {
      throw Errors.runtime(
          "lerp: expected dtype "
              + Dtypes.nameOf(type)
              + " for `end` but got dtype "
              + Dtypes.nameOf(end.data().dtype()));
    }
    Wide start = Wide.of(t, c.interp());
    Wide apart = Wide.of(end, c.interp()).minus(start);
    TensorValue share =
        Arithmetic.apply(ElementOp.MUL, Operand.of(apart.value()), weight, c.interp());
    return start.plus(Wide.of(share, c.interp())).as(type);
  }

  /** {@code self + value * tensor1 (op) tensor2}. */
  private static Value term(TensorValue t, ElementOp op, Bound a, Call c) {
    TensorValue x = TensorMethods.tensor(a, "tensor1");
    TensorValue y = TensorMethods.tensor(a, "tensor2");
    DType type = Dtypes.result(Operand.of(t), Operand.of(x));
    type = Dtypes.promote(type, y.data().dtype());
    if (op == ElementOp.TRUE_DIVIDE && !type.isFloat()) {
      throw Errors.runtime(
          "Integer division with addcdiv is no longer supported; the tensors have dtype "
              + Dtypes.nameOf(type));
    }
    if (!type.isFloat()) {
      TensorValue product = Arithmetic.apply(op, Operand.of(x), Operand.of(y), c.interp());
      if (a.has("value")) {
        Operand factor = Operand.require(a.get("value"), "addcmul");
        product = Arithmetic.apply(ElementOp.MUL, Operand.of(product), factor, c.interp());
      }
      return Arithmetic.apply(ElementOp.ADD, Operand.of(t), Operand.of(product), c.interp());
    }
    Wide product = Wide.of(x, c.interp());
    Wide other = Wide.of(y, c.interp());
    product = op == ElementOp.MUL ? product.times(other) : product.over(other);
    double factor = a.number("value", 1);
    return Wide.of(t, c.interp()).plus(product.map(v -> v * factor)).as(type);
  }

  private static Value reversed(TensorValue t, Bound a, Call c) {
    TensorValue scaled = t;
    if (a.has("alpha")) {
      Operand alpha = Operand.require(a.get("alpha"), "rsub");
      scaled = Arithmetic.apply(ElementOp.MUL, Operand.of(t), alpha, c.interp());
    }
    Operand other = Operand.require(a.get("other"), "rsub");
    return Arithmetic.apply(ElementOp.SUB, other, Operand.of(scaled), c.interp());
  }
}
