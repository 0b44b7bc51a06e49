package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.golden.Shapes;
import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.check.Facts;
import io.ringmaster.worker.script.check.Golden;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.check.Print;
import io.ringmaster.worker.script.check.TensorFacts;
import io.ringmaster.worker.script.check.TensorPair;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.CompareOperator;
import io.ringmaster.worker.source.Span;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Makes claims of comparisons of numbers that were read out of tensors. */
public final class NumberClaims {

  /** What a claim takes while somebody holds it. */
  private static final long CLAIM_BYTES = 256;

  private NumberClaims() {}

  /** The claim that a comparison makes of which some side was read out of a tensor. */
  static Claim of(
      CompareOperator operator,
      Value left,
      Value right,
      boolean truth,
      Origin stemming,
      Interp interp) {
    interp.session().budget().objects(CLAIM_BYTES);
    Origin origin =
        isNan(left) || isNan(right) ? stemming.spoiledBy("the compared value is NaN") : stemming;
    Span here = interp.session().budget().here();
    String name = SourceText.of(interp.session(), here);
    if (stemming.fromKernel()) {
      interp.session().checks().glimpse(here.line());
    }
    Supplier<String> sentence = sentence(operator, left, right, truth, interp);
    Optional<TensorPair> pair =
        origin.pair().filter(p -> Shapes.broadcasts(p.actual().shape(), p.expected().shape()));
    boolean boundIsRight = Comparisons.originOf(left).pair().isPresent();
    Value bound = boundIsRight ? right : left;
    if (pair.isPresent()
        && Numbers.isNumber(bound)
        && Comparisons.originOf(bound).pair().isEmpty()) {
      boolean close = isClose(operator, boundIsRight);
      Claim made =
          bounded(pair.get(), bound, name, here.line(), truth, origin, sentence, interp)
              .plain(isTold(pair.get(), bound, operator), close)
              .closeIf(close);
      interp.session().checks().compared(made);
      return made;
    }
    ordered(left, right, interp);
    Claim claim =
        Claim.of(
                "comparison",
                name,
                here.line(),
                truth,
                origin,
                () -> numberFacts(left, right, truth, sentence.get(), interp))
            .against(operator == CompareOperator.EQ ? golden(left, right) : Optional.empty())
            .between(Comparisons.originOf(left), Comparisons.originOf(right))
            .exactly(operator == CompareOperator.EQ || operator == CompareOperator.NE);
    if (isOfGolden(operator, Comparisons.originOf(left), Comparisons.originOf(right))) {
      boolean first = Comparisons.originOf(left).fromKernel();
      interp.session().checks().compared(claim.closeIf(isClose(operator, first)));
    }
    return interp.session().checks().isSecondReading()
        ? claim.printed(Optional.of(Print.of(print(left), print(right))))
        : claim;
  }

  /**
   * What a comparison says in words. Of numbers the words are made only where somebody reads them:
   * a loop compares many, and what a number looks like doesn't change.
   */
  private static Supplier<String> sentence(
      CompareOperator operator, Value left, Value right, boolean truth, Interp interp) {
    String outcome = " is " + (truth ? "true" : "false");
    if (Numbers.isNumber(left) && Numbers.isNumber(right)) {
      // Each counts as a step, said or not: a script's steps decide how often it is read again.
      interp.session().budget().work(2);
      return () -> said(left) + " " + operator.spelling() + " " + said(right) + outcome;
    }
    String words =
        shortened(interp.repr(left))
            + " "
            + operator.spelling()
            + " "
            + shortened(interp.repr(right))
            + outcome;
    return () -> words;
  }

  private static String said(Value number) {
    return shortened(Renderer.number(number));
  }

  /** Of several differences one is chosen, and of the others nothing may come. */
  static void ordered(Value left, Value right, Interp interp) {
    far(left, interp);
    far(right, interp);
  }

  private static void far(Value difference, Interp interp) {
    CheckBook checks = interp.session().checks();
    Origin origin = Numbers.origin(difference);
    Optional<TensorPair> pair =
        origin.pair().filter(p -> Shapes.broadcasts(p.actual().shape(), p.expected().shape()));
    if (pair.isEmpty() || checks.needsNoFacts() || !checks.isNew(pair.get())) {
      return;
    }
    Span here = interp.session().budget().here();
    String sentence = shortened(interp.repr(difference));
    Supplier<Facts> facts =
        () -> TensorFacts.ofBound(pair.get(), 0, false, sentence, interp.session().kernelInputs());
    String name = SourceText.of(interp.session(), here);
    checks.compared(
        Claim.of("comparison", name, here.line(), /* holds= */ false, origin, facts)
            .between(pair.get().left(), pair.get().right())
            .of(pair.get()));
  }

  /** True for a kernel's value, or how far it is off, against a golden's, or a bound. */
  private static boolean isOfGolden(CompareOperator operator, Origin left, Origin right) {
    if (left.fromKernel() == right.fromKernel()) {
      return false;
    }
    Origin kernel = left.fromKernel() ? left : right;
    Origin other = left.fromKernel() ? right : left;
    boolean equality = operator == CompareOperator.EQ || operator == CompareOperator.NE;
    return equality ? other.fromTensor() || kernel.mixed() : kernel.mixed() && !other.fromTensor();
  }

