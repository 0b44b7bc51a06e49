package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.lowering.Schedule.Ranks;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Barriers that count credits on a signal window. Barrier g adds 1 to this rank's cell on every
 * other rank, then waits until the cell of every other rank here shows g. A call starts at 1 and
 * ends by taking its credits back, so that the cells are zero for whoever comes next; it subtracts
 * because a faster rank may have added its first credit of the next call already.
 *
 * @param cell offsets of the cell that belongs to a rank
 */
record Credits(Schedule schedule, Ranks ranks, Expr signal, UnaryOperator<Expr> cell) {

  private static final Map<String, Attribute> ADD =
      Map.of("op", new Attribute.Notify(Attribute.NotifyOp.ATOMIC_ADD));
  private static final Map<String, Attribute> AT_LEAST =
      Map.of("cmp", new Attribute.Compare(Attribute.WaitCmp.GE));

  /** Signal {@code [NR, 1]}, or {@code [NR]} when the window has one dimension. */
  static Credits mesh(Schedule schedule, Ranks ranks, Expr signal, int dimensions) {
    Build ir = schedule.ir();
    return new Credits(
        schedule,
        ranks,
        signal,
        rank -> dimensions == 1 ? ir.tuple(rank) : ir.tuple(rank, ir.index(0)));
  }

  /** Signal {@code [rounds, NR]}: one row of cells for each round. */
  Credits row(Expr row) {
    return new Credits(schedule, ranks, signal, rank -> schedule.ir().tuple(row, rank));
  }

  /** Signal {@code [NR, lanes]}: one column of cells for each block. */
  Credits lane(Expr lane) {
    return new Credits(schedule, ranks, signal, rank -> schedule.ir().tuple(rank, lane));
  }

  /**
   * @param expected generation of this barrier within the call, INT32
   * @param suffix distinguishes the loops' names: empty for the first barrier
   */
  void barrier(Expr expected, String suffix) {
    announce(suffix);
    await(expected, suffix);
  }

  void barrier(long expected, String suffix) {
    barrier(schedule.ir().int32(expected), suffix);
  }

  void announce(String suffix) {
    ranks.others(
        "peer" + suffix,
        peer ->
            schedule.eval(
                schedule
                    .ir()
                    .op(
                        OpCode.NOTIFY,
                        List.of(signal, peer, cell.apply(ranks.mine()), schedule.ir().int32(1)),
                        ADD)));
  }

  void await(Expr expected, String suffix) {
    ranks.others(
        "src" + suffix,
        source ->
            schedule.eval(
                schedule
                    .ir()
                    .op(OpCode.WAIT, List.of(signal, cell.apply(source), expected), AT_LEAST)));
  }

  /** Takes back {@code total} credits, INT32, from every cell this rank waited on. */
  void reset(Expr total) {
    Expr taken = schedule.ir().negate(total);
    ranks.others(
        "reset_src",
        source ->
            schedule.eval(
                schedule
                    .ir()
                    .op(
                        OpCode.NOTIFY,
                        List.of(signal, ranks.mine(), cell.apply(source), taken),
                        ADD)));
  }

  void reset(long total) {
    reset(schedule.ir().int32(total));
  }
}
