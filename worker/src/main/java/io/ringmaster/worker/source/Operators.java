package io.ringmaster.worker.source;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The words and signs of the language, and how tightly operators bind. */
final class Operators {

  static final Set<String> KEYWORDS =
      Set.of(
          "False",
          "None",
          "True",
          "and",
          "as",
          "assert",
          "async",
          "await",
          "break",
          "class",
          "continue",
          "def",
          "del",
          "elif",
          "else",
          "except",
          "finally",
          "for",
          "from",
          "global",
          "if",
          "import",
          "in",
          "is",
          "lambda",
          "nonlocal",
          "not",
          "or",
          "pass",
          "raise",
          "return",
          "try",
          "while",
          "with",
          "yield");

  /** Keywords that only a statement can start with, so that no bracket goes on past them. */
  static final Set<String> STATEMENT_KEYWORDS =
      Set.of(
          "assert",
          "break",
          "class",
          "continue",
          "def",
          "del",
          "elif",
          "except",
          "finally",
          "global",
          "import",
          "nonlocal",
          "pass",
          "raise",
          "return",
          "try",
          "while",
          "with");

  private static final Map<String, String> SIGNS =
      Stream.of(
              "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=",
              "->", "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^=", ":=", "+", "-", "*", "/",
              "%", "@", "&", "|", "^", "~", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".",
              ";", "=")
          .collect(Collectors.toMap(Function.identity(), Function.identity()));

  /** What a sign of more than one character goes on with. */
  private static final String LONGER_SIGNS = "*/<>=.";

  private static final Map<String, Expr.BinaryOperator> BINARY =
      Stream.of(Expr.BinaryOperator.values())
          .collect(Collectors.toMap(Expr.BinaryOperator::spelling, Function.identity()));

  private static final Map<String, Expr.CompareOperator> COMPARE =
      Stream.of(Expr.CompareOperator.values())
          .collect(Collectors.toMap(Expr.CompareOperator::spelling, Function.identity()));

  /** Binding powers, loosest first. */
  static final int OR = 1;

  static final int AND = 2;
  static final int NOT = 3;
  static final int COMPARISON = 4;
  static final int BIT_OR = 5;
  static final int UNARY = 11;
  static final int POWER = 12;

  private Operators() {}

  /** The longest sign at an offset. */
  static Optional<String> signAt(String text, int offset) {
    boolean alone =
        offset + 1 >= text.length() || LONGER_SIGNS.indexOf(text.charAt(offset + 1)) < 0;
    for (int length = alone ? 1 : Math.min(3, text.length() - offset); length > 0; length--) {
      String sign = SIGNS.get(text.substring(offset, offset + length));
      if (sign != null) {
        return Optional.of(sign);
      }
    }
    return Optional.empty();
  }

  static Optional<Expr.BinaryOperator> binary(String spelling) {
    return Optional.ofNullable(BINARY.get(spelling));
  }

  static Optional<Expr.CompareOperator> compare(String spelling) {
    return Optional.ofNullable(COMPARE.get(spelling));
  }

  /** How tightly a binary operator binds. */
  static int power(Expr.BinaryOperator operator) {
    return switch (operator) {
      case BIT_OR -> BIT_OR;
      case BIT_XOR -> 6;
      case BIT_AND -> 7;
      case SHIFT_LEFT, SHIFT_RIGHT -> 8;
      case ADD, SUBTRACT -> 9;
      case MULTIPLY, DIVIDE, FLOOR_DIVIDE, MODULO, MATRIX_MULTIPLY -> 10;
      case POWER -> POWER;
    };
  }
}
