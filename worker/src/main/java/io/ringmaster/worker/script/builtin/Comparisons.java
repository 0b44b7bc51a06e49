package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.module.EnumModule;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.Keys;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.CompareOperator;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** Python's comparisons; those of numbers that stem from tensors become claims. */
public final class Comparisons {

  private static final int MAX_NESTING = 100;

  /** Elements of a list that are asked where they stem from. */
  private static final int MOST_TOLD = 4096;

  private Comparisons() {}

  public static Value compare(CompareOperator operator, Value left, Value right, Interp interp) {
    switch (operator) {
      case IS -> {
        return identity(left, right, false);
      }
      case IS_NOT -> {
        return identity(left, right, true);
      }
      case IN -> {
        return Value.of(contains(right, left, interp));
      }
      case NOT_IN -> {
        return Value.of(!contains(right, left, interp));
      }
      case EQ, NE, LT, LE, GT, GE -> {}
    }
    if (left instanceof NativeObject object) {
      Optional<Value> result = object.compare(operator, right, interp);
      if (result.isPresent()) {
        return result.get();
      }
    }
    if (right instanceof NativeObject object) {
      Optional<Value> result = object.compare(mirrored(operator), left, interp);
      if (result.isPresent()) {
        return result.get();
      }
    }
    Optional<Value> own = byMethod(operator, left, right, interp);
    if (own.isPresent()) {
      return own.get();
    }
    boolean equality = operator == CompareOperator.EQ || operator == CompareOperator.NE;
    if (equality && left instanceof Value.Bool a && right instanceof Value.Bool b) {
      return boolEquality(a, b, operator == CompareOperator.NE);
    }
    boolean truth =
        equality
            ? equal(left, right, interp, 0) == (operator == CompareOperator.EQ)
            : ordered(operator, left, right, interp, 0);
    Origin leftOrigin = originOf(left);
    Origin rightOrigin = originOf(right);
    Origin origin = leftOrigin.and(rightOrigin);
    return origin.fromTensor()
        ? Value.of(truth, NumberClaims.of(operator, left, right, truth, origin, interp))
        : Value.of(truth);
  }

  /**
   * Whether one value comes before another, for those who only put values in order: of numbers,
   * which may be many, nobody holds the outcome, so it makes no claim.
   */
  static boolean isLess(Value left, Value right, Interp interp) {
    if (!Numbers.isNumber(left) || !Numbers.isNumber(right)) {
      return interp.truth(compare(CompareOperator.LT, left, right, interp));
    }
    if (originOf(left).and(originOf(right)).fromKernel()) {
      interp.session().checks().glimpse(interp.session().budget().here().line());
      NumberClaims.ordered(left, right, interp);
    }
    return ordered(CompareOperator.LT, left, right, interp, 0);
  }

  /** {@code check == True} is the check itself, {@code check == False} its opposite. */
  private static Value boolEquality(Value.Bool a, Value.Bool b, boolean negated) {
    boolean truth = (a.value() == b.value()) != negated;
    Value.Bool claimed = a.claim().isPresent() ? a : b;
    Value.Bool other = a.claim().isPresent() ? b : a;
    if (claimed.claim().isEmpty()) {
      return Value.of(truth);
    }
    return new Value.Bool(truth, claimed.claim(), claimed.inverted() ^ !other.value() ^ negated);
  }

  @SuppressWarnings("ReferenceEquality") // Python's `is`.
  private static Value identity(Value left, Value right, boolean negated) {
    if (left instanceof Value.Bool a && right instanceof Value.Bool b) {
      return boolEquality(a, b, negated);
    }
    boolean same =
        switch (left) {
          case Value.None none -> right instanceof Value.None;
          case Value.Ellipsis ellipsis -> right instanceof Value.Ellipsis;
          case Value.Int a -> right instanceof Value.Int b && a.value().equals(b.value());
          case Value.Str a -> right instanceof Value.Str b && a.value().equals(b.value());
          case NativeObject object ->
              right instanceof NativeObject other
                  && (object == other
                      || (object.key().isPresent() && object.key().equals(other.key())));
          default -> left == right;
        };
    return Value.of(same != negated);
  }

  /** What a value or its elements stem from. */
  public static Origin originOf(Value value) {
    return switch (value) {
      case ListValue list -> originOf(list.items(), new int[] {MOST_TOLD}, 0);
      case TupleValue tuple -> originOf(tuple.items(), new int[] {MOST_TOLD}, 0);
      default -> Numbers.origin(value);
    };
  }

  private static Origin originOf(List<Value> items, int[] left, int depth) {
    Origin origin = Origin.NONE;
    // The first elements tell where a list stems from; walking all of a long one would be slow.
    for (Value item : items) {
      if (--left[0] < 0) {
        return origin;
      }
      origin =
          origin.and(
              item instanceof ListValue nested && depth < 8
                  ? originOf(nested.items(), left, depth + 1)
                  : Numbers.origin(item));
      if (origin.fromKernel() && !origin.spoiled().isEmpty()) {
        return origin;
      }
    }
    return origin;
  }

