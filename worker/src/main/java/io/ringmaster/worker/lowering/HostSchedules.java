package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Attribute.NotifyOp;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.BinaryOp;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.lowering.Schedule.Ranks;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/**
 * What a collective called from HOST does on each device. Data goes through tiles of 256 elements;
 * the barriers sit where the built-in kernels have them.
 */
final class HostSchedules {

  /** Attribute with the rows for each sender, where they are known before the run. */
  static final String CAPACITY = "capacity";

  private static final long TILE = 256;

  private final Schedule s;
  private final Build ir;
  private final Expr.Op op;

  private HostSchedules(Schedule s, Expr.Op op) {
    this.s = s;
    this.ir = s.ir();
    this.op = op;
  }

  /**
   * Writes the schedule of a call whose operands are the parameters of the device function.
   *
   * @return the algorithm's name
   */
  static String write(Schedule s, Expr.Op op) {
    HostSchedules host = new HostSchedules(s, op);
    return switch (op.code()) {
      case BARRIER -> host.barrier();
      case BROADCAST -> host.broadcast();
      case ALLREDUCE -> InCoreCollectives.mode(op).equals("ring") ? host.ring() : host.mesh();
      case ALLGATHER -> host.allgather();
      case REDUCE_SCATTER -> host.reduceScatter();
      case ALL_TO_ALL -> host.allToAll();
      case ALL_TO_ALL_V -> host.allToAllV();
      default -> throw new IllegalArgumentException(op.code() + " isn't a collective");
    };
  }

  private String barrier() {
    Credits credits = credits(0, s.ranks(op.operands().get(0)));
    credits.barrier(1, "");
    credits.reset(1);
    return "credit";
  }

  /** The root rewrites each tile of its own, all meet, the others read it. */
  private String broadcast() {
    TensorView target = operand(0);
    Ranks ranks = s.ranks(target.expr());
    Credits credits = credits(1, ranks);
    Expr root = ir.int32(InCoreCollectives.root(op));
    Expr total = s.named("total", ir.product(target.shape()));
    Expr flat = MeshAllReduce.flat(s, target, total);
    Expr tiles = s.named("tiles", ir.ceilDiv(total, TILE));
    Pieces pieces = new Pieces(total);
    Chunk chunk = pieces.chunk(flat, ir.index(0), false);
    s.loop(
        "tile",
        tiles,
        tile -> {
          Expr col = s.let("col", ir.mul(tile, ir.index(TILE)));
          Expr valid = pieces.valid(col);
          s.when(
              ir.compare(BinaryOp.EQ, ranks.mine(), root),
              () -> s.eval(chunk.store(s.let("own", chunk.load(col, valid)), col, valid)));
          credits.barrier(generation(tile, 1), "");
          s.when(
              ir.compare(BinaryOp.NE, ranks.mine(), root),
              () ->
                  s.eval(
                      chunk.store(s.let("recv", chunk.remoteLoad(root, col, valid)), col, valid)));
        });
    credits.reset(s.named("reset_total", ir.cast(tiles, DType.INT32)));
    return "pull";
  }

