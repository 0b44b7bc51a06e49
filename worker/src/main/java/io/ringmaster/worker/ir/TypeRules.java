package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The type that an expression has by its parts. The text form leaves such types out and writes only
 * those that differ; the verifier compares against them.
 */
public final class TypeRules {

  private static final Type NONE = new Type.None();

  private TypeRules() {}

  /** Result type of a scalar operator; empty when an operand isn't a scalar. */
  public static Optional<Type> binary(Expr.BinaryOp op, Type left, Type right) {
    if (!(left instanceof Type.Scalar a) || !(right instanceof Type.Scalar b)) {
      return Optional.empty();
    }
    return Optional.of(
        switch (op) {
          case EQ, NE, LT, LE, GT, GE, AND, OR -> new Type.Scalar(DType.BOOL);
          case ADD, SUB, MUL, DIV, FLOOR_DIV, MOD, SHIFT_LEFT, SHIFT_RIGHT, MIN, MAX ->
              b.dtype().bytes() > a.dtype().bytes() ? b : a;
        });
  }

  /** Result type of a unary operator; empty when the operand isn't a scalar. */
  public static Optional<Type> unary(Expr.UnaryOp op, Type operand) {
    if (!(operand instanceof Type.Scalar)) {
      return Optional.empty();
    }
    return Optional.of(
        switch (op) {
          case NOT -> new Type.Scalar(DType.BOOL);
          case NEGATE, INVERT -> operand;
        });
  }

  /** Result type of a call of {@code callee}. */
  public static Type call(Function callee) {
    return switch (callee.returns().size()) {
      case 0 -> NONE;
      case 1 -> callee.returns().getFirst();
      default -> new Type.Tuple(callee.returns());
    };
  }

  /** Type of a tile made of nothing but a shape and attributes. */
  static Optional<Type> created(List<Long> shape, Map<String, Attribute> attributes) {
    return dtype(attributes)
        .map(dtype -> new Type.Tile(shape, dtype, memory(attributes), List.of()));
  }

  /**
   * Result type of an operation; empty when the operands don't determine it: a wrong operand, or a
   * shape that stands only in the type.
   */
  public static Optional<Type> op(
      OpCode code, List<Expr> operands, Map<String, Attribute> attributes) {
    return switch (code) {
      case STORE, ALL_TO_ALL, ALLGATHER, ALL_TO_ALL_V ->
          typeOf(operands, code == OpCode.STORE ? 2 : 1);
      case ASSEMBLE, MATMUL_ACC, BARRIER, BROADCAST, ALLREDUCE, REDUCE_SCATTER ->
          typeOf(operands, 0);
      case WRITE, ARRAY_SET, NOTIFY, WAIT, DEFER_WAIT, REMOTE_STORE, PUT, GET -> Optional.of(NONE);
      case LOAD -> load(operands, 0, 2, 3, memory(attributes));
      case REMOTE_LOAD -> load(operands, 0, 3, 4, Type.MemorySpace.VEC);
      case READ, ARRAY_GET -> typeOf(operands, 0).flatMap(TypeRules::element).map(Type.Scalar::new);
      case CREATE_TILE, FULL_TILE -> Optional.empty();
      case CREATE_TENSOR, FULL_TENSOR -> tensor(operands, 0, attributes, false);
      case WINDOW -> tensor(operands, 1, attributes, true);
      case MOVE ->
          tile(operands)
              .map(t -> new Type.Tile(t.shape(), t.dtype(), memory(attributes), t.valid()));
      case SLICE -> slice(operands, attributes);
      case RESHAPE -> reshape(operands);
      case SET_VALID_SHAPE ->
          operands.size() < 3
              ? Optional.empty()
              : typeOf(operands, 0).map(type -> withValid(type, operands.subList(1, 3)));
      case FILL_PAD -> typeOf(operands, 0).map(TypeRules::filled);
      case DIM -> Optional.of(new Type.Scalar(DType.INDEX));
      case ARRAY_CREATE ->
          attributes.get("n") instanceof Attribute.Int n
              ? dtype(attributes).map(d -> new Type.Array(n.value(), d))
              : Optional.empty();
      case ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM -> elementwise(operands);
      case EXP, LOG, SQRT, RSQRT, NEG, ABS, RECIP, SIN, COS ->
          typeOf(operands, 0).flatMap(t -> element(t).map(d -> withDtype(t, d)));
      case CAST -> typeOf(operands, 0).flatMap(t -> dtype(attributes).map(d -> withDtype(t, d)));
      case ROW_SUM, ROW_MAX, ROW_MIN, ROW_PROD -> reduced(operands, true);
      case COL_SUM, COL_MAX, COL_MIN, COL_PROD -> reduced(operands, false);
      case MATMUL -> matmul(operands, attributes);
      case CMP,
          SEL,
          ARANGE,
          ARANGE_TILE,
          SORT32,
          MRGSORT,
          GATHER,
          GATHER_MASK,
          SCATTER,
          TRANSPOSE ->
          ArrangingTypes.of(code, operands, attributes);
      case ALLOC_WINDOW -> Optional.of(new Type.Buffer());
      case WORLD_SIZE -> Optional.of(new Type.Scalar(DType.INT64));
      case GET_COMM_CTX -> Optional.of(new Type.Context());
      case RANK, NRANKS -> Optional.of(new Type.Scalar(DType.INT32));
    };
  }

