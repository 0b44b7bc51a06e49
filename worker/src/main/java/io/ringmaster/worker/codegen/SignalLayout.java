package io.ringmaster.worker.codegen;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.KernelFault;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.fabric.WindowSlice;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.source.Span;
import java.util.Arrays;

/**
 * The rule of a kernel collective's signal shape, for extents that only the run knows: the compiler
 * checks the constant ones. A wrong layout would address the cells of another collective.
 */
final class SignalLayout {

  private SignalLayout() {}

  /** Which operand of a collective is its signal. */
  static int operand(OpCode code) {
    return switch (code) {
      case BARRIER -> 0;
      case ALLGATHER, ALL_TO_ALL, ALL_TO_ALL_V -> 2;
      default -> 1;
    };
  }

  /**
   * Checks the signal that a rank enters a collective with.
   *
   * @throws KernelFault of kind RULE_BROKEN, with the phrase of the compile-time rule
   */
  static void check(int rank, Stmt.Region region, TensorView signal) {
    long[] shape = signal.shape();
    if (shape.length != 2 || !(signal.region() instanceof WindowSlice slice)) {
      return;
    }
    int ranks = slice.info().members().size();
    String op = region.collective().op().printedName();
    String got = Arrays.toString(shape);
    if (!region.collective().algorithm().equals("ring")) {
      if (shape[1] != 1) {
        throw broken(
            rank,
            region,
            op + " signal shape[1] must be 1 (one cell per rank), got " + shape[1] + " in " + got,
            "Give this call a signal window of its own, viewed as [" + ranks + ", 1].");
      }
      rows(rank, region, op, shape[0], ranks, slice);
    } else if (ranks > 1 && (shape[0] != 2L * (ranks - 1) || shape[1] != ranks)) {
      throw broken(
          rank,
          region,
          op
              + " mode=ring signal must be 2D [2*(NR-1), NR] = ["
              + 2 * (ranks - 1)
              + ", "
              + ranks
              + "], got "
              + got,
          "View the signal window with one row for each of the 2*(NR-1) rounds.");
    }
  }

  /** One cell for each rank; the blocks of all_to_all_v are cut by their number. */
  private static void rows(
      int rank, Stmt.Region region, String op, long rows, int ranks, WindowSlice slice) {
    if (region.collective().op() == OpCode.ALL_TO_ALL_V && rows != ranks) {
      throw broken(
          rank,
          region,
          op + " signal shape[0] (" + rows + ") must equal the rank count (" + ranks + ")",
          "its rows say into how many blocks input and target are cut: make them " + ranks + ".");
    }
    if (rows < ranks) {
      throw KernelFault.of(
          Finding.Kind.OUT_OF_BOUNDS,
          rank,
          signal(region),
          "rank %d: %s signal shape[0] (%d) must be at least the rank count (%d): cell [%d, 0] lies outside the signal in '%s'"
              .formatted(rank, op, rows, ranks, rows, slice.info().buffer()),
          "Allocate and view the signal as [" + ranks + ", 1]: one INT32 cell for each rank.");
    }
  }

  private static KernelFault broken(int rank, Stmt.Region region, String message, String hint) {
    return KernelFault.of(Finding.Kind.RULE_BROKEN, rank, signal(region), message, hint);
  }

  /** Where the call names its signal; the whole call where the compiler put one there. */
  private static Span signal(Stmt.Region region) {
    Span call = region.span();
    Span named = region.collective().operands().get(operand(region.collective().op())).span();
    return named.line() >= call.line() && named.line() <= call.endLine() ? named : call;
  }
}
