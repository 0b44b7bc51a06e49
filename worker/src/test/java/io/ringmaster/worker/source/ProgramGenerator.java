package io.ringmaster.worker.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Makes random programs of the kind that the parser makes, without positions. */
final class ProgramGenerator {

  private static final List<String> UNSUPPORTED = List.of("type", "except*");

  private final TreeGenerator trees;

  ProgramGenerator(Random random) {
    this.trees = new TreeGenerator(random);
  }

  /** Where a statement stands decides which ones are allowed. */
  private record Scope(int depth, boolean inFunction, boolean inLoop, boolean nested) {
    Scope below(boolean function, boolean loop, boolean nested) {
      return new Scope(depth - 1, function, loop, nested);
    }

    Scope block() {
      return new Scope(depth - 1, inFunction, inLoop, nested);
    }
  }

  Module module(int depth) {
    return new Module(SourceFile.of("random.py", ""), block(new Scope(depth, false, false, false)));
  }

  private List<Stmt> block(Scope scope) {
    return trees.some(1, _ -> statement(scope));
  }

  private List<Stmt> maybeBlock(Scope scope) {
    return trees.choice(3) == 0 ? block(scope) : List.of();
  }

  private Stmt statement(Scope scope) {
    int depth = scope.depth();
    return depth > 0 && trees.choice(2) == 0 ? compound(scope) : simple(scope, Math.max(depth, 1));
  }

  private Stmt compound(Scope scope) {
    int depth = scope.depth() - 1;
    boolean coin = trees.choice(2) == 0;
    return switch (trees.choice(8)) {
      case 0 ->
          new Stmt.FunctionDef(
              trees.anyName(),
              trees.functionParameters(depth),
              block(scope.below(true, false, true)),
              trees.some(0, _ -> trees.expression(depth)),
              trees.maybe(() -> trees.expression(depth)),
              coin,
              Span.NONE,
              Span.NONE);
      case 1 ->
          new Stmt.ClassDef(
              trees.anyName(),
              trees.some(0, _ -> trees.expression(depth)),
              trees.classKeywords(depth),
              block(scope.below(false, false, true)),
              trees.some(0, _ -> trees.expression(depth)),
              Span.NONE,
              Span.NONE);
      case 2 ->
          new Stmt.For(
              trees.target(depth),
              trees.expression(depth),
              block(scope.below(scope.inFunction(), true, scope.nested())),
              maybeBlock(scope.block()),
              coin,
              Span.NONE);
      case 3 ->
          new Stmt.While(
              trees.expression(depth),
              block(scope.below(scope.inFunction(), true, scope.nested())),
              maybeBlock(scope.block()),
              Span.NONE);
      case 4 ->
          new Stmt.If(
              trees.expression(depth), block(scope.block()), maybeBlock(scope.block()), Span.NONE);
      case 5 ->
          new Stmt.With(trees.some(1, _ -> item(depth)), block(scope.block()), coin, Span.NONE);
      case 6 -> match(scope);
      default -> attempt(scope);
    };
  }

  private Stmt.WithItem item(int depth) {
    return new Stmt.WithItem(trees.expression(depth), trees.maybe(() -> trees.target(depth)));
  }

  private Stmt match(Scope scope) {
    var cases = new ArrayList<Stmt.Case>();
    for (int i = trees.choice(3); i >= 0; i--) {
      Pattern pattern = new PatternGenerator(trees).pattern(2);
      cases.add(
          new Stmt.Case(
              // A case that takes everything has to be the last.
              i > 0 ? new Pattern.Sequence(List.of(pattern), Span.NONE) : pattern,
              trees.maybe(() -> trees.expression(scope.depth() - 1)),
              block(scope.block()),
              Span.NONE));
    }
    return new Stmt.Match(trees.expression(scope.depth() - 1), List.copyOf(cases), Span.NONE);
  }

  private Stmt attempt(Scope scope) {
    int depth = scope.depth() - 1;
    var handlers = new ArrayList<Stmt.Handler>();
    for (int i = trees.choice(3); i > 0; i--) {
      handlers.add(
          new Stmt.Handler(
              Optional.of(trees.expression(depth)),
              trees.maybe(trees::anyName),
              block(scope.block()),
              Span.NONE));
    }
    if (trees.choice(3) == 0) {
      handlers.add(
          new Stmt.Handler(Optional.empty(), Optional.empty(), block(scope.block()), Span.NONE));
    }
    return new Stmt.Try(
        block(scope.block()),
        List.copyOf(handlers),
        handlers.isEmpty() ? List.of() : maybeBlock(scope.block()),
        handlers.isEmpty() ? block(scope.block()) : maybeBlock(scope.block()),
        Span.NONE);
  }

  private Stmt simple(Scope scope, int depth) {
    return switch (trees.choice(18)) {
      case 0 ->
          scope.inFunction()
              ? new Stmt.Return(trees.maybe(() -> trees.expression(depth)), Span.NONE)
              : new Stmt.Pass(Span.NONE);
      case 1, 2, 3 ->
          new Stmt.Assign(
              trees.some(1, _ -> trees.target(depth)), trees.expression(depth), Span.NONE);
      case 4 ->
          new Stmt.AugmentedAssign(
              trees.place(depth),
              trees.one(Expr.BinaryOperator.values()),
              trees.expression(depth),
              Span.NONE);
      case 5 ->
          new Stmt.AnnotatedAssign(
              trees.place(depth),
              trees.expression(depth),
              trees.maybe(() -> trees.expression(depth)),
              Span.NONE);
      case 6 -> raise(depth);
      case 7 ->
          new Stmt.Assert(
              trees.expression(depth), trees.maybe(() -> trees.expression(depth)), Span.NONE);
      case 8 -> new Stmt.Import(trees.some(1, _ -> alias("os.path")), Span.NONE);
      case 9 -> importFrom();
      case 10 -> new Stmt.Global(trees.some(1, _ -> trees.anyName()), Span.NONE);
      case 11 ->
          scope.nested()
              ? new Stmt.Nonlocal(trees.some(1, _ -> trees.anyName()), Span.NONE)
              : new Stmt.Pass(Span.NONE);
      case 12 -> new Stmt.Delete(trees.some(1, _ -> trees.place(depth)), Span.NONE);
      case 13 -> scope.inLoop() ? new Stmt.Break(Span.NONE) : new Stmt.Pass(Span.NONE);
      case 14 -> scope.inLoop() ? new Stmt.Continue(Span.NONE) : new Stmt.Pass(Span.NONE);
      case 15 -> new Stmt.Unsupported(UNSUPPORTED.get(trees.choice(2)), Span.NONE);
      default -> new Stmt.ExprStmt(trees.expression(depth), Span.NONE);
    };
  }

  private Stmt raise(int depth) {
    Optional<Expr> exception = trees.maybe(() -> trees.expression(depth));
    Optional<Expr> cause =
        exception.isPresent() ? trees.maybe(() -> trees.expression(depth)) : Optional.empty();
    return new Stmt.Raise(exception, cause, Span.NONE);
  }

  private Stmt importFrom() {
    int level = trees.choice(3);
    String module = level == 0 || trees.choice(2) == 0 ? "a.b" : "";
    List<Stmt.Alias> names =
        trees.choice(4) == 0
            ? List.of(new Stmt.Alias("*", Optional.empty(), Span.NONE))
            : trees.some(1, _ -> alias(trees.anyName()));
    return new Stmt.ImportFrom(module, names, level, Span.NONE);
  }

  private Stmt.Alias alias(String name) {
    return new Stmt.Alias(name, trees.maybe(trees::anyName), Span.NONE);
  }
}
