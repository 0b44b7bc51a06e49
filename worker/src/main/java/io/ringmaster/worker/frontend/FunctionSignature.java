package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.List;
import java.util.Optional;

/**
 * What is known about a function before its body is read.
 *
 * @param order its place in the class, from 0
 * @param params with the directions as declared
 * @param returns declared result types; empty when nothing is declared
 * @param broken it has errors, so nothing is checked against it
 */
record FunctionSignature(
    String name,
    Level level,
    int order,
    List<Param> params,
    Optional<List<Type>> returns,
    boolean broken,
    Stmt.FunctionDef definition,
    Span span) {

  FunctionSignature {
    params = List.copyOf(params);
  }

  /** The same after its body turned out to have errors: what it returns is anybody's guess. */
  FunctionSignature asBroken() {
    return new FunctionSignature(name, level, order, params, returns, true, definition, span);
  }

  /** True for functions that a HOST orchestrator dispatches to a rank. */
  boolean isOrchestrator() {
    return level == Level.ORCHESTRATION;
  }
}
