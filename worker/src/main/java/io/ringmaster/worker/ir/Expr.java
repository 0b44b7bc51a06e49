package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** An IR expression. Scalars are nested freely; operations and calls stand alone in a statement. */
public sealed interface Expr {

  Type type();

  Span span();

  record IntConst(long value, DType dtype, Span span) implements Expr {
    @Override
    public Type type() {
      return new Type.Scalar(dtype);
    }
  }

  record FloatConst(double value, DType dtype, Span span) implements Expr {
    @Override
    public Type type() {
      return new Type.Scalar(dtype);
    }
  }

  record BoolConst(boolean value, Span span) implements Expr {
    @Override
    public Type type() {
      return new Type.Scalar(DType.BOOL);
    }
  }

  /** A read of a local variable or parameter. */
  record Var(String name, Type type, Span span) implements Expr {}

  /** A dynamic dimension; its value is bound from tensor shapes at entry. Type INDEX. */
  record Dim(String name, Span span) implements Expr {
    @Override
    public Type type() {
      return new Type.Scalar(DType.INDEX);
    }
  }

  record Binary(BinaryOp op, Expr left, Expr right, Type type, Span span) implements Expr {}

  record Unary(UnaryOp op, Expr operand, Type type, Span span) implements Expr {}

  /** A scalar conversion; integers wrap to the narrower width. */
  record Convert(Expr operand, DType dtype, Span span) implements Expr {
    @Override
    public Type type() {
      return new Type.Scalar(dtype);
    }
  }

  /** A list of values: offsets, a shape, several results. */
  record TupleExpr(List<Expr> elements, Span span) implements Expr {
    public TupleExpr {
      elements = List.copyOf(elements);
    }

    @Override
    public Type type() {
      Type[] types = new Type[elements.size()];
      for (int i = 0; i < types.length; i++) {
        types[i] = elements.get(i).type();
      }
      return new Type.Tuple(List.of(types));
    }
  }

  /**
   * An operation; see {@link OpCode} for operands and attributes.
   *
   * @param places where arguments are written, by parameter, as far as a later rule may have to
   *     point at one of them
   */
  record Op(
      OpCode code,
      List<Expr> operands,
      SortedMap<String, Attribute> attributes,
      Type type,
      Span span,
      Map<String, Span> places)
      implements Expr {
    public Op {
      operands = List.copyOf(operands);
      attributes = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
      places = Map.copyOf(places);
    }

    /** An operation of which only the whole has a place. */
    public Op(
        OpCode code,
        List<Expr> operands,
        SortedMap<String, Attribute> attributes,
        Type type,
        Span span) {
      this(code, operands, attributes, type, span, Map.of());
    }

    /** Where an argument is written; the whole call when that isn't known or it was left away. */
    public Span place(String parameter) {
      return places.getOrDefault(parameter, span);
    }

    /** The same operation, at the same place, on other operands. */
    public Op on(List<Expr> others) {
      return new Op(code, others, attributes, type, span, places);
    }

    /** The same operation of another type. */
    public Op typed(Type other) {
      return new Op(code, operands, attributes, other, span, places);
    }

    /** The same operation with these places. */
    public Op placed(Map<String, Span> known) {
      return new Op(code, operands, attributes, type, span, known);
    }

    public static Op of(
        OpCode code, List<Expr> operands, Map<String, Attribute> attributes, Type type, Span span) {
      return new Op(code, operands, new TreeMap<>(attributes), type, span);
    }
  }

  /**
   * A call of a function of the program; {@code device} on a dispatch from HOST to a rank. The
   * result aliases the callee's Out/InOut arguments in order.
   */
  record Call(String function, List<Expr> arguments, Optional<Expr> device, Type type, Span span)
      implements Expr {
    public Call {
      arguments = List.copyOf(arguments);
    }
  }

  /**
   * Scalar binary operators. Integer division and remainder truncate toward zero in device
   * functions and floor in HOST functions.
   */
  enum BinaryOp {
    ADD("+"),
    SUB("-"),
    MUL("*"),
    DIV("/"),
    FLOOR_DIV("//"),
    MOD("%"),
    SHIFT_LEFT("<<"),
    SHIFT_RIGHT(">>"),
    MIN("pl.min"),
    MAX("pl.max"),
    EQ("=="),
    NE("!="),
    LT("<"),
    LE("<="),
    GT(">"),
    GE(">="),
    AND("and"),
    OR("or");

    private final String spelling;

    BinaryOp(String spelling) {
      this.spelling = spelling;
    }

    public String spelling() {
      return spelling;
    }
  }

  /** Scalar unary operators. */
  enum UnaryOp {
    NEGATE("-"),
    NOT("not"),
    INVERT("~");

    private final String spelling;

    UnaryOp(String spelling) {
      this.spelling = spelling;
    }

    public String spelling() {
      return spelling;
    }
  }
}
