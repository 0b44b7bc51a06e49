package io.ringmaster.worker.script.pytest;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The expressions of {@code -k} and {@code -m}: names, {@code and}, {@code or}, {@code not}. */
final class NameExpression {

  private static final Pattern TOKEN = Pattern.compile("\\s*(\\(|\\)|[\\w:+\\-.\\[\\]\\\\/]+)");
  private static final int MOST_TOKENS = 1000;

  private final String text;
  private final List<String> tokens = new ArrayList<>();
  private final List<Integer> columns = new ArrayList<>();
  private int at;

  /** What an expression says of the names of a case. */
  interface Condition {
    /** True when the case is meant; {@code name} tells for one name whether the case has it. */
    boolean holds(Predicate<String> name);
  }

  /** An expression that can't be read. */
  static final class Malformed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Malformed(String message) {
      super(message);
    }
  }

  private NameExpression(String text) {
    this.text = text;
  }

  /**
   * Reads an expression; the empty one holds for every case.
   *
   * @throws Malformed naming the column
   */
  static Condition parse(String text) {
    NameExpression expression = new NameExpression(text);
    expression.scan();
    if (expression.tokens.isEmpty()) {
      return name -> true;
    }
    Condition condition = expression.or();
    if (expression.at < expression.tokens.size()) {
      throw expression.wrong("expected end of input; got " + expression.tokens.get(expression.at));
    }
    return condition;
  }

  private void scan() {
    Matcher matcher = TOKEN.matcher(text);
    int end = 0;
    while (end < text.length()) {
      matcher.region(end, text.length());
      if (!matcher.lookingAt()) {
        if (text.substring(end).isBlank()) {
          return;
        }
        int column = end + 1 + leadingBlanks(end);
        throw new Malformed(
            "at column "
                + column
                + ": unexpected character \""
                + text.charAt(column - 1)
                + "\": names, and, or, not and parentheses are known");
      }
      tokens.add(matcher.group(1));
      columns.add(matcher.start(1) + 1);
      end = matcher.end();
      if (tokens.size() > MOST_TOKENS) {
        throw new Malformed("more than " + MOST_TOKENS + " words");
      }
    }
  }

  private int leadingBlanks(int from) {
    int blanks = 0;
    while (Character.isWhitespace(text.charAt(from + blanks))) {
      blanks++;
    }
    return blanks;
  }

  private Condition or() {
    Condition left = and();
    while (next("or")) {
      Condition first = left;
      Condition second = and();
      left = name -> first.holds(name) || second.holds(name);
    }
    return left;
  }

  private Condition and() {
    Condition left = not();
    while (next("and")) {
      Condition first = left;
      Condition second = not();
      left = name -> first.holds(name) && second.holds(name);
    }
    return left;
  }

  private Condition not() {
    boolean inverted = false;
    while (next("not")) {
      inverted = !inverted;
    }
    Condition inner = single();
    return inverted ? name -> !inner.holds(name) : inner;
  }

  private Condition single() {
    if (next("(")) {
      Condition inner = or();
      if (!next(")")) {
        throw wrong("expected right parenthesis");
      }
      return inner;
    }
    if (at >= tokens.size()) {
      throw wrong("expected not OR left parenthesis OR identifier; got end of input");
    }
    String token = tokens.get(at);
    if (token.equals(")") || token.equals("and") || token.equals("or")) {
      throw wrong("expected not OR left parenthesis OR identifier; got " + token);
    }
    at++;
    return switch (token) {
      case "True" -> name -> true;
      case "False" -> name -> false;
      default -> name -> name.test(token);
    };
  }

  private boolean next(String token) {
    boolean found = at < tokens.size() && tokens.get(at).equals(token);
    at += found ? 1 : 0;
    return found;
  }

  private Malformed wrong(String message) {
    int column = at < columns.size() ? columns.get(at) : text.length() + 1;
    return new Malformed("at column " + column + ": " + message);
  }
}
