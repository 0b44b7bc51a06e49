package io.ringmaster.worker.source;

import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.CompareOperator;
import io.ringmaster.worker.source.Expr.ComprehensionKind;
import io.ringmaster.worker.source.Expr.FormatPart;
import io.ringmaster.worker.source.Expr.UnaryOperator;
import io.ringmaster.worker.source.Parameters.Parameter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Makes random trees of the kind that the parser makes, without positions. */
final class TreeGenerator {

  private static final List<String> NAMES =
      List.of("a", "b", "x", "rank", "match", "type", "case", "_", "print", "größe", "数");
  private static final List<String> TEXTS =
      List.of(
          "",
          "a",
          "it's",
          "\"",
          "\\",
          "\n",
          "{x}",
          "}",
          "\t\u0000",
          "é",
          "\uD83D\uDE00",
          "\uD800",
          "N{DASH}",
          "#",
          "'''");

  private final Random random;

  TreeGenerator(Random random) {
    this.random = random;
  }

  Expr expression(int depth) {
    if (depth <= 0) {
      return atom();
    }
    int below = depth - 1;
    return switch (random.nextInt(26)) {
      case 0 -> attribute(below);
      case 1, 2 -> new Expr.Call(expression(below), arguments(below), keywords(below), Span.NONE);
      case 3, 4 -> subscript(below);
      case 5 -> new Expr.TupleDisplay(elements(0, below), Span.NONE);
      case 6 -> new Expr.ListDisplay(elements(0, below), Span.NONE);
      case 7 -> new Expr.SetDisplay(elements(1, below), Span.NONE);
      case 8 -> new Expr.DictDisplay(some(0, _ -> entry(below)), Span.NONE);
      case 9, 10 -> new Expr.Unary(one(UnaryOperator.values()), expression(below), Span.NONE);
      case 11, 12, 13, 14 ->
          new Expr.Binary(
              one(BinaryOperator.values()), expression(below), expression(below), Span.NONE);
      case 15 ->
          new Expr.BoolOperation(random.nextBoolean(), some(2, _ -> expression(below)), Span.NONE);
      case 16, 17 -> comparison(below);
      case 18 ->
          new Expr.Conditional(expression(below), expression(below), expression(below), Span.NONE);
      case 19 -> new Expr.Lambda(parameters(below, false), expression(below), Span.NONE);
      case 20, 21 -> comprehension(below);
      case 22 -> new Expr.Walrus(name(), expression(below), Span.NONE);
      case 23 -> suspension(below);
      case 24 -> new Expr.FormattedString(parts(below, 0), Span.NONE);
      default -> atom();
    };
  }

  private Expr atom() {
    return switch (random.nextInt(10)) {
      case 0 -> new Expr.IntLiteral(new BigInteger(random.nextInt(70), random), Span.NONE);
      case 1 -> new Expr.FloatLiteral(Math.abs(random.nextGaussian()) * 1e10, Span.NONE);
      case 2 -> new Expr.StringLiteral(text() + text(), Span.NONE);
      case 3 -> new Expr.BytesLiteral(latin(), Span.NONE);
      case 4 -> new Expr.BoolLiteral(random.nextBoolean(), Span.NONE);
      case 5 -> new Expr.NoneLiteral(Span.NONE);
      case 6 -> new Expr.EllipsisLiteral(Span.NONE);
      default -> name();
    };
  }

  private Expr.Name name() {
    return new Expr.Name(identifier(), Span.NONE);
  }

  private String identifier() {
    return NAMES.get(random.nextInt(NAMES.size()));
  }

  private String text() {
    return TEXTS.get(random.nextInt(TEXTS.size()));
  }

