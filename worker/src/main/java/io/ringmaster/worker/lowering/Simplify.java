package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Takes what a factory decided: an {@code if} on a constant becomes the branch taken, functions
 * that nobody calls any more go, and so do window allocations that only the other branch used.
 */
public final class Simplify implements Pass {

  @Override
  public Program apply(Program program, LoweringContext context) {
    List<Function> folded = program.functions().stream().map(Simplify::folded).toList();
    return new Program(program.name(), reachable(folded), program.domains());
  }

  /** A function without the branches that a factory decided against. */
  static Function folded(Function function) {
    Set<String> orphans = new HashSet<>();
    List<Stmt> body = Blocks.rewrite(function.body(), stmt -> fold(stmt, orphans));
    return Blocks.withBody(function, withoutWindows(body, orphans));
  }

  private static List<Stmt> fold(Stmt stmt, Set<String> orphans) {
    if (stmt instanceof Stmt.If branch && branch.condition() instanceof Expr.BoolConst constant) {
      orphans.addAll(names(constant.value() ? branch.elseBody() : branch.thenBody()));
      return constant.value() ? branch.thenBody() : branch.elseBody();
    }
    return List.of(stmt);
  }

  /** Drops views, then buffers, that are named by removed code only. */
  private static List<Stmt> withoutWindows(List<Stmt> body, Set<String> orphans) {
    List<Stmt> current = body;
    for (OpCode code : List.of(OpCode.WINDOW, OpCode.ALLOC_WINDOW)) {
      Set<String> used = names(current);
      current =
          Blocks.rewrite(
              current,
              stmt -> {
                boolean unused =
                    stmt instanceof Stmt.Assign assign
                        && assign.value() instanceof Expr.Op op
                        && op.code() == code
                        && orphans.contains(assign.target().name())
                        && !used.contains(assign.target().name());
                if (unused) {
                  orphans.addAll(names(List.of(stmt)));
                }
                return unused ? List.of() : List.of(stmt);
              });
    }
    return current;
  }

  /** Variables that a body reads. */
  private static Set<String> names(List<Stmt> body) {
    Set<String> names = new HashSet<>();
    Blocks.forEach(
        body,
        expr -> {
          if (expr instanceof Expr.Var variable) {
            names.add(variable.name());
          }
        });
    return names;
  }

  /** What HOST calls, directly or not; a program without HOST has several entries and keeps all. */
  private static List<Function> reachable(List<Function> functions) {
    List<Function> hosts =
        functions.stream().filter(f -> f.level() == Function.Level.HOST).toList();
    return hosts.isEmpty() ? functions : reachable(functions, hosts);
  }

  /** What some functions call, directly or not, and they themselves. */
  static List<Function> reachable(List<Function> functions, List<Function> entries) {
    Deque<Function> open = new ArrayDeque<>(entries);
    Set<String> called = new HashSet<>();
    while (!open.isEmpty()) {
      Function next = open.remove();
      if (called.add(next.name())) {
        Set<String> callees = callees(next);
        functions.stream().filter(f -> callees.contains(f.name())).forEach(open::add);
      }
    }
    return new ArrayList<>(functions.stream().filter(f -> called.contains(f.name())).toList());
  }

  /** Names of the functions that a function calls. */
  static Set<String> callees(Function function) {
    Set<String> names = new HashSet<>();
    Blocks.forEach(
        function.body(),
        expr -> {
          if (expr instanceof Expr.Call call) {
            names.add(call.function());
          }
        });
    return names;
  }
}
