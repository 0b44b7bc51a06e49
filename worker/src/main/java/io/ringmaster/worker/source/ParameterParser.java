package io.ringmaster.worker.source;

import io.ringmaster.worker.source.Parameters.Parameter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the parameters of a function or lambda. */
final class ParameterParser {

  private final TokenStream tokens;
  private final ExpressionParser expressions;

  ParameterParser(TokenStream tokens, ExpressionParser expressions) {
    this.tokens = tokens;
    this.expressions = expressions;
  }

  /** From {@code (} to {@code )}, with annotations. */
  Parameters parenthesised() {
    Token open = tokens.expect("(");
    var reading = new Reading(true);
    while (!tokens.at(")")) {
      parameter(reading);
      if (!tokens.accept(",")) {
        break;
      }
    }
    tokens.expectClosing(open, ")");
    return finish(reading);
  }

  /** Up to the colon of a lambda, without annotations. */
  Parameters lambda() {
    var reading = new Reading(false);
    while (!tokens.at(":") && !tokens.at(TokenKind.FIELD_SPEC)) {
      parameter(reading);
      if (!tokens.accept(",")) {
        break;
      }
    }
    return finish(reading);
  }

  private static final class Reading {
    private final boolean annotated;
    private final List<Parameter> positional = new ArrayList<>();
    private final List<Parameter> keywordOnly = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private int positionalOnly;
    private @Nullable Token slash;
    private @Nullable Token star;
    private @Nullable Parameter varArgs;
    private @Nullable Parameter keywordArgs;

    Reading(boolean annotated) {
      this.annotated = annotated;
    }
  }

  private Parameters finish(Reading reading) {
    Token star = reading.star;
    if (star != null && reading.varArgs == null && reading.keywordOnly.isEmpty()) {
      throw tokens.failure(star, "a bare '*' must be followed by a named parameter", "");
    }
    return new Parameters(
        List.copyOf(reading.positional),
        reading.positionalOnly,
        Optional.ofNullable(reading.varArgs),
        List.copyOf(reading.keywordOnly),
        Optional.ofNullable(reading.keywordArgs));
  }

  private void parameter(Reading reading) {
    Token start = tokens.peek();
    if (reading.keywordArgs != null) {
      throw tokens.failure(
          start, "nothing can follow '**" + reading.keywordArgs.name() + "'", "move it to the end");
    }
    if (tokens.accept("/")) {
      slash(start, reading);
    } else if (tokens.accept("*")) {
      star(start, reading);
    } else if (tokens.accept("**")) {
      reading.keywordArgs = named(reading, false, false);
    } else {
      Parameter parameter = named(reading, false, true);
      if (reading.star != null) {
        reading.keywordOnly.add(parameter);
      } else {
        requireDefault(reading, parameter);
        reading.positional.add(parameter);
      }
    }
  }

  private void slash(Token slash, Reading reading) {
    if (reading.slash != null) {
      throw tokens.failure(slash, "'/' may appear only once among the parameters", "");
    }
    if (reading.star != null) {
      throw tokens.failure(slash, "'/' must stand before '*'", "");
    }
    if (reading.positional.isEmpty()) {
      throw tokens.failure(slash, "a parameter must stand before '/'", "");
    }
    reading.slash = slash;
    reading.positionalOnly = reading.positional.size();
  }

  private void star(Token star, Reading reading) {
    if (reading.star != null) {
      throw tokens.failure(star, "'*' may appear only once among the parameters", "");
    }
    reading.star = star;
    if (!tokens.at(",") && !tokens.at(")") && !tokens.at(":")) {
      reading.varArgs = named(reading, true, false);
    }
  }

  private Parameter named(Reading reading, boolean starAnnotation, boolean mayHaveDefault) {
    Token name = tokens.expect(TokenKind.NAME, "a parameter name");
    Optional<Expr> annotation = Optional.empty();
    if (reading.annotated && tokens.accept(":")) {
      annotation =
          Optional.of(
              starAnnotation && tokens.at("*")
                  ? expressions.starOrNamed()
                  : expressions.expression());
    }
    Optional<Expr> value = Optional.empty();
    if (tokens.at("=")) {
      if (!mayHaveDefault) {
        throw tokens.failure(
            tokens.peek(), "'*" + name.text() + "' can't have a default value", "");
      }
      tokens.next();
      value = Optional.of(expressions.expression());
    }
    if (!reading.names.add(name.text())) {
      throw tokens.failure(
          name, "two parameters are named '" + name.text() + "'", "rename one of them");
    }
    return new Parameter(name.text(), annotation, value, tokens.spanFrom(name));
  }

  private void requireDefault(Reading reading, Parameter parameter) {
    if (parameter.defaultValue().isEmpty()
        && !reading.positional.isEmpty()
        && reading.positional.getLast().defaultValue().isPresent()) {
      throw tokens.failure(
          parameter.span(),
          "the parameter '" + parameter.name() + "' has no default value but follows one that has",
          "give it a default value, or move it to the front");
    }
  }
}
