package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;

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
    if (!platform.startsWith("a5")) {
      return;
    }
    List<Diagnostic> errors = new ArrayList<>();
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
                      op.span()));
            }
          });
    }
    if (!errors.isEmpty()) {
      throw new DiagnosticException(errors);
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
