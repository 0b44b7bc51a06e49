package io.ringmaster.worker.frontend.values;

import static java.util.stream.Collectors.joining;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.BinaryOp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;

/**
 * An integer expression as a polynomial of symbols, so that sizes and offsets can be compared where
 * the answer is the same for every value of the symbols. What isn't a sum or a product (a quotient,
 * a remainder) is a symbol of its own.
 */
public final class Extent {

  private static final OptionalLong UNBOUNDED = OptionalLong.empty();

  /** Beyond these an expression is a symbol of its own, so that none grows without end. */
  private static final int MOST_TERMS = 256;

  private static final int MOST_FACTORS = 16;
  private static final int LONGEST_KEY = 500;

  private final Map<List<String>, Long> terms;
  private final Map<String, OptionalLong> lowest;

  private Extent(Map<List<String>, Long> terms, Map<String, OptionalLong> lowest) {
    this.terms = terms;
    this.lowest = lowest;
  }

  public static Extent of(long value) {
    return new Extent(value == 0 ? Map.of() : Map.of(List.of(), value), Map.of());
  }

  /** A quantity of its own; {@code lowest} is the smallest value it takes, when that is known. */
  public static Extent symbol(String key, OptionalLong lowest) {
    String name =
        key.length() <= LONGEST_KEY
            ? key
            : "(expression " + UUID.nameUUIDFromBytes(key.getBytes(StandardCharsets.UTF_8)) + ")";
    return new Extent(Map.of(List.of(name), 1L), Map.of(name, lowest));
  }

  public static Extent of(Expr expr, Symbols symbols) {
    return switch (expr) {
      case Expr.IntConst(long value, _, _) -> of(value);
      case Expr.Dim(String name, _) -> symbol(name, OptionalLong.of(1));
      case Expr.Var variable -> symbols.of(variable);
      case Expr.Convert(Expr operand, _, _) -> of(operand, symbols);
      case Expr.Unary(Expr.UnaryOp op, Expr operand, _, _) when op == Expr.UnaryOp.NEGATE ->
          of(operand, symbols).times(-1);
      case Expr.Binary binary -> ofBinary(binary, symbols);
      case Expr.Unary _,
          Expr.FloatConst _,
          Expr.BoolConst _,
          Expr.TupleExpr _,
          Expr.Op _,
          Expr.Call _ ->
          symbol("(" + TypeText.scalar(expr) + ")", UNBOUNDED);
    };
  }

  private static Extent ofBinary(Expr.Binary binary, Symbols symbols) {
    Extent left = of(binary.left(), symbols);
    Extent right = of(binary.right(), symbols);
    return switch (binary.op()) {
      case ADD -> left.plus(right);
      case SUB -> left.minus(right);
      case MUL -> left.times(right);
      case FLOOR_DIV, MOD -> quotient(binary.op(), left, right);
      case MIN, MAX, DIV, SHIFT_LEFT, SHIFT_RIGHT, EQ, NE, LT, LE, GT, GE, AND, OR ->
          opaque(binary.op(), left, right, UNBOUNDED);
    };
  }

  /** Quotients and remainders of what is never negative are never negative, and reach zero. */
  private static Extent quotient(BinaryOp op, Extent left, Extent right) {
    OptionalLong divisor = right.constant();
    OptionalLong dividend = left.constant();
    if (divisor.isPresent() && dividend.isPresent()) {
      long a = dividend.getAsLong();
      long b = divisor.getAsLong();
      if (a >= 0 && b > 0) {
        return of(op == BinaryOp.MOD ? a % b : a / b);
      }
    }
    boolean neverNegative = left.atLowest().orElse(-1) >= 0 && right.atLowest().orElse(-1) >= 1;
    return opaque(op, left, right, neverNegative ? OptionalLong.of(0) : UNBOUNDED);
  }

  private static Extent opaque(BinaryOp op, Extent left, Extent right, OptionalLong lowest) {
    return symbol("(" + left + " " + op.spelling() + " " + right + ")", lowest);
  }

  /** The product of a shape's extents. */
  public static Extent product(List<Expr> shape, Symbols symbols) {
    Extent total = of(1);
    for (Expr extent : shape) {
      total = total.times(of(extent, symbols));
    }
    return total;
  }

  public Extent plus(Extent other) {
    if (terms.size() + other.terms.size() > MOST_TERMS) {
      return opaque(BinaryOp.ADD, this, other, UNBOUNDED);
    }
    if (terms.isEmpty() && lowest.isEmpty()) {
      return other;
    }
    if (other.terms.isEmpty() && other.lowest.isEmpty()) {
      return this;
    }
    if (lowest.isEmpty() && other.lowest.isEmpty()) {
      return of(constant().orElseThrow() + other.constant().orElseThrow());
    }
    Map<List<String>, Long> sum = new TreeMap<>(Extent::compare);
    sum.putAll(terms);
    other.terms.forEach((monomial, factor) -> sum.merge(monomial, factor, Long::sum));
    sum.values().removeIf(factor -> factor == 0);
    return new Extent(sum, union(other));
  }