  private static CompareOperator mirrored(CompareOperator operator) {
    return switch (operator) {
      case LT -> CompareOperator.GT;
      case GT -> CompareOperator.LT;
      case LE -> CompareOperator.GE;
      case GE -> CompareOperator.LE;
      case EQ, NE, IS, IS_NOT, IN, NOT_IN -> operator;
    };
  }

  private static Optional<Value> byMethod(
      CompareOperator operator, Value left, Value right, Interp interp) {
    Span here = interp.session().budget().here();
    Optional<Value> own = Operators.special(left, methodOf(operator));
    Optional<Value> answer =
        own.map(method -> interp.call(method, Arguments.of(left, right), here))
            .flatMap(NotImplementedValue::answer);
    if (answer.isPresent()) {
      return answer;
    }
    Optional<Value> other = Operators.special(right, methodOf(mirrored(operator)));
    answer =
        other
            .map(method -> interp.call(method, Arguments.of(right, left), here))
            .flatMap(NotImplementedValue::answer);
    if (answer.isPresent()) {
      return answer;
    }
    if (operator == CompareOperator.NE) {
      return byMethod(CompareOperator.EQ, left, right, interp)
          .map(result -> Value.of(!interp.truth(result)));
    }
    return Optional.empty();
  }

  private static String methodOf(CompareOperator operator) {
    return switch (operator) {
      case EQ -> "__eq__";
      case NE -> "__ne__";
      case LT -> "__lt__";
      case LE -> "__le__";
      case GT -> "__gt__";
      case GE -> "__ge__";
      case IS, IS_NOT, IN, NOT_IN -> "";
    };
  }

  @SuppressWarnings("ReferenceEquality") // Python takes identical elements as equal.
  public static boolean equal(Value left, Value right, Interp interp, int depth) {
    if (left == right) {
      return !(left instanceof Value.Float number && Double.isNaN(number.value()));
    }
    if (depth > MAX_NESTING) {
      throw Errors.of(
          io.ringmaster.worker.script.value.Exceptions.RECURSION_ERROR,
          "maximum recursion depth exceeded in comparison");
    }
    interp.session().budget().step();
    if (Numbers.isNumber(left) && Numbers.isNumber(right)) {
      return Numbers.order(left, right).filter(order -> order == 0).isPresent();
    }
    if (right instanceof InstanceValue instance && !(left instanceof InstanceValue)) {
      return byMethod(CompareOperator.EQ, instance, left, interp).map(interp::truth).orElse(false);
    }
    return switch (left) {
      case Value.Str a -> right instanceof Value.Str b && a.value().equals(b.value());
      case Value.None none -> right instanceof Value.None;
      case ListValue a ->
          right instanceof ListValue b && equal(a.items(), b.items(), interp, depth);
      case TupleValue a ->
          right instanceof TupleValue b && equal(a.items(), b.items(), interp, depth);
      case DictValue a -> right instanceof DictValue b && equal(a, b, interp, depth);
      case SetValue a -> right instanceof SetValue b && equal(a, b);
      case Value.Range a -> right instanceof Value.Range b && Keys.of(a).equals(Keys.of(b));
      case Value.Slice a ->
          right instanceof Value.Slice b
              && equal(a.start(), b.start(), interp, depth + 1)
              && equal(a.stop(), b.stop(), interp, depth + 1)
              && equal(a.step(), b.step(), interp, depth + 1);
      case NativeObject object -> viaNative(object, right, interp);
      case InstanceValue instance ->
          byMethod(CompareOperator.EQ, instance, right, interp).map(interp::truth).orElse(false);
      default -> right instanceof NativeObject object && viaNative(object, left, interp);
    };
  }

  private static boolean viaNative(NativeObject object, Value other, Interp interp) {
    return object
        .compare(CompareOperator.EQ, other, interp)
        .map(interp::truth)
        .orElse(object.key().isPresent() && object.key().equals(Optional.of(Keys.of(other))));
  }

  @SuppressWarnings("ReferenceEquality") // Python takes identical elements as equal.
  private static boolean equal(List<Value> a, List<Value> b, Interp interp, int depth) {
    if (a.size() != b.size()) {
      return false;
    }
    // Comparing may change the lists, so their sizes are asked for each time.
    for (int i = 0; i < a.size() && i < b.size(); i++) {
      if (a.get(i) != b.get(i) && !equal(a.get(i), b.get(i), interp, depth + 1)) {
        return false;
      }
    }
    return a.size() == b.size();
  }

