package io.ringmaster.worker.codegen;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Stmt;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds which functions a function calls. */
final class Calls {

  private Calls() {}

  static Set<String> in(Function function) {
    Set<String> names = new HashSet<>();
    collect(function.body(), names);
    return names;
  }

  private static void collect(List<Stmt> body, Set<String> names) {
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.Assign assign -> collect(assign.value(), names);
        case Stmt.AssignTuple assign -> collect(assign.value(), names);
        case Stmt.Eval eval -> collect(eval.value(), names);
        case Stmt.For loop -> collect(loop.body(), names);
        case Stmt.While loop -> collect(loop.body(), names);
        case Stmt.If branch -> {
          collect(branch.thenBody(), names);
          collect(branch.elseBody(), names);
        }
        case Stmt.Return leave -> leave.values().forEach(value -> collect(value, names));
        case Stmt.Region region -> collect(region.body(), names);
        case Stmt.Break stop -> {}
        case Stmt.Continue next -> {}
      }
    }
  }

  private static void collect(Expr expr, Set<String> names) {
    if (expr instanceof Expr.Call call) {
      names.add(call.function());
      call.arguments().forEach(argument -> collect(argument, names));
    }
  }
}
