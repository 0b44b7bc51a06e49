package io.ringmaster.worker.source;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Refuses trees so high that a recursive reader would need an unusual stack. */
final class TreeHeight {

  private final Deque<Node> pending = new ArrayDeque<>();

  /** A statement or an expression, and how many levels lie above it. */
  private record Node(Object content, int level) {}

  private TreeHeight() {}

  /** Reports the first place that is deeper than {@link ParserLimits#treeHeight()}. */
  static void check(List<Stmt> body, ParserLimits limits, Problems problems) {
    var height = new TreeHeight();
    height.statements(body, 1);
    while (!height.pending.isEmpty()) {
      Node node = height.pending.pop();
      if (node.level > limits.treeHeight()) {
        Span span = node.content instanceof Expr e ? e.span() : ((Stmt) node.content).span();
        problems.add(
            Diagnostic.error(
                "the program is more than "
                    + limits.treeHeight()
                    + " levels deep here, which is the limit",
                "a long chain of operators, calls or 'elif' counts a level for each link; break it"
                    + " into several statements, or use a list, a dict or a loop",
                span));
        return;
      }
      height.children(node);
    }
  }

  private void children(Node node) {
    int below = node.level + 1;
    switch (node.content) {
      case Stmt statement -> statement(statement, below);
      case Expr expression -> SyntaxChildren.of(expression).forEach(e -> push(e, below));
      default -> throw new IllegalStateException("not a node: " + node.content);
    }
  }

  private void statement(Stmt statement, int level) {
    SyntaxChildren.expressionsOf(statement).forEach(e -> push(e, level));
    SyntaxChildren.statementsOf(statement).forEach(s -> push(s, level));
  }

  private void statements(List<Stmt> body, int level) {
    body.forEach(statement -> push(statement, level));
  }

  private void push(Object content, int level) {
    pending.push(new Node(content, level));
  }
}
