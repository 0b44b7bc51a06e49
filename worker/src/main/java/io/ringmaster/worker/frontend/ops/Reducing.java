package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.ir.Type.MemorySpace;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Reductions along rows and columns, and matrix products. */
final class Reducing {

  private Reducing() {}

  static Operation rows(OpCode code) {
    return call -> {
      Expr operand = Elementwise.tensorOrTile(call, "tile");
      if (operand.type() instanceof Type.Tensor tensor) {
        if (call.has("tmp_tile")) {
          throw call.refuse(
              "tmp_tile",
              "Tensor inputs must not pass tmp_tile",
              "leave tmp_tile away: only tiles need one");
        }
        return call.op(
            code, List.of(operand), Map.of(), reduced(call, tensor, tensor.shape().size() - 1));
      }
      if (!call.has("tmp_tile")) {
        throw call.refuse(
            "Tile inputs require tmp_tile", "create one: pl.tile.create(shape, dtype=...)");
      }
      Type.Tile tile = (Type.Tile) operand.type();
      Expr scratch = scratch(call, tile);
      requireNotEmpty(call, tile, tile.shape().size() - 1);
      List<Long> shape = new ArrayList<>(tile.shape());
      shape.set(shape.size() - 1, 1L);
      return call.op(
          code,
          List.of(operand, scratch),
          Map.of(),
          new Type.Tile(
              shape, tile.dtype(), tile.memory(), narrowed(call, tile, shape.size() - 1)));
    };
  }

  static Operation columns(OpCode code) {
    return call -> {
      Expr operand = Elementwise.tensorOrTile(call, "tile");
      if (operand.type() instanceof Type.Tensor tensor) {
        int axis = Math.max(0, tensor.shape().size() - 2);
        return call.op(code, List.of(operand), Map.of(), reduced(call, tensor, axis));
      }
      Type.Tile tile = (Type.Tile) operand.type();
      if (tile.shape().size() < 2) {
        throw call.refuse(
            "tile",
            "needs a 2-D tile, got " + TypeText.of(tile),
            "reshape it to rows and columns first");
      }
      int axis = tile.shape().size() - 2;
      requireNotEmpty(call, tile, axis);
      List<Expr> operands = new ArrayList<>(List.of(operand));
      if (call.has("tmp_tile")) {
        operands.add(scratch(call, tile));
      }
      List<Long> shape = new ArrayList<>(tile.shape());
      shape.set(axis, 1L);
      return call.op(
          code,
          operands,
          Map.of(),
          new Type.Tile(shape, tile.dtype(), tile.memory(), narrowed(call, tile, axis)));
    };
  }

  private static Type reduced(OpCall call, Type.Tensor tensor, int axis) {
    List<Expr> shape = new ArrayList<>(tensor.shape());
    shape.set(axis, new Expr.IntConst(1, DType.INDEX, call.span()));
    List<Expr> valid = new ArrayList<>(tensor.valid());
    if (!valid.isEmpty()) {
      valid.set(axis, shape.get(axis));
    }
    return new Type.Tensor(shape, tensor.dtype(), false, valid);
  }

  private static void requireNotEmpty(OpCall call, Type.Tile tile, int axis) {
    OptionalLong valid = call.extentOf(Bounds.valid(tile, call).get(axis)).constant();
    if (valid.isPresent() && valid.getAsLong() == 0) {
      throw call.refuse(
          "tile", "can't reduce an empty valid axis " + axis, "reduce where something is valid");
    }
  }

  private static List<Expr> narrowed(OpCall call, Type.Tile tile, int axis) {
    if (tile.valid().isEmpty()) {
      return List.of();
    }
    List<Expr> valid = new ArrayList<>(tile.valid());
    valid.set(axis, new Expr.IntConst(1, DType.INDEX, call.span()));
    return valid;
  }

