package io.ringmaster.worker.source;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A piece of source text between two offsets.
 *
 * @param enclosing the innermost bracket open around it
 */
record Token(TokenKind kind, String text, int start, int end, @Nullable Token enclosing) {

  private static final Set<String> OPERAND_KEYWORDS =
      Set.of("None", "True", "False", "not", "lambda", "await");
  private static final Set<String> OPERAND_OPERATORS =
      Set.of("(", "[", "{", "-", "+", "~", "...", "*");

  /** True for the operator or keyword written so. */
  boolean is(String spelling) {
    return (kind == TokenKind.OPERATOR || kind == TokenKind.KEYWORD) && text.equals(spelling);
  }

  boolean isName(String name) {
    return kind == TokenKind.NAME && text.equals(name);
  }

  /** True if an expression can start with it. */
  boolean startsOperand() {
    return switch (kind) {
      case NAME, INT, FLOAT, STRING, BYTES, FSTRING_START -> true;
      case KEYWORD -> OPERAND_KEYWORDS.contains(text);
      case OPERATOR -> OPERAND_OPERATORS.contains(text);
      case FSTRING_TEXT,
          FSTRING_END,
          FIELD_OPEN,
          FIELD_CLOSE,
          FIELD_SPEC,
          NEWLINE,
          INDENT,
          DEDENT,
          END ->
          false;
    };
  }

  /** How a message names it: {@code 'x'}, {@code the end of the line}. */
  String describe() {
    return switch (kind) {
      case NAME, OPERATOR, FIELD_OPEN, FIELD_CLOSE, FIELD_SPEC -> "'" + shortened() + "'";
      case KEYWORD -> "the keyword '" + text + "'";
      case INT, FLOAT -> "the number " + shortened();
      case STRING -> "a string";
      case BYTES -> "a bytes literal";
      case FSTRING_START -> "an f-string";
      case FSTRING_TEXT -> "text";
      case FSTRING_END -> "the end of the f-string";
      case NEWLINE -> "the end of the line";
      case INDENT -> "a deeper indentation";
      case DEDENT -> "the end of the block";
      case END -> "the end of the file";
    };
  }

  private String shortened() {
    return text.length() <= 40 ? text : text.substring(0, 37) + "...";
  }
}
