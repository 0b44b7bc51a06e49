package io.ringmaster.worker.script.check;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Rewriter;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Traversal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A program without what changes no value: {@code pl.mul(t, 1.0)}, {@code pl.add(t, 0.0)}, and
 * names that are given to what has one. Two programs that only differ in that are the same kernel.
 */
final class Simplified {

  /** Rewriting something may leave something else to rewrite. */
  private static final int MOST_ROUNDS = 8;

  private Simplified() {}

  static Program of(Program program) {
    return new Program(
        program.name(),
        program.functions().stream().map(Simplified::of).toList(),
        program.domains());
  }

  private static Function of(Function function) {
    Function now = Rewriter.ofExprs(Simplified::withoutIdentity).function(function);
    for (int round = 0; round < MOST_ROUNDS; round++) {
      Map<String, Expr.Var> copies = copies(now);
      if (copies.isEmpty()) {
        break;
      }
      now = without(copies, now);
    }
    return now;
  }

  private static Expr withoutIdentity(Expr expr) {
    if (!(expr instanceof Expr.Op op) || op.operands().size() != 2) {
      return expr;
    }
    Expr first = op.operands().getFirst();
    Expr second = op.operands().getLast();
    boolean keeps =
        switch (op.code()) {
          case MUL, DIV -> is(second, 1);
          case ADD, SUB -> is(second, 0);
          default -> false;
        };
    if (keeps && first.type().equals(op.type())) {
      return first;
    }
    boolean turned =
        (op.code() == OpCode.MUL && is(first, 1)) || (op.code() == OpCode.ADD && is(first, 0));
    return turned && second.type().equals(op.type()) ? second : expr;
  }

  private static boolean is(Expr expr, long number) {
    return switch (expr) {
      case Expr.IntConst constant -> constant.value() == number;
      case Expr.FloatConst constant -> constant.value() == number;
      default -> false;
    };
  }

  /** Names given once to what has a name that is given once, too. */
  private static Map<String, Expr.Var> copies(Function function) {
    Map<String, Integer> given = new HashMap<>();
    function.params().forEach(param -> given.merge(param.name(), 1, Integer::sum));
    Traversal.statements(
        function.body(),
        stmt ->
            Traversal.targets(stmt).forEach(target -> given.merge(target.name(), 1, Integer::sum)));
    Map<String, Expr.Var> copies = new HashMap<>();
    Traversal.statements(
        function.body(),
        stmt -> {
          if (copies.isEmpty()
              && stmt instanceof Stmt.Assign assign
              && assign.value() instanceof Expr.Var of
              && given.getOrDefault(of.name(), 0) == 1
              && given.getOrDefault(assign.target().name(), 0) == 1) {
            copies.put(assign.target().name(), of);
          }
        });
    return copies;
  }

  private static Function without(Map<String, Expr.Var> copies, Function function) {
    Rewriter renaming =
        Rewriter.ofExprs(
            expr -> expr instanceof Expr.Var of ? copies.getOrDefault(of.name(), of) : expr);
    Function renamed =
        new Function(
            function.name(),
            function.level(),
            function.params(),
            function.returns(),
            kept(copies, function.body()),
            function.span());
    return renaming.function(renamed);
  }

  private static List<Stmt> kept(Map<String, Expr.Var> copies, List<Stmt> body) {
    List<Stmt> kept = new ArrayList<>();
    for (Stmt stmt : body) {
      if (stmt instanceof Stmt.Assign assign && copies.containsKey(assign.target().name())) {
        continue;
      }
      kept.add(
          switch (stmt) {
            case Stmt.For loop ->
                new Stmt.For(
                    loop.variable(),
                    loop.start(),
                    loop.stop(),
                    loop.step(),
                    loop.kind(),
                    kept(copies, loop.body()),
                    loop.span());
            case Stmt.While loop ->
                new Stmt.While(loop.condition(), kept(copies, loop.body()), loop.span());
            case Stmt.If choice ->
                new Stmt.If(
                    choice.condition(),
                    kept(copies, choice.thenBody()),
                    kept(copies, choice.elseBody()),
                    choice.span());
            case Stmt.Region region ->
                new Stmt.Region(region.collective(), kept(copies, region.body()), region.span());
            default -> stmt;
          });
    }
    return kept;
  }
}