  public Extent minus(Extent other) {
    return plus(other.times(-1));
  }

  public Extent times(long factor) {
    return times(of(factor));
  }

  public Extent times(Extent other) {
    if (terms.size() * other.terms.size() > MOST_TERMS
        || degree() + other.degree() > MOST_FACTORS) {
      return opaque(BinaryOp.MUL, this, other, UNBOUNDED);
    }
    if (lowest.isEmpty() && other.lowest.isEmpty()) {
      return of(constant().orElseThrow() * other.constant().orElseThrow());
    }
    Map<List<String>, Long> product = new TreeMap<>(Extent::compare);
    terms.forEach(
        (left, a) ->
            other.terms.forEach(
                (right, b) -> {
                  List<String> monomial = new ArrayList<>(left);
                  monomial.addAll(right);
                  monomial.sort(null);
                  product.merge(monomial, a * b, Long::sum);
                }));
    product.values().removeIf(factor -> factor == 0);
    return new Extent(product, union(other));
  }

  private int degree() {
    int degree = 0;
    for (List<String> monomial : terms.keySet()) {
      degree = Math.max(degree, monomial.size());
    }
    return degree;
  }

  /** The value, when it doesn't depend on any symbol. */
  public OptionalLong constant() {
    if (terms.isEmpty()) {
      return OptionalLong.of(0);
    }
    Long only = terms.get(List.<String>of());
    return only != null && terms.size() == 1 ? OptionalLong.of(only) : UNBOUNDED;
  }

  /** True when both are the same for every value of the symbols. */
  public boolean sameAs(Extent other) {
    return minus(other).terms.isEmpty();
  }

  /** True when it is greater than zero for every value of the symbols. */
  public boolean alwaysPositive() {
    return growsOnly(1) && atLowest().orElse(0) > 0;
  }

  /** True when it is less than zero for every value of the symbols. */
  public boolean alwaysNegative() {
    return times(-1).alwaysPositive();
  }

  private boolean growsOnly(int sign) {
    return terms.entrySet().stream()
        .allMatch(term -> term.getKey().isEmpty() || term.getValue() * sign > 0);
  }

  /** The value where every symbol takes its smallest value; empty when one of them is unknown. */
  public OptionalLong atLowest() {
    long total = 0;
    for (Map.Entry<List<String>, Long> term : terms.entrySet()) {
      long product = term.getValue();
      for (String key : term.getKey()) {
        OptionalLong value = lowest.getOrDefault(key, UNBOUNDED);
        if (value.isEmpty() || value.getAsLong() < 0) {
          return UNBOUNDED;
        }
        product *= value.getAsLong();
      }
      total += product;
    }
    return OptionalLong.of(total);
  }

  /** True when it falls below zero where every symbol takes its smallest value. */
  public boolean canBeNegative() {
    return atLowest().orElse(0) < 0;
  }

  private Map<String, OptionalLong> union(Extent other) {
    if (lowest.isEmpty() || other.lowest.isEmpty()) {
      return lowest.isEmpty() ? other.lowest : lowest;
    }
    Map<String, OptionalLong> all = new TreeMap<>(lowest);
    all.putAll(other.lowest);
    return all;
  }

  private static int compare(List<String> a, List<String> b) {
    if (a.size() <= 1 && b.size() <= 1) {
      return (a.isEmpty() ? "" : a.getFirst()).compareTo(b.isEmpty() ? "" : b.getFirst());
    }
    return String.join("*", a).compareTo(String.join("*", b));
  }

  /** For a message: {@code 4*world_size}, {@code 1024}. */
  public String describe() {
    if (terms.isEmpty()) {
      return "0";
    }
    return terms.entrySet().stream()
        .map(term -> term(term.getKey(), term.getValue()))
        .collect(joining(" + "));
  }

  private static String term(List<String> monomial, long factor) {
    String symbols = String.join("*", monomial).replaceAll("#\\d+", "");
    if (monomial.isEmpty()) {
      return Long.toString(factor);
    }
    return factor == 1 ? symbols : factor + "*" + symbols;
  }

  @Override
  public String toString() {
    return terms.entrySet().stream()
        .map(term -> term.getValue() + "*" + String.join("*", term.getKey()))
        .collect(joining(" + "));
  }
}
