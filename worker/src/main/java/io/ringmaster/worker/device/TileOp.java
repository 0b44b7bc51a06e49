package io.ringmaster.worker.device;

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