  private static Expr scratch(OpCall call, Type.Tile tile) {
    Expr scratch = call.tile("tmp_tile", "tmp_tile must be a TileType", "");
    Type.Tile type = (Type.Tile) scratch.type();
    boolean fits = type.shape().size() == tile.shape().size();
    for (int axis = 0; fits && axis < tile.shape().size(); axis++) {
      fits = type.shape().get(axis) >= tile.shape().get(axis);
    }
    if (!fits) {
      throw call.refuse(
          "tmp_tile",
          "requires tmp_tile shape to be at least the input shape: got "
              + type.shape()
              + " for "
              + tile.shape(),
          "create it with the shape of the input");
    }
    if (type.dtype() != tile.dtype()) {
      throw call.refuse(
          "tmp_tile",
          "requires tmp_tile dtype ("
              + type.dtype()
              + ") to match input dtype ("
              + tile.dtype()
              + ")",
          "create it with the dtype of the input");
    }
    return scratch;
  }

  static Expr matmul(OpCall call) {
    Expr left = Elementwise.tensorOrTile(call, "lhs");
    Expr right = Elementwise.tensorOrTile(call, "rhs");
    boolean transposeA = call.constantBool("a_trans", false);
    boolean transposeB = call.constantBool("b_trans", false);
    if (left.type() instanceof Type.Tile a && right.type() instanceof Type.Tile b) {
      if (call.given("a_trans") || call.given("b_trans") || call.given("out_dtype")) {
        throw call.refuse(
            "the tile form takes no out_dtype, a_trans or b_trans",
            "use it on tensors, or pl.cast");
      }
      DType out = accumulator(call, a.dtype(), b.dtype());
      List<Long> shape = tileProduct(call, a, b);
      return call.op(
          OpCode.MATMUL,
          List.of(left, right),
          flags(false, false, out),
          new Type.Tile(shape, out, MemorySpace.ACC, List.of()));
    }
    if (!(left.type() instanceof Type.Tensor a) || !(right.type() instanceof Type.Tensor b)) {
      throw call.refuse(
          "cannot mix Tensor and Tile arguments: got "
              + call.describe("lhs")
              + " and "
              + call.describe("rhs"),
          "load both operands");
    }
    DType out = accumulator(call, a.dtype(), b.dtype());
    DType wanted = call.has("out_dtype") ? call.dtype("out_dtype") : a.dtype();
    List<Expr> shape = tensorProduct(call, a, b, transposeA, transposeB);
    return call.op(
        OpCode.MATMUL,
        List.of(left, right),
        flags(transposeA, transposeB, call.has("out_dtype") ? wanted : out),
        new Type.Tensor(shape, call.has("out_dtype") ? wanted : out, false));
  }

  private static Map<String, Attribute> flags(boolean transposeA, boolean transposeB, DType out) {
    return Map.of(
        "a_trans", new Attribute.Bool(transposeA),
        "b_trans", new Attribute.Bool(transposeB),
        "dtype", new Attribute.Dtype(out));
  }

  private static DType accumulator(OpCall call, DType left, DType right) {
    if (left != right) {
      throw call.refuse(
          "requires identical lhs and rhs data types, got " + left + " and " + right,
          "convert one side with pl.cast");
    }
    return left.isFloat() ? DType.FP32 : DType.INT32;
  }

  private static List<Long> tileProduct(OpCall call, Type.Tile a, Type.Tile b) {
    if (a.shape().size() != 2 || b.shape().size() != 2) {
      throw call.refuse(
          "needs 2-D tiles, got " + a.shape() + " and " + b.shape(),
          "reshape them to rows and columns first");
    }
    if (!a.shape().get(1).equals(b.shape().get(0))) {
      throw call.refuse(
          "requires matching physical inner dimensions, got " + a.shape() + " and " + b.shape(),
          "the left one's columns are the right one's rows: transpose or slice one of them");
    }
    return List.of(a.shape().get(0), b.shape().get(1));
  }

