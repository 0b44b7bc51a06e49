package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.frontend.JitBuilder;
import io.ringmaster.worker.script.module.KernelValue;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Reads the free functions of a script that no call of a run has reached. */
final class UncalledFunctions {

  private UncalledFunctions() {}

  /**
   * What is wrong with functions whatever they are called with.
   *
   * @param counts the definitions to look at
   * @param said what was found before: no place is told twice
   */
  static List<Diagnostic> problems(
      List<Stmt> block,
      Scope scope,
      Predicate<Stmt.FunctionDef> counts,
      Collection<Diagnostic> said) {
    Set<Span> places = new HashSet<>();
    said.forEach(one -> places.add(one.span()));
    List<Diagnostic> found = new ArrayList<>();
    for (Stmt statement : block) {
      if (statement instanceof Stmt.FunctionDef def
          && scope.values().get(def.name()) instanceof KernelValue kernel
          && kernel.closure().definition().equals(def)
          && counts.test(def)) {
        List<Diagnostic> more =
            JitBuilder.withoutCall(kernel.closure()).stream()
                .filter(one -> !places.contains(one.span()))
                .toList();
        found.addAll(more);
        more.forEach(one -> places.add(one.span()));
      }
    }
    return found;
  }
}
