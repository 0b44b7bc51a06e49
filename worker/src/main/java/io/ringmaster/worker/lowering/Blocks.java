package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Traversal;
import io.ringmaster.worker.source.DiagnosticException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Rewrites statements in place, block by block. */
final class Blocks {

  private Blocks() {}

  /** What one statement becomes; its blocks have been rewritten already. */
  interface Rule {
    List<Stmt> apply(Stmt stmt);
  }

  /** The same; a statement that breaks a rule is noted and stays as it is. */
  static List<Stmt> rewrite(List<Stmt> body, Rule rule, Mistakes mistakes) {
    return rewrite(
        body,
        stmt -> {
          try {
            return rule.apply(stmt);
          } catch (DiagnosticException mistake) {
            mistakes.add(mistake);
            return List.of(stmt);
          }
        });
  }

  static List<Stmt> rewrite(List<Stmt> body, Rule rule) {
    List<Stmt> out = new ArrayList<>();
    for (Stmt stmt : body) {
      Stmt inner =
          switch (stmt) {
            case Stmt.For s ->
                new Stmt.For(
                    s.variable(),
                    s.start(),
                    s.stop(),
                    s.step(),
                    s.kind(),
                    rewrite(s.body(), rule),
                    s.span());
            case Stmt.While s -> new Stmt.While(s.condition(), rewrite(s.body(), rule), s.span());
            case Stmt.If s ->
                new Stmt.If(
                    s.condition(),
                    rewrite(s.thenBody(), rule),
                    rewrite(s.elseBody(), rule),
                    s.span());
            case Stmt.Region s ->
                new Stmt.Region(s.collective(), rewrite(s.body(), rule), s.span());
            case Stmt.Assign _,
                Stmt.AssignTuple _,
                Stmt.Eval _,
                Stmt.Return _,
                Stmt.Break _,
                Stmt.Continue _ ->
                stmt;
          };
      out.addAll(rule.apply(inner));
    }
    return out;
  }

  /** Visits every expression of a body, parts included, in textual order. */
  static void forEach(List<Stmt> body, Consumer<Expr> visit) {
    Traversal.statements(
        body, stmt -> Traversal.values(stmt).forEach(value -> Traversal.expressions(value, visit)));
  }

  static Function withBody(Function f, List<Stmt> body) {
    return new Function(f.name(), f.level(), f.params(), f.returns(), body, f.span());
  }
}