  private static List<Expr> tensorProduct(
      OpCall call, Type.Tensor a, Type.Tensor b, boolean transposeA, boolean transposeB) {
    int rankA = a.shape().size();
    int rankB = b.shape().size();
    if (rankA < 2 || rankB < 2) {
      throw call.refuse(
          "needs tensors of rank 2 or more", "reshape them to rows and columns first");
    }
    Expr innerA = a.shape().get(transposeA ? rankA - 2 : rankA - 1);
    Expr innerB = b.shape().get(transposeB ? rankB - 1 : rankB - 2);
    Extent difference = call.extentOf(innerA).minus(call.extentOf(innerB));
    if (difference.alwaysPositive() || difference.alwaysNegative()) {
      throw call.refuse(
          "requires matching physical inner dimensions, got "
              + TypeText.shape(a.shape())
              + " and "
              + TypeText.shape(b.shape()),
          "the left one's columns are the right one's rows: transpose or slice one of them");
    }
    List<Expr> batch = rankA >= rankB ? a.shape() : b.shape();
    List<Expr> shape = new ArrayList<>(batch.subList(0, batch.size() - 2));
    shape.add(a.shape().get(transposeA ? rankA - 1 : rankA - 2));
    shape.add(b.shape().get(transposeB ? rankB - 2 : rankB - 1));
    return shape;
  }

  static Expr matmulAcc(OpCall call) {
    Expr acc = Elementwise.tensorOrTile(call, "acc");
    Expr left = Elementwise.tensorOrTile(call, "lhs");
    Expr right = Elementwise.tensorOrTile(call, "rhs");
    Type sum = acc.type();
    Type product;
    if (sum instanceof Type.Tile
        && left.type() instanceof Type.Tile a
        && right.type() instanceof Type.Tile b) {
      DType out = accumulator(call, a.dtype(), b.dtype());
      product = new Type.Tile(tileProduct(call, a, b), out, MemorySpace.ACC, List.of());
    } else if (sum instanceof Type.Tensor
        && left.type() instanceof Type.Tensor a
        && right.type() instanceof Type.Tensor b) {
      boolean transposeA = call.constantBool("a_trans", false);
      boolean transposeB = call.constantBool("b_trans", false);
      product =
          new Type.Tensor(
              tensorProduct(call, a, b, transposeA, transposeB),
              accumulator(call, a.dtype(), b.dtype()),
              false);
    } else {
      throw call.refuse(
          "cannot mix Tensor and Tile arguments: got "
              + call.describe("acc")
              + ", "
              + call.describe("lhs")
              + " and "
              + call.describe("rhs"),
          "load all three, or none");
    }
    requireSum(call, sum, product);
    Map<String, Attribute> flags =
        flags(
            call.constantBool("a_trans", false),
            call.constantBool("b_trans", false),
            dtype(product));
    Expr added =
        call.op(
            OpCode.MATMUL_ACC,
            List.of(acc, left, right),
            sum instanceof Type.Tile ? Map.of() : flags,
            sum);
    if (!call.has("init_cond")) {
      return added;
    }
    Expr first = call.scalar("init_cond", DType.BOOL, "init_cond must be a BOOL scalar");
    if (!(first.type() instanceof Type.Scalar(DType truth)) || truth != DType.BOOL) {
      throw call.refuse("init_cond", "init_cond must be a BOOL scalar", "compare it: k == 0");
    }
    Expr fresh = call.op(OpCode.MATMUL, List.of(left, right), flags, sum);
    return call.context().either(first, fresh, added, call.span());
  }

  private static DType dtype(Type type) {
    return type instanceof Type.Tile tile ? tile.dtype() : ((Type.Tensor) type).dtype();
  }

  /** The accumulator has the shape and type of the products. */
  private static void requireSum(OpCall call, Type sum, Type product) {
    boolean fits = dtype(sum) == dtype(product) && sameShape(call, sum, product);
    if (!fits) {
      throw call.refuse(
          "acc",
          "requires an accumulator like " + TypeText.of(product) + ", got " + TypeText.of(sum),
          "acc = pl.matmul(a, b) makes the first");
    }
  }

  private static boolean sameShape(OpCall call, Type sum, Type product) {
    if (sum instanceof Type.Tile tile) {
      return tile.shape().equals(((Type.Tile) product).shape());
    }
    List<Expr> a = ((Type.Tensor) sum).shape();
    List<Expr> b = ((Type.Tensor) product).shape();
    boolean same = a.size() == b.size();
    for (int i = 0; same && i < a.size(); i++) {
      same = call.extentOf(a.get(i)).sameAs(call.extentOf(b.get(i)));
    }
    return same;
  }
}
