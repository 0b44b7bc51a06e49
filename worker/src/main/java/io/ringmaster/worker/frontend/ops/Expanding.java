package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Map;

/**
 * Arithmetic of a matrix with one value for each of its rows ({@code [r, 1]}) or columns ({@code
 * [1, c]}).
 */
final class Expanding {

  private Expanding() {}

  /** {@code pl.row_expand_mul(matrix, rows)} and its relatives: {@code rows} is [r, 1]. */
  static Operation rows(OpCode code) {
    return call -> combined(call, code, true);
  }

  /** {@code pl.col_expand_mul(matrix, columns)} and its relatives: {@code columns} is [1, c]. */
  static Operation columns(OpCode code) {
    return call -> combined(call, code, false);
  }

  private static Expr combined(OpCall call, OpCode code, boolean rows) {
    Expr matrix = Elementwise.tensorOrTile(call, "target");
    Expr vector = vector(call, matrix, rows);
    return call.op(code, List.of(matrix, vector), Map.of(), Elementwise.plain(matrix.type()));
  }

  /** {@code pl.col_expand(target, columns)}: every row of the result is {@code columns}. */
  static Operation copied(boolean rows) {
    return call -> {
      Expr matrix = Elementwise.tensorOrTile(call, "target");
      Expr vector = vector(call, matrix, rows);
      DType dtype = dtype(matrix.type());
      Attribute zero = dtype.isFloat() ? new Attribute.Float(0) : new Attribute.Int(0);
      Map<String, Attribute> attributes =
          Map.of("dtype", new Attribute.Dtype(dtype), "value", zero);
      Expr zeros =
          switch (matrix.type()) {
            case Type.Tensor tensor ->
                call.op(
                    OpCode.FULL_TENSOR,
                    List.of(call.tuple(tensor.shape(), "target")),
                    attributes,
                    plain(tensor));
            case Type other -> call.op(OpCode.FULL_TILE, List.of(), attributes, whole(other));
          };
      return call.op(
          OpCode.ADD, List.of(call.context().operand(zeros), vector), Map.of(), zeros.type());
    };
  }

  private static Expr vector(OpCall call, Expr matrix, boolean rows) {
    String name = rows ? "row_vec" : "col_vec";
    Expr vector = Elementwise.tensorOrTile(call, name);
    if (matrix.type() instanceof Type.Tensor != vector.type() instanceof Type.Tensor) {
      throw call.refuse(
          name,
          "cannot mix Tensor and Tile arguments: got "
              + call.describe("target")
              + " and "
              + call.describe(name),
          "load the tensor into a tile with pl.load first");
    }
    if (dtype(matrix.type()) != dtype(vector.type())) {
      throw call.refuse(
          name,
          "requires identical data types, got "
              + dtype(matrix.type())
              + " and "
              + dtype(vector.type()),
          "convert one of them with pl.cast first");
    }
    List<Expr> of = shape(matrix.type(), call);
    List<Expr> given = shape(vector.type(), call);
    int last = of.size() - 1;
    boolean fits = of.size() == given.size() && of.size() >= 2;
    for (int axis = 0; fits && axis <= last; axis++) {
      boolean one = axis == (rows ? last : last - 1);
      fits = one ? isOne(call, given.get(axis)) : isEqual(call, of.get(axis), given.get(axis));
    }
    if (!fits) {
      throw call.refuse(
          name,
          "requires "
              + (rows ? "one value for each row" : "one value for each column")
              + " of "
              + TypeText.of(matrix.type())
              + ", got "
              + TypeText.of(vector.type()),
          rows ? "a [rows, 1] operand, as pl.row_max gives" : "a [1, columns] operand");
    }
    return vector;
  }

  private static boolean isOne(OpCall call, Expr extent) {
    return call.extentOf(extent).constant().orElse(0) == 1;
  }

  private static boolean isEqual(OpCall call, Expr a, Expr b) {
    return call.extentOf(a).sameAs(call.extentOf(b));
  }

  private static List<Expr> shape(Type type, OpCall call) {
    return switch (type) {
      case Type.Tensor tensor -> tensor.shape();
      case Type.Tile tile -> Bounds.constants(tile.shape(), call);
      case Type other -> List.of();
    };
  }

  private static DType dtype(Type type) {
    return type instanceof Type.Tile tile ? tile.dtype() : ((Type.Tensor) type).dtype();
  }

  private static Type plain(Type type) {
    return type instanceof Type.Tensor tensor
        ? new Type.Tensor(tensor.shape(), tensor.dtype(), false)
        : type;
  }

  private static Type whole(Type type) {
    return type instanceof Type.Tile tile
        ? new Type.Tile(tile.shape(), tile.dtype(), Type.MemorySpace.VEC, List.of())
        : type;
  }
}