  /** Which outcome says that a kernel's value is near; {@code first} when it stands first. */
  private static boolean isClose(CompareOperator operator, boolean first) {
    return operator == CompareOperator.EQ
        || (first
            ? operator == CompareOperator.LT || operator == CompareOperator.LE
            : operator == CompareOperator.GT || operator == CompareOperator.GE);
  }

  /** Two numbers that a function of the script's holds against each other. */
  public static Value.Bool close(Value left, Value right, boolean truth, Interp interp) {
    Origin origin = Numbers.origin(left).and(Numbers.origin(right));
    if (!origin.fromTensor()) {
      return Value.of(truth);
    }
    interp.session().budget().objects(CLAIM_BYTES);
    Span here = interp.session().budget().here();
    if (origin.fromKernel()) {
      interp.session().checks().glimpse(here.line());
    }
    String sentence =
        interp.repr(left) + (truth ? " is" : " isn't") + " close to " + interp.repr(right);
    Claim claim =
        Claim.of(
                "comparison",
                SourceText.of(interp.session(), here),
                here.line(),
                truth,
                origin.withoutPair(),
                () -> Facts.ofNumbers(truth, sentence))
            .against(golden(left, right))
            .between(Numbers.origin(left), Numbers.origin(right));
    return Value.of(
        truth,
        interp.session().checks().isSecondReading()
            ? claim.printed(Optional.of(Print.of(print(left), print(right))))
            : claim);
  }

  /** Something that sums up the difference of two tensors, held against a number. */
  private static Claim bounded(
      TensorPair pair,
      Value bound,
      String name,
      int line,
      boolean truth,
      Origin origin,
      Supplier<String> sentence,
      Interp interp) {
    double limit = Numbers.real(bound);
    Supplier<Facts> facts =
        () ->
            TensorFacts.ofBound(
                pair, limit, false, sentence.get(), interp.session().kernelInputs());
    CheckBook checks = interp.session().checks();
    Claim claim =
        Claim.of("comparison", name, line, truth, origin, facts)
            .between(pair.left(), pair.right())
            .against(Golden.of(pair))
            .of(pair)
            .printed(checks.print(pair));
    checks.notice(claim);
    if (Comparisons.originOf(bound).fromKernel()
        && !checks.needsNoFacts()
        && claim.facts().isLoose()) {
      claim.provesNothing(
          "its tolerance is made from what the kernel wrote, " + claim.facts().bounds());
    }
    return claim;
  }

  /** A measure that every element of the two sides decides, against a bound of the script's own. */
  private static boolean isTold(TensorPair pair, Value bound, CompareOperator operator) {
    boolean equality = operator == CompareOperator.EQ || operator == CompareOperator.NE;
    return pair.plain()
        && pair.whole()
        && !Comparisons.originOf(bound).fromKernel()
        && (!equality || Numbers.real(bound) == 0);
  }

  private static Optional<Golden> golden(Value left, Value right) {
    boolean ofLeft = Comparisons.originOf(left).fromKernel();
    if (ofLeft == Comparisons.originOf(right).fromKernel()) {
      return Optional.empty();
    }
    Value value = ofLeft ? right : left;
    return Optional.of(
        Golden.of(Numbers.isNumber(value) ? Numbers.real(value) : (double) print(value)));
  }

  private static int print(Value value) {
    return switch (value) {
      case ListValue list -> print(list.items());
      case TupleValue tuple -> print(tuple.items());
      case Value.Int number -> number.value().hashCode();
      case Value.Float number -> Double.hashCode(number.value());
      case Value.Bool bool -> Boolean.hashCode(bool.value());
      default -> 0;
    };
  }

  private static int print(List<Value> items) {
    int print = items.size();
    for (Value item : items) {
      print = 31 * print + print(item);
    }
    return print;
  }

  /** A NaN is neither above nor below any bound, and must not pass for either. */
  private static boolean isNan(Value value) {
    return value instanceof Value.Float number
        && number.origin().fromTensor()
        && Double.isNaN(number.value());
  }

  private static Facts numberFacts(
      Value left, Value right, boolean truth, String sentence, Interp interp) {
    if (!(left instanceof ListValue a && right instanceof ListValue b)
        || a.items().size() != b.items().size()) {
      return Facts.ofNumbers(truth, sentence);
    }
    long wrong = 0;
    for (int i = 0; i < Math.min(a.items().size(), b.items().size()); i++) {
      wrong += Comparisons.equal(a.items().get(i), b.items().get(i), interp, 0) ? 0 : 1;
    }
    Facts plain = Facts.ofNumbers(truth, sentence);
    return new Facts(
        a.items().size(),
        wrong,
        null,
        List.of(),
        null,
        null,
        plain.explanation(),
        Optional.empty(),
        Optional.empty(),
        0);
  }

  private static String shortened(String text) {
    return text.length() <= 80 ? text : text.substring(0, 77) + "...";
  }
}
