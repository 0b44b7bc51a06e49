package io.ringmaster.worker.source;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A Python statement, as written. */
public sealed interface Stmt {

  Span span();

  /** {@code def}; {@code nameSpan} is the place of its name. */
  record FunctionDef(
      String name,
      Parameters parameters,
      List<Stmt> body,
      List<Expr> decorators,
      Optional<Expr> returns,
      boolean isAsync,
      Span nameSpan,
      Span span)
      implements Stmt {}

  record ClassDef(
      String name,
      List<Expr> bases,
      List<Expr.Keyword> keywords,
      List<Stmt> body,
      List<Expr> decorators,
      Span nameSpan,
      Span span)
      implements Stmt {}

  record Return(Optional<Expr> value, Span span) implements Stmt {}

  /** {@code a = b = value}: every target in order. */
  record Assign(List<Expr> targets, Expr value, Span span) implements Stmt {}

  record AugmentedAssign(Expr target, Expr.BinaryOperator operator, Expr value, Span span)
      implements Stmt {}

  record AnnotatedAssign(Expr target, Expr annotation, Optional<Expr> value, Span span)
      implements Stmt {}

  record For(
      Expr target, Expr iterable, List<Stmt> body, List<Stmt> orElse, boolean isAsync, Span span)
      implements Stmt {}

  record While(Expr condition, List<Stmt> body, List<Stmt> orElse, Span span) implements Stmt {}

  /** {@code elif} is an {@code If} alone in {@code orElse}. */
  record If(Expr condition, List<Stmt> body, List<Stmt> orElse, Span span) implements Stmt {}

  record With(List<WithItem> items, List<Stmt> body, boolean isAsync, Span span) implements Stmt {}

  record Raise(Optional<Expr> exception, Optional<Expr> cause, Span span) implements Stmt {}

  record Try(
      List<Stmt> body, List<Handler> handlers, List<Stmt> orElse, List<Stmt> finalBody, Span span)
      implements Stmt {}

  record Assert(Expr condition, Optional<Expr> message, Span span) implements Stmt {}

  record Import(List<Alias> names, Span span) implements Stmt {}

  /** {@code from module import names}; {@code level} counts leading dots. */
  record ImportFrom(String module, List<Alias> names, int level, Span span) implements Stmt {}

  record Global(List<String> names, Span span) implements Stmt {}

  record Nonlocal(List<String> names, Span span) implements Stmt {}

  record ExprStmt(Expr value, Span span) implements Stmt {}

  record Delete(List<Expr> targets, Span span) implements Stmt {}

  record Pass(Span span) implements Stmt {}

  record Break(Span span) implements Stmt {}

  record Continue(Span span) implements Stmt {}

  record Match(Expr subject, List<Case> cases, Span span) implements Stmt {}

  /** {@code type} and {@code except*}: read whole, and refused by name by whoever evaluates. */
  record Unsupported(String keyword, Span span) implements Stmt {}

  /**
   * A statement that couldn't be read, in a tree that is never run.
   *
   * @param names what it may give a value
   * @param words all the words in it
   */
  record Unread(Set<String> names, Set<String> words, Span span) implements Stmt {
    public Unread {
      names = Set.copyOf(names);
      words = Set.copyOf(words);
    }
  }

  record WithItem(Expr context, Optional<Expr> target) {}

  record Handler(Optional<Expr> type, Optional<String> name, List<Stmt> body, Span span) {}

  record Case(Pattern pattern, Optional<Expr> guard, List<Stmt> body, Span span) {}

  /** {@code name} or {@code name as asName}; {@code *} has the name {@code *}. */
  record Alias(String name, Optional<String> asName, Span span) {}
}
