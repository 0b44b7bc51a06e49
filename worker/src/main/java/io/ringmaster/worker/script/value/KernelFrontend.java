package io.ringmaster.worker.script.value;

import io.ringmaster.worker.frontend.ClosureScope;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.Stmt;
import java.util.List;

/** Turns a {@code @pl.program} class into a program, while its decorator runs. */
@FunctionalInterface
public interface KernelFrontend {

  /**
   * Builds a program, which depends on nothing but the class and what the scope answers.
   *
   * @throws io.ringmaster.worker.source.DiagnosticException when the class breaks a rule
   */
  Result build(Stmt.ClassDef definition, ClosureScope scope);

  /** A program and what there is to say about it. */
  record Result(Program program, List<Diagnostic> warnings) {
    public Result {
      warnings = List.copyOf(warnings);
    }
  }
}
