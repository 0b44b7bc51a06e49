package io.ringmaster.worker.codegen;

import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.fabric.Site;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.ir.TypeRules;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Operations that compare, choose, count, sort and move elements, of tiles and of tensors. */
final class ArrangeOps {

  private ArrangeOps() {}

  static Instruction arrange(OpCompiler compiler, Expr.Op op, int target) {
    int count = op.operands().size();
    boolean scalar = op.operands().get(count - 1).type() instanceof Type.Scalar;
    int[] slots = new int[scalar ? count - 1 : count];
    Site[] sites = new Site[slots.length];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = compiler.reference(op, i);
      sites[i] = OpCompiler.site(op, i);
    }
    TileOp.Arrangement arrangement = arrangement(op);
    LongExpr value = scalar ? compiler.scalar(op, count - 1) : frame -> 0;
    DType given = scalar ? ExprCompiler.dtype(op.operands().get(count - 1).type()) : DType.INDEX;
    return TileOps.computing(
        op,
        target,
        slots,
        (machine, frame) -> {
          List<Tile> operands = new ArrayList<>();
          for (int i = 0; i < slots.length; i++) {
            operands.add(TileOps.value(machine, frame, slots[i], sites[i]));
          }
          if (scalar) {
            Tile first = operands.getFirst();
            long raw = Scalars.convert(value.eval(frame), given, first.dtype());
            operands.add(machine.device().full(first.dtype(), first.shape(), raw));
          }
          return TileOps.spending(machine, machine.device().arrange(arrangement, operands));
        });
  }

  private static TileOp.Arrangement arrangement(Expr.Op op) {
    boolean byRow = Attributes.bool(op, "by_row", false);
    return switch (op.code()) {
      case CMP ->
          new TileOp.Compare(
              TileOp.Relation.valueOf(
                  Attributes.text(op, "cmp_type", "eq").toUpperCase(Locale.ROOT)),
              dtype(op.type()));
      case SEL -> new TileOp.Select();
      case SORT32 -> new TileOp.Sort32();
      case MRGSORT -> new TileOp.Merge((int) Attributes.integer(op, "block_len", 0));
      case GATHER -> new TileOp.Gather(byRow);
      case GATHER_MASK -> columns(op);
      case SCATTER -> new TileOp.Scatter(byRow);
      case TRANSPOSE -> new TileOp.Transpose();
      case OpCode other -> throw new IllegalArgumentException("no arrangement: " + other);
    };
  }

  /** Patterns 1 and 2 take every second column, 3 to 6 every fourth, 7 all. */
  private static TileOp.GatherColumns columns(Expr.Op op) {
    int pattern = (int) Attributes.integer(op, "mask_pattern", 7);
    int stride = TypeRules.maskStride(pattern);
    int first = pattern <= 2 ? pattern - 1 : pattern <= 6 ? pattern - 3 : 0;
    return new TileOp.GatherColumns(first, stride, dtype(op.type()));
  }

  static Instruction count(OpCompiler compiler, Expr.Op op, int target) {
    LongExpr start = compiler.scalar(op, 0);
    LongExpr[] shape = compiler.tuple(op, 1);
    DType dtype = dtype(op.type());
    long step = Attributes.bool(op, "descending", false) ? -1 : 1;
    return TileOps.computing(
        op,
        target,
        new int[0],
        (machine, frame) -> {
          int[] extents = TileAccess.ints(LongExpr.all(shape, frame));
          return TileOps.spending(
              machine, machine.device().count(dtype, extents, start.eval(frame), step));
        });
  }

  private static DType dtype(Type type) {
    return type instanceof Type.Tile tile ? tile.dtype() : ((Type.Tensor) type).dtype();
  }
}
