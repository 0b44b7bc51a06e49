package io.ringmaster.worker.source;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The brackets open at a place, innermost first. The brace of an f-string field is one of them. */
final class OpenBrackets {

  private final Deque<Token> open = new ArrayDeque<>();

  boolean isEmpty() {
    return open.isEmpty();
  }

  @Nullable Token innermost() {
    return open.peek();
  }

  void push(Token bracket) {
    open.push(bracket);
  }

  Token pop() {
    return open.pop();
  }

  void clear() {
    open.clear();
  }

  /** True while a bracket hasn't been closed. */
  boolean holds(Token bracket) {
    return open.stream().anyMatch(other -> other.start() == bracket.start());
  }

  /** True directly in a field of an f-string, where a colon starts the format. */
  boolean atFieldTop() {
    Token innermost = open.peek();
    return innermost != null && innermost.kind() == TokenKind.FIELD_OPEN;
  }

  /** The brace of the innermost field of an f-string. */
  Token innermostField() {
    return open.stream()
        .filter(bracket -> bracket.kind() == TokenKind.FIELD_OPEN)
        .findFirst()
        .orElseThrow();
  }

  static boolean matches(Token bracket, String sign) {
    return closing(bracket).equals(sign);
  }

  /** The sign that closes a bracket. */
  static String closing(Token bracket) {
    return switch (bracket.text()) {
      case "(" -> ")";
      case "[" -> "]";
      default -> "}";
    };
  }

  /**
   * Leaves out brackets until the innermost fits a closing sign. False, and nothing changed, if
   * none fits up to the border of the innermost f-string field.
   */
  boolean dropUntilMatch(String sign) {
    for (Token bracket : open) {
      if (matches(bracket, sign)) {
        while (!matches(open.element(), sign)) {
          open.pop();
        }
        return true;
      }
      if (bracket.kind() == TokenKind.FIELD_OPEN) {
        return false;
      }
    }
    return false;
  }
}