  /** Every how manieth column a mask pattern takes: 1 and 2 the second, 3 to 6 the fourth. */
  public static int maskStride(long pattern) {
    if (pattern <= 2) {
      return 2;
    }
    return pattern <= 6 ? 4 : 1;
  }

  /** Element type of a tensor, tile or array. */
  static Optional<DType> element(Type type) {
    return switch (type) {
      case Type.Tensor t -> Optional.of(t.dtype());
      case Type.Tile t -> Optional.of(t.dtype());
      case Type.Array t -> Optional.of(t.dtype());
      case Type.None _, Type.Scalar _, Type.Buffer _, Type.Context _, Type.Tuple _ ->
          Optional.empty();
    };
  }

  /** The values of a shape whose extents are all constant. */
  static Optional<List<Long>> constants(List<Expr> shape) {
    List<Long> out = new ArrayList<>();
    for (Expr extent : shape) {
      if (!(extent instanceof Expr.IntConst c)) {
        return Optional.empty();
      }
      out.add(c.value());
    }
    return Optional.of(out);
  }

  /** Common element type: float beats integer, then the wider, then the signed, then the left. */
  static DType promote(DType left, DType right) {
    if (left.isFloat() != right.isFloat()) {
      return left.isFloat() ? left : right;
    }
    if (left.bytes() != right.bytes()) {
      return left.bytes() > right.bytes() ? left : right;
    }
    return left.kind() == DType.Kind.UNSIGNED && right.kind() == DType.Kind.SIGNED ? right : left;
  }

  private static Optional<Type> load(
      List<Expr> operands, int source, int shape, int valid, Type.MemorySpace memory) {
    if (operands.size() <= shape) {
      return Optional.empty();
    }
    List<Expr> box = operands.size() > valid ? elements(operands.get(valid)) : List.of();
    return element(operands.get(source).type())
        .flatMap(
            dtype ->
                constants(elements(operands.get(shape)))
                    .map(extents -> new Type.Tile(extents, dtype, memory, box)));
  }

  private static Optional<Type> tensor(
      List<Expr> operands, int shape, Map<String, Attribute> attributes, boolean window) {
    return operands.size() <= shape
        ? Optional.empty()
        : dtype(attributes)
            .map(dtype -> new Type.Tensor(elements(operands.get(shape)), dtype, window));
  }

