package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.check.Origin;
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
import java.util.Arrays;
import java.util.List;

/** Methods that place values where an index or a mask says. */
final class Scattering {

  static final List<String> FUNCTIONS =
      List.of(
          "scatter",
          "scatter_add",
          "scatter_reduce",
          "index_add",
          "index_copy",
          "index_fill",
          "masked_fill",
          "masked_scatter");

  private Scattering() {}

  static void define(MethodTable<TensorValue> table) {
    table
        .add("scatter", "dim, index, src=, *, value=, reduce=", Scattering::scatter)
        .add(
            "scatter_add",
            "dim, index, src",
            (t, a, c) -> placed("scatter_add", t, a, a.get("src"), Merge.SUM, true, c.interp()))
        .add("scatter_reduce", "dim, index, src, reduce, *, include_self=", Scattering::reduced)
        .add("index_add", "dim, index, source, *, alpha=", Scattering::indexAdd)
        .add("index_copy", "dim, index, source", (t, a, c) -> indexed("index_copy", t, a, c))
        .add("index_fill", "dim, index, value", Scattering::indexFill)
        .add("masked_fill", "mask, value", Scattering::maskedFill)
        .add("masked_scatter", "mask, source", Scattering::maskedScatter)
        .add("index_put_", "indices, values, accumulate=", Scattering::indexPut);
  }

  /** What happens where a value lands. */
  private enum Merge {
    REPLACE,
    SUM,
    PROD,
    MAX,
    MIN,
    MEAN;

    private double real(double old, double value) {
      return switch (this) {
        case REPLACE -> value;
        case SUM, MEAN -> old + value;
        case PROD -> old * value;
        case MAX -> Math.max(old, value);
        case MIN -> Math.min(old, value);
      };
    }

    private long whole(long old, long value) {
      return switch (this) {
        case REPLACE -> value;
        case SUM, MEAN -> old + value;
        case PROD -> old * value;
        case MAX -> Math.max(old, value);
        case MIN -> Math.min(old, value);
      };
    }

    /** What a place starts with when its own value doesn't count. */
    private double neutral() {
      return switch (this) {
        case REPLACE, SUM, MEAN -> 0;
        case PROD -> 1;
        case MAX -> Double.NEGATIVE_INFINITY;
        case MIN -> Double.POSITIVE_INFINITY;
      };
    }

    private long wholeNeutral() {
      return switch (this) {
        case REPLACE, SUM, MEAN -> 0;
        case PROD -> 1;
        case MAX -> Long.MIN_VALUE;
        case MIN -> Long.MAX_VALUE;
      };
    }
  }

  private static Value scatter(TensorValue t, Bound a, Call c) {
    Value src = a.has("src") ? a.get("src") : a.get("value");
    Merge merge = Merge.REPLACE;
    if (a.has("reduce")) {
      merge =
          switch (a.string("reduce")) {
            case "add" -> Merge.SUM;
            case "multiply" -> Merge.PROD;
            default ->
                throw Errors.runtime(
                    "scatter(): reduce argument must be either add or multiply, not '"
                        + a.string("reduce")
                        + "'");
          };
    }
    return placed("scatter", t, a, src, merge, true, c.interp());
  }

  private static Value reduced(TensorValue t, Bound a, Call c) {
    Merge merge =
        switch (a.string("reduce")) {
          case "sum" -> Merge.SUM;
          case "prod" -> Merge.PROD;
          case "mean" -> Merge.MEAN;
          case "amax" -> Merge.MAX;
          case "amin" -> Merge.MIN;
          default ->
              throw Errors.runtime(
                  "scatter_reduce(): reduce argument must be either sum, prod, mean, amax or amin,"
                      + " got "
                      + a.string("reduce"));
        };
    boolean own = a.flag("include_self", true);
    return placed("scatter_reduce", t, a, a.get("src"), merge, own, c.interp());
  }

