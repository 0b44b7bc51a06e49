package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.builtin.NumberClaims;
import io.ringmaster.worker.script.builtin.Numbers;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.torch.ErrorFunction;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoublePredicate;
import java.util.function.DoubleUnaryOperator;

/** {@code math}. */
final class MathModule {

  private static final Map<String, Value> MEMBERS = new LinkedHashMap<>();

  static {
    MEMBERS.put("pi", Value.of(Math.PI));
    MEMBERS.put("e", Value.of(Math.E));
    MEMBERS.put("tau", Value.of(2 * Math.PI));
    MEMBERS.put("inf", Value.of(Double.POSITIVE_INFINITY));
    MEMBERS.put("nan", Value.of(Double.NaN));
    real("sqrt", Math::sqrt, x -> x >= 0);
    real("exp", Math::exp, x -> true);
    real("sin", Math::sin, Double::isFinite);
    real("cos", Math::cos, Double::isFinite);
    real("tan", Math::tan, Double::isFinite);
    real("tanh", Math::tanh, x -> true);
    real("atan", Math::atan, x -> true);
    real("asin", Math::asin, x -> Math.abs(x) <= 1);
    real("acos", Math::acos, x -> Math.abs(x) <= 1);
    real("sinh", Math::sinh, x -> true);
    real("cosh", Math::cosh, x -> true);
    real("exp2", x -> Math.pow(2, x), x -> true);
    real("expm1", Math::expm1, x -> true);
    real("cbrt", Math::cbrt, x -> true);
    real("erf", ErrorFunction::erf, x -> true);
    real("erfc", ErrorFunction::erfc, x -> true);
    real("ulp", x -> Math.ulp(x), x -> true);
    both("atan2", Math::atan2);
    both("remainder", Math::IEEEremainder);
    both("nextafter", Math::nextAfter);
    define("modf", "x", MathModule::parts);
    define("perm", "n, k=", MathModule::perm);
    real("log2", MathModule::log2, x -> x > 0);
    real("log10", Math::log10, x -> x > 0);
    real("log1p", Math::log1p, x -> x > -1);
    real("fabs", Math::abs, x -> true);
    real("radians", Math::toRadians, x -> true);
    real("degrees", Math::toDegrees, x -> true);
    define("log", "x, base=", MathModule::log);
    both("pow", Math::pow);
    both("hypot", Math::hypot);
    define("dist", "p, q", MathModule::distance);
    both("fmod", (x, y) -> x % y);
    both("copysign", Math::copySign);
    define("ceil", "x", (a, c) -> rounded(a, RoundingMode.CEILING));
    define("floor", "x", (a, c) -> rounded(a, RoundingMode.FLOOR));
    define("trunc", "x", (a, c) -> rounded(a, RoundingMode.DOWN));
    define("isnan", "x", (a, c) -> Value.of(Double.isNaN(a.number("x"))));
    define("isinf", "x", (a, c) -> Value.of(Double.isInfinite(a.number("x"))));
    define("isfinite", "x", (a, c) -> Value.of(Double.isFinite(a.number("x"))));
    define(
        "isclose",
        "a, b, *, rel_tol=, abs_tol=",
        (a, c) -> NumberClaims.close(a.get("a"), a.get("b"), isClose(a), c.interp()));
    define("gcd", "*integers", (a, c) -> folded(a, BigInteger.ZERO, BigInteger::gcd));
    define("lcm", "*integers", (a, c) -> folded(a, BigInteger.ONE, MathModule::lcm));
    define("isqrt", "n", (a, c) -> new Value.Int(natural(a, "n").sqrt()));
    define("factorial", "n", MathModule::factorial);
    define("comb", "n, k", MathModule::comb);
    define("prod", "iterable, *, start=", MathModule::prod);
    define("fsum", "iterable", MathModule::fsum);
  }

  static final ModuleValue MODULE = new ModuleValue("math", MEMBERS);

