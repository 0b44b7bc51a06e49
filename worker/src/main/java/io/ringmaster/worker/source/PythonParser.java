package io.ringmaster.worker.source;

import io.ringmaster.worker.source.Problems.StopReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads Python source into a syntax tree: the syntax of Python 3.12 but for type parameters,
 * imaginary numbers and characters by name. {@code match}, {@code type}, {@code except*}, {@code
 * await} and {@code yield} are read and left to whoever evaluates the tree.
 *
 * <p>Reading goes on after an error with the next statement, so that one attempt reports all errors
 * that can be told apart. No source, however deep or long, overflows the stack.
 */
public final class PythonParser {

  private PythonParser() {}

  /** True for the reserved words, which can't be names. */
  public static boolean isKeyword(String word) {
    return Operators.KEYWORDS.contains(word);
  }

  /**
   * Reads a file within {@link ParserLimits#DEFAULT}.
   *
   * @throws DiagnosticException with every error found, in source order
   */
  public static Module parse(SourceFile source) {
    return parse(source, ParserLimits.DEFAULT);
  }

  /**
   * Reads a file within limits.
   *
   * @throws DiagnosticException with every error found, in source order
   */
  public static Module parse(SourceFile source, ParserLimits limits) {
    Reading reading = read(source, limits);
    if (!reading.problems().isEmpty()) {
      throw new DiagnosticException(reading.problems());
    }
    return reading.module();
  }

  /**
   * A file that may have errors.
   *
   * @param module what could be read; {@link Stmt.Unread} stands where something couldn't
   * @param problems every error, in source order
   */
  public record Reading(Module module, List<Diagnostic> problems) {
    public Reading {
      problems = List.copyOf(problems);
    }
  }

  /** Reads what can be read of a file, within {@link ParserLimits#DEFAULT}. */
  public static Reading read(SourceFile source) {
    return read(source, ParserLimits.DEFAULT);
  }

  private static Reading read(SourceFile source, ParserLimits limits) {
    SourceFile normal = SourceFile.of(source.name(), source.text());
    List<Diagnostic> found = new ArrayList<>();
    List<Stmt> body =
        read(normal, limits, statements -> Optional.of(statements.file()), TreeHeight::check, found)
            .orElse(List.of());
    return new Reading(new Module(normal, body), found);
  }

  /**
   * Reads a source that is one expression, such as a golden value given with a job.
   *
   * @throws DiagnosticException with every error found, in source order
   */
  public static Expr parseExpression(SourceFile source, ParserLimits limits) {
    SourceFile normal = SourceFile.of(source.name(), source.text());
    List<Diagnostic> found = new ArrayList<>();
    Optional<Expr> read =
        read(
            normal,
            limits,
            StatementParser::onlyExpression,
            (value, allowed, problems) ->
                TreeHeight.check(
                    List.of(new Stmt.ExprStmt(value, value.span())), allowed, problems),
            found);
    if (!found.isEmpty()) {
      throw new DiagnosticException(found);
    }
    return read.orElseThrow();
  }

  /** A last look at a finished tree. */
  private interface Check<T> {
    void run(T tree, ParserLimits limits, Problems problems);
  }

  /** The tree, as far as it goes; what is wrong with it is added to {@code found}. */
  private static <T> Optional<T> read(
      SourceFile source,
      ParserLimits limits,
      Function<StatementParser, Optional<T>> reading,
      Check<T> check,
      List<Diagnostic> found) {
    requireLength(source, limits);
    var positions = new Positions(source);
    if (positions.lines() > limits.lines()) {
      throw tooLong(
          source,
          "the source has " + positions.lines() + " lines; the limit is " + limits.lines(),
          limits.lines() + 1);
    }
    var problems = new Problems(positions);
    var lexer = new Lexer(source, positions, limits, problems);
    var statements = new StatementParser(new TokenStream(lexer, positions, problems, limits));
    Optional<T> tree;
    try {
      tree = reading.apply(statements);
      var height = new Problems(positions);
      tree.ifPresent(finished -> check.run(finished, limits, height));
      if (!height.isEmpty()) {
        height.inSourceOrder().forEach(problems::add);
        tree = Optional.empty();
      }
    } catch (StopReading _) {
      tree = Optional.empty();
    }
    found.addAll(problems.inSourceOrder());
    return tree;
  }

  private static void requireLength(SourceFile source, ParserLimits limits) {
    int length = source.text().length();
    if (length > limits.sourceLength()) {
      throw tooLong(
          source,
          "the source has " + length + " characters; the limit is " + limits.sourceLength(),
          1);
    }
  }

  private static DiagnosticException tooLong(SourceFile source, String message, int line) {
    return new DiagnosticException(
        Diagnostic.error(
            message,
            "compute data in a loop, or draw it from a seed, instead of writing it out",
            new Span(source.name(), line, 1, line, 1)));
  }
}
