package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.source.SyntaxChildren;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Knows the lines with problems that were seen before anything ran. */
final class ProblemLines {

  private final List<Integer> lines;

  ProblemLines(DiagnosticException problems, List<Stmt> module) {
    List<Span> unread = new ArrayList<>();
    module.forEach(statement -> unread(statement, unread));
    // What couldn't be read is left out where it stands.
    lines =
        problems.diagnostics().stream()
            .map(Diagnostic::span)
            .map(Span::line)
            .filter(
                line ->
                    unread.stream()
                        .noneMatch(span -> span.line() <= line && line <= span.endLine()))
            .toList();
  }

  /**
   * The statements, by position, in which problems lie.
   *
   * @param end the last line that belongs to the body
   */
  Set<Integer> touched(List<Stmt> body, int end) {
    Set<Integer> touched = new HashSet<>();
    for (int line : lines) {
      if (body.isEmpty() || line > end || line < firstLine(body.getFirst())) {
        continue;
      }
      int at = 0;
      while (at + 1 < body.size() && firstLine(body.get(at + 1)) <= line) {
        at++;
      }
      touched.add(at);
      // Several statements may share a line.
      while (at > 0 && firstLine(body.get(at - 1)) == line) {
        at--;
        touched.add(at);
      }
    }
    return touched;
  }

  /** The last line that belongs to a statement. */
  static int lastLine(List<Stmt> body, int at, int end) {
    return at + 1 < body.size() ? firstLine(body.get(at + 1)) - 1 : end;
  }

  private static void unread(Stmt statement, List<Span> places) {
    if (statement instanceof Stmt.Unread unread) {
      places.add(unread.span());
    }
    SyntaxChildren.statementsOf(statement).forEach(inner -> unread(inner, places));
  }

  private static int firstLine(Stmt statement) {
    List<Expr> decorators =
        switch (statement) {
          case Stmt.FunctionDef def -> def.decorators();
          case Stmt.ClassDef def -> def.decorators();
          default -> List.of();
        };
    return decorators.stream()
        .mapToInt(decorator -> decorator.span().line())
        .reduce(statement.span().line(), Math::min);
  }
}
