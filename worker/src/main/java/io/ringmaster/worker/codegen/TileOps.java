package io.ringmaster.worker.codegen;

import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.fabric.Site;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Operations on tiles. Where the language allows a tensor instead, it is loaded whole, and the
 * result is a new tensor of the rank.
 */
final class TileOps {

  private TileOps() {}

  /** Computes a tile on a machine. */
  @FunctionalInterface
  interface Compute {
    Tile of(Machine machine, Frame frame);
  }

  /** The operand as a tile; a tensor is loaded. */
  static Tile value(Machine machine, Frame frame, int slot, Site site) {
    return frame.refs[slot] instanceof TensorView view
        ? TileAccess.loadAll(machine, view, site)
        : frame.tile(slot);
  }

  private static boolean mustYield(Machine machine, Frame frame, int[] slots) {
    for (int slot : slots) {
      if (frame.refs[slot] instanceof TensorView view && TileAccess.mustYield(machine, view)) {
        return true;
      }
    }
    return false;
  }

  /** Runs {@code compute} when its tensor operands may be read, and keeps the result. */
  static Instruction computing(Expr.Op op, int target, int[] slots, Compute compute) {
    boolean tensor = op.type() instanceof Type.Tensor;
    Site site = OpCompiler.site(op, 0);
    return (machine, frame, pc) -> {
      if (mustYield(machine, frame, slots)) {
        return Instruction.YIELD;
      }
      Tile tile = compute.of(machine, frame);
      Object result = tensor ? kept(TileAccess.toTensor(machine, tile, site), tile, op) : tile;
      MemoryOps.put(frame, target, result);
      return pc + 1;
    };
  }

  /** A computed tensor is as valid as its type says. */
  private static TensorView kept(TensorView view, Tile tile, Expr.Op op) {
    boolean partly = op.type() instanceof Type.Tensor type && !type.valid().isEmpty();
    return partly ? view.withValid(TileAccess.longs(tile.valid())) : view;
  }

  static Instruction create(Expr.Op op, int target) {
    if (!(op.type() instanceof Type.Tile type)) {
      throw new IllegalArgumentException(op.code().printedName() + " needs a tile type");
    }
    int[] shape = TileAccess.ints(type.shape().stream().mapToLong(Long::longValue).toArray());
    DType dtype = type.dtype();
    boolean full = op.code() == OpCode.FULL_TILE;
    long value = Attributes.number(op, "value", dtype);
    return (machine, frame, pc) -> {
      Tile tile =
          full ? machine.device().full(dtype, shape, value) : machine.device().create(dtype, shape);
      MemoryOps.put(frame, target, tile);
      if (full) {
        machine.spend(machine.cost().vector(tile.bytes()));
      }
      return pc + 1;
    };
  }

  static Instruction move(OpCompiler compiler, Expr.Op op, int target) {
    int source = compiler.reference(op, 0);
    return computing(op, target, new int[] {source}, (machine, frame) -> frame.tile(source));
  }

  static Instruction setValid(OpCompiler compiler, Expr.Op op, int target) {
    int source = compiler.reference(op, 0);
    LongExpr rows = compiler.scalar(op, 1);
    LongExpr columns = compiler.scalar(op, 2);
    if (op.type() instanceof Type.Tensor) {
      Site site = OpCompiler.site(op, 0);
      return (machine, frame, pc) -> {
        long[] valid = {rows.eval(frame), columns.eval(frame)};
        MemoryOps.put(frame, target, narrowed(machine, frame.view(source), valid, site));
        return pc + 1;
      };
    }
    return computing(
        op,
        target,
        new int[] {source},
        (machine, frame) -> {
          Tile tile = frame.tile(source);
          int[] valid = tile.valid().clone();
          if (valid.length > 1) {
            valid[valid.length - 2] = Math.toIntExact(rows.eval(frame));
          }
          valid[valid.length - 1] = Math.toIntExact(columns.eval(frame));
          return machine.device().withValid(tile, valid);
        });
  }

  private static TensorView narrowed(Machine machine, TensorView view, long[] valid, Site site) {
    for (int axis = 0; axis < valid.length; axis++) {
      if (view.rank() != valid.length || valid[axis] < 0 || valid[axis] > view.valid()[axis]) {
        throw TileAccess.invalid(
            machine,
            site,
            "rows and columns "
                + Arrays.toString(valid)
                + " of '"
                + site.tensor()
                + "', of which "
                + Arrays.toString(view.valid())
                + " is valid",
            "a valid part can only be narrowed: slice again with the larger valid_shape");
      }
    }
    return view.withValid(valid);
  }

  static Instruction fillPad(OpCompiler compiler, Expr.Op op, int target) {
    int source = compiler.reference(op, 0);
    TileOp.Pad pad = MemoryOps.pad(op);
    return computing(
        op,
        target,
        new int[] {source},
        (machine, frame) -> spending(machine, machine.device().fillPad(frame.tile(source), pad)));
  }

