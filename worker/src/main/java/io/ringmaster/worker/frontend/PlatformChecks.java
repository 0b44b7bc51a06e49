package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rules of the language that depend on the platform, which is known only when a driver compiles.
 */
public final class PlatformChecks {

  private PlatformChecks() {}

  /**
   * Refuses what the platform can't do.
   *
   * @param platform as users write it, e.g. {@code a5sim}
   * @throws DiagnosticException with every error
   */
  public static void check(Program program, String platform) {
    List<Diagnostic> errors = new ArrayList<>();
    program.functions().forEach(function -> signalsOfBothCores(function).ifPresent(errors::add));
    if (platform.startsWith("a5")) {
      bf16Adds(program, errors);
    }
    if (!errors.isEmpty()) {
      throw new DiagnosticException(errors);
    }
  }

  /**
   * A kernel that multiplies matrices and moves tiles is split into a program for the matrix core
   * and one for the vector core, and a notify in it is sent by both, unless it stands in a part
   * that says which lane it belongs to.
   */
  private static Optional<Diagnostic> signalsOfBothCores(Function function) {
    List<Expr.Op> matrix = new ArrayList<>();
    List<Expr> ofOneLane = new ArrayList<>();
    IrWalk.loops(
        function.body(),
        loop -> {
          if (loop.kind() == Stmt.LoopKind.PARALLEL || loop.kind() == Stmt.LoopKind.LANES) {
            IrWalk.expressions(loop.body(), ofOneLane::add);
          }
        });
    List<Expr.Op> signals = new ArrayList<>();
    IrWalk.expressions(
        function.body(),
        expr -> {
          if (expr instanceof Expr.Op op) {
            if (op.code() == OpCode.MATMUL || op.code() == OpCode.MATMUL_ACC) {
              matrix.add(op);
            } else if (op.code() == OpCode.NOTIFY && !ofOneLane.contains(op)) {
              signals.add(op);
            }
          }
        });
    if (matrix.isEmpty() || signals.isEmpty()) {
      return Optional.empty();
    }
    Expr.Op signal = signals.getFirst();
    return Optional.of(
        Diagnostic.error(
            "'"
                + function.name()
                + "' works on the matrix core (line "
                + matrix.getFirst().span().line()
                + ") and on the vector core, and both would carry out its "
                + signal.code().printedName()
                + ": credits would count twice",
            "put the communication into a kernel of its own, without "
                + matrix.getFirst().code().printedName(),
            signal.span()));
  }

  private static void bf16Adds(Program program, List<Diagnostic> errors) {
    for (Function function : program.functions()) {
      IrWalk.expressions(
          function.body(),
          expr -> {
            if (expr instanceof Expr.Op op && addsBf16(op)) {
              errors.add(
                  Diagnostic.error(
                      "atomic-add into a bf16 global tensor is not supported on the 'a5' backend"
                          + " (AtomicAddDtypeValid)",
                      "accumulate in FP32, or run on the a2a3 family",
                      op.place("atomic")));
            }
          });
    }
  }

  private static boolean addsBf16(Expr.Op op) {
    return op.attributes().get("atomic") instanceof Attribute.Atomic atomic
        && atomic.add()
        && op.operands().stream()
            .anyMatch(
                operand ->
                    operand.type() instanceof Type.Tensor tensor && tensor.dtype() == DType.BF16);
  }
}