  private MathModule() {}

  private static void define(String name, String parameters, NativeFunction.Body body) {
    MEMBERS.put(name, NativeFunction.of(name, parameters, body));
  }

  private static void real(String name, DoubleUnaryOperator function, DoublePredicate domain) {
    define(
        name,
        "x",
        (a, c) -> {
          double x = a.number("x");
          if (!Double.isNaN(x) && !domain.test(x)) {
            throw Errors.value("math domain error");
          }
          double result = function.applyAsDouble(x);
          if (Double.isInfinite(result) && Double.isFinite(x)) {
            throw Errors.overflow("math range error");
          }
          return new Value.Float(result, Numbers.origin(a.get("x")).reworked());
        });
  }

  private static void both(String name, DoubleBinaryOperator function) {
    define(
        name,
        "x, y",
        (a, c) ->
            new Value.Float(
                function.applyAsDouble(a.number("x"), a.number("y")),
                Numbers.origin(a.get("x")).and(Numbers.origin(a.get("y"))).reworked()));
  }

  /** The fraction and the whole part, both with the sign. */
  private static Value parts(Bound a, Call call) {
    double x = a.number("x");
    double whole = Math.copySign(Math.floor(Math.abs(x)), x);
    double fraction = Double.isInfinite(x) ? 0 : x - whole;
    Origin origin = Numbers.origin(a.get("x")).reworked();
    return TupleValue.of(
        new Value.Float(Math.copySign(fraction, x), origin), new Value.Float(whole, origin));
  }

  private static Value perm(Bound a, Call call) {
    Budget budget = call.interp().session().budget();
    BigInteger n = natural(a, "n");
    BigInteger k = a.has("k") ? natural(a, "k") : n;
    if (k.compareTo(n) > 0) {
      return Value.of(0);
    }
    budget.bits(k.bitLength() > 16 ? Long.MAX_VALUE : k.longValue() * n.bitLength());
    BigInteger result = BigInteger.ONE;
    for (int i = 0; i < k.intValue(); i++) {
      budget.step();
      result = budget.checked(result.multiply(n.subtract(BigInteger.valueOf(i))));
    }
    return new Value.Int(result);
  }

  private static double log2(double x) {
    int exponent = Math.getExponent(x);
    return x == Math.scalb(1.0, exponent) ? exponent : Math.log(x) / Math.log(2);
  }

  private static Value log(Bound a, Call call) {
    double x = a.number("x");
    if (x <= 0) {
      throw Errors.value("math domain error");
    }
    return new Value.Float(
        a.has("base") ? Math.log(x) / Math.log(a.number("base")) : Math.log(x),
        Numbers.origin(a.get("x")).reworked());
  }

  private static Value rounded(Bound a, RoundingMode mode) {
    Value value = a.get("x");
    if (Numbers.whole(value).isPresent()) {
      return new Value.Int(Numbers.whole(value).get(), Numbers.origin(value));
    }
    double x = a.number("x");
    if (Double.isNaN(x)) {
      throw Errors.value("cannot convert float NaN to integer");
    }
    if (Double.isInfinite(x)) {
      throw Errors.overflow("cannot convert float infinity to integer");
    }
    return new Value.Int(
        new BigDecimal(x).setScale(0, mode).toBigInteger(), Numbers.origin(value).reworked());
  }

  private static boolean isClose(Bound a) {
    double x = a.number("a");
    double y = a.number("b");
    if (x == y) {
      return true;
    }
    if (Double.isInfinite(x) || Double.isInfinite(y)) {
      return false;
    }
    double relative = a.number("rel_tol", 1e-9) * Math.max(Math.abs(x), Math.abs(y));
    return Math.abs(x - y) <= Math.max(relative, a.number("abs_tol", 0));
  }

