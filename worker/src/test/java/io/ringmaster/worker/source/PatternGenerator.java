package io.ringmaster.worker.source;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes random patterns of the kind that the parser makes, without positions. */
final class PatternGenerator {

  private final TreeGenerator trees;
  private int names;

  PatternGenerator(TreeGenerator trees) {
    this.trees = trees;
  }

  Pattern pattern(int depth) {
    return switch (trees.choice(depth > 0 ? 8 : 2)) {
      case 0 -> new Pattern.Capture(name(), Span.NONE);
      case 1 -> new Pattern.Constant(constant(), Span.NONE);
      case 2 -> new Pattern.Sequence(elements(depth), Span.NONE);
      case 3 -> new Pattern.Mapping(entries(depth), trees.maybe(this::next), Span.NONE);
      case 4, 5 ->
          new Pattern.OfClass(
              dotted(),
              trees.some(0, _ -> pattern(depth - 1)),
              trees.some(0, i -> new Pattern.Named("k" + i, pattern(depth - 1))),
              Span.NONE);
      case 6 -> new Pattern.As(either(), next(), Span.NONE);
      default -> either();
    };
  }

  private Pattern either() {
    return new Pattern.Either(
        trees.some(2, _ -> new Pattern.Constant(constant(), Span.NONE)), Span.NONE);
  }

  private List<Pattern> elements(int depth) {
    var all = new ArrayList<Pattern>(trees.some(0, _ -> pattern(depth - 1)));
    if (trees.choice(2) == 0) {
      all.add(trees.choice(all.size() + 1), new Pattern.Rest(name(), Span.NONE));
    }
    return List.copyOf(all);
  }

  private List<Pattern.Entry> entries(int depth) {
    return trees.some(0, _ -> new Pattern.Entry(constant(), pattern(depth - 1)));
  }

  private Expr constant() {
    Expr number = new Expr.IntLiteral(BigInteger.valueOf(trees.choice(9)), Span.NONE);
    return switch (trees.choice(7)) {
      case 0 -> new Expr.NoneLiteral(Span.NONE);
      case 1 -> new Expr.BoolLiteral(trees.choice(2) == 0, Span.NONE);
      case 2 -> new Expr.StringLiteral("t", Span.NONE);
      case 3 -> new Expr.Attribute(dotted(), "b", Span.NONE, Span.NONE);
      case 4 -> new Expr.Unary(Expr.UnaryOperator.NEGATE, number, Span.NONE);
      case 5 -> new Expr.FloatLiteral(1.5, Span.NONE);
      default -> number;
    };
  }

  private Expr dotted() {
    Expr name = new Expr.Name("a", Span.NONE);
    return trees.choice(2) == 0 ? name : new Expr.Attribute(name, "c", Span.NONE, Span.NONE);
  }

  private Optional<String> name() {
    return trees.maybe(this::next);
  }

  /** A pattern gives each name one value. */
  private String next() {
    return "p" + names++;
  }
}
