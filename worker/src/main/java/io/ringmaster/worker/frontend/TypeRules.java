package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.Symbols;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Compares types as far as they can be told apart before the run. */
final class TypeRules {

  private TypeRules() {}

  /** True when a name of type {@code before} may be assigned a value of type {@code after}. */
  static boolean compatible(Type before, Type after, Symbols symbols) {
    return difference(before, after, symbols).isEmpty();
  }

  /** The first thing that differs for sure: kind, rank, shape or dtype. */
  static Optional<String> difference(Type a, Type b, Symbols symbols) {
    return switch (a) {
      case Type.Tensor(var shape, DType dtype, boolean window, _)
          when b instanceof Type.Tensor(var other, DType otherDtype, boolean otherWindow, _) -> {
        if (window != otherWindow) {
          yield Optional.of("kind");
        }
        yield shapes(shape, other, dtype, otherDtype, symbols);
      }
      case Type.Tile(var shape, DType dtype, _, _)
          when b instanceof Type.Tile(var other, DType otherDtype, _, _) -> {
        if (shape.size() != other.size()) {
          yield Optional.of("rank");
        }
        if (!shape.equals(other)) {
          yield Optional.of("shape");
        }
        yield dtype == otherDtype ? Optional.empty() : Optional.of("dtype");
      }
      case Type.Scalar(DType dtype) when b instanceof Type.Scalar(DType other) ->
          dtype == other ? Optional.empty() : Optional.of("dtype");
      case Type.Array array when b instanceof Type.Array other ->
          array.equals(other) ? Optional.empty() : Optional.of("shape");
      case Type.Buffer _ when b instanceof Type.Buffer -> Optional.empty();
      case Type.Context _ when b instanceof Type.Context -> Optional.empty();
      case Type.Tuple(var elements) when b instanceof Type.Tuple(var others) ->
          elements.size() == others.size()
              ? IntStream.range(0, elements.size())
                  .mapToObj(i -> difference(elements.get(i), others.get(i), symbols))
                  .flatMap(Optional::stream)
                  .findFirst()
              : Optional.of("length");
      case Type.None _,
          Type.Scalar _,
          Type.Tensor _,
          Type.Tile _,
          Type.Array _,
          Type.Buffer _,
          Type.Context _,
          Type.Tuple _ ->
          Optional.of("kind");
    };
  }

  /** As {@link #difference}; a window may be returned where a plain tensor is declared. */
  static Optional<String> returnDifference(Type declared, Type actual, Symbols symbols) {
    if (declared instanceof Type.Tensor(var shape, DType dtype, _, _)
        && actual instanceof Type.Tensor(var other, DType otherDtype, _, _)) {
      return shapes(shape, other, dtype, otherDtype, symbols);
    }
    if (declared instanceof Type.Scalar(DType a)
        && actual instanceof Type.Scalar(DType b)
        && a.isInteger()
        && b.isInteger()) {
      return Optional.empty();
    }
    return difference(declared, actual, symbols);
  }

  private static Optional<String> shapes(
      List<Expr> a, List<Expr> b, DType dtypeA, DType dtypeB, Symbols symbols) {
    if (a.size() != b.size()) {
      return Optional.of("rank");
    }
    for (int axis = 0; axis < a.size(); axis++) {
      Extent difference = Extent.of(a.get(axis), symbols).minus(Extent.of(b.get(axis), symbols));
      if (difference.alwaysPositive() || difference.alwaysNegative()) {
        return Optional.of("shape");
      }
    }
    return dtypeA == dtypeB ? Optional.empty() : Optional.of("dtype");
  }
}