  static Instruction binary(OpCompiler compiler, Expr.Op op, int target) {
    int left = compiler.reference(op, 0);
    TileOp.Binary kind =
        switch (op.code()) {
          case ADD -> TileOp.Binary.ADD;
          case SUB -> TileOp.Binary.SUB;
          case MUL -> TileOp.Binary.MUL;
          case DIV -> TileOp.Binary.DIV;
          case MAXIMUM -> TileOp.Binary.MAX;
          default -> TileOp.Binary.MIN;
        };
    Site site = OpCompiler.site(op, 0);
    DType result = dtype(op.type());
    Expr other = op.operands().get(1);
    if (other.type() instanceof Type.Scalar scalar) {
      LongExpr value = compiler.scalar(op, 1);
      return computing(
          op,
          target,
          new int[] {left},
          (machine, frame) -> {
            Tile tile = value(machine, frame, left, site);
            Tile operand =
                result == null || result == tile.dtype()
                    ? tile
                    : machine.device().cast(tile, result, TileOp.Rounding.RINT);
            long raw = Scalars.convert(value.eval(frame), scalar.dtype(), operand.dtype());
            return spending(machine, machine.device().binary(kind, operand, raw));
          });
    }
    int right = compiler.reference(op, 1);
    Site rightSite = OpCompiler.site(op, 1);
    boolean owned = compiler.isOwned(target);
    return computing(
        op,
        target,
        new int[] {left, right},
        (machine, frame) -> {
          Tile a = value(machine, frame, left, site);
          Tile b = value(machine, frame, right, rightSite);
          DType type = result == null ? a.dtype() : result;
          Tile old = owned ? frame.replaced(target) : null;
          return spending(machine, machine.device().binary(kind, a, b, type, old));
        });
  }

  static Instruction unary(OpCompiler compiler, Expr.Op op, int target) {
    int source = compiler.reference(op, 0);
    TileOp.Unary kind = TileOp.Unary.valueOf(op.code().name());
    Site site = OpCompiler.site(op, 0);
    return computing(
        op,
        target,
        new int[] {source},
        (machine, frame) ->
            spending(machine, machine.device().unary(kind, value(machine, frame, source, site))));
  }

  static Instruction cast(OpCompiler compiler, Expr.Op op, int target) {
    int source = compiler.reference(op, 0);
    DType type = dtype(op.type());
    DType wanted = Attributes.dtype(op, "dtype", type == null ? DType.FP32 : type);
    TileOp.Rounding rounding = rounding(Attributes.text(op, "mode", "round"));
    Site site = OpCompiler.site(op, 0);
    return computing(
        op,
        target,
        new int[] {source},
        (machine, frame) -> {
          Tile tile = value(machine, frame, source, site);
          return spending(machine, machine.device().cast(tile, wanted, rounding));
        });
  }

  private static TileOp.Rounding rounding(String mode) {
    return switch (mode.toLowerCase(Locale.ROOT)) {
      case "none", "0" -> TileOp.Rounding.NONE;
      case "rint", "1" -> TileOp.Rounding.RINT;
      case "round", "2" -> TileOp.Rounding.ROUND;
      case "floor", "3" -> TileOp.Rounding.FLOOR;
      case "ceil", "4" -> TileOp.Rounding.CEIL;
      case "trunc", "5" -> TileOp.Rounding.TRUNC;
      case "odd", "6" -> TileOp.Rounding.ODD;
      case String other -> throw new IllegalArgumentException("pl.cast: mode " + other);
    };
  }

  static Instruction reduce(OpCompiler compiler, Expr.Op op, int target) {
    int source = compiler.reference(op, 0);
    boolean rows = op.code().name().startsWith("ROW");
    TileOp.Reduction kind = TileOp.Reduction.valueOf(op.code().name().substring(4));
    Site site = OpCompiler.site(op, 0);
    return computing(
        op,
        target,
        new int[] {source},
        (machine, frame) -> {
          Tile tile = value(machine, frame, source, site);
          machine.spend(machine.cost().vector(tile.bytes()));
          return rows
              ? machine.device().reduceRows(kind, tile)
              : machine.device().reduceColumns(kind, tile);
        });
  }

  static Instruction matmul(OpCompiler compiler, Expr.Op op, int target, boolean accumulate) {
    int first = accumulate ? 1 : 0;
    int accumulator = accumulate ? compiler.reference(op, 0) : -1;
    int left = compiler.reference(op, first);
    int right = compiler.reference(op, first + 1);
    boolean transposeLeft = Attributes.bool(op, "a_trans", false);
    boolean transposeRight = Attributes.bool(op, "b_trans", false);
    DType declared = dtype(op.type());
    Site leftSite = OpCompiler.site(op, first);
    Site rightSite = OpCompiler.site(op, first + 1);
    int[] slots = accumulate ? new int[] {accumulator, left, right} : new int[] {left, right};
    return computing(
        op,
        target,
        slots,
        (machine, frame) -> {
          Tile start = accumulate ? value(machine, frame, accumulator, leftSite) : null;
          Tile a = value(machine, frame, left, leftSite);
          Tile b = value(machine, frame, right, rightSite);
          DType natural = a.dtype().isFloat() ? DType.FP32 : DType.INT32;
          DType result = declared == null ? natural : declared;
          Tile product =
              machine.device().matmul(start, a, b, transposeLeft, transposeRight, result);
          int[] shape = a.shape();
          long depth = shape[transposeLeft ? shape.length - 2 : shape.length - 1];
          long steps = product.bytes() / product.dtype().bytes() * depth;
          machine.spend(machine.cost().matrix(steps));
          return product;
        });
  }

  private static @Nullable DType dtype(Type type) {
    return switch (type) {
      case Type.Tile tile -> tile.dtype();
      case Type.Tensor tensor -> tensor.dtype();
      default -> null;
    };
  }

  static Tile spending(Machine machine, Tile tile) {
    machine.spend(machine.cost().vector(tile.bytes()));
    return tile;
  }
}
