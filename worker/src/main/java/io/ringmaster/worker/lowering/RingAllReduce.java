package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute.ReduceOp;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.BinaryOp;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.lowering.MeshAllReduce.Chunks;
import io.ringmaster.worker.lowering.Schedule.Ranks;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Allreduce in a kernel around a ring. The vector is cut into one segment per rank; for P-1 rounds
 * every rank adds its left neighbour's partial sum of a segment to its own, then for P-1 rounds the
 * finished segments travel on. Each round has a row of signal cells; each sub-chunk of a round has
 * two barriers of all ranks: before the reads and before the store.
 */
final class RingAllReduce {

  /** FP16 borders are multiples of 32 bytes, so that transfers stay aligned. */
  private static final long FP16_BORDER = 16;

  private final Schedule s;
  private final Build ir;
  private final Ranks ranks;
  private final Credits credits;
  private final TensorView target;
  private final Expr total;
  private final Expr segments;
  private final Expr mine;
  private final Expr left;
  private final Chunk chunk;
  private final Expr width;
  private final Expr chunksPerSegment;
  private final boolean regular;

  private RingAllReduce(Schedule s, Expr.Op op) {
    this.s = s;
    this.ir = s.ir();
    this.target = TensorView.of(op.operands().get(0));
    this.ranks = s.ranks(target.expr());
    Expr signal = op.operands().get(1);
    this.credits = Credits.mesh(s, ranks, signal, 2);
    this.total = s.named("total", ir.product(target.shape()));
    Expr flat = MeshAllReduce.flat(s, target, total);
    this.segments = s.named("segments", TensorView.of(signal).shape().get(1));
    this.mine = s.let("my_rank_idx", ir.cast(ranks.mine(), DType.INDEX));
    this.left =
        s.let("left", ir.mod(ir.sub(ir.add(mine, ranks.count()), ir.index(1)), ranks.count()));
    Expr longest = longestSegment();
    Chunks chunks = Chunks.of(longest, target.dtype());
    this.regular = !chunks.ragged() && dividesEvenly();
    this.width = ir.index(chunks.width());
    this.chunk =
        new Chunk(s, flat, ir.index(0), chunks.width(), !regular, MeshAllReduce.padding(target));
    this.chunksPerSegment = s.named("chunks", ir.ceilDiv(longest, chunks.width()));
  }

  static void lower(Schedule s, Expr.Op op, ReduceOp reduce) {
    RingAllReduce ring = new RingAllReduce(s, op);
    ring.reduceScatter(InCoreCollectives.combiner(reduce));
    ring.allGather();
    ring.reset(TensorView.of(op.operands().get(1)));
  }

  private boolean isHalf() {
    return target.dtype() == DType.FP16;
  }

  private Expr longestSegment() {
    Expr even = ir.div(ir.sub(ir.add(total, segments), ir.index(1)), segments);
    return isHalf() ? ir.min(total, ir.add(even, ir.index(FP16_BORDER - 1))) : even;
  }

  /** True when all segments are known to be equal, so that none is empty or short. */
  private boolean dividesEvenly() {
    OptionalLong n = Build.constant(total);
    OptionalLong parts = Build.constant(segments);
    long step = isHalf() ? FP16_BORDER : 1;
    return n.isPresent()
        && parts.isPresent()
        && n.getAsLong() > 0
        && parts.getAsLong() > 0
        && n.getAsLong() % (parts.getAsLong() * step) == 0;
  }

  /** First element of a segment. */
  private Expr border(Expr segment) {
    if (!isHalf()) {
      return ir.div(ir.mul(segment, total), segments);
    }
    Expr unit = ir.mul(segments, ir.index(FP16_BORDER));
    Expr blocks = ir.div(ir.sub(ir.add(ir.mul(segment, total), unit), ir.index(1)), unit);
    return ir.min(total, ir.mul(blocks, ir.index(FP16_BORDER)));
  }

  private void reduceScatter(OpCode combine) {
    s.loop(
        "step",
        ir.index(1),
        ranks.count(),
        ir.index(1),
        step -> {
          Expr segment =
              s.let(
                  "recv_add_idx",
                  ir.mod(
                      ir.sub(ir.sub(ir.add(mine, ranks.count()), ir.index(1)), step),
                      ranks.count()));
          round(
              "rs",
              ir.sub(step, ir.index(1)),
              segment,
              piece -> {
                Expr recv = s.let("recv_rs", remote(piece));
                Expr own = s.let("acc_rs", chunk.load(piece.col(), piece.cols()));
                return ir.op(combine, own, recv);
              });
        });
  }

  private void allGather() {
    s.loop(
        "ag_step",
        ir.index(1),
        ranks.count(),
        ir.index(1),
        step -> {
          Expr segment =
              s.let("ag_idx", ir.mod(ir.sub(ir.add(mine, ranks.count()), step), ranks.count()));
          Expr row = ir.sub(ir.add(ranks.count(), step), ir.index(2));
          round("ag", row, segment, this::remote);
        });
  }

  /** A sub-chunk of a segment. */
  private record Piece(Expr col, Expr cols) {}

  private Expr remote(Piece piece) {
    return chunk.remoteLoad(left, piece.col(), piece.cols());
  }

  private void round(String phase, Expr row, Expr segment, Function<Piece, Expr> value) {
    Expr begin = s.let(phase + "_segment_begin", border(segment));
    Expr end = s.let(phase + "_segment_end", border(ir.add(segment, ir.index(1))));
    Credits cells = credits.row(s.let(phase + "_row", row));
    s.loop(
        phase + "_chunk",
        chunksPerSegment,
        k -> {
          Expr col = s.let(phase + "_col", ir.add(begin, ir.mul(k, width)));
          Expr cols =
              regular ? width : s.let(phase + "_segment_cols", ir.min(width, ir.sub(end, col)));
          Piece piece = new Piece(col, cols);
          Expr twice = ir.mul(k, ir.index(2));
          cells.barrier(epoch(phase + "_ready_epoch", ir.add(twice, ir.index(1))), "_" + phase);
          Expr.Var next = s.fresh("next_" + phase, tileType());
          unlessEmpty(cols, () -> s.assign(next, value.apply(piece)), () -> placeholder(next));
          cells.barrier(
              epoch(phase + "_read_epoch", ir.add(twice, ir.index(2))), "_" + phase + "2");
          unlessEmpty(cols, () -> s.eval(chunk.store(next, col, cols)), () -> {});
        });
  }

  private Expr epoch(String purpose, Expr generation) {
    return s.named(purpose, ir.cast(generation, DType.INT32));
  }

  private Type tileType() {
    return new Type.Tile(
        List.of(1L, chunk.width()), target.dtype(), Type.MemorySpace.VEC, List.of());
  }

  private void unlessEmpty(Expr cols, Runnable then, Runnable otherwise) {
    if (regular) {
      then.run();
    } else {
      s.choose(ir.compare(BinaryOp.GT, cols, ir.index(0)), then, otherwise);
    }
  }

  /** A rank whose piece is empty still takes part in the barriers; it carries some tile along. */
  private void placeholder(Expr.Var tile) {
    s.assign(tile, chunk.load(ir.index(0), ir.index(1)));
  }

  private void reset(TensorView signal) {
    Expr issued =
        s.named("ring_reset_total", ir.cast(ir.mul(chunksPerSegment, ir.index(2)), DType.INT32));
    s.loop("reset_row", signal.shape().get(0), row -> credits.row(row).reset(issued));
  }
}
