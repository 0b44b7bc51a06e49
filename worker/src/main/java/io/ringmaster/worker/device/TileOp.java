package io.ringmaster.worker.device;

import io.ringmaster.worker.tensor.DType;

/** The operations that a device applies to whole tiles. */
public final class TileOp {

  private TileOp() {}

  /** Two operands, element by element. */
  public enum Binary {
    ADD,
    SUB,
    MUL,
    DIV,
    MAX,
    MIN
  }

  /** One operand, element by element. */
  public enum Unary {
    EXP,
    LOG,
    SQRT,
    RSQRT,
    NEG,
    ABS,
    RECIP,
    SIN,
    COS
  }

  /** Folding of one axis. */
  public enum Reduction {
    SUM,
    MAX,
    MIN,
    PROD
  }

  /** A comparison of two elements. */
  public enum Relation {
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE
  }

  /** An operation that compares, chooses or moves elements. */
  public sealed interface Arrangement {}

  /** 1 where the relation of the two operands holds, 0 elsewhere. */
  public record Compare(Relation relation, DType result) implements Arrangement {}

  /** Operands: a mask, what is taken where it isn't zero, what is taken elsewhere. */
  public record Select() implements Arrangement {}

  /**
   * Operands: values, indices. Each 32 values of a row in descending order, every value followed by
   * its index, whose bits take the place of a value.
   */
  public record Sort32() implements Arrangement {}

  /**
   * Operands: rows of such pairs in descending order. {@code block} elements of one operand are a
   * run, and four neighbouring runs become one; 0: every operand is one run, and all become one.
   */
  public record Merge(int block) implements Arrangement {}

  /** Operands: values, indices into them: into the row of the result where {@code byRow}. */
  public record Gather(boolean byRow) implements Arrangement {}

  /** Every {@code stride}-th column from {@code first}, its bits seen as another type. */
  public record GatherColumns(int first, int stride, DType result) implements Arrangement {}

  /** Operands: what the result starts as, values, the index that each of them goes to. */
  public record Scatter(boolean byRow) implements Arrangement {}

  /** The last two dimensions change places. */
  public record Transpose() implements Arrangement {}

  /** How a cast rounds; {@code ROUND} takes halves away from zero, {@code RINT} to even. */
  public enum Rounding {
    NONE,
    RINT,
    ROUND,
    FLOOR,
    CEIL,
    TRUNC,
    ODD
  }

  /** What fills the elements outside the valid box. */
  public enum Pad {
    ZERO,
    MAX,
    MIN
  }
}