  private String latin() {
    return random
        .ints(random.nextInt(5), 0, 256)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private Expr attribute(int depth) {
    return new Expr.Attribute(expression(depth), identifier(), Span.NONE, Span.NONE);
  }

  private Expr subscript(int depth) {
    Expr index =
        switch (random.nextInt(4)) {
          case 0 -> slice(depth);
          case 1 ->
              new Expr.TupleDisplay(
                  some(1, _ -> random.nextBoolean() ? slice(depth) : element(depth)), Span.NONE);
          default -> expression(depth);
        };
    return new Expr.Subscript(expression(depth), index, Span.NONE);
  }

  private Expr slice(int depth) {
    return new Expr.Slice(
        maybe(() -> expression(depth)),
        maybe(() -> expression(depth)),
        maybe(() -> expression(depth)),
        Span.NONE);
  }

  private Expr element(int depth) {
    return random.nextInt(6) == 0
        ? new Expr.Starred(expression(depth), Span.NONE)
        : expression(depth);
  }

  private List<Expr> elements(int least, int depth) {
    return some(least, _ -> element(depth));
  }

  private List<Expr> arguments(int depth) {
    return elements(0, depth);
  }

  private List<Expr.Keyword> keywords(int depth) {
    var names = new HashSet<String>();
    return some(0, _ -> maybe(this::identifier).filter(names::add)).stream()
        .map(name -> new Expr.Keyword(name, expression(depth), Span.NONE))
        .toList();
  }

  private Expr.DictEntry entry(int depth) {
    return new Expr.DictEntry(maybe(() -> expression(depth)), expression(depth));
  }

  private Expr comparison(int depth) {
    List<CompareOperator> operators = some(1, _ -> one(CompareOperator.values()));
    List<Expr> rest = operators.stream().map(_ -> expression(depth)).toList();
    return new Expr.Comparison(expression(depth), operators, rest, Span.NONE);
  }

  private Expr comprehension(int depth) {
    ComprehensionKind kind = one(ComprehensionKind.values());
    Optional<Expr> value =
        kind == ComprehensionKind.DICT ? Optional.of(expression(depth)) : Optional.empty();
    return new Expr.Comprehension(
        kind, expression(depth), value, some(1, _ -> clause(depth)), Span.NONE);
  }

  private Expr.ForClause clause(int depth) {
    Expr iterable = expression(depth);
    if (random.nextInt(4) == 0) {
      iterable = new Expr.Suspension("async for", Optional.of(iterable), Span.NONE);
    }
    return new Expr.ForClause(target(depth), iterable, some(0, _ -> expression(depth)), Span.NONE);
  }

  private Expr suspension(int depth) {
    return switch (random.nextInt(3)) {
      case 0 -> new Expr.Suspension("await", Optional.of(expression(depth)), Span.NONE);
      case 1 -> new Expr.Suspension("yield from", Optional.of(expression(depth)), Span.NONE);
      default -> new Expr.Suspension("yield", maybe(() -> expression(depth)), Span.NONE);
    };
  }

  /** Texts side by side are one text, so a text follows a field only. */
  private List<FormatPart> parts(int depth, int nesting) {
    var parts = new ArrayList<FormatPart>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      String text = text();
      if (!text.isEmpty()) {
        parts.add(new Expr.TextPart(text));
      }
      parts.add(field(depth, nesting));
    }
    return List.copyOf(parts);
  }

  private FormatPart field(int depth, int nesting) {
    boolean debug = random.nextInt(4) == 0;
    Expr value = debug ? name() : expression(depth);
    String conversion = List.of("", "r", "s", "a").get(random.nextInt(4));
    List<FormatPart> spec =
        nesting < 2 && random.nextInt(3) == 0 ? parts(depth, nesting + 1) : List.of();
    String debugText = debug ? " " + AstPrinter.print(value) + " = " : "";
    return new Expr.FieldPart(value, conversion, spec, debugText);
  }

  private Parameters parameters(int depth, boolean annotated) {
    var names = new ArrayList<>(NAMES);
    Collections.shuffle(names, random);
    Supplier<String> fresh = names::removeLast;
    int count = random.nextInt(4);
    int firstDefault = random.nextInt(5);
    List<Parameter> positional =
        IntStream.range(0, count)
            .mapToObj(i -> parameter(fresh.get(), depth, annotated, i >= firstDefault))
            .toList();
    return new Parameters(
        positional,
        count == 0 ? 0 : random.nextInt(count + 1),
        maybe(() -> parameter(fresh.get(), depth, annotated, false)),
        IntStream.range(0, random.nextInt(3))
            .mapToObj(_ -> parameter(fresh.get(), depth, annotated, random.nextBoolean()))
            .toList(),
        maybe(() -> parameter(fresh.get(), depth, annotated, false)));
  }

  private Parameter parameter(String name, int depth, boolean annotated, boolean hasDefault) {
    return new Parameter(
        name,
        annotated ? maybe(() -> expression(depth)) : Optional.empty(),
        hasDefault ? Optional.of(expression(depth)) : Optional.empty(),
        Span.NONE);
  }

  Parameters functionParameters(int depth) {
    return parameters(depth, true);
  }

  /** Something that {@code =} can bind. */
  Expr target(int depth) {
    if (depth > 0 && random.nextInt(4) == 0) {
      int starredAt = random.nextInt(6);
      List<Expr> elements =
          IntStream.range(0, random.nextInt(4))
              .mapToObj(i -> starredIf(i == starredAt, target(depth - 1)))
              .toList();
      return random.nextBoolean()
          ? new Expr.TupleDisplay(elements, Span.NONE)
          : new Expr.ListDisplay(elements, Span.NONE);
    }
    return place(depth);
  }

  private static Expr starredIf(boolean starred, Expr value) {
    return starred ? new Expr.Starred(value, Span.NONE) : value;
  }

  /** A name, an attribute or an element. */
  Expr place(int depth) {
    return switch (random.nextInt(depth > 0 ? 3 : 1)) {
      case 1 -> attribute(depth - 1);
      case 2 -> subscript(depth - 1);
      default -> name();
    };
  }

  List<Expr.Keyword> classKeywords(int depth) {
    return keywords(depth);
  }

  <T> T one(T[] values) {
    return values[random.nextInt(values.length)];
  }

  <T> Optional<T> maybe(Supplier<T> value) {
    return random.nextBoolean() ? Optional.of(value.get()) : Optional.empty();
  }

  /** Between {@code least} and {@code least + 2} values. */
  <T> List<T> some(int least, IntFunction<T> value) {
    return IntStream.range(0, least + random.nextInt(3)).mapToObj(value).toList();
  }

  int choice(int count) {
    return random.nextInt(count);
  }

  String anyName() {
    return identifier();
  }
}
