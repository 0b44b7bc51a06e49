package io.ringmaster.worker.source;

import java.util.List;
import java.util.Optional;

/**
 * The parameter list of a function or lambda.
 *
 * @param positional parameters that may be given by position, in order
 * @param positionalOnly how many of them stand before a {@code /}
 * @param keywordOnly parameters after {@code *} or {@code *args}
 */
public record Parameters(
    List<Parameter> positional,
    int positionalOnly,
    Optional<Parameter> varArgs,
    List<Parameter> keywordOnly,
    Optional<Parameter> keywordArgs) {

  /** One parameter; annotation and default as written. */
  public record Parameter(
      String name, Optional<Expr> annotation, Optional<Expr> defaultValue, Span span) {}
}
