package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.builtin.Comparisons;
import io.ringmaster.worker.script.builtin.Numbers;
import io.ringmaster.worker.script.builtin.SourceText;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.check.Facts;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.torch.Approximation;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.CompareOperator;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * {@code pytest.approx(expected)}: equal to numbers that are near, to a list or tensor of such.
 *
 * @param tolerance where the tolerances stem from
 */
record Approx(
    Value expected,
    Optional<Double> relative,
    Optional<Double> absolute,
    boolean nanIsEqual,
    Origin tolerance)
    implements NativeObject {

  /** Lists in lists that are looked at. */
  private static final int DEEPEST = 16;

  private static final double RELATIVE = 1e-6;
  private static final double ABSOLUTE = 1e-12;

  @Override
  public String typeName() {
    return "approx";
  }

  @Override
  public Optional<Value> compare(CompareOperator operator, Value other, Interp interp) {
    if (operator != CompareOperator.EQ && operator != CompareOperator.NE) {
      return Optional.empty();
    }
    if (holdsTensors(expected, 0) || holdsTensors(other, 0)) {
      return Optional.of(ofTensors(other, operator == CompareOperator.NE, interp));
    }
    boolean near = isNear(expected, other, interp);
    boolean holds = near == (operator == CompareOperator.EQ);
    Origin origin = Comparisons.originOf(other).and(Comparisons.originOf(expected));
    if (!origin.fromTensor()) {
      return Optional.of(Value.of(holds));
    }
    Span here = interp.session().budget().here();
    String sentence = interp.repr(other) + " isn't near " + interp.repr(expected);
    return Optional.of(
        Value.of(
            holds,
            Claim.of(
                    "comparison",
                    SourceText.of(interp.session(), here),
                    here.line(),
                    holds,
                    origin,
                    () -> Facts.ofNumbers(holds, sentence))
                .between(Comparisons.originOf(other), Comparisons.originOf(expected))));
  }

  private static boolean holdsTensors(Value value, int depth) {
    return Approximation.concerns(value, Value.NONE)
        || (depth < DEEPEST && parts(value).stream().anyMatch(one -> holdsTensors(one, depth + 1)));
  }

  /** What a list, tuple or dict holds; nothing of other values. */
  private static List<Value> parts(Value value) {
    return switch (value) {
      case ListValue list -> list.items();
      case TupleValue tuple -> tuple.items();
      case DictValue dict ->
          StreamSupport.stream(dict.entries().spliterator(), false)
              .map(DictValue.Entry::value)
              .toList();
      default -> List.of();
    };
  }

  /** Tensors, alone or in lists and dicts: each is a comparison of its own. */
  private Value.Bool ofTensors(Value other, boolean differs, Interp interp) {
    List<Claim.Term> terms = new ArrayList<>();
    boolean near = isNear(expected, other, terms, interp);
    if (terms.isEmpty()) {
      return Value.of(near != differs);
    }
    Claim claim = terms.size() == 1 ? terms.getFirst().claim() : Claim.joined(terms, near, true);
    return new Value.Bool(near != differs, Optional.of(claim), differs);
  }

  private boolean isNear(Value wanted, Value actual, List<Claim.Term> terms, Interp interp) {
    if (Approximation.concerns(wanted, actual)) {
      Value.Bool outcome =
          new Approximation(share(), absolute.orElse(ABSOLUTE), nanIsEqual, tolerance)
              .compare(wanted, actual, interp);
      outcome.claim().ifPresent(claim -> terms.add(new Claim.Term(claim, outcome.inverted())));
      return outcome.value();
    }
    if (wanted instanceof DictValue all) {
      if (!(actual instanceof DictValue given) || given.size() != all.size()) {
        return false;
      }
      boolean near = true;
      for (DictValue.Entry entry : all.entries()) {
        Optional<Value> value = given.get(entry.key());
        near &= value.isPresent() && isNear(entry.value(), value.get(), terms, interp);
      }
      return near;
    }
    if (parts(wanted).isEmpty() || parts(actual).size() != parts(wanted).size()) {
      return isNear(wanted, actual, interp);
    }
    boolean near = true;
    for (int i = 0; i < parts(wanted).size(); i++) {
      near &= isNear(parts(wanted).get(i), parts(actual).get(i), terms, interp);
    }
    return near;
  }

  private boolean isNear(Value wanted, Value actual, Interp interp) {
    if (wanted instanceof DictValue all) {
      return actual instanceof DictValue given
          && given.size() == all.size()
          && StreamSupport.stream(all.entries().spliterator(), false)
              .allMatch(
                  entry ->
                      given
                          .get(entry.key())
                          .filter(value -> isNear(entry.value(), value, interp))
                          .isPresent());
    }
    if (wanted instanceof Value.Str || wanted instanceof Value.None) {
      return interp.equal(wanted, actual);
    }
    if (wanted instanceof ListValue || wanted instanceof TupleValue) {
      List<Value> all = items(wanted);
      List<Value> given = items(actual);
      if (all.size() != given.size()) {
        return false;
      }
      for (int i = 0; i < all.size(); i++) {
        if (!isNear(all.get(i), given.get(i), interp)) {
          return false;
        }
      }
      return true;
    }
    return isNear(number(wanted), number(actual));
  }

  private static List<Value> items(Value value) {
    return switch (value) {
      case ListValue list -> list.items();
      case TupleValue tuple -> tuple.items();
      default ->
          throw Errors.type("pytest.approx of a list is compared with " + Types.nameOf(value));
    };
  }

  private static double number(Value value) {
    if (value instanceof NativeObject object && object.asNumber().isPresent()) {
      return object.asNumber().get();
    }
    if (!Numbers.isNumber(value)) {
      throw Errors.type(
          "pytest.approx compares numbers, tensors, lists and dicts of them, not "
              + Types.nameOf(value));
    }
    return Numbers.real(value);
  }

  private boolean isNear(double wanted, double actual) {
    if (Double.isNaN(wanted) || Double.isNaN(actual)) {
      return nanIsEqual && Double.isNaN(wanted) && Double.isNaN(actual);
    }
    if (wanted == actual) {
      return true;
    }
    if (Double.isInfinite(wanted) || Double.isInfinite(actual)) {
      return false;
    }
    return Math.abs(wanted - actual)
        <= Math.max(share() * Math.abs(wanted), absolute.orElse(ABSOLUTE));
  }

  /** The part of the expected value that is allowed: an absolute tolerance alone leaves none. */
  private double share() {
    return absolute.isPresent() && relative.isEmpty() ? 0 : relative.orElse(RELATIVE);
  }

  @Override
  public String repr(Interp interp) {
    return "approx(" + interp.repr(expected) + ")";
  }
}