  private static TensorValue placed(
      String function, TensorValue t, Bound a, Value src, Merge merge, boolean own, Interp interp) {
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    TensorValue index = TensorMethods.tensor(a, "index");
    Operand source = Operand.require(src, function);
    HostTensor places = index.data();
    Positions.requireLong(function, places);
    Positions.requireWithin(function, places, t.data(), axis, "self");
    HostTensor values = source.data();
    if (source.rank() > 0) {
      Positions.requireWithin(function, places, values, -1, "src");
      requireSameType(function, t.data(), values, "src");
    } else {
      values = Views.expand(values, places.shape());
    }
    Origin origin = t.origin().and(index.origin()).and(source.origin());
    // Sums are kept in double until all values are in.
    DType type = t.data().dtype();
    boolean floats = type.isFloat();
    DType working = floats ? DType.FP64 : type == DType.BOOL ? DType.BOOL : DType.INT64;
    TensorValue sums = Tensors.derived(working, t.data().shape(), origin, interp);
    TensorValue hits = Tensors.zeros(DType.INT64, t.data().shape(), interp);
    Tensors.fill(sums.data(), t.data());
    Elements out = Elements.of(sums.data().buffer(), working);
    Elements count = Elements.of(hits.data().buffer(), DType.INT64);
    Elements in = Elements.of(values.buffer(), values.dtype());
    Positions.over(
        function,
        sums.data(),
        axis,
        places,
        values,
        (to, from) -> {
          boolean fresh = !own && count.getLong(to) == 0;
          count.setLong(to, count.getLong(to) + 1);
          if (floats) {
            double old = fresh ? merge.neutral() : out.getDouble(to);
            out.setDouble(to, merge.real(old, in.getDouble(from)));
          } else {
            long old = fresh ? merge.wholeNeutral() : out.getLong(to);
            out.setLong(to, merge.whole(old, in.getLong(from)));
          }
        });
    if (merge == Merge.MEAN) {
      divide(out, count, hits.data().elements(), own, floats);
    }
    return ContentMethods.converted(sums, type, interp);
  }

  private static void divide(Elements sums, Elements count, long size, boolean own, boolean real) {
    for (long i = 0; i < size; i++) {
      StopOrder.look(i);
      long hits = count.getLong(i) + (own ? 1 : 0);
      if (count.getLong(i) > 0 && real) {
        sums.setDouble(i, sums.getDouble(i) / hits);
      } else if (count.getLong(i) > 0) {
        sums.setLong(i, Math.floorDiv(sums.getLong(i), hits));
      }
    }
  }

  private static void requireSameType(
      String function, HostTensor self, HostTensor other, String name) {
    if (self.dtype() != other.dtype()) {
      throw Errors.runtime(
          function
              + "(): Expected self.dtype to be equal to "
              + name
              + ".dtype, but got "
              + Dtypes.nameOf(self.dtype())
              + " and "
              + Dtypes.nameOf(other.dtype()));
    }
  }

  private static Value indexAdd(TensorValue t, Bound a, Call c) {
    TensorValue source = TensorMethods.tensor(a, "source");
    requireSameType("index_add", t.data(), source.data(), "source");
    if (a.has("alpha")) {
      Operand alpha = Operand.require(a.get("alpha"), "index_add");
      source = Arithmetic.apply(ElementOp.MUL, Operand.of(source), alpha, c.interp());
    }
    DType type = t.data().dtype();
    DType working = type.isFloat() ? DType.FP64 : type;
    TensorValue result = Tensors.copy(t, working, c.interp());
    slices("index_add", result, source, a, c.interp(), true);
    return ContentMethods.converted(result, type, c.interp());
  }

  private static TensorValue indexed(String function, TensorValue t, Bound a, Call c) {
    TensorValue source = TensorMethods.tensor(a, "source");
    requireSameType(function, t.data(), source.data(), "source");
    TensorValue result = Tensors.copy(t, t.data().dtype(), c.interp());
    slices(function, result, source, a, c.interp(), false);
    return result;
  }

  private static Value indexPut(TensorValue t, Bound a, Call c) {
    if (a.flag("accumulate", false)) {
      throw Errors.refuse(
          "index_put_(accumulate=True) is not available",
          "use index_add_ or scatter_add_",
          c.span());
    }
    List<Value> indices = TensorMethods.asList(a.get("indices"), c);
    Indexing.set(t, new TupleValue(indices), a.get("values"), c.interp());
    return t;
  }

  /** Adds or copies slice i of the source to slice {@code index[i]}. */
  private static void slices(
      String function, TensorValue to, TensorValue source, Bound a, Interp interp, boolean add) {
    TensorValue index = TensorMethods.tensor(a, "index");
    int axis = Tensors.axis(a.integer("dim"), to.data().rank());
    Positions.requireVector(function, index.data());
    HostTensor target = Lanes.atLeast1d(to.data());
    HostTensor from = Lanes.atLeast1d(source.data());
    HostTensor places = Lanes.atLeast1d(index.data());
    long count = places.shape()[0];
    long[] wanted = target.shape().clone();
    wanted[axis] = count;
    if (!Arrays.equals(from.shape(), wanted)) {
      throw Errors.runtime(
          function
              + "(): with an index of "
              + count
              + " elements, source must have shape "
              + Tensors.shown(wanted)
              + " to match self "
              + Tensors.shown(target.shape())
              + ", but has "
              + Tensors.shown(from.shape()));
    }
    to.storage().mix(index.origin().and(source.origin()));
    Elements at = Elements.of(places.buffer(), places.dtype());
    for (long i = 0; i < count; i++) {
      long place = at.getLong(places.offset() + i * places.strides()[0]);
      place = Positions.checked(function, place, axis, target.shape()[axis]);
      TensorValue slice = to.view(Views.select(target, axis, place));
      TensorValue values = source.view(Views.select(from, axis, i));
      if (add) {
        Arithmetic.inPlace(ElementOp.ADD, slice, Operand.of(values), interp);
      } else {
        Tensors.fill(slice.data(), values.data());
      }
      interp.session().budget().elements(values.data().elements());
    }
  }

