package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute.ReduceOp;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.lowering.Schedule.Ranks;
import io.ringmaster.worker.tensor.DType;
import java.util.OptionalLong;

/**
 * Allreduce in a kernel, every rank reading every other rank's vector. The vector is taken in
 * chunks of 16 KiB: load the own chunk, fold the peers' in ascending order, wait until everyone has
 * read the chunk, store it in place.
 */
final class MeshAllReduce {

  static final long CHUNK_BYTES = 16 << 10;
  private static final long ALIGNMENT = 32;

  private MeshAllReduce() {}

  /** Chunk width in elements, and whether a last chunk may be shorter. */
  record Chunks(long width, boolean ragged) {

    static Chunks of(Expr total, DType dtype) {
      long most = CHUNK_BYTES / dtype.bytes();
      OptionalLong n = Build.constant(total);
      if (n.isEmpty()) {
        return new Chunks(most, true);
      }
      long step = ALIGNMENT / dtype.bytes();
      long width = Math.clamp(Build.roundUp(n.getAsLong(), step), step, most);
      return new Chunks(width, n.getAsLong() % width != 0);
    }
  }

  static void lower(Schedule s, Expr.Op op, ReduceOp reduce) {
    TensorView target = TensorView.of(op.operands().get(0));
    Build ir = s.ir();
    Ranks ranks = s.ranks(target.expr());
    Credits credits = Credits.mesh(s, ranks, op.operands().get(1), 2);
    Expr total = s.named("total", ir.product(target.shape()));
    Expr flat = flat(s, target, total);
    Chunks chunks = Chunks.of(total, target.dtype());
    Expr width = ir.index(chunks.width());
    Expr count = ir.ceilDiv(total, chunks.width());

    credits.barrier(1, "");
    s.loop(
        "col",
        ir.index(0),
        total,
        width,
        col -> {
          Expr valid = chunks.ragged() ? s.let("cols", ir.min(width, ir.sub(total, col))) : width;
          Chunk chunk =
              new Chunk(s, flat, ir.index(0), chunks.width(), chunks.ragged(), padding(target));
          Expr.Var acc = s.let("acc", chunk.load(col, valid));
          ranks.others(
              "reduce_peer",
              peer -> {
                Expr recv = s.let("recv", chunk.remoteLoad(peer, col, valid));
                s.assign(acc, ir.op(InCoreCollectives.combiner(reduce), acc, recv));
              });
          Expr expected =
              Build.isConstant(count, 1)
                  ? ir.int32(2)
                  : s.let(
                      "chunk_expected",
                      ir.cast(ir.add(ir.div(col, width), ir.index(2)), DType.INT32));
          credits.barrier(expected, "_chunk");
          s.eval(chunk.store(acc, col, valid));
        });
    credits.reset(
        s.named("allreduce_reset_total", ir.cast(ir.add(count, ir.index(1)), DType.INT32)));
  }

  /** FP16 transfers round up to 32 bytes here; other types move exactly what is asked for. */
  static boolean padding(TensorView target) {
    return target.dtype() == DType.FP16;
  }

  /** The target as one row. */
  static Expr flat(Schedule s, TensorView target, Expr total) {
    boolean already = target.rank() == 2 && Build.isConstant(target.shape().getFirst(), 1);
    Build ir = s.ir();
    return already
        ? target.expr()
        : s.let("target_2d", ir.op(OpCode.RESHAPE, target.expr(), ir.tuple(ir.index(1), total)));
  }
}