  private static boolean equal(DictValue a, DictValue b, Interp interp, int depth) {
    if (a.size() != b.size()) {
      return false;
    }
    // A copy, because comparing may change the dict.
    List<DictValue.Entry> entries = new ArrayList<>(a.size());
    a.entries().forEach(entries::add);
    for (DictValue.Entry entry : entries) {
      Optional<Value> other = b.get(entry.key());
      if (other.isEmpty() || !equal(entry.value(), other.get(), interp, depth + 1)) {
        return false;
      }
    }
    return true;
  }

  private static boolean equal(SetValue a, SetValue b) {
    if (a.size() != b.size()) {
      return false;
    }
    return within(a, b);
  }

  private static boolean ordered(
      CompareOperator operator, Value left, Value right, Interp interp, int depth) {
    interp.session().budget().step();
    if (Numbers.isNumber(left) && Numbers.isNumber(right)) {
      return Numbers.order(left, right).map(order -> matches(operator, order)).orElse(false);
    }
    if (left instanceof Value.Str a && right instanceof Value.Str b) {
      return matches(operator, a.value().compareTo(b.value()));
    }
    if (left instanceof SetValue a && right instanceof SetValue b) {
      return subset(operator, a, b);
    }
    if (left instanceof ListValue a && right instanceof ListValue b) {
      return ordered(operator, a.items(), b.items(), interp, depth);
    }
    if (left instanceof TupleValue a && right instanceof TupleValue b) {
      return ordered(operator, a.items(), b.items(), interp, depth);
    }
    throw Errors.type(
        "'"
            + operator.spelling()
            + "' not supported between instances of '"
            + Types.nameOf(left)
            + "' and '"
            + Types.nameOf(right)
            + "'");
  }

  private static boolean ordered(
      CompareOperator operator, List<Value> a, List<Value> b, Interp interp, int depth) {
    if (depth > MAX_NESTING) {
      throw Errors.of(
          io.ringmaster.worker.script.value.Exceptions.RECURSION_ERROR,
          "maximum recursion depth exceeded in comparison");
    }
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      Value left = a.get(i);
      Value right = b.get(i);
      if (!equal(left, right, interp, depth + 1)) {
        return ordered(operator, left, right, interp, depth + 1);
      }
    }
    return matches(operator, Integer.compare(a.size(), b.size()));
  }

  private static boolean subset(CompareOperator operator, SetValue a, SetValue b) {
    return switch (operator) {
      case LE -> within(a, b);
      case LT -> within(a, b) && a.size() < b.size();
      case GE -> within(b, a);
      case GT -> within(b, a) && b.size() < a.size();
      case EQ, NE, IS, IS_NOT, IN, NOT_IN -> false;
    };
  }

  private static boolean within(SetValue a, SetValue b) {
    for (Value item : a.items()) {
      if (!b.contains(item)) {
        return false;
      }
    }
    return true;
  }

  private static boolean matches(CompareOperator operator, int order) {
    return switch (operator) {
      case LT -> order < 0;
      case LE -> order <= 0;
      case GT -> order > 0;
      case GE -> order >= 0;
      case EQ -> order == 0;
      case NE -> order != 0;
      case IS, IS_NOT, IN, NOT_IN -> false;
    };
  }

  /** Python's {@code item in container}. */
  public static boolean contains(Value container, Value item, Interp interp) {
    Lookups.note(container, item, interp);
    switch (container) {
      case Value.Str text -> {
        if (item instanceof Value.Str part) {
          return TextSearch.contains(text.value(), part.value());
        }
        throw Errors.type(
            "'in <string>' requires string as left operand, not " + Types.nameOf(item));
      }
      case DictValue dict -> {
        return dict.contains(item);
      }
      case SetValue set -> {
        return set.contains(item);
      }
      case Value.Range range when Numbers.whole(item).isPresent() -> {
        return inRange(range, Numbers.whole(item).get());
      }
      case NativeObject object -> {
        return object.contains(item, interp);
      }
      case ClassValue type when type.enumMembers().isPresent() -> {
        return EnumModule.contains(type, item, interp);
      }
      case ClassValue type -> throw Errors.type("argument of type 'type' is not iterable");
      default -> {}
    }
    Optional<Value> own = Operators.special(container, "__contains__");
    if (own.isPresent()) {
      Span here = interp.session().budget().here();
      return interp.truth(interp.call(own.get(), Arguments.of(container, item), here));
    }
    Iterator<Value> items = interp.iterate(container);
    while (items.hasNext()) {
      if (equal(items.next(), item, interp, 0)) {
        return true;
      }
    }
    return false;
  }

  private static boolean inRange(Value.Range range, java.math.BigInteger value) {
    if (value.bitLength() > 62 || range.size() == 0) {
      return false;
    }
    long at = value.longValue();
    long low = Math.min(range.start(), range.at(range.size() - 1));
    long high = Math.max(range.start(), range.at(range.size() - 1));
    return at >= low && at <= high && (at - range.start()) % range.step() == 0;
  }
}