  /**
   * Tile t belongs to block t mod B, whose barriers have signal cells of their own. One rank here
   * runs its blocks' tiles in turn; every block still has one barrier more than tiles.
   */
  private String mesh() {
    TensorView target = operand(0);
    Ranks ranks = s.ranks(target.expr());
    Credits all = credits(1, ranks);
    long blocks = HostCollectives.lanes(op);
    Expr total = s.named("total", ir.product(target.shape()));
    Expr flat = MeshAllReduce.flat(s, target, total);
    Expr tiles = s.named("tiles", ir.ceilDiv(total, TILE));
    Pieces pieces = new Pieces(total);
    Chunk chunk = pieces.chunk(flat, ir.index(0), true);
    OpCode combine = InCoreCollectives.combiner(InCoreCollectives.reduction(op));

    eachBlock(all, blocks, "", (_, credits) -> credits.barrier(1, ""));
    s.loop(
        "tile",
        tiles,
        tile -> {
          Expr col = s.let("col", ir.mul(tile, ir.index(TILE)));
          Expr valid = pieces.valid(col);
          Expr.Var acc = s.let("acc", chunk.load(col, valid));
          ranks.others(
              "reduce_peer",
              peer -> {
                Expr recv = s.let("recv", chunk.remoteLoad(peer, col, valid));
                s.assign(acc, ir.op(combine, acc, recv));
              });
          Expr round = ir.div(tile, ir.index(blocks));
          Credits credits =
              blocks == 1 ? all : all.lane(s.let("block", ir.mod(tile, ir.index(blocks))));
          credits.barrier(generation(round, 2), "_tile");
          s.eval(chunk.store(acc, col, valid));
        });
    eachBlock(
        all,
        blocks,
        "_reset",
        (block, credits) -> {
          Expr own = ir.sub(ir.add(tiles, ir.index(blocks - 1)), block);
          Expr issued = ir.add(ir.div(own, ir.index(blocks)), ir.index(1));
          credits.reset(s.named("allreduce_reset_total", ir.cast(issued, DType.INT32)));
        });
    return "mesh";
  }

  private void eachBlock(Credits all, long blocks, String suffix, BiConsumer<Expr, Credits> body) {
    if (blocks == 1) {
      body.accept(ir.index(0), all);
    } else {
      s.loop("block" + suffix, ir.index(blocks), block -> body.accept(block, all.lane(block)));
    }
  }

  /**
   * Reads and the store of a round touch different segments, so that one barrier a round is enough.
   */
  private String ring() {
    TensorView target = operand(0);
    Ranks ranks = s.ranks(target.expr());
    Credits all = Credits.mesh(s, ranks, op.operands().get(1), 2);
    Expr total = s.named("total", ir.product(target.shape()));
    Expr flat = MeshAllReduce.flat(s, target, total);
    Expr segment = s.named("segment", ir.div(total, ranks.count()));
    Expr mine = s.let("my_rank_idx", ir.cast(ranks.mine(), DType.INDEX));
    Expr leftOf = ir.sub(ir.add(mine, ranks.count()), ir.index(1));
    Expr left = s.let("left", ir.mod(leftOf, ranks.count()));
    // The width of a segment depends on the rank count, so that its last tile may be short.
    Chunk chunk = new Chunk(s, flat, ir.index(0), TILE, true, false);
    round(
        all,
        "rs",
        step -> ir.sub(step, ir.index(1)),
        step -> ir.mod(ir.sub(leftOf, step), ranks.count()),
        segment,
        (col, valid) -> {
          Expr recv = s.let("recv_rs", chunk.remoteLoad(left, col, valid));
          Expr own = s.let("acc_rs", chunk.load(col, valid));
          s.eval(chunk.store(s.let("acc_rs_next", ir.op(OpCode.ADD, own, recv)), col, valid));
        });
    round(
        all,
        "ag",
        step -> ir.sub(ir.add(ranks.count(), step), ir.index(2)),
        step -> ir.mod(ir.sub(ir.add(mine, ranks.count()), step), ranks.count()),
        segment,
        (col, valid) ->
            s.eval(chunk.store(s.let("recv_ag", chunk.remoteLoad(left, col, valid)), col, valid)));
    Expr last = s.let("last_row", ir.mul(ir.sub(ranks.count(), ir.index(1)), ir.index(2)));
    all.row(last).barrier(1, "_last");
    s.loop("reset_row", ir.add(last, ir.index(1)), row -> all.row(row).reset(1));
    return "ring";
  }