  private static Optional<Type> slice(List<Expr> operands, Map<String, Attribute> attributes) {
    if (operands.size() < 3) {
      return Optional.empty();
    }
    List<Expr> shape = elements(operands.get(1));
    List<Expr> valid = operands.size() > 3 ? elements(operands.get(3)) : List.of();
    long dropped = attributes.get("drop_mask") instanceof Attribute.Int mask ? mask.value() : 0;
    return switch (operands.getFirst().type()) {
      case Type.Tensor t ->
          Optional.of(
              new Type.Tensor(kept(shape, dropped), t.dtype(), t.window(), kept(valid, dropped)));
      case Type.Tile t ->
          constants(shape).map(extents -> new Type.Tile(extents, t.dtype(), t.memory(), valid));
      case Type.None _, Type.Scalar _, Type.Array _, Type.Buffer _, Type.Context _, Type.Tuple _ ->
          Optional.empty();
    };
  }

  private static List<Expr> kept(List<Expr> extents, long dropped) {
    List<Expr> kept = new ArrayList<>();
    for (int axis = 0; axis < extents.size(); axis++) {
      if ((dropped >> axis & 1) == 0) {
        kept.add(extents.get(axis));
      }
    }
    return kept;
  }

  private static Type withValid(Type type, List<Expr> valid) {
    return switch (type) {
      case Type.Tile t -> new Type.Tile(t.shape(), t.dtype(), t.memory(), valid);
      case Type.Tensor t -> new Type.Tensor(t.shape(), t.dtype(), t.window(), valid);
      case Type.None _, Type.Scalar _, Type.Array _, Type.Buffer _, Type.Context _, Type.Tuple _ ->
          type;
    };
  }

  /** Filled up, a tile is wholly valid and a tensor a new one. */
  private static Type filled(Type type) {
    return type instanceof Type.Tensor t
        ? new Type.Tensor(t.shape(), t.dtype(), false)
        : withValid(type, List.of());
  }

  private static Optional<Type> reshape(List<Expr> operands) {
    if (operands.size() < 2) {
      return Optional.empty();
    }
    List<Expr> shape = elements(operands.get(1));
    return switch (operands.getFirst().type()) {
      case Type.Tensor t -> Optional.of(new Type.Tensor(shape, t.dtype(), t.window()));
      case Type.Tile t ->
          constants(shape).map(extents -> new Type.Tile(extents, t.dtype(), t.memory(), List.of()));
      case Type.None _, Type.Scalar _, Type.Array _, Type.Buffer _, Type.Context _, Type.Tuple _ ->
          Optional.empty();
    };
  }

  static Optional<Type> elementwise(List<Expr> operands) {
    if (operands.size() < 2) {
      return Optional.empty();
    }
    Type left = operands.get(0).type();
    Type right = operands.get(1).type();
    if (left instanceof Type.Tile a && right instanceof Type.Tile b) {
      return broadcast(a.shape(), b.shape())
          .map(
              shape ->
                  new Type.Tile(
                      shape,
                      promote(a.dtype(), b.dtype()),
                      a.memory(),
                      shape.equals(a.shape()) ? a.valid() : List.of()));
    }
    if (left instanceof Type.Tensor a && right instanceof Type.Tensor b) {
      DType dtype = promote(a.dtype(), b.dtype());
      return broadcastExtents(a.shape(), b.shape()).map(s -> new Type.Tensor(s, dtype, false));
    }
    if (right instanceof Type.Scalar b && left instanceof Type.Tensor a) {
      boolean widened = b.dtype().isFloat() && !a.dtype().isFloat();
      return Optional.of(
          new Type.Tensor(a.shape(), widened ? DType.FP32 : a.dtype(), false, a.valid()));
    }
    return right instanceof Type.Scalar && left instanceof Type.Tile
        ? Optional.of(left)
        : Optional.empty();
  }

