package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.tensor.Sizes;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Joining, repeating and slicing of lists, tuples, texts and ranges. */
public final class Sequences {

  /** What a list element is counted with against the memory limit. */
  public static final long ELEMENT_BYTES = 64;

  private Sequences() {}

  /** A slice fitted to a length, as Python clips it. */
  public record Cut(long start, long step, long count) {

    /** Positions of the slice in order. */
    public long at(long index) {
      return start + index * step;
    }
  }

  /** {@code +}, {@code *} on sequences; empty when not defined for the operands. */
  public static Optional<Value> binary(
      BinaryOperator operator, Value left, Value right, Budget budget) {
    return switch (operator) {
      case ADD -> joined(left, right, budget);
      case MULTIPLY -> {
        Optional<BigInteger> times = Numbers.whole(right);
        if (times.isPresent()) {
          yield repeated(left, times.get(), budget);
        }
        Optional<BigInteger> first = Numbers.whole(left);
        yield first.isPresent() ? repeated(right, first.get(), budget) : Optional.empty();
      }
      case SUBTRACT,
          DIVIDE,
          FLOOR_DIVIDE,
          MODULO,
          POWER,
          MATRIX_MULTIPLY,
          SHIFT_LEFT,
          SHIFT_RIGHT,
          BIT_AND,
          BIT_OR,
          BIT_XOR ->
          Optional.empty();
    };
  }

  private static Optional<Value> joined(Value left, Value right, Budget budget) {
    if (left instanceof Value.Str a && right instanceof Value.Str b) {
      budget.text((long) a.value().length() + b.value().length());
      return Optional.of(Value.of(a.value() + b.value()));
    }
    if (left instanceof ListValue a && right instanceof ListValue b) {
      return Optional.of(new ListValue(joined(a.items(), b.items(), budget)));
    }
    if (left instanceof TupleValue a && right instanceof TupleValue b) {
      return Optional.of(new TupleValue(joined(a.items(), b.items(), budget)));
    }
    return Optional.empty();
  }

  private static List<Value> joined(List<Value> a, List<Value> b, Budget budget) {
    budget.objects((a.size() + (long) b.size()) * ELEMENT_BYTES);
    List<Value> all = new ArrayList<>(a.size() + b.size());
    all.addAll(a);
    all.addAll(b);
    return all;
  }

  private static Optional<Value> repeated(Value sequence, BigInteger count, Budget budget) {
    BigInteger times = count.max(BigInteger.ZERO);
    return switch (sequence) {
      case Value.Str text -> {
        long size = size(times, text.value().length());
        budget.text(size);
        yield Optional.of(Value.of(size == 0 ? "" : text.value().repeat(times.intValue())));
      }
      case ListValue list -> Optional.of(new ListValue(repeated(list.items(), times, budget)));
      case TupleValue tuple -> Optional.of(new TupleValue(repeated(tuple.items(), times, budget)));
      default -> Optional.empty();
    };
  }

  private static long size(BigInteger times, long unit) {
    BigInteger total = times.multiply(BigInteger.valueOf(unit));
    return total.bitLength() > 62 ? Long.MAX_VALUE : total.longValue();
  }

  private static List<Value> repeated(List<Value> items, BigInteger times, Budget budget) {
    long bytes = size(times, items.size() * ELEMENT_BYTES);
    budget.objects(bytes);
    List<Value> all = new ArrayList<>((int) (bytes / ELEMENT_BYTES));
    for (int round = 0; bytes > 0 && round < times.intValue(); round++) {
      all.addAll(items);
    }
    return all;
  }

  /** Fits a slice to a length. */
  public static Cut cut(Value.Slice slice, long length) {
    long step = bound(slice.step(), 1);
    if (step == 0) {
      throw Errors.value("slice step cannot be zero");
    }
    long low = step > 0 ? 0 : -1;
    long high = step > 0 ? length : length - 1;
    long start = fitted(slice.start(), step > 0 ? low : high, length, low, high);
    long stop = fitted(slice.stop(), step > 0 ? high : low, length, low, high);
    long span = step > 0 ? stop - start : start - stop;
    long size = Math.abs(step == Long.MIN_VALUE ? Long.MAX_VALUE : step);
    return new Cut(start, step, span <= 0 ? 0 : (span - 1) / size + 1);
  }

  private static long fitted(Value bound, long otherwise, long length, long low, long high) {
    if (bound instanceof Value.None) {
      return otherwise;
    }
    long value = bound(bound, otherwise);
    return Math.clamp(value < 0 ? value + length : value, low, high);
  }

  private static long bound(Value value, long otherwise) {
    if (value instanceof Value.None) {
      return otherwise;
    }
    Optional<BigInteger> whole = Numbers.whole(value);
    if (whole.isPresent()) {
      // Half the range leaves room to add a length without wrapping round.
      return whole
          .get()
          .max(BigInteger.valueOf(Long.MIN_VALUE / 2))
          .min(BigInteger.valueOf(Long.MAX_VALUE / 2))
          .longValue();
    }
    return Convert.integer(value, "slice indices");
  }

