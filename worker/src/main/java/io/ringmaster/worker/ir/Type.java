package io.ringmaster.worker.ir;

import io.ringmaster.worker.tensor.DType;
import java.util.List;

/** The type of an IR value. */
public sealed interface Type {

  /** No value: the type of a statement-like operation. */
  record None() implements Type {}

  /** A register value. */
  record Scalar(DType dtype) implements Type {}

  /**
   * A tensor in global memory, or (when {@code window}) this rank's slice of a window that peers
   * can address.
   *
   * @param shape extents as scalar expressions: constants, {@link Expr.Dim}s, arithmetic on those
   * @param valid the origin-anchored part that holds values, one scalar expression per dimension;
   *     empty when all of it does
   */
  record Tensor(List<Expr> shape, DType dtype, boolean window, List<Expr> valid) implements Type {
    public Tensor {
      shape = List.copyOf(shape);
      valid = List.copyOf(valid);
    }

    public Tensor(List<Expr> shape, DType dtype, boolean window) {
      this(shape, dtype, window, List.of());
    }
  }

  /**
   * An on-chip tile; extents are constants.
   *
   * @param valid the origin-anchored valid box, one scalar expression per dimension; empty when the
   *     whole tile is valid
   */
  record Tile(List<Long> shape, DType dtype, MemorySpace memory, List<Expr> valid) implements Type {
    public Tile {
      shape = List.copyOf(shape);
      valid = List.copyOf(valid);
    }
  }

  /** A small core-local array of scalars. */
  record Array(long extent, DType dtype) implements Type {}

  /** A window buffer before it is viewed ({@code alloc_window_buffer}'s result). */
  record Buffer() implements Type {}

  /** A communication context. */
  record Context() implements Type {}

  /** Several values: offsets, shapes, multiple results. */
  record Tuple(List<Type> elements) implements Type {
    public Tuple {
      elements = List.copyOf(elements);
    }
  }

  /** On-chip memories. */
  enum MemorySpace {
    VEC("Vec"),
    MAT("Mat"),
    LEFT("Left"),
    RIGHT("Right"),
    ACC("Acc"),
    BIAS("Bias");

    private final String spelling;

    MemorySpace(String spelling) {
      this.spelling = spelling;
    }

    /** The name as written in a kernel: {@code pl.MemorySpace.Vec}. */
    public String spelling() {
      return spelling;
    }
  }
}
