package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.ClosureValue;
import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.ScalarTyping;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;

/** Element-wise arithmetic of tiles and tensors, and casts. */
final class Elementwise {

  private static final Set<DType> SUB_SCALAR =
      Set.of(DType.INT8, DType.INT16, DType.INT32, DType.FP16, DType.FP32, DType.BF16);
  private static final Set<DType> DIVIDES =
      Set.of(DType.INT16, DType.INT32, DType.FP16, DType.FP32);
  private static final List<String> ROUNDINGS =
      List.of("none", "rint", "round", "floor", "ceil", "trunc", "odd");

  private Elementwise() {}

  /** {@code pl.add}, {@code pl.sub}, {@code pl.mul}, {@code pl.div}: also of two scalars. */
  static Operation arithmetic(OpCode code, BinaryOperator scalarOperator) {
    return call -> {
      if (call.isScalar("lhs") && call.isScalar("rhs")) {
        return ScalarTyping.binary(
            scalarOperator,
            call.scalar("lhs", DType.INDEX, "lhs must be a scalar"),
            call.scalar("rhs", DType.INDEX, "rhs must be a scalar"),
            call.context().level() != Level.HOST,
            call.span());
      }
      return binary(call, code);
    };
  }

  static Operation extreme(OpCode code) {
    return call -> binary(call, code);
  }

  /** The {@code pl.tile.adds} family: the right operand must be a scalar. */
  static Operation withScalar(OpCode code) {
    return call -> {
      if (!call.isScalar("rhs")) {
        throw call.refuse(
            "rhs",
            "needs a scalar right operand, got " + call.describe("rhs"),
            "for two tiles there is the operation without s");
      }
      return binary(call, code);
    };
  }

  /** The operands of a comparison, typed as those of arithmetic are. */
  static Expr.Op compared(OpCall call) {
    return (Expr.Op) binary(call, OpCode.CMP);
  }

  private static Expr binary(OpCall call, OpCode code) {
    boolean leftTensor = call.isTensor("lhs");
    boolean leftTile = call.isTile("lhs");
    if (!leftTensor && !leftTile) {
      throw call.refuse(
          "lhs",
          "expected Tensor or Tile operands, got "
              + call.describe("lhs")
              + " and "
              + call.describe("rhs"),
          call.isScalar("lhs")
              ? "write the tile or tensor first"
              : "scalars are combined by + - * // %");
    }
    if ((leftTensor && call.isTile("rhs")) || (leftTile && call.isTensor("rhs"))) {
      throw call.refuse(
          leftTensor ? "lhs" : "rhs",
          "cannot mix Tensor and Tile arguments: got "
              + call.describe("lhs")
              + " and "
              + call.describe("rhs"),
          "load the tensor into a tile with pl.load first");
    }
    Expr left = call.dsl("lhs").orElseThrow();
    if (call.isScalar("rhs")) {
      return scalarForm(call, code, left);
    }
    if (!call.isTensor("rhs") && !call.isTile("rhs")) {
      throw call.refuse(
          "rhs",
          "expected Tensor or Tile operands, got " + call.describe("rhs"),
          "pass a tile or tensor");
    }
    Expr right = call.dsl("rhs").orElseThrow();
    Type type =
        leftTile
            ? tiles(call, code, (Type.Tile) left.type(), (Type.Tile) right.type())
            : tensors(call, code, (Type.Tensor) left.type(), (Type.Tensor) right.type());
    return call.op(code, List.of(left, right), Map.of(), type);
  }

  private static Type tiles(OpCall call, OpCode code, Type.Tile left, Type.Tile right) {
    if (code == OpCode.DIV) {
      requireDivides(call, left.dtype(), right.dtype());
      boolean rowBroadcast =
          left.shape().size() == 2
              && right.shape().equals(List.of(1L, left.shape().get(1)))
              && right.valid().isEmpty();
      if (!rowBroadcast && !(left.shape().equals(right.shape()) && sameValid(call, left, right))) {
        throw call.refuse(
            "rhs",
            "requires src0, src1, and dst to have the same physical and valid shape, got "
                + left.shape()
                + " and "
                + right.shape(),
            "slice or pad one of them first");
      }
    }
    List<Expr> shape =
        broadcast(
            call, Bounds.constants(left.shape(), call), Bounds.constants(right.shape(), call));
    List<Long> extents =
        shape.stream().map(extent -> call.extentOf(extent).constant().orElseThrow()).toList();
    List<Expr> valid = extents.equals(left.shape()) ? left.valid() : List.of();
    return new Type.Tile(extents, promote(left.dtype(), right.dtype()), left.memory(), valid);
  }