  /** An element or a slice of a sequence. */
  public static Value item(Value sequence, Value index, Budget budget) {
    return switch (sequence) {
      case ListValue list -> listItem(list.items(), index, "list", budget, ListValue::new);
      case TupleValue tuple ->
          listItem(tuple.items(), index, "tuple", budget, items -> slicedTuple(tuple, items));
      case Value.Str text -> textItem(text.value(), index, budget);
      case Value.Range range -> rangeItem(range, index);
      default -> throw Errors.type("'" + Types.nameOf(sequence) + "' object is not subscriptable");
    };
  }

  private static Value slicedTuple(TupleValue from, List<Value> items) {
    return from.fields().isEmpty()
        ? new TupleValue(items, from.typeName(), List.of())
        : new TupleValue(items);
  }

  /** Makes a sequence of some kind. */
  private interface Maker {
    Value make(List<Value> items);
  }

  private static Value listItem(
      List<Value> items, Value index, String kind, Budget budget, Maker maker) {
    if (!(index instanceof Value.Slice slice)) {
      return items.get(position(index, items.size(), kind));
    }
    Cut cut = cut(slice, items.size());
    budget.objects(cut.count() * ELEMENT_BYTES);
    List<Value> part = new ArrayList<>((int) cut.count());
    for (long i = 0; i < cut.count(); i++) {
      part.add(items.get((int) cut.at(i)));
    }
    return maker.make(part);
  }

  private static Value textItem(String text, Value index, Budget budget) {
    int[] points = text.codePoints().toArray();
    budget.work(points.length / 64);
    if (!(index instanceof Value.Slice slice)) {
      return Value.of(Character.toString(points[position(index, points.length, "string")]));
    }
    Cut cut = cut(slice, points.length);
    budget.text(cut.count());
    StringBuilder out = new StringBuilder();
    for (long i = 0; i < cut.count(); i++) {
      out.appendCodePoint(points[(int) cut.at(i)]);
    }
    return Value.of(out.toString());
  }

  private static Value rangeItem(Value.Range range, Value index) {
    if (!(index instanceof Value.Slice slice)) {
      return Value.of(range.at(longPosition(index, range.size(), "range object")));
    }
    Cut cut = cut(slice, range.size());
    long start = range.at(cut.start());
    long step = Sizes.times(range.step(), cut.step());
    return new Value.Range(start, start + step * cut.count(), step);
  }

  /** A checked position in a sequence; negative ones count from its end. */
  public static int position(Value index, int size, String kind) {
    return (int) longPosition(index, size, kind);
  }

  private static long longPosition(Value index, long size, String kind) {
    if (!(Numbers.whole(index).isPresent()
        || index instanceof io.ringmaster.worker.script.value.NativeObject)) {
      String what = kind.equals("string") ? "string" : kind + " indices must be integers or slices";
      throw Errors.type(
          kind.equals("string")
              ? "string indices must be integers, not '" + Types.nameOf(index) + "'"
              : what + ", not " + Types.nameOf(index));
    }
    long at = Convert.integer(index, kind + " indices");
    long from = at < 0 ? at + size : at;
    if (from < 0 || from >= size) {
      throw Errors.index(kind + " index out of range");
    }
    return from;
  }

  /** {@code list[index] = value}. */
  public static void setItem(ListValue list, Value index, Value value, List<Value> elements) {
    List<Value> items = list.items();
    if (!(index instanceof Value.Slice slice)) {
      if (Numbers.whole(index).isEmpty()) {
        throw Errors.type("list indices must be integers or slices, not " + Types.nameOf(index));
      }
      long at = Convert.integer(index, "list indices");
      long from = at < 0 ? at + items.size() : at;
      if (from < 0 || from >= items.size()) {
        throw Errors.index("list assignment index out of range");
      }
      items.set((int) from, value);
      return;
    }
    Cut cut = cut(slice, items.size());
    if (cut.step() == 1) {
      List<Value> part = items.subList((int) cut.start(), (int) (cut.start() + cut.count()));
      part.clear();
      part.addAll(elements);
      return;
    }
    if (elements.size() != cut.count()) {
      throw Errors.value(
          "attempt to assign sequence of size "
              + elements.size()
              + " to extended slice of size "
              + cut.count());
    }
    for (int i = 0; i < elements.size(); i++) {
      items.set((int) cut.at(i), elements.get(i));
    }
  }

  /** {@code del list[index]}. */
  public static void deleteItem(ListValue list, Value index) {
    List<Value> items = list.items();
    if (!(index instanceof Value.Slice slice)) {
      items.remove(position(index, items.size(), "list assignment"));
      return;
    }
    Cut cut = cut(slice, items.size());
    java.util.BitSet gone = new java.util.BitSet();
    for (long i = 0; i < cut.count(); i++) {
      gone.set((int) cut.at(i));
    }
    List<Value> kept = new ArrayList<>(items.size() - gone.cardinality());
    for (int i = gone.nextClearBit(0); i < items.size(); i = gone.nextClearBit(i + 1)) {
      kept.add(items.get(i));
    }
    items.clear();
    items.addAll(kept);
  }
}