  private static Value indexFill(TensorValue t, Bound a, Call c) {
    TensorValue index = TensorMethods.tensor(a, "index");
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    Positions.requireVector("index_fill", index.data());
    Operand value = scalar("index_fill", a, t);
    TensorValue result = Tensors.copy(t, t.data().dtype(), c.interp());
    result.storage().mix(index.origin().and(value.origin()));
    HostTensor target = Lanes.atLeast1d(result.data());
    HostTensor places = Lanes.atLeast1d(index.data());
    Elements at = Elements.of(places.buffer(), places.dtype());
    long extent = target.shape()[axis];
    for (long i = 0; i < places.shape()[0]; i++) {
      long place = at.getLong(places.offset() + i * places.strides()[0]);
      place = Positions.checked("index_fill", place < 0 ? place + extent : place, axis, extent);
      Tensors.fill(Views.select(target, axis, place), value.data());
    }
    return result;
  }

  /** A value without dimensions that the tensor's type can take. */
  private static Operand scalar(String function, Bound a, TensorValue t) {
    Operand value = Operand.require(a.get("value"), function);
    if (value.rank() == 2) {
      throw Errors.runtime(
          function
              + " only supports a 0-dimensional value tensor, but got tensor with "
              + value.data().rank()
              + " dimension(s).");
    }
    if (!Dtypes.canCast(value.dtype(), t.data().dtype())) {
      throw Errors.runtime(
          function
              + "(): a "
              + Dtypes.scalarName(value.dtype())
              + " value can't be stored in a tensor of dtype "
              + Dtypes.nameOf(t.data().dtype())
              + "; convert one of them first");
    }
    return value;
  }

  private static TensorValue mask(String function, Bound a) {
    TensorValue mask = TensorMethods.tensor(a, "mask");
    if (mask.data().dtype() != DType.BOOL) {
      throw Errors.runtime(
          function
              + " only supports boolean masks, but got mask with dtype "
              + Dtypes.nameOf(mask.data().dtype()));
    }
    return mask;
  }

  private static Value maskedFill(TensorValue t, Bound a, Call c) {
    TensorValue mask = mask("masked_fill", a);
    Operand value = scalar("masked_fill", a, t);
    long[] shape = Arithmetic.commonShape(t.data(), mask.data());
    Origin origin = t.origin().and(mask.origin()).and(value.origin());
    DType type = t.data().dtype();
    TensorValue result = Tensors.derived(type, shape, origin, c.interp());
    Tensors.fill(result.data(), t.data());
    TensorValue filler = Tensors.zeros(type, new long[0], c.interp());
    Tensors.fill(filler.data(), value.data());
    Elements out = Elements.of(result.data().buffer(), type);
    Elements flags = Elements.of(mask.data().buffer(), DType.BOOL);
    Elements in = Elements.of(filler.data().buffer(), type);
    StridedLoop.over(
        shape,
        (p, at) -> {
          if (flags.getLong(at[1]) != 0 && type.isFloat()) {
            out.setDouble(at[0], in.getDouble(0));
          } else if (flags.getLong(at[1]) != 0) {
            out.setLong(at[0], in.getLong(0));
          }
        },
        result.data(),
        mask.data());
    return result;
  }

  private static Value maskedScatter(TensorValue t, Bound a, Call c) {
    TensorValue mask = mask("masked_scatter", a);
    TensorValue source = TensorMethods.tensor(a, "source");
    requireSameType("masked_scatter", t.data(), source.data(), "source");
    long[] shape = Arithmetic.commonShape(t.data(), mask.data());
    Origin origin = t.origin().and(mask.origin()).and(source.origin());
    DType type = t.data().dtype();
    TensorValue result = Tensors.derived(type, shape, origin, c.interp());
    Tensors.fill(result.data(), t.data());
    HostTensor values = Tensors.copy(source, type, c.interp()).data();
    Elements out = Elements.of(result.data().buffer(), type);
    Elements flags = Elements.of(mask.data().buffer(), DType.BOOL);
    Elements in = Elements.of(values.buffer(), type);
    long[] next = {0};
    StridedLoop.over(
        shape,
        (p, at) -> {
          if (flags.getLong(at[1]) == 0) {
            return;
          }
          if (next[0] >= values.elements()) {
            throw Errors.runtime(
                "masked_scatter: the mask has more true elements than the source's "
                    + values.elements());
          }
          if (type.isFloat()) {
            out.setDouble(at[0], in.getDouble(next[0]++));
          } else {
            out.setLong(at[0], in.getLong(next[0]++));
          }
        },
        result.data(),
        mask.data());
    return result;
  }
}
