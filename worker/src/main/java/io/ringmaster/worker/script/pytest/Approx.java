package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.builtin.Comparisons;
import io.ringmaster.worker.script.builtin.Numbers;
import io.ringmaster.worker.script.builtin.SourceText;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.check.Facts;
import io.ringmaster.worker.script.check.Origin;
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
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/** {@code pytest.approx(expected)}: equal to numbers that are near, or to a list of such. */
record Approx(
    Value expected, Optional<Double> relative, Optional<Double> absolute, boolean nanIsEqual)
    implements NativeObject {

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
          "pytest.approx compares numbers, lists and dicts of numbers, not "
              + Types.nameOf(value)
              + "; compare tensors with torch.allclose");
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
    double byShare =
        absolute.isPresent() && relative.isEmpty()
            ? 0
            : relative.orElse(RELATIVE) * Math.abs(wanted);
    return Math.abs(wanted - actual) <= Math.max(byShare, absolute.orElse(ABSOLUTE));
  }

  @Override
  public String repr(Interp interp) {
    return "approx(" + interp.repr(expected) + ")";
  }
}