  private void round(
      Credits all,
      String phase,
      UnaryOperator<Expr> row,
      UnaryOperator<Expr> index,
      Expr segment,
      BiConsumer<Expr, Expr> piece) {
    s.loop(
        phase + "_step",
        ir.index(1),
        all.ranks().count(),
        ir.index(1),
        step -> {
          Expr begin = s.let(phase + "_segment_begin", ir.mul(index.apply(step), segment));
          all.row(s.let(phase + "_row", row.apply(step))).barrier(1, "_" + phase);
          s.loop(
              phase + "_tile",
              ir.index(0),
              segment,
              ir.index(TILE),
              at -> {
                Expr col = s.let(phase + "_col", ir.add(begin, at));
                Expr valid = s.let(phase + "_cols", ir.min(ir.index(TILE), ir.sub(segment, at)));
                piece.accept(col, valid);
              });
        });
  }

  private String allgather() {
    TensorView source = operand(0);
    TensorView target = operand(1);
    Ranks ranks = s.ranks(target.expr());
    Pieces pieces = new Pieces(source.last(), source.last());
    Expr stage = stage("ag_stage", pieces, source);
    ranks.each(
        "push",
        peer ->
            pieces.each(
                (col, length) ->
                    put(
                        source,
                        ir.tuple(ir.index(0), col),
                        target,
                        peer,
                        ir.tuple(ranks.mine(), col),
                        length,
                        stage)));
    return finishPush(2, ranks);
  }

  private String allToAll() {
    TensorView source = operand(0);
    TensorView target = operand(1);
    Ranks ranks = s.ranks(target.expr());
    Pieces pieces = new Pieces(source.last(), source.last());
    Expr stage = stage("aa_stage", pieces, source);
    ranks.each(
        "dest",
        dest ->
            pieces.each(
                (col, length) ->
                    put(
                        source,
                        ir.tuple(dest, col),
                        target,
                        dest,
                        ir.tuple(ranks.mine(), col),
                        length,
                        stage)));
    return finishPush(2, ranks);
  }

  /** The whole block of each destination moves, as one row of its elements. */
  private String allToAllV() {
    TensorView source = operand(0);
    TensorView target = operand(1);
    TensorView counts = operand(3);
    Ranks ranks = s.ranks(target.expr());
    Expr capacity = s.named("cap", ir.div(target.shape().getFirst(), ranks.count()));
    Expr block = s.named("block", ir.mul(capacity, target.last()));
    Expr from = row(source, "source_2d");
    Expr to = row(target, "target_2d");
    Pieces pieces = new Pieces(block, target.last());
    Expr stage = stage("aav_stage", pieces, target);
    ranks.each(
        "dest",
        dest -> {
          Expr cell = counts.rank() == 1 ? ir.tuple(dest) : ir.tuple(dest, ir.index(0));
          Expr count =
              s.let("aav_count", ir.op(OpCode.READ, List.of(counts.expr(), cell), limits()));
          Expr rows = s.let("aav_rows", ir.min(count, ir.cast(capacity, DType.INT32)));
          s.eval(
              ir.op(
                  OpCode.NOTIFY,
                  List.of(op.operands().get(4), dest, ir.tuple(ranks.mine(), ir.index(0)), rows),
                  Map.of("op", new Attribute.Notify(NotifyOp.SET))));
          Expr there = s.let("aav_to", ir.mul(ranks.mine(), block));
          Expr here = s.let("aav_from", ir.mul(dest, block));
          pieces.each(
              (col, length) ->
                  put(
                      TensorView.of(from),
                      ir.tuple(ir.index(0), ir.add(here, col)),
                      TensorView.of(to),
                      dest,
                      ir.tuple(ir.index(0), ir.add(there, col)),
                      length,
                      stage));
        });
    return finishPush(2, ranks);
  }

  /** A count below zero or above the capacity is the kernel's fault, not something to clamp. */
  private Map<String, Attribute> limits() {
    return op.attributes().get(CAPACITY) instanceof Attribute.Int capacity
        ? Map.of("low", new Attribute.Int(0), "high", capacity)
        : Map.of();
  }

