package io.ringmaster.worker.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads what stands between {@code case} and its colon or guard. */
final class PatternParser {

  private final TokenStream tokens;
  private final ExpressionParser expressions;

  PatternParser(TokenStream tokens, ExpressionParser expressions) {
    this.tokens = tokens;
    this.expressions = expressions;
  }

  /** A pattern, or several with commas between them: a sequence without brackets. */
  Pattern whole() {
    Token start = tokens.peek();
    Elements elements = elements(":");
    return elements.isSequence()
        ? new Pattern.Sequence(elements.patterns(), tokens.spanFrom(start))
        : elements.patterns().getFirst();
  }

  /** Patterns with commas between them. */
  private record Elements(List<Pattern> patterns, boolean isSequence) {}

  private Elements elements(String close) {
    Token start = tokens.peek();
    List<Pattern> all = new ArrayList<>();
    all.add(element());
    if (all.getFirst() instanceof Pattern.Rest && !tokens.at(",") && !close.equals("]")) {
      throw tokens.failure(
          start, "a starred pattern can't stand alone", "add a comma to match a sequence");
    }
    boolean isSequence = false;
    while (tokens.accept(",")) {
      isSequence = true;
      if (tokens.at(close) || tokens.at("if")) {
        break;
      }
      all.add(element());
    }
    return new Elements(List.copyOf(all), isSequence);
  }

  private Pattern element() {
    Token start = tokens.peek();
    return tokens.accept("*") ? new Pattern.Rest(named(name()), tokens.spanFrom(start)) : pattern();
  }

  private String name() {
    return tokens.expect(TokenKind.NAME, "a name").text();
  }

  /** The name that a value is given; none for {@code _}. */
  private static Optional<String> named(String name) {
    return name.equals("_") ? Optional.empty() : Optional.of(name);
  }

  /** The name after {@code as} or {@code **}, where {@code _} can't stand. */
  private String target() {
    Token token = tokens.peek();
    String name = name();
    if (name.equals("_")) {
      throw tokens.failure(token, "'_' keeps no value in a pattern", "use another name");
    }
    return name;
  }

  private Pattern pattern() {
    tokens.enter();
    Token start = tokens.peek();
    List<Pattern> alternatives = new ArrayList<>();
    do {
      alternatives.add(alternative());
    } while (tokens.accept("|"));
    Pattern pattern =
        alternatives.size() == 1
            ? alternatives.getFirst()
            : new Pattern.Either(List.copyOf(alternatives), tokens.spanFrom(start));
    if (tokens.accept("as")) {
      String name = target();
      pattern = new Pattern.As(pattern, name, tokens.spanFrom(start));
    }
    tokens.leave();
    return pattern;
  }

  private Pattern alternative() {
    Token token = tokens.peek();
    return switch (token.kind()) {
      case NAME -> captureOrClass();
      case INT, FLOAT, STRING, BYTES, FSTRING_START, KEYWORD -> constant();
      case OPERATOR ->
          switch (token.text()) {
            case "-" -> constant();
            case "(", "[" -> bracketed(token.is("(") ? ")" : "]");
            case "{" -> mapping();
            default -> throw tokens.unexpected("a pattern");
          };
      case FSTRING_TEXT,
          FSTRING_END,
          FIELD_OPEN,
          FIELD_CLOSE,
          FIELD_SPEC,
          NEWLINE,
          INDENT,
          DEDENT,
          END ->
          throw tokens.unexpected("a pattern");
    };
  }

  private Pattern constant() {
    Token start = tokens.peek();
    if (start.kind() == TokenKind.KEYWORD
        && !start.is("None")
        && !start.is("True")
        && !start.is("False")) {
      throw tokens.unexpected("a pattern");
    }
    if (tokens.accept("-")) {
      if (!tokens.at(TokenKind.INT) && !tokens.at(TokenKind.FLOAT)) {
        throw tokens.unexpected("a number");
      }
      Expr number = expressions.atom();
      Span span = tokens.spanFrom(start);
      return new Pattern.Constant(new Expr.Unary(Expr.UnaryOperator.NEGATE, number, span), span);
    }
    Expr value = expressions.atom();
    if (value instanceof Expr.FormattedString) {
      throw tokens.failure(
          value.span(), "an f-string can't be a pattern", "compare with it in a guard: case x if");
    }
    return new Pattern.Constant(value, value.span());
  }

  private Pattern bracketed(String close) {
    Token open = tokens.next();
    Elements elements =
        tokens.at(close) ? new Elements(List.of(), /* isSequence= */ true) : elements(close);
    tokens.expectClosing(open, close);
    return elements.isSequence() || close.equals("]")
        ? new Pattern.Sequence(elements.patterns(), tokens.spanFrom(open))
        : elements.patterns().getFirst();
  }

  /** A name with the attributes behind it. */
  private Expr dotted() {
    Token start = tokens.peek();
    Expr value = new Expr.Name(name(), tokens.span(start));
    while (tokens.accept(".")) {
      Token attribute = tokens.expect(TokenKind.NAME, "a name");
      value =
          new Expr.Attribute(
              value, attribute.text(), tokens.span(attribute), tokens.spanFrom(start));
    }
    return value;
  }

  /** A capture, a dotted value or a class with its arguments. */
  private Pattern captureOrClass() {
    Token start = tokens.peek();
    Expr value = dotted();
    if (!tokens.at("(")) {
      return value instanceof Expr.Name(String id, Span span)
          ? new Pattern.Capture(named(id), span)
          : new Pattern.Constant(value, value.span());
    }
    Token open = tokens.next();
    List<Pattern> positional = new ArrayList<>();
    List<Pattern.Named> named = new ArrayList<>();
    while (!tokens.at(")")) {
      if (tokens.at(TokenKind.NAME) && tokens.peek(1).is("=")) {
        String name = name();
        tokens.next();
        named.add(new Pattern.Named(name, pattern()));
      } else if (named.isEmpty()) {
        positional.add(pattern());
      } else {
        throw tokens.unexpected("a named pattern");
      }
      if (!tokens.accept(",")) {
        break;
      }
    }
    tokens.expectClosing(open, ")");
    return new Pattern.OfClass(
        value, List.copyOf(positional), List.copyOf(named), tokens.spanFrom(start));
  }

  private Pattern mapping() {
    Token open = tokens.next();
    List<Pattern.Entry> entries = new ArrayList<>();
    Optional<String> rest = Optional.empty();
    while (!tokens.at("}")) {
      if (tokens.accept("**")) {
        rest = Optional.of(target());
        tokens.accept(",");
        break;
      }
      Expr key = key();
      tokens.expect(":");
      entries.add(new Pattern.Entry(key, pattern()));
      if (!tokens.accept(",")) {
        break;
      }
    }
    tokens.expectClosing(open, "}");
    return new Pattern.Mapping(List.copyOf(entries), rest, tokens.spanFrom(open));
  }

  private Expr key() {
    Token start = tokens.peek();
    if (!tokens.at(TokenKind.NAME)) {
      if (alternative() instanceof Pattern.Constant(Expr value, Span _)) {
        return value;
      }
      throw tokens.failure(tokens.spanFrom(start), KEYS, "");
    }
    Expr key = dotted();
    if (key instanceof Expr.Name) {
      throw tokens.failure(key.span(), KEYS, "put a text in quotes");
    }
    return key;
  }

  private static final String KEYS = "the keys of a pattern are numbers, texts or dotted names";
}