  private static Optional<List<Long>> broadcast(List<Long> a, List<Long> b) {
    List<Long> out = new ArrayList<>();
    int rank = Math.max(a.size(), b.size());
    for (int i = 0; i < rank; i++) {
      long x = i < rank - a.size() ? 1 : a.get(i - (rank - a.size()));
      long y = i < rank - b.size() ? 1 : b.get(i - (rank - b.size()));
      if (x != y && x != 1 && y != 1) {
        return Optional.empty();
      }
      out.add(x == 1 ? y : x);
    }
    return Optional.of(out);
  }

  private static Optional<List<Expr>> broadcastExtents(List<Expr> a, List<Expr> b) {
    List<Expr> out = new ArrayList<>();
    int rank = Math.max(a.size(), b.size());
    Expr one = new Expr.IntConst(1, DType.INDEX, Span.NONE);
    for (int i = 0; i < rank; i++) {
      Expr x = i < rank - a.size() ? one : a.get(i - (rank - a.size()));
      Expr y = i < rank - b.size() ? one : b.get(i - (rank - b.size()));
      if (isOne(y) || Spans.strip(x).equals(Spans.strip(y))) {
        out.add(x);
      } else if (isOne(x)) {
        out.add(y);
      } else {
        return Optional.empty();
      }
    }
    return Optional.of(out);
  }

  private static boolean isOne(Expr extent) {
    return extent instanceof Expr.IntConst c && c.value() == 1;
  }

  private static Optional<Type> reduced(List<Expr> operands, boolean row) {
    return tile(operands)
        .filter(t -> t.shape().size() >= 2)
        .map(
            t -> {
              int axis = row ? t.shape().size() - 1 : t.shape().size() - 2;
              List<Long> shape = new ArrayList<>(t.shape());
              shape.set(axis, 1L);
              List<Expr> valid = new ArrayList<>(t.valid());
              if (!valid.isEmpty()) {
                valid.set(axis, new Expr.IntConst(1, DType.INDEX, Span.NONE));
              }
              return new Type.Tile(shape, t.dtype(), t.memory(), valid);
            });
  }

  private static Optional<Type> matmul(List<Expr> operands, Map<String, Attribute> attributes) {
    if (operands.size() < 2
        || !(operands.get(0).type() instanceof Type.Tile a)
        || !(operands.get(1).type() instanceof Type.Tile b)
        || a.shape().size() != 2
        || b.shape().size() != 2) {
      return Optional.empty();
    }
    DType out = dtype(attributes).orElse(a.dtype().isFloat() ? DType.FP32 : DType.INT32);
    return Optional.of(
        new Type.Tile(
            List.of(a.shape().get(0), b.shape().get(1)), out, Type.MemorySpace.ACC, List.of()));
  }

  private static Optional<Type.Tile> tile(List<Expr> operands) {
    return !operands.isEmpty() && operands.getFirst().type() instanceof Type.Tile t
        ? Optional.of(t)
        : Optional.empty();
  }

  static Type withDtype(Type type, DType dtype) {
    return switch (type) {
      case Type.Tensor t -> new Type.Tensor(t.shape(), dtype, false, t.valid());
      case Type.Tile t -> new Type.Tile(t.shape(), dtype, t.memory(), t.valid());
      case Type.Scalar _ -> new Type.Scalar(dtype);
      case Type.None _, Type.Array _, Type.Buffer _, Type.Context _, Type.Tuple _ -> type;
    };
  }

  private static Optional<Type> typeOf(List<Expr> operands, int index) {
    return operands.size() > index ? Optional.of(operands.get(index).type()) : Optional.empty();
  }

  static List<Expr> elements(Expr tuple) {
    return tuple instanceof Expr.TupleExpr t ? t.elements() : List.of(tuple);
  }

  static Optional<DType> dtype(Map<String, Attribute> attributes) {
    return attributes.get("dtype") instanceof Attribute.Dtype d
        ? Optional.of(d.value())
        : Optional.empty();
  }

  private static Type.MemorySpace memory(Map<String, Attribute> attributes) {
    return attributes.get("target_memory") instanceof Attribute.Memory m
        ? m.value()
        : Type.MemorySpace.VEC;
  }
}
