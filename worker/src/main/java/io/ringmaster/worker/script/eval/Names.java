package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Parameters;
import io.ringmaster.worker.source.Stmt;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Finds out which names a block of statements binds. */
final class Names {

  private final Set<String> bound = new LinkedHashSet<>();
  private final Set<String> globals = new HashSet<>();
  private final Set<String> nonlocals = new HashSet<>();

  private Names() {}

  /** The names a function binds: parameters, targets, imports, nested definitions. */
  static Scope.Names ofFunction(Parameters parameters, List<Stmt> body) {
    Names names = new Names();
    names.parameters(parameters);
    names.block(body);
    return names.result();
  }

  static Scope.Names ofBlock(List<Stmt> body) {
    Names names = new Names();
    names.block(body);
    return names.result();
  }

  /** The names in assignment targets. */
  static Set<String> ofTarget(Expr target) {
    Names names = new Names();
    names.target(target);
    return names.bound;
  }

  private Scope.Names result() {
    Set<String> locals = new LinkedHashSet<>(bound);
    locals.removeAll(globals);
    locals.removeAll(nonlocals);
    return new Scope.Names(locals, globals, nonlocals);
  }

  private void parameters(Parameters parameters) {
    parameters.positional().forEach(p -> bound.add(p.name()));
    parameters.keywordOnly().forEach(p -> bound.add(p.name()));
    parameters.varArgs().ifPresent(p -> bound.add(p.name()));
    parameters.keywordArgs().ifPresent(p -> bound.add(p.name()));
  }

  private void block(List<Stmt> body) {
    body.forEach(this::statement);
  }

  private void statement(Stmt statement) {
    switch (statement) {
      case Stmt.FunctionDef def -> bound.add(def.name());
      case Stmt.ClassDef def -> bound.add(def.name());
      case Stmt.Assign assign -> {
        assign.targets().forEach(this::target);
        walruses(assign.value());
      }
      case Stmt.AugmentedAssign assign -> {
        target(assign.target());
        walruses(assign.value());
      }
      case Stmt.AnnotatedAssign assign -> {
        target(assign.target());
        assign.value().ifPresent(this::walruses);
      }
      case Stmt.For loop -> {
        target(loop.target());
        walruses(loop.iterable());
        block(loop.body());
        block(loop.orElse());
      }
      case Stmt.While loop -> {
        walruses(loop.condition());
        block(loop.body());
        block(loop.orElse());
      }
      case Stmt.If choice -> {
        walruses(choice.condition());
        block(choice.body());
        block(choice.orElse());
      }
      case Stmt.With with -> {
        for (Stmt.WithItem item : with.items()) {
          walruses(item.context());
          item.target().ifPresent(this::target);
        }
        block(with.body());
      }
      case Stmt.Try attempt -> {
        block(attempt.body());
        for (Stmt.Handler handler : attempt.handlers()) {
          handler.name().ifPresent(bound::add);
          block(handler.body());
        }
        block(attempt.orElse());
        block(attempt.finalBody());
      }
      case Stmt.Match match -> {
        walruses(match.subject());
        for (Stmt.Case one : match.cases()) {
          bound.addAll(one.pattern().names());
          one.guard().ifPresent(this::walruses);
          block(one.body());
        }
      }
      case Stmt.Import imports -> {
        for (Stmt.Alias alias : imports.names()) {
          String first = alias.name().split("\\.", 2)[0];
          bound.add(alias.asName().orElse(first));
        }
      }
      case Stmt.ImportFrom imports ->
          imports.names().forEach(alias -> bound.add(alias.asName().orElse(alias.name())));
      case Stmt.Global global -> globals.addAll(global.names());
      case Stmt.Nonlocal nonlocal -> nonlocals.addAll(nonlocal.names());
      case Stmt.Delete delete -> delete.targets().forEach(this::target);
      case Stmt.Return end -> end.value().ifPresent(this::walruses);
      case Stmt.ExprStmt expression -> walruses(expression.value());
      case Stmt.Assert check -> walruses(check.condition());
      case Stmt.Raise raise -> {}
      case Stmt.Pass pass -> {}
      case Stmt.Break stop -> {}
      case Stmt.Continue next -> {}
      case Stmt.Unread unread -> bound.addAll(unread.names());
      case Stmt.Unsupported unsupported -> {}
    }
  }

  private void target(Expr target) {
    switch (target) {
      case Expr.Name name -> bound.add(name.id());
      case Expr.TupleDisplay tuple -> tuple.elements().forEach(this::target);
      case Expr.ListDisplay list -> list.elements().forEach(this::target);
      case Expr.Starred starred -> target(starred.value());
      default -> {}
    }
  }

  /** {@code :=} binds in the function around, wherever it stands in an expression. */
  private void walruses(Expr expression) {
    if (expression instanceof Expr.Walrus walrus) {
      bound.add(walrus.target().id());
    }
    Children.of(expression).forEach(this::walruses);
  }
}
