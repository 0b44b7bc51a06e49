package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Program;

/** One step from IR to IR. */
public interface Pass {

  /** The name that stages and faults carry. */
  default String name() {
    return getClass().getSimpleName();
  }

  /**
   * Rewrites the program.
   *
   * @throws io.ringmaster.worker.source.DiagnosticException for a mistake of the user
   */
  Program apply(Program program, LoweringContext context);
}
