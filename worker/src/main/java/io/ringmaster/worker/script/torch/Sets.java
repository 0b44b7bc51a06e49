package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.Sizes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Values counted and compared as sets: unique, isin, bincount, histc. */
final class Sets {

  static final List<String> FUNCTIONS =
      List.of("unique", "unique_consecutive", "bincount", "histc");

  private Sets() {}

  static void define(MethodTable<TensorValue> table) {
    table
        .add(
            "unique",
            "sorted=, return_inverse=, return_counts=, dim=",
            (t, a, c) -> unique(t, a, c, false))
        .add(
            "unique_consecutive",
            "return_inverse=, return_counts=, dim=",
            (t, a, c) -> unique(t, a, c, true))
        .add("bincount", "weights=, minlength=", Sets::bincount)
        .add("histc", "bins=, min=, max=", Sets::histc);
  }

  /** A slice of the tensor, by its elements in row-major order. */
  @SuppressWarnings("ArrayRecordComponent") // Compared by the comparator below only.
  private record Slice(double[] reals, long[] wholes, long place) {

    private static final Comparator<Slice> ORDER =
        (a, b) -> {
          for (int i = 0; i < a.reals.length; i++) {
            int order =
                a.wholes.length > 0
                    ? Long.compare(a.wholes[i], b.wholes[i])
                    : a.reals[i] == b.reals[i] ? 0 : Double.compare(a.reals[i], b.reals[i]);
            if (order != 0) {
              return order;
            }
          }
          return 0;
        };

    /** NaN equals nothing. */
    private boolean same(Slice other) {
      for (double value : reals) {
        if (Double.isNaN(value)) {
          return false;
        }
      }
      return ORDER.compare(this, other) == 0;
    }
  }

  private static Value unique(TensorValue t, Bound a, Call c, boolean consecutive) {
    Interp interp = c.interp();
    boolean whole = !a.has("dim");
    TensorValue source = whole ? Views.reshape(t, new long[] {-1}, interp) : t;
    int axis = whole ? 0 : Tensors.realAxis(a.integer("dim"), t.data().rank());
    List<Slice> slices = slices(source.data(), axis, interp);
    if (!consecutive) {
      slices.sort(Slice.ORDER);
    }
    List<Long> firsts = new ArrayList<>();
    List<Long> counts = new ArrayList<>();
    long[] group = new long[slices.size()];
    for (int i = 0; i < slices.size(); i++) {
      if (i == 0 || !slices.get(i).same(slices.get(i - 1))) {
        firsts.add(slices.get(i).place());
        counts.add(0L);
      }
      counts.set(counts.size() - 1, counts.getLast() + 1);
      group[(int) slices.get(i).place()] = firsts.size() - 1L;
    }
    TensorValue values =
        SelectionMethods.selected("unique", source, axis, numbers(firsts, t, interp), interp)
            .sized(t.origin());
    List<Value> results = new ArrayList<>(List.of(values));
    if (a.flag("return_inverse", false)) {
      List<Long> groups = java.util.Arrays.stream(group).boxed().toList();
      TensorValue inverse = numbers(groups, t, interp);
      results.add(whole ? Views.reshape(inverse, t.data().shape(), interp) : inverse);
    }
    if (a.flag("return_counts", false)) {
      results.add(numbers(counts, t, interp).sized(t.origin()));
    }
    return results.size() == 1 ? values : new TupleValue(results);
  }

  private static List<Slice> slices(HostTensor data, int axis, Interp interp) {
    boolean floats = data.dtype().isFloat();
    Elements elements = Elements.of(data.buffer(), data.dtype());
    interp.session().budget().objects(data.elements() * 16 + data.shape()[axis] * 64);
    interp.session().budget().elements(data.elements() * 16);
    List<Slice> slices = new ArrayList<>();
    for (long i = 0; i < data.shape()[axis]; i++) {
      HostTensor one = Views.select(data, axis, i);
      double[] reals = new double[Sizes.length(one.elements())];
      long[] wholes = new long[floats ? 0 : reals.length];
      StridedLoop.over(
          one.shape(),
          (p, at) -> {
            if (floats) {
              reals[(int) p] = elements.getDouble(at[0]);
            } else {
              wholes[(int) p] = elements.getLong(at[0]);
            }
          },
          one);
      slices.add(new Slice(reals, wholes, i));
    }
    return slices;
  }

  private static TensorValue numbers(List<Long> numbers, TensorValue from, Interp interp) {
    TensorValue result =
        Tensors.derived(DType.INT64, new long[] {numbers.size()}, from.origin(), interp);
    Elements out = Elements.of(result.data().buffer(), DType.INT64);
    for (int i = 0; i < numbers.size(); i++) {
      out.setLong(i, numbers.get(i));
    }
    return result;
  }

