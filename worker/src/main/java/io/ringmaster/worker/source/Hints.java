package io.ringmaster.worker.source;

/** What to do about a token that stands where another was expected. */
final class Hints {

  private Hints() {}

  static String forFound(Token found, String expected) {
    if (found.is("=") && !expected.equals("a name")) {
      return "use '==' to compare two values";
    }
    if (found.is("&")) {
      return "use 'and'";
    }
    if (found.is("|")) {
      return "use 'or'";
    }
    if (found.is(":=")) {
      return "put the assignment expression in parentheses";
    }
    if (found.kind() == TokenKind.KEYWORD && expected.endsWith("name")) {
      return "'" + found.text() + "' is a reserved word; choose another name";
    }
    return "";
  }
}
