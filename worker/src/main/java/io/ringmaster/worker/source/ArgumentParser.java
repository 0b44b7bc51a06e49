package io.ringmaster.worker.source;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads what follows a value in brackets: the arguments of a call and the index of a subscript. */
final class ArgumentParser {

  private final TokenStream tokens;
  private final ExpressionParser expressions;

  ArgumentParser(TokenStream tokens, ExpressionParser expressions) {
    this.tokens = tokens;
    this.expressions = expressions;
  }

  /** Arguments as written, positional and named. */
  record Arguments(List<Expr> positional, List<Expr.Keyword> keywords) {}

  Expr call(Token start, Expr function) {
    Arguments arguments = parenthesised();
    return new Expr.Call(
        function, arguments.positional(), arguments.keywords(), tokens.spanFrom(start));
  }

  /** From {@code (} to {@code )}. */
  Arguments parenthesised() {
    Token open = tokens.expect("(");
    var reading = new Reading();
    while (!tokens.at(")")) {
      argument(open, reading);
      if (!tokens.accept(",")) {
        break;
      }
    }
    tokens.expectClosing(open, ")");
    return new Arguments(List.copyOf(reading.positional), List.copyOf(reading.keywords));
  }

  private static final class Reading {
    private final List<Expr> positional = new ArrayList<>();
    private final List<Expr.Keyword> keywords = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private boolean unpackedKeywords;

    boolean isEmpty() {
      return positional.isEmpty() && keywords.isEmpty();
    }
  }

  private void argument(Token open, Reading reading) {
    Token start = tokens.peek();
    if (tokens.accept("**")) {
      Expr value = expressions.expression();
      reading.keywords.add(new Expr.Keyword(Optional.empty(), value, tokens.spanFrom(start)));
      reading.unpackedKeywords = true;
    } else if (tokens.accept("*")) {
      Expr value = expressions.expression();
      if (reading.unpackedKeywords) {
        throw tokens.failure(
            tokens.spanFrom(start), "'*' arguments can't follow '**' arguments", "swap them");
      }
      reading.positional.add(new Expr.Starred(value, tokens.spanFrom(start)));
    } else if (start.kind() == TokenKind.NAME && tokens.peek(1).is("=")) {
      named(reading);
    } else {
      positional(open, reading);
    }
  }

  private void named(Reading reading) {
    Token name = tokens.next();
    tokens.next();
    if (tokens.at(",") || tokens.at(")")) {
      throw tokens.unexpected("a value for '" + name.text() + "'");
    }
    Expr value = expressions.expression();
    if (!reading.names.add(name.text())) {
      throw tokens.failure(name, "the argument '" + name.text() + "' is given twice", "");
    }
    reading.keywords.add(new Expr.Keyword(Optional.of(name.text()), value, tokens.spanFrom(name)));
  }

  private void positional(Token open, Reading reading) {
    Expr value = expressions.named();
    if (expressions.displays().atFor()) {
      if (!reading.isEmpty()) {
        throw tokens.failure(
            value.span(),
            "a generator expression beside other arguments needs parentheses",
            "write (... for ... in ...)");
      }
      value = expressions.displays().generatorArgument(open, value);
    } else if (tokens.at("=")) {
      throw tokens.failure(
          value.span(),
          "an argument can be named by a plain name only, not by " + Targets.describe(value),
          "use '==' to compare two values");
    }
    if (!reading.keywords.isEmpty()) {
      throw tokens.failure(
          value.span(),
          "a positional argument can't follow a named one",
          "name it, or move it to the front");
    }
    reading.positional.add(value);
  }

  Expr subscript(Token start, Expr value) {
    Token open = tokens.next();
    if (tokens.at("]")) {
      throw tokens.unexpected("an index");
    }
    Token first = tokens.peek();
    Expr index = element();
    if (tokens.at(",") || index instanceof Expr.Starred) {
      var elements = new ArrayList<Expr>();
      elements.add(index);
      while (tokens.accept(",") && !tokens.at("]")) {
        elements.add(element());
      }
      index = new Expr.TupleDisplay(List.copyOf(elements), tokens.spanFrom(first));
    }
    tokens.expectClosing(open, "]");
    return new Expr.Subscript(value, index, tokens.spanFrom(start));
  }

  private Expr element() {
    Token start = tokens.peek();
    if (tokens.accept("*")) {
      // Unlike in a list, any expression may follow the star here.
      Expr value = expressions.expression();
      return new Expr.Starred(value, tokens.spanFrom(start));
    }
    Optional<Expr> lower = Optional.empty();
    if (!start.is(":")) {
      Expr value = expressions.named();
      if (!tokens.at(":")) {
        return value;
      }
      if (tokens.isBareWalrus(start, value)) {
        throw tokens.failure(
            value.span(), "':=' in a slice needs parentheses", "write (name := value):");
      }
      lower = Optional.of(value);
    }
    tokens.expect(":");
    Optional<Expr> upper = bound();
    Optional<Expr> step = tokens.accept(":") ? bound() : Optional.empty();
    return new Expr.Slice(lower, upper, step, tokens.spanFrom(start));
  }

  private Optional<Expr> bound() {
    return tokens.at(":") || tokens.at("]") || tokens.at(",")
        ? Optional.empty()
        : Optional.of(expressions.expression());
  }
}