  private static Value bincount(TensorValue t, Bound a, Call c) {
    HostTensor data = t.data();
    if (data.rank() != 1 || !data.dtype().isInteger()) {
      throw Errors.runtime(
          "bincount only supports 1-d non-negative integral inputs, but got shape "
              + Tensors.shown(data.shape())
              + " of dtype "
              + Dtypes.nameOf(data.dtype()));
    }
    Elements in = Elements.of(data.buffer(), data.dtype());
    long most = a.integer("minlength", 0) - 1;
    for (long i = 0; i < data.shape()[0]; i++) {
      StopOrder.look(i);
      long value = in.getLong(data.offset() + i * data.strides()[0]);
      if (value < 0) {
        throw Errors.runtime(
            "bincount only supports 1-d non-negative integral inputs, but element "
                + i
                + " is "
                + value);
      }
      most = Math.max(most, value);
    }
    Optional<TensorValue> weights =
        a.has("weights") ? Optional.of(TensorMethods.tensor(a, "weights")) : Optional.empty();
    if (weights.isPresent()
        && !java.util.Arrays.equals(weights.get().data().shape(), data.shape())) {
      throw Errors.runtime(
          "bincount: weights should be 1-d and have the same length as input, but got "
              + Tensors.shown(weights.get().data().shape())
              + " and "
              + Tensors.shown(data.shape()));
    }
    DType type =
        weights.isEmpty()
            ? DType.INT64
            : weights.get().data().dtype() == DType.FP32 ? DType.FP32 : DType.FP64;
    var origin = t.origin();
    if (weights.isPresent()) {
      origin = origin.and(weights.get().origin());
    }
    TensorValue result =
        Tensors.derived(
            type == DType.INT64 ? type : DType.FP64, new long[] {most + 1}, origin, c.interp());
    Elements out = Elements.of(result.data().buffer(), result.data().dtype());
    for (long i = 0; i < data.shape()[0]; i++) {
      StopOrder.look(i);
      long value = in.getLong(data.offset() + i * data.strides()[0]);
      if (weights.isEmpty()) {
        out.setLong(value, out.getLong(value) + 1);
      } else {
        HostTensor w = weights.get().data();
        double weight =
            Elements.of(w.buffer(), w.dtype()).getDouble(w.offset() + i * w.strides()[0]);
        out.setDouble(value, out.getDouble(value) + weight);
      }
    }
    return ContentMethods.converted(result, type, c.interp());
  }

  private static Value histc(TensorValue t, Bound a, Call c) {
    HostTensor data = t.data();
    DType type = Softmax.floating(t, "histogram_cpu");
    int bins = Math.clamp(a.integer("bins", 100), 0, 1 << 24);
    double low = a.number("min", 0);
    double high = a.number("max", 0);
    Elements in = Elements.of(data.buffer(), type);
    if (low == high && data.elements() > 0) {
      double[] ends = {Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
      StridedLoop.over(
          data.shape(),
          (p, at) -> {
            ends[0] = Math.min(ends[0], in.getDouble(at[0]));
            ends[1] = Math.max(ends[1], in.getDouble(at[0]));
          },
          data);
      low = ends[0] == ends[1] ? ends[0] - 1 : ends[0];
      high = ends[0] == ends[1] ? ends[1] + 1 : ends[1];
    }
    if (bins == 0 || !Double.isFinite(high - low) || low > high) {
      throw Errors.runtime(
          "histc: bins must be > 0 and [min, max] a finite range, but got bins="
              + bins
              + ", range ["
              + low
              + ", "
              + high
              + "]");
    }
    TensorValue result = Tensors.derived(type, new long[] {bins}, t.origin(), c.interp());
    long[] counts = new long[bins];
    double start = low;
    double end = high;
    StridedLoop.over(
        data.shape(),
        (p, at) -> {
          double value = in.getDouble(at[0]);
          if (value >= start && value <= end) {
            counts[Math.min(bins - 1, (int) ((value - start) / (end - start) * bins))]++;
          }
        },
        data);
    Elements out = Elements.of(result.data().buffer(), type);
    for (int i = 0; i < bins; i++) {
      out.setLong(i, counts[i]);
    }
    return result;
  }

  /** {@code torch.isin}: which elements are among the test elements. */
  static Value isin(Bound a, Call c) {
    Interp interp = c.interp();
    TensorValue elements = asTensor(a.get("elements"), interp);
    TensorValue tests = asTensor(a.get("test_elements"), interp);
    boolean invert = a.flag("invert", false);
    HostTensor from = elements.data();
    HostTensor among = tests.data();
    boolean floats = from.dtype().isFloat() || among.dtype().isFloat();
    Elements in = Elements.of(from.buffer(), from.dtype());
    Elements known = Elements.of(among.buffer(), among.dtype());
    interp.session().budget().objects(among.elements() * 48);
    Set<Object> values = new HashSet<>();
    StridedLoop.over(among.shape(), (p, at) -> values.add(key(known, at[0], floats)), among);
    TensorValue result =
        Tensors.derived(DType.BOOL, from.shape(), elements.origin().and(tests.origin()), interp);
    Elements out = Elements.of(result.data().buffer(), DType.BOOL);
    StridedLoop.over(
        from.shape(),
        (p, at) -> {
          boolean nan = floats && Double.isNaN(in.getDouble(at[1]));
          boolean hit = !nan && values.contains(key(in, at[1], floats));
          out.setLong(at[0], hit != invert ? 1 : 0);
        },
        result.data(),
        from);
    return result;
  }

  private static Object key(Elements elements, long at, boolean floats) {
    // Adding 0 turns -0.0 into 0.0, which it equals.
    return floats ? (Object) (elements.getDouble(at) + 0.0) : (Object) elements.getLong(at);
  }

  private static TensorValue asTensor(Value value, Interp interp) {
    return value instanceof TensorValue tensor
        ? tensor
        : Tensors.ofData(value, Optional.empty(), interp);
  }
}
