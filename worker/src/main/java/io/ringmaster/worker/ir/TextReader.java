package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Small pieces of the text form that stand alone: dotted names, dtypes, literals, attributes. */
final class TextReader {

  private TextReader() {}

  /** {@code a.b.c}; empty when the expression isn't a dotted name. */
  static Optional<String> dotted(Expr expr) {
    return switch (expr) {
      case Expr.Name e -> Optional.of(e.id());
      case Expr.Attribute e -> dotted(e.value()).map(prefix -> prefix + "." + e.name());
      default -> Optional.empty();
    };
  }

  static DType dtype(Expr expr) {
    return dotted(expr)
        .filter(name -> name.startsWith("pl."))
        .flatMap(name -> DType.named(name.substring(3)))
        .orElseThrow(() -> TextError.at(expr.span(), "expected a dtype such as pl.FP32"));
  }

  static Type.MemorySpace memory(Expr expr) {
    String name = dotted(expr).orElse("");
    return Arrays.stream(Type.MemorySpace.values())
        .filter(space -> name.equals("pl.MemorySpace." + space.spelling()))
        .findFirst()
        .orElseThrow(
            () -> TextError.at(expr.span(), "expected a memory such as pl.MemorySpace.Vec"));
  }

  /** A literal integer, possibly negated. */
  static Optional<Long> integer(Expr expr) {
    return switch (expr) {
      case Expr.IntLiteral e -> Optional.of(exact(e.value(), e.span()));
      case Expr.Unary(var op, Expr.IntLiteral e, var span) when op == Expr.UnaryOperator.NEGATE ->
          Optional.of(exact(e.value().negate(), span));
      default -> Optional.empty();
    };
  }

  /** A literal float, possibly negated; {@code pl.inf} and {@code pl.nan} too. */
  static Optional<Double> floating(Expr expr) {
    return switch (expr) {
      case Expr.FloatLiteral e -> Optional.of(e.value());
      case Expr.Unary e when e.operator() == Expr.UnaryOperator.NEGATE ->
          e.operand() instanceof Expr.Unary
              ? Optional.empty()
              : floating(e.operand()).map(value -> -value);
      case Expr.Attribute e ->
          switch (dotted(e).orElse("")) {
            case "pl.inf" -> Optional.of(Double.POSITIVE_INFINITY);
            case "pl.nan" -> Optional.of(Double.NaN);
            default -> Optional.empty();
          };
      default -> Optional.empty();
    };
  }

  static String text(Expr expr) {
    if (expr instanceof Expr.StringLiteral literal) {
      return literal.value();
    }
    throw TextError.at(expr.span(), "expected a string");
  }

  static long exactInteger(Expr expr) {
    return integer(expr)
        .orElseThrow(() -> TextError.at(expr.span(), "expected an integer literal"));
  }

  static List<Expr> elements(Expr expr) {
    return switch (expr) {
      case Expr.ListDisplay e -> e.elements();
      case Expr.TupleDisplay e -> e.elements();
      default -> List.of(expr);
    };
  }

  /** The value of an operation's attribute. */
  static Attribute attribute(Expr expr) {
    Optional<Long> integer = integer(expr);
    if (integer.isPresent()) {
      return new Attribute.Int(integer.get());
    }
    Optional<Double> floating = floating(expr);
    if (floating.isPresent()) {
      return new Attribute.Float(floating.get());
    }
    return switch (expr) {
      case Expr.BoolLiteral e -> new Attribute.Bool(e.value());
      case Expr.StringLiteral e -> new Attribute.Text(e.value());
      default -> named(expr);
    };
  }

  static Attribute.ReduceOp reduce(Expr expr) {
    if (attribute(expr) instanceof Attribute.Reduce reduce) {
      return reduce.value();
    }
    throw TextError.at(expr.span(), "expected a reduction such as pld.ReduceOp.Sum");
  }

  private static Attribute named(Expr expr) {
    String name = dotted(expr).orElse("");
    return switch (name) {
      case "pld.NotifyOp.Set" -> new Attribute.Notify(Attribute.NotifyOp.SET);
      case "pld.NotifyOp.AtomicAdd" -> new Attribute.Notify(Attribute.NotifyOp.ATOMIC_ADD);
      case "pld.WaitCmp.Eq" -> new Attribute.Compare(Attribute.WaitCmp.EQ);
      case "pld.WaitCmp.Ge" -> new Attribute.Compare(Attribute.WaitCmp.GE);
      case "pl.AtomicType.Add", "pld.AtomicType.Add" -> new Attribute.Atomic(true);
      case "pl.AtomicType.None_", "pld.AtomicType.None_" -> new Attribute.Atomic(false);
      case "pld.ReduceOp.Sum" -> new Attribute.Reduce(Attribute.ReduceOp.SUM);
      case "pld.ReduceOp.Max" -> new Attribute.Reduce(Attribute.ReduceOp.MAX);
      case "pld.ReduceOp.Min" -> new Attribute.Reduce(Attribute.ReduceOp.MIN);
      case "pld.ReduceOp.Prod" -> new Attribute.Reduce(Attribute.ReduceOp.PROD);
      default ->
          name.startsWith("pl.MemorySpace.")
              ? new Attribute.Memory(memory(expr))
              : new Attribute.Dtype(dtype(expr));
    };
  }

  private static long exact(BigInteger value, Span span) {
    if (value.bitLength() > 63) {
      throw TextError.at(span, "integer " + value + " doesn't fit 64 bits");
    }
    return value.longValue();
  }
}