  private static BigInteger natural(Bound a, String name) {
    BigInteger value =
        Numbers.whole(a.get(name))
            .orElseThrow(
                () ->
                    Errors.type(
                        "'"
                            + Types.nameOf(a.get(name))
                            + "' object cannot be interpreted as an integer"));
    if (value.signum() < 0) {
      throw Errors.value(a.function() + "() argument must be nonnegative");
    }
    return value;
  }

  private static BigInteger lcm(BigInteger a, BigInteger b) {
    return a.signum() == 0 || b.signum() == 0
        ? BigInteger.ZERO
        : a.divide(a.gcd(b)).multiply(b).abs();
  }

  private static Value folded(
      Bound a, BigInteger start, java.util.function.BinaryOperator<BigInteger> step) {
    BigInteger result = start;
    for (Value value : a.rest()) {
      BigInteger next =
          Numbers.whole(value)
              .orElseThrow(
                  () ->
                      Errors.type(
                          "'"
                              + Types.nameOf(value)
                              + "' object cannot be interpreted as an integer"));
      result = step.apply(result, next);
    }
    return new Value.Int(result);
  }

  private static Value factorial(Bound a, Call call) {
    Budget budget = call.interp().session().budget();
    BigInteger n = natural(a, "n");
    budget.bits(n.bitLength() > 16 ? Long.MAX_VALUE : n.longValue() * n.bitLength() / 2);
    BigInteger result = BigInteger.ONE;
    for (int i = 2; i <= n.intValue(); i++) {
      budget.step();
      result = budget.checked(result.multiply(BigInteger.valueOf(i)));
    }
    return new Value.Int(result);
  }

  private static Value comb(Bound a, Call call) {
    Budget budget = call.interp().session().budget();
    BigInteger n = natural(a, "n");
    BigInteger k = natural(a, "k");
    if (k.compareTo(n) > 0) {
      return Value.of(0);
    }
    k = k.min(n.subtract(k));
    budget.bits(k.bitLength() > 32 ? Long.MAX_VALUE : k.longValue());
    BigInteger result = BigInteger.ONE;
    for (int i = 0; i < k.intValue(); i++) {
      budget.step();
      result =
          budget.checked(
              result
                  .multiply(n.subtract(BigInteger.valueOf(i)))
                  .divide(BigInteger.valueOf(i + 1L)));
    }
    return new Value.Int(result);
  }

  private static Value prod(Bound a, Call call) {
    Interp interp = call.interp();
    Value result = a.find("start").orElse(Value.of(1));
    Iterator<Value> items = interp.iterate(a.get("iterable"));
    while (items.hasNext()) {
      result = interp.binary(BinaryOperator.MULTIPLY, result, items.next());
    }
    return result;
  }

  private static Value fsum(Bound a, Call call) {
    BigDecimal sum = BigDecimal.ZERO;
    Origin origin = Origin.NONE;
    Iterator<Value> items = call.interp().iterate(a.get("iterable"));
    while (items.hasNext()) {
      Value item = items.next();
      double value = Numbers.real(item);
      origin = origin.and(Numbers.origin(item));
      if (!Double.isFinite(value)) {
        return new Value.Float(value, origin.reworked());
      }
      sum = sum.add(new BigDecimal(value));
    }
    return new Value.Float(sum.doubleValue(), origin.reworked());
  }

  private static Value distance(Bound a, Call call) {
    List<Value> p = Iteration.toList(a.get("p"), call.interp());
    List<Value> q = Iteration.toList(a.get("q"), call.interp());
    if (p.size() != q.size()) {
      throw Errors.value("both points must have the same number of dimensions");
    }
    double sum = 0;
    Origin origin = Origin.NONE;
    for (int i = 0; i < p.size(); i++) {
      origin = origin.and(Numbers.origin(p.get(i))).and(Numbers.origin(q.get(i)));
      double apart = Convert.number(p.get(i), "dist()") - Convert.number(q.get(i), "dist()");
      sum += apart * apart;
    }
    return new Value.Float(Math.sqrt(sum), origin.reworked());
  }
}
