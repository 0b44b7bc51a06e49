package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.ClosureValue;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.ir.Type.MemorySpace;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The type that a refused operation was surely meant to have. Whatever else is wrong with what it
 * is assigned to can be found then; where there is room for doubt there is no such type.
 */
public final class LikelyResult {

  private final List<Arg> positional;
  private final List<Signature.Named> named;

  private LikelyResult(List<Arg> positional, List<Signature.Named> named) {
    this.positional = positional;
    this.named = named;
  }

  /** The type by the name of the operation and by what it was given. */
  public static Optional<Type> of(
      String printed, List<Arg> positional, List<Signature.Named> named) {
    var given = new LikelyResult(positional, named);
    return switch (printed.substring(printed.lastIndexOf('.') + 1)) {
      case "allreduce", "broadcast", "reduce_scatter" -> given.tensor(0, "target");
      case "barrier" -> given.tensor(0, "signal");
      case "allgather", "all_to_all", "all_to_all_v" -> given.tensor(1, "target");
      case "store" -> given.tensor(2, "output_tensor");
      case "assemble", "move", "fillpad" -> given.matrix(0);
      case "load" -> given.loaded(0, "tensor", 2, "shapes");
      case "remote_load" -> given.loaded(0, "target", 3, "shape");
      case "create", "create_tile" -> given.tile(0, "shape", 1);
      case "read" -> given.element();
      case "rank", "nranks" -> Optional.of(new Type.Scalar(DType.INT32));
      case "world_size" -> Optional.of(new Type.Scalar(DType.INT64));
      case "get_comm_ctx" -> Optional.of(new Type.Context());
      case "dim" -> Optional.of(new Type.Scalar(DType.INDEX));
      case "cast" -> given.cast();
      case "row_sum", "row_max", "row_min", "row_prod" -> given.reduced(1);
      case "col_sum", "col_max", "col_min", "col_prod" -> given.reduced(0);
      case "exp", "log", "sqrt", "rsqrt", "neg", "abs", "recip" -> given.matrix(0);
      case "add", "sub", "mul", "div", "maximum", "minimum" -> given.elementwise();
      case "adds", "subs", "muls", "divs", "maxs", "mins" -> given.matrix(0);
      default -> Optional.empty();
    };
  }

  private Optional<Value> argument(int place, String name) {
    return place < positional.size()
        ? Optional.of(positional.get(place).value())
        : named.stream().filter(n -> n.name().equals(name)).map(n -> n.arg().value()).findFirst();
  }

  private Optional<Type> typeOf(int place, String name) {
    return argument(place, name)
        .filter(Value.Dsl.class::isInstance)
        .map(value -> ((Value.Dsl) value).expr().type());
  }

  private Optional<Type> tensor(int place, String name) {
    return typeOf(place, name).filter(Type.Tensor.class::isInstance);
  }

  /** The type of a tile or tensor that is given by position. */
  private Optional<Type> matrix(int place) {
    return typeOf(place, "")
        .filter(type -> type instanceof Type.Tile || type instanceof Type.Tensor);
  }

  private Optional<Type> loaded(int source, String name, int shape, String shapeName) {
    Optional<List<Long>> extents = extents(shape, shapeName);
    return tensor(source, name)
        .filter(_ -> extents.isPresent())
        .map(
            from ->
                new Type.Tile(
                    extents.orElseThrow(),
                    ((Type.Tensor) from).dtype(),
                    MemorySpace.VEC,
                    List.of()));
  }

  private Optional<Type> tile(int shape, String name, int dtype) {
    Optional<List<Long>> extents = extents(shape, name);
    return argument(dtype, "dtype")
        .flatMap(LikelyResult::dtype)
        .filter(_ -> extents.isPresent())
        .map(type -> new Type.Tile(extents.orElseThrow(), type, MemorySpace.VEC, List.of()));
  }

  private Optional<List<Long>> extents(int place, String name) {
    Optional<List<Value>> shape = argument(place, name).flatMap(Value::sequence);
    if (shape.isEmpty() || shape.get().isEmpty()) {
      return Optional.empty();
    }
    List<Long> extents = new ArrayList<>();
    for (Value extent : shape.get()) {
      OptionalLong number = number(extent);
      if (number.isEmpty() || number.getAsLong() <= 0) {
        return Optional.empty();
      }
      extents.add(number.getAsLong());
    }
    return Optional.of(extents);
  }

  private static OptionalLong number(Value value) {
    return switch (value) {
      case Value.Constant(ClosureValue.Int(long number)) -> OptionalLong.of(number);
      case Value.Dsl(Expr.IntConst(long number, _, _)) -> OptionalLong.of(number);
      case Value.Constant _, Value.Dsl _, Value.Items _ -> OptionalLong.empty();
    };
  }

  private static Optional<DType> dtype(Value value) {
    return value instanceof Value.Constant(ClosureValue.Dtype(DType dtype))
        ? Optional.of(dtype)
        : Optional.empty();
  }

  private Optional<Type> element() {
    return matrix(0)
        .map(
            from ->
                new Type.Scalar(
                    from instanceof Type.Tile tile ? tile.dtype() : ((Type.Tensor) from).dtype()));
  }

  private Optional<Type> cast() {
    return argument(1, "target_type")
        .flatMap(LikelyResult::dtype)
        .flatMap(dtype -> matrix(0).map(from -> with(from, dtype)));
  }

  private static Type with(Type matrix, DType dtype) {
    return matrix instanceof Type.Tile tile
        ? new Type.Tile(tile.shape(), dtype, tile.memory(), tile.valid())
        : new Type.Tensor(((Type.Tensor) matrix).shape(), dtype, false);
  }

  /** A tile of which one axis is reduced. */
  private Optional<Type> reduced(int axis) {
    if (matrix(0).isPresent()
        && matrix(0).get() instanceof Type.Tile tile
        && tile.shape().size() == 2) {
      List<Long> shape = new ArrayList<>(tile.shape());
      shape.set(axis, 1L);
      return Optional.of(new Type.Tile(shape, tile.dtype(), tile.memory(), List.of()));
    }
    return Optional.empty();
  }

  /** Two operands of the same size, or one and a number. */
  private Optional<Type> elementwise() {
    Optional<Type> left = matrix(0);
    Optional<Type> right = typeOf(1, "rhs");
    boolean number =
        argument(1, "rhs")
            .filter(
                value ->
                    value instanceof Value.Constant(ClosureValue.Int _)
                        || value instanceof Value.Constant(ClosureValue.Float _))
            .isPresent();
    boolean same =
        left.isPresent()
            && right.isPresent()
            && (right.get() instanceof Type.Scalar
                || (sizes(left.get()).isPresent() && sizes(left.get()).equals(sizes(right.get()))));
    return left.filter(_ -> number || same);
  }

  private static Optional<List<Long>> sizes(Type matrix) {
    return switch (matrix) {
      case Type.Tile tile -> Optional.of(tile.shape());
      case Type.Tensor tensor -> {
        List<Long> sizes = new ArrayList<>();
        for (Expr extent : tensor.shape()) {
          if (extent instanceof Expr.IntConst(long size, _, _)) {
            sizes.add(size);
          }
        }
        yield sizes.size() == tensor.shape().size() ? Optional.of(sizes) : Optional.empty();
      }
      case Type other -> Optional.empty();
    };
  }
}
