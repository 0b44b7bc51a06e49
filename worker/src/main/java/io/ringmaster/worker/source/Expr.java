package io.ringmaster.worker.source;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/** A Python expression, as written. */
public sealed interface Expr {

  Span span();

  record Name(String id, Span span) implements Expr {}

  record IntLiteral(BigInteger value, Span span) implements Expr {}

  record FloatLiteral(double value, Span span) implements Expr {}

  record StringLiteral(String value, Span span) implements Expr {}

  record BytesLiteral(String value, Span span) implements Expr {}

  record BoolLiteral(boolean value, Span span) implements Expr {}

  record NoneLiteral(Span span) implements Expr {}

  record EllipsisLiteral(Span span) implements Expr {}

  /** {@code f"..."}: text parts and replacement fields in order. */
  record FormattedString(List<FormatPart> parts, Span span) implements Expr {}

  record Attribute(Expr value, String name, Span nameSpan, Span span) implements Expr {}

  record Call(Expr function, List<Expr> arguments, List<Keyword> keywords, Span span)
      implements Expr {}

  record Subscript(Expr value, Expr index, Span span) implements Expr {}

  /** {@code lower:upper:step}; only as (part of) a subscript's index. */
  record Slice(Optional<Expr> lower, Optional<Expr> upper, Optional<Expr> step, Span span)
      implements Expr {}

  record TupleDisplay(List<Expr> elements, Span span) implements Expr {}

  record ListDisplay(List<Expr> elements, Span span) implements Expr {}

  record SetDisplay(List<Expr> elements, Span span) implements Expr {}

  /** A dict display; an entry without a key is {@code **value}. */
  record DictDisplay(List<DictEntry> entries, Span span) implements Expr {}

  record Unary(UnaryOperator operator, Expr operand, Span span) implements Expr {}

  record Binary(BinaryOperator operator, Expr left, Expr right, Span span) implements Expr {}

  /** {@code and} / {@code or} over two or more operands. */
  record BoolOperation(boolean isAnd, List<Expr> operands, Span span) implements Expr {}

  /** {@code first op0 rest0 op1 rest1 ...}; a chain has more than one operator. */
  record Comparison(Expr first, List<CompareOperator> operators, List<Expr> rest, Span span)
      implements Expr {}

  record Conditional(Expr condition, Expr whenTrue, Expr whenFalse, Span span) implements Expr {}

  record Lambda(Parameters parameters, Expr body, Span span) implements Expr {}

  /** A list, set, dict or generator comprehension; {@code value} only for a dict. */
  record Comprehension(
      ComprehensionKind kind,
      Expr element,
      Optional<Expr> value,
      List<ForClause> clauses,
      Span span)
      implements Expr {}

  /** {@code *value} in a call, display or target. */
  record Starred(Expr value, Span span) implements Expr {}

  /** {@code target := value}. */
  record Walrus(Name target, Expr value, Span span) implements Expr {}

  /**
   * {@code yield}, {@code yield from} or {@code await}: read, and refused by whoever evaluates. As
   * the iterable of a {@link ForClause} the keyword {@code async for} marks an asynchronous one.
   */
  record Suspension(String keyword, Optional<Expr> value, Span span) implements Expr {}

  /** A named argument; an empty name is {@code **value}. */
  record Keyword(Optional<String> name, Expr value, Span span) {}

  record DictEntry(Optional<Expr> key, Expr value) {}

  record ForClause(Expr target, Expr iterable, List<Expr> conditions, Span span) {}

  /** A part of an f-string. */
  sealed interface FormatPart {}

  record TextPart(String text) implements FormatPart {}

  /**
   * {@code {value!conversion:spec}}.
   *
   * @param conversion {@code r}, {@code s}, {@code a} or empty
   * @param debugText the text before the value for {@code {value=}}, sign and spaces included, else
   *     empty; the conversion is then {@code r} unless another or a format is written
   */
  record FieldPart(Expr value, String conversion, List<FormatPart> spec, String debugText)
      implements FormatPart {}

  enum ComprehensionKind {
    LIST,
    SET,
    DICT,
    GENERATOR
  }

  /** Unary operators with their Python spelling. */
  enum UnaryOperator {
    NEGATE("-"),
    PLUS("+"),
    NOT("not"),
    INVERT("~");

    private final String spelling;

    UnaryOperator(String spelling) {
      this.spelling = spelling;
    }

    public String spelling() {
      return spelling;
    }
  }

  /** Binary operators with their Python spelling. */
  enum BinaryOperator {
    ADD("+"),
    SUBTRACT("-"),
    MULTIPLY("*"),
    DIVIDE("/"),
    FLOOR_DIVIDE("//"),
    MODULO("%"),
    POWER("**"),
    MATRIX_MULTIPLY("@"),
    SHIFT_LEFT("<<"),
    SHIFT_RIGHT(">>"),
    BIT_AND("&"),
    BIT_OR("|"),
    BIT_XOR("^");

    private final String spelling;

    BinaryOperator(String spelling) {
      this.spelling = spelling;
    }

    public String spelling() {
      return spelling;
    }
  }

  /** Comparison operators with their Python spelling. */
  enum CompareOperator {
    EQ("=="),
    NE("!="),
    LT("<"),
    LE("<="),
    GT(">"),
    GE(">="),
    IS("is"),
    IS_NOT("is not"),
    IN("in"),
    NOT_IN("not in");

    private final String spelling;

    CompareOperator(String spelling) {
      this.spelling = spelling;
    }

    public String spelling() {
      return spelling;
    }
  }
}
