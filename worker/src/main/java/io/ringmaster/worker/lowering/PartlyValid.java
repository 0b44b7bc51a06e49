package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute.ReduceOp;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Spans;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.lowering.Schedule.Ranks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Allreduce of a window of which a part is valid. A part without gaps is reduced as a window of
 * that size; one with gaps between its rows is one rectangle that has to fit into one chunk.
 */
final class PartlyValid {

  private final Schedule s;
  private final Build ir;
  private final Expr.Op op;
  private final Type.Tensor type;

  private PartlyValid(Schedule s, Expr.Op op, Type.Tensor type) {
    this.s = s;
    this.ir = s.ir();
    this.op = op;
    this.type = type;
  }

  /** The call on what is valid, for a part without gaps; the call itself when all is valid. */
  static Expr.Op narrowed(Schedule s, Expr.Op op) {
    Type.Tensor type = (Type.Tensor) op.operands().getFirst().type();
    if (type.valid().isEmpty()) {
      return op;
    }
    PartlyValid part = new PartlyValid(s, op, type);
    if (part.hasGaps()) {
      throw Errors.at(
          op.place("target"),
          "pld.tensor.allreduce mode=ring: valid_shape "
              + Errors.shape(type.valid())
              + " of "
              + Errors.shape(type.shape())
              + " must be a contiguous row-major prefix",
          "Make the rows wholly valid, or use mode=\"mesh\".");
    }
    List<Expr> operands = new ArrayList<>(op.operands());
    operands.set(0, part.slice());
    return op.on(operands);
  }

  /** True for a part whose rows have gaps between them, which only the mesh form can reduce. */
  static boolean isRectangle(Schedule s, Expr.Op op) {
    Type.Tensor type = (Type.Tensor) op.operands().getFirst().type();
    return !type.valid().isEmpty() && new PartlyValid(s, op, type).hasGaps();
  }

  static void rectangle(Schedule s, Expr.Op op, ReduceOp reduce) {
    Type.Tensor type = (Type.Tensor) op.operands().getFirst().type();
    new PartlyValid(s, op, type).lower(reduce);
  }

  /** The valid part as a window of its own size. */
  private Expr slice() {
    return s.let(
        "target_valid",
        ir.op(
            OpCode.SLICE,
            op.operands().getFirst(),
            ir.tuple(type.valid()),
            ir.zeros(type.shape().size())));
  }

  /** A part has no gaps when its leading extents are 1 and its trailing ones whole. */
  private boolean hasGaps() {
    int axis = type.shape().size() - 1;
    while (axis > 0 && same(type.valid().get(axis), type.shape().get(axis))) {
      axis--;
    }
    return type.valid().subList(0, axis).stream().anyMatch(extent -> !Build.isConstant(extent, 1));
  }

  private static boolean same(Expr a, Expr b) {
    OptionalLong x = Build.constant(a);
    OptionalLong y = Build.constant(b);
    return (x.isPresent() && y.isPresent())
        ? x.getAsLong() == y.getAsLong()
        : Spans.strip(a).equals(Spans.strip(b));
  }

  private void lower(ReduceOp reduce) {
    int last = type.shape().size() - 1;
    List<Integer> leading = new ArrayList<>();
    for (int axis = 0; axis < last; axis++) {
      if (!Build.isConstant(type.valid().get(axis), 1)) {
        leading.add(axis);
      }
    }
    if (leading.size() > 1) {
      throw Errors.at(
          op.place("target"),
          "pld.tensor.allreduce valid_shape cannot be represented by a single 2D view: "
              + Errors.shape(type.valid())
              + " of "
              + Errors.shape(type.shape()),
          "Slice the window so that all extents but two are 1.");
    }
    int rowAxis = leading.isEmpty() ? 0 : leading.getFirst();
    Expr rows = type.valid().get(rowAxis);
    Expr columns = type.valid().get(last);
    long step = 32 / type.dtype().bytes();
    long height = size(rows, type.shape().get(rowAxis));
    long width = Build.roundUp(size(columns, type.shape().get(last)), step);
    if (height * width * type.dtype().bytes() > MeshAllReduce.CHUNK_BYTES) {
      throw Errors.at(
          op.place("target"),
          "pld.tensor.allreduce partial valid_shape must fit within one "
              + MeshAllReduce.CHUNK_BYTES
              + "-byte mesh chunk: "
              + height
              + " rows of "
              + width
              + " elements are "
              + height * width * type.dtype().bytes()
              + " bytes",
          "Reduce it in slices, or make the rows wholly valid.");
    }
    Expr part = slice();
    Expr flat =
        last == 1 ? part : s.let("target_2d", ir.op(OpCode.RESHAPE, part, ir.tuple(rows, columns)));
    exchange(flat, ir.tuple(ir.index(height), ir.index(width)), ir.tuple(rows, columns), reduce);
  }

  private void exchange(Expr window, Expr shape, Expr valid, ReduceOp reduce) {
    Ranks ranks = s.ranks(op.operands().getFirst());
    Credits credits = Credits.mesh(s, ranks, op.operands().get(1), 2);
    credits.barrier(1, "");
    Expr.Var acc =
        s.let("acc", ir.op(OpCode.LOAD, List.of(window, ir.zeros(2), shape, valid), Map.of()));
    ranks.others(
        "reduce_peer",
        peer -> {
          List<Expr> operands = List.of(window, peer, ir.zeros(2), shape, valid);
          Expr recv = s.let("recv", ir.op(OpCode.REMOTE_LOAD, operands, Map.of()));
          s.assign(acc, ir.op(InCoreCollectives.combiner(reduce), acc, recv));
        });
    credits.barrier(2, "_chunk");
    s.eval(ir.op(OpCode.STORE, acc, ir.zeros(2), window));
    credits.reset(2);
  }

  /** Extent of the tile: what is valid where that is known, all there is otherwise. */
  private long size(Expr valid, Expr physical) {
    OptionalLong known = Build.constant(valid);
    if (known.isPresent()) {
      return Math.max(1, known.getAsLong());
    }
    return TensorView.of(op.operands().getFirst())
        .constantExtent(physical, op.place("target"), "the window of a partly valid allreduce");
  }
}