  private static boolean sameValid(OpCall call, Type.Tile left, Type.Tile right) {
    List<Expr> a = Bounds.valid(left, call);
    List<Expr> b = Bounds.valid(right, call);
    for (int i = 0; i < a.size(); i++) {
      Extent difference = call.extentOf(a.get(i)).minus(call.extentOf(b.get(i)));
      if (difference.alwaysPositive() || difference.alwaysNegative()) {
        return false;
      }
    }
    return true;
  }

  private static Type tensors(OpCall call, OpCode code, Type.Tensor left, Type.Tensor right) {
    if (code == OpCode.DIV) {
      requireDivides(call, left.dtype(), right.dtype());
    }
    List<Expr> shape = broadcast(call, left.shape(), right.shape());
    boolean kept =
        left.shape().size() == right.shape().size()
            && IntStream.range(0, shape.size())
                .allMatch(
                    axis ->
                        isSame(call, left, right, axis)
                            && call.extentOf(shape.get(axis))
                                .sameAs(call.extentOf(left.shape().get(axis))));
    return new Type.Tensor(
        shape, promote(left.dtype(), right.dtype()), false, kept ? left.valid() : List.of());
  }

  /** True when both are as far valid along an axis. */
  private static boolean isSame(OpCall call, Type.Tensor left, Type.Tensor right, int axis) {
    Expr a = Bounds.valid(left, call).get(axis);
    Expr b = Bounds.valid(right, call).get(axis);
    return call.extentOf(a).sameAs(call.extentOf(b));
  }

  private static void requireDivides(OpCall call, DType left, DType right) {
    if (left != right || !DIVIDES.contains(left)) {
      throw call.refuse(
          left == right ? "lhs" : "rhs",
          "requires src0, src1, and dst to have the same dtype, one of INT16, INT32, FP16, FP32;"
              + " got "
              + left
              + " and "
              + right,
          "convert with pl.cast first");
    }
  }

  /** Right-aligned: each pair of extents is equal, or one of them is 1. */
  private static List<Expr> broadcast(OpCall call, List<Expr> left, List<Expr> right) {
    int rank = Math.max(left.size(), right.size());
    List<Expr> shape = new ArrayList<>();
    for (int axis = 0; axis < rank; axis++) {
      int a = axis - (rank - left.size());
      int b = axis - (rank - right.size());
      if (a < 0 || b < 0) {
        shape.add(a < 0 ? right.get(b) : left.get(a));
        continue;
      }
      OptionalLong x = call.extentOf(left.get(a)).constant();
      OptionalLong y = call.extentOf(right.get(b)).constant();
      boolean clash =
          x.isPresent()
              && y.isPresent()
              && x.getAsLong() != y.getAsLong()
              && x.getAsLong() != 1
              && y.getAsLong() != 1;
      if (clash) {
        throw call.refuse(
            "rhs",
            "requires compatible shapes, got "
                + TypeText.shape(left)
                + " and "
                + TypeText.shape(right),
            "extents must be equal, or 1, from the right");
      }
      shape.add(x.isPresent() && x.getAsLong() == 1 ? right.get(b) : left.get(a));
    }
    return shape;
  }

  private static DType promote(DType left, DType right) {
    if (left.isFloat() != right.isFloat()) {
      return left.isFloat() ? left : right;
    }
    if (left.bytes() != right.bytes()) {
      return left.bytes() > right.bytes() ? left : right;
    }
    return left.kind() == DType.Kind.UNSIGNED && right.kind() == DType.Kind.SIGNED ? right : left;
  }

