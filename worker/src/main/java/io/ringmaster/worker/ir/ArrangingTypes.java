package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Result types of operations that compare, choose, count, sort and rearrange elements. */
final class ArrangingTypes {

  private ArrangingTypes() {}

  static Optional<Type> of(OpCode code, List<Expr> operands, Map<String, Attribute> attributes) {
    if (operands.size() < needed(code)) {
      return Optional.empty();
    }
    Type first = operands.getFirst().type();
    Optional<DType> dtype = TypeRules.dtype(attributes);
    return switch (code) {
      case CMP ->
          TypeRules.elementwise(operands)
              .map(t -> t instanceof Type.Tile ? TypeRules.withDtype(t, DType.UINT8) : t);
      case SEL -> Optional.of(plain(operands.get(1).type()));
      case ARANGE -> dtype.map(d -> new Type.Tensor(TypeRules.elements(operands.get(1)), d, false));
      case ARANGE_TILE ->
          dtype.flatMap(
              d ->
                  TypeRules.constants(TypeRules.elements(operands.get(1)))
                      .map(s -> new Type.Tile(s, d, Type.MemorySpace.VEC, List.of())));
      case SORT32 -> scaled(first, 2, 1, Optional.empty());
      case MRGSORT -> merged(operands);
      case GATHER ->
          TypeRules.element(first).map(d -> TypeRules.withDtype(plain(operands.get(1).type()), d));
      case GATHER_MASK -> {
        long pattern = attributes.get("mask_pattern") instanceof Attribute.Int i ? i.value() : 7;
        yield scaled(first, 1, TypeRules.maskStride(pattern), dtype);
      }
      case SCATTER -> Optional.of(plain(first));
      case TRANSPOSE -> transposed(first);
      default -> Optional.empty();
    };
  }

  private static int needed(OpCode code) {
    return (int) OpSyntax.slots(code).stream().filter(slot -> !slot.optional()).count();
  }

  /** What is computed from a window is a plain tensor. */
  private static Type plain(Type type) {
    return type instanceof Type.Tensor t
        ? new Type.Tensor(t.shape(), t.dtype(), false, t.valid())
        : type;
  }

  private static Optional<Type> scaled(Type type, long times, long by, Optional<DType> dtype) {
    return last(type)
        .flatMap(width -> withLast(type, width * times / by))
        .map(t -> dtype.map(d -> TypeRules.withDtype(t, d)).orElse(t));
  }

  private static Optional<Type> merged(List<Expr> operands) {
    long total = 0;
    for (Expr operand : operands) {
      Optional<Long> width = last(operand.type());
      if (width.isEmpty()) {
        return Optional.empty();
      }
      total += width.get();
    }
    return withLast(operands.getFirst().type(), total);
  }

  private static Optional<Long> last(Type type) {
    return switch (type) {
      case Type.Tile t -> Optional.of(t.shape().getLast());
      case Type.Tensor t when t.shape().getLast() instanceof Expr.IntConst c ->
          Optional.of(c.value());
      case Type other -> Optional.empty();
    };
  }

  private static Optional<Type> withLast(Type type, long width) {
    return switch (type) {
      case Type.Tile t -> {
        List<Long> shape = new ArrayList<>(t.shape());
        shape.set(shape.size() - 1, width);
        yield Optional.of(new Type.Tile(shape, t.dtype(), t.memory(), List.of()));
      }
      case Type.Tensor t -> {
        List<Expr> shape = new ArrayList<>(t.shape());
        shape.set(shape.size() - 1, new Expr.IntConst(width, DType.INDEX, Span.NONE));
        yield Optional.of(new Type.Tensor(shape, t.dtype(), false));
      }
      case Type other -> Optional.empty();
    };
  }

  private static Optional<Type> transposed(Type type) {
    return switch (type) {
      case Type.Tile t ->
          Optional.of(new Type.Tile(swapped(t.shape()), t.dtype(), t.memory(), swapped(t.valid())));
      case Type.Tensor t ->
          Optional.of(new Type.Tensor(swapped(t.shape()), t.dtype(), false, swapped(t.valid())));
      case Type other -> Optional.empty();
    };
  }

  private static <T> List<T> swapped(List<T> extents) {
    List<T> out = new ArrayList<>(extents);
    if (out.size() >= 2) {
      int last = out.size() - 1;
      out.set(last, extents.get(last - 1));
      out.set(last - 1, extents.get(last));
    }
    return out;
  }
}
