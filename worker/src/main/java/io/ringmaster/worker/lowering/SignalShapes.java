package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.OptionalLong;

/** The signal layouts that collectives inside a kernel accept. */
final class SignalShapes {

  private SignalShapes() {}

  /** One cell per rank, {@code [NR, 1]}; a symbolic second extent is accepted unseen. */
  static void mesh(Expr.Op op) {
    Expr signal = signal(op);
    List<Expr> shape = shape(op, signal);
    String name = op.code().printedName();
    if (shape.size() != 2) {
      throw Errors.at(
          op.place("signal"),
          name + " signal must be 2D [NR, 1], got rank " + shape.size() + " " + Errors.shape(shape),
          shape.size() == 1
              ? "Inside a kernel view the signal as ["
                  + Errors.shape(shape).replace("[", "").replace("]", "")
                  + ", 1]; the rank-1 form belongs to HOST collectives."
              : "View the signal window as [NR, 1]: one INT32 cell for each rank.");
    }
    OptionalLong columns = Build.constant(shape.get(1));
    if (columns.isPresent() && columns.getAsLong() != 1) {
      long n = columns.getAsLong();
      boolean ring = isRing(shape);
      throw Errors.at(
          op.place("signal"),
          name
              + " signal shape[1] must be 1 (one cell per rank), got "
              + n
              + (ring
                  ? " — a signal shaped for mode=\"ring\" "
                      + Errors.shape(shape)
                      + " = [2*(NR-1), NR] addresses other cells; expected ["
                      + n
                      + ", 1]"
                  : " in " + Errors.shape(shape)),
          "Give this call a signal window of its own, viewed as ["
              + (ring ? Long.toString(n) : "NR")
              + ", 1].");
    }
  }

  /** One row per round, {@code [2*(NR-1), NR]}; compared only when both extents are constant. */
  static void ring(Expr.Op op) {
    Expr signal = signal(op);
    List<Expr> shape = shape(op, signal);
    String name = op.code().printedName();
    if (shape.size() != 2) {
      throw Errors.at(
          op.place("signal"),
          name + " mode=ring signal must be 2D [2*(NR-1), NR], got " + Errors.shape(shape),
          "View the signal window with one row for each of the 2*(NR-1) rounds.");
    }
    OptionalLong rows = Build.constant(shape.get(0));
    OptionalLong ranks = Build.constant(shape.get(1));
    if (rows.isPresent() && ranks.isPresent() && rows.getAsLong() != 2 * (ranks.getAsLong() - 1)) {
      long expected = 2 * (ranks.getAsLong() - 1);
      throw Errors.at(
          op.place("signal"),
          name
              + " signal shape[0] ("
              + rows.getAsLong()
              + ") must equal 2*(NR-1) = "
              + expected
              + " for NR = "
              + ranks.getAsLong(),
          "Inside a kernel a ring signal is [2*(NR-1), NR]; only the HOST form has one row more.");
    }
  }

  private static boolean isRing(List<Expr> shape) {
    OptionalLong rows = Build.constant(shape.get(0));
    OptionalLong ranks = Build.constant(shape.get(1));
    return rows.isPresent()
        && ranks.isPresent()
        && (rows.getAsLong() == 2 * (ranks.getAsLong() - 1)
            || rows.getAsLong() == 2 * (ranks.getAsLong() - 1) + 1);
  }

  private static Expr signal(Expr.Op op) {
    return switch (op.code()) {
      case BARRIER -> op.operands().getFirst();
      case BROADCAST, ALLREDUCE, REDUCE_SCATTER -> op.operands().get(1);
      case ALLGATHER, ALL_TO_ALL, ALL_TO_ALL_V -> op.operands().get(2);
      default -> throw new IllegalArgumentException(op.code() + " has no signal");
    };
  }

  private static List<Expr> shape(Expr.Op op, Expr signal) {
    String name = op.code().printedName();
    if (!(signal.type() instanceof Type.Tensor t) || !t.window()) {
      throw Errors.at(
          op.place("signal"),
          name + " signal must be a DistributedTensor (window-bound)",
          "Allocate it with pld.alloc_window_buffer and view it with pld.window.");
    }
    if (t.dtype() != DType.INT32) {
      throw Errors.at(
          op.place("signal"),
          name + " signal must be INT32, got " + t.dtype(),
          "View the signal window with dtype=pl.INT32.");
    }
    return t.shape();
  }
}