  private static Expr scalarForm(OpCall call, OpCode code, Expr left) {
    boolean tile = left.type() instanceof Type.Tile;
    DType dtype =
        left.type() instanceof Type.Tile t ? t.dtype() : ((Type.Tensor) left.type()).dtype();
    if (code == OpCode.SUB && tile && !SUB_SCALAR.contains(dtype)) {
      throw call.refuse(
          "lhs",
          "of a tile and a scalar supports INT8, INT16, INT32, FP16, FP32, BF16; got " + dtype,
          "convert the tile with pl.cast first");
    }
    if (code == OpCode.DIV) {
      requireDivides(call, dtype, dtype);
    }
    boolean floatLiteral =
        call.arg("rhs").value() instanceof Value.Constant(ClosureValue value)
            && value instanceof ClosureValue.Float;
    if (floatLiteral && !dtype.isFloat()) {
      if (tile) {
        throw call.refuse(
            "rhs",
            "requires compatible data types: a float literal and a tile of " + dtype,
            "cast the tile to pl.FP32 first");
      }
      Type.Tensor tensor = (Type.Tensor) left.type();
      Expr scalar = call.scalar("rhs", DType.FP32, "rhs must be a scalar");
      return call.op(
          code,
          List.of(left, scalar),
          Map.of(),
          new Type.Tensor(tensor.shape(), DType.FP32, false, tensor.valid()));
    }
    Expr scalar = call.scalar("rhs", dtype, "rhs must be a scalar");
    DType given = ScalarTyping.dtype(scalar, call.name(), call.spanOf("rhs"));
    if (given == DType.INDEX && dtype != DType.INDEX) {
      throw call.refuse(
          "rhs",
          "Scalar operand has dtype `index`, the other operand "
              + dtype
              + ". Convert it explicitly",
          "e.g. pl.cast(" + TypeText.scalar(scalar) + ", pl.INT32)");
    }
    if (given == DType.BOOL) {
      throw call.refuse("rhs", "does not accept bool dtype", "choose by pl.cmp and pl.sel");
    }
    if (given.isFloat() && !dtype.isFloat()) {
      throw call.refuse(
          "rhs",
          "requires compatible data types: scalar " + given + " and " + dtype,
          "convert one of them with pl.cast");
    }
    Expr converted = ScalarTyping.convert(scalar, dtype, call.spanOf("rhs"));
    Type type =
        left.type() instanceof Type.Tensor tensor
            ? new Type.Tensor(tensor.shape(), dtype, false, tensor.valid())
            : left.type();
    return call.op(code, List.of(left, converted), Map.of(), type);
  }

  static Operation unary(OpCode code) {
    return call -> {
      Expr operand = tensorOrTile(call, "x");
      DType dtype = dtype(operand);
      if ((code == OpCode.SIN || code == OpCode.COS) && dtype != DType.FP32) {
        throw call.refuse("x", "is FP32-only, got " + dtype, "cast to pl.FP32 first");
      }
      return call.op(code, List.of(operand), Map.of(), plain(operand.type()));
    };
  }

  static Expr cast(OpCall call) {
    DType to = call.dtype("target_type");
    String mode = mode(call);
    if (call.isScalar("x")) {
      if (call.given("mode") && !mode.equals("round")) {
        throw call.refuse(
            "mode", "a scalar cast takes the default rounding only", "leave mode away");
      }
      return ScalarTyping.convert(
          call.scalar("x", DType.INDEX, "x must be a scalar"), to, call.span());
    }
    Expr operand = tensorOrTile(call, "x");
    OpContext context = call.context();
    Place.KERNEL.require(
        call.name(), "tensor.cast", context.level(), context.functionName(), call.span());
    DType from = dtype(operand);
    if (from == to) {
      throw call.refuse(
          "target_type",
          "same-dtype cast is not a valid operation: the operand already is " + to,
          "leave the cast away");
    }
    Type type =
        operand.type() instanceof Type.Tile tile
            ? new Type.Tile(tile.shape(), to, tile.memory(), tile.valid())
            : new Type.Tensor(
                ((Type.Tensor) operand.type()).shape(),
                to,
                false,
                ((Type.Tensor) operand.type()).valid());
    return call.op(
        OpCode.CAST,
        List.of(operand),
        Map.of("dtype", new Attribute.Dtype(to), "mode", new Attribute.Text(mode)),
        type);
  }

  private static String mode(OpCall call) {
    if (!call.given("mode")) {
      return "round";
    }
    if (call.arg("mode").value() instanceof Value.Constant(ClosureValue.Int(long number))
        && number >= 0
        && number < ROUNDINGS.size()) {
      return ROUNDINGS.get((int) number);
    }
    if (call.arg("mode").value() instanceof Value.Constant(ClosureValue.Text(String text))
        && ROUNDINGS.contains(text)) {
      return text;
    }
    throw call.refuse(
        "mode",
        "mode must be one of " + String.join(", ", ROUNDINGS) + " (0-6)",
        "pass one of these names, or its number");
  }

  static Expr tensorOrTile(OpCall call, String parameter) {
    if (call.isTensor(parameter) || call.isTile(parameter)) {
      return call.dsl(parameter).orElseThrow();
    }
    throw call.refuse(
        parameter,
        "expected Tensor or Tile operands, got " + call.describe(parameter),
        "pass a tile or tensor");
  }

  static DType dtype(Expr operand) {
    return operand.type() instanceof Type.Tile tile
        ? tile.dtype()
        : ((Type.Tensor) operand.type()).dtype();
  }

  /** The result of computing with a window is a plain tensor. */
  static Type plain(Type type) {
    return type instanceof Type.Tensor tensor
        ? new Type.Tensor(tensor.shape(), tensor.dtype(), false, tensor.valid())
        : type;
  }
}