  private String reduceScatter() {
    TensorView target = operand(0);
    Ranks ranks = s.ranks(target.expr());
    Credits credits = credits(1, ranks);
    Pieces pieces = new Pieces(target.last());
    Chunk chunk = pieces.chunk(target.expr(), ranks.mine(), false);
    credits.barrier(1, "");
    pieces.each(
        (col, valid) -> {
          Expr.Var acc = s.let("acc", chunk.load(col, valid));
          ranks.others(
              "reduce_peer",
              peer -> {
                Expr recv = s.let("recv", chunk.remoteLoad(peer, col, valid));
                s.assign(acc, ir.op(OpCode.ADD, acc, recv));
              });
          s.eval(chunk.store(acc, col, valid));
        });
    credits.barrier(2, "2");
    credits.reset(2);
    return "mesh";
  }

  private TensorView operand(int index) {
    return TensorView.of(op.operands().get(index));
  }

  /** Credits on the signal operand, which has one or two dimensions. */
  private Credits credits(int operand, Ranks ranks) {
    Expr signal = op.operands().get(operand);
    return Credits.mesh(s, ranks, signal, TensorView.of(signal).rank());
  }

  /** Generation of a barrier from a counter and the barriers before the first count. */
  private Expr generation(Expr counter, long before) {
    return s.let("expected", ir.cast(ir.add(counter, ir.index(before)), DType.INT32));
  }

  private Expr stage(String purpose, Pieces pieces, TensorView source) {
    return s.let(purpose, ir.stageTile(1, pieces.width, source.dtype()));
  }

  private Expr row(TensorView tensor, String purpose) {
    Expr elements = ir.product(tensor.shape());
    return s.let(purpose, ir.op(OpCode.RESHAPE, tensor.expr(), ir.tuple(ir.index(1), elements)));
  }

  private void put(
      TensorView source,
      Expr from,
      TensorView target,
      Expr peer,
      Expr to,
      Expr length,
      Expr stage) {
    s.eval(
        ir.op(
            OpCode.PUT,
            target.expr(),
            peer,
            source.expr(),
            to,
            from,
            ir.tuple(ir.index(1), length),
            stage));
  }

  private String finishPush(int signal, Ranks ranks) {
    Credits credits = credits(signal, ranks);
    credits.barrier(1, "");
    credits.reset(1);
    return "push";
  }

  /** A row cut into tiles of one width; the last one is shorter when the row is ragged. */
  private final class Pieces {
    private final Expr total;
    private final long width;
    private final boolean ragged;

    /** Tiles of 256 elements, or one for all when the row is short and whole blocks of 32 bytes. */
    Pieces(Expr total) {
      this(total, isShort(total) ? total : ir.index(TILE));
    }

    /** Tiles of at most {@code widest}. */
    Pieces(Expr total, Expr widest) {
      OptionalLong most = Build.constant(widest);
      OptionalLong known = Build.constant(total);
      this.total = total;
      this.width = Math.clamp(most.orElse(TILE), 1, TILE);
      this.ragged = known.isEmpty() || known.getAsLong() % width != 0;
    }

    private static boolean isShort(Expr total) {
      OptionalLong known = Build.constant(total);
      return known.isPresent()
          && known.getAsLong() > 0
          && known.getAsLong() < TILE
          && known.getAsLong() % 16 == 0;
    }

    Expr valid(Expr col) {
      return ragged ? s.let("cols", ir.min(ir.index(width), ir.sub(total, col))) : ir.index(width);
    }

    /** Calls the body with the first element and the length of each piece. */
    void each(BiConsumer<Expr, Expr> body) {
      s.loop("col", ir.index(0), total, ir.index(width), col -> body.accept(col, valid(col)));
    }

    Chunk chunk(Expr window, Expr row, boolean padsTransfers) {
      return new Chunk(s, window, row, width, ragged, padsTransfers);
    }
  }
}
