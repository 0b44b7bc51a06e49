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
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;

/** Order statistics: sort, topk, median, quantiles, binary search. NaN counts as largest. */
final class Ordering {

  static final List<String> FUNCTIONS =
      List.of(
          "sort",
          "argsort",
          "msort",
          "topk",
          "kthvalue",
          "median",
          "quantile",
          "searchsorted",
          "bucketize");

  private Ordering() {}

  static void define(MethodTable<TensorValue> table) {
    table
        .add("sort", "dim=, descending=, *, stable=", Ordering::sort)
        .add("argsort", "dim=, descending=, *, stable=", Ordering::argsort)
        .add("msort", "", (t, a, c) -> sorted(t, 0, false, c.interp()).values())
        .add("topk", "k, dim=, largest=, sorted=", Ordering::topk)
        .add("kthvalue", "k, dim=, keepdim=", Ordering::kthValue)
        .add("median", "dim=, keepdim=", Ordering::median)
        .add("quantile", "q, dim=, keepdim=, *, interpolation=", Ordering::quantile)
        .add("searchsorted", "input, *, out_int32=, right=, side=", Ordering::searchSorted)
        .add(
            "bucketize",
            "boundaries, *, out_int32=, right=",
            (t, a, c) -> {
              TensorValue edges = TensorMethods.tensor(a, "boundaries");
              if (edges.data().rank() != 1) {
                throw Errors.runtime(
                    "bucketize: boundaries tensor must be 1 dimension, but got dim("
                        + edges.data().rank()
                        + ")");
              }
              return search(edges, t, a.flag("right", false), a, c.interp());
            });
  }

  /** Values in order along a dimension, and where they stood. */
  private record Sorted(TensorValue values, TensorValue places, int axis) {

    /** One rank of the order. */
    TupleValue at(long rank, boolean keep, String type) {
      return pair(one(values, rank, keep), one(places, rank, keep), type);
    }

    private TensorValue one(TensorValue of, long rank, boolean keep) {
      HostTensor data = of.data();
      if (data.rank() == 0) {
        return of;
      }
      return of.view(keep ? Views.narrow(data, axis, rank, 1, 1) : Views.select(data, axis, rank));
    }

    long count() {
      return values.data().rank() == 0 ? 1 : values.data().shape()[axis];
    }
  }

  private static Sorted sorted(TensorValue t, long dim, boolean descending, Interp interp) {
    HostTensor from = t.data();
    int axis = Tensors.axis(dim, from.rank());
    TensorValue values = Tensors.derived(from.dtype(), from.shape(), t.origin(), interp);
    TensorValue places = Tensors.derived(DType.INT64, from.shape(), t.origin(), interp);
    Sort.along(from, values.data(), places.data(), axis, descending, interp);
    return new Sorted(values, places, axis);
  }

  private static TupleValue pair(TensorValue values, TensorValue places, String name) {
    return new TupleValue(
        List.of(values, places), "torch.return_types." + name, List.of("values", "indices"));
  }

  private static Value sort(TensorValue t, Bound a, Call c) {
    Sorted sorted = sorted(t, a.integer("dim", -1), a.flag("descending", false), c.interp());
    return pair(sorted.values(), sorted.places(), "sort");
  }

  private static Value argsort(TensorValue t, Bound a, Call c) {
    return sorted(t, a.integer("dim", -1), a.flag("descending", false), c.interp()).places();
  }

  private static Value topk(TensorValue t, Bound a, Call c) {
    long k = a.integer("k");
    Sorted sorted = sorted(t, a.integer("dim", -1), a.flag("largest", true), c.interp());
    if (k < 0 || k > sorted.count()) {
      throw Errors.runtime(
          "topk(): selected index k out of range: k is "
              + k
              + ", dimension "
              + sorted.axis()
              + " of "
              + Tensors.shown(t.data().shape())
              + " has "
              + sorted.count());
    }
    if (t.data().rank() == 0) {
      return pair(sorted.values(), sorted.places(), "topk");
    }
    return pair(
        firsts(sorted.values(), sorted.axis(), k, c.interp()),
        firsts(sorted.places(), sorted.axis(), k, c.interp()),
        "topk");
  }

  private static TensorValue firsts(TensorValue t, int axis, long count, Interp interp) {
    TensorValue part = t.view(Views.narrow(t.data(), axis, 0, count, 1));
    return Tensors.copy(part, t.data().dtype(), interp);
  }

  private static Value kthValue(TensorValue t, Bound a, Call c) {
    Sorted sorted = sorted(t, a.integer("dim", -1), false, c.interp());
    long k = a.integer("k");
    if (k < 1 || k > sorted.count()) {
      throw Errors.runtime(
          "kthvalue(): selected number k out of range for dimension "
              + sorted.axis()
              + ": k is "
              + k
              + ", shape "
              + Tensors.shown(t.data().shape()));
    }
    return sorted.at(k - 1, a.flag("keepdim", false), "kthvalue");
  }

  /** The lower of the two middle values; NaN if there is any. */
  private static Value median(TensorValue t, Bound a, Call c) {
    Interp interp = c.interp();
    if (!a.has("dim")) {
      if (t.data().elements() == 0) {
        return Wide.of(
                Tensors.derived(Softmax.floating(t, "median"), new long[0], t.origin(), interp),
                interp)
            .map(v -> Double.NaN)
            .as(t.data().dtype());
      }
      TensorValue flat = Views.reshape(t, new long[] {-1}, interp);
      return middle(sorted(flat, 0, false, interp), false).items().getFirst();
    }
    Sorted sorted = sorted(t, a.integer("dim"), false, interp);
    if (sorted.count() == 0) {
      throw Errors.index(
          "median(): Expected reduction dim "
              + sorted.axis()
              + " to have non-zero size, but the shape is "
              + Tensors.shown(t.data().shape()));
    }
    return middle(sorted, a.flag("keepdim", false));
  }

  private static TupleValue middle(Sorted sorted, boolean keep) {
    long last = sorted.count() - 1;
    TupleValue middle = sorted.at(last / 2, keep, "median");
    if (!sorted.values().data().dtype().isFloat()) {
      return middle;
    }
    // The middle views lie in the fresh sorted tensors: a NaN at the end moves to the middle.
    TupleValue end = sorted.at(last, keep, "median");
    HostTensor to = ((TensorValue) middle.items().getFirst()).data();
    HostTensor toPlace = ((TensorValue) middle.items().getLast()).data();
    HostTensor from = ((TensorValue) end.items().getFirst()).data();
    HostTensor fromPlace = ((TensorValue) end.items().getLast()).data();
    Elements values = Elements.of(to.buffer(), to.dtype());
    Elements places = Elements.of(toPlace.buffer(), DType.INT64);
    StridedLoop.over(
        to.shape(),
        (p, at) -> {
          if (Double.isNaN(values.getDouble(at[2]))) {
            values.setDouble(at[0], Double.NaN);
            places.setLong(at[1], places.getLong(at[3]));
          }
        },
        to,
        toPlace,
        from,
        fromPlace);
    return middle;
  }

  private static Value quantile(TensorValue t, Bound a, Call c) {
    Interp interp = c.interp();
    DType type = t.data().dtype();
    if (type != DType.FP32 && type != DType.FP64) {
      throw Errors.runtime("quantile() input tensor must be either float or double dtype");
    }
    boolean flat = !a.has("dim");
    TensorValue source = flat ? Views.reshape(t, new long[] {-1}, interp) : t;
    Sorted sorted = sorted(source, a.integer("dim", 0), false, interp);
    long count = sorted.count();
    if (count == 0) {
      throw Errors.runtime("quantile() input tensor must be non-empty");
    }
    TensorValue q =
        a.get("q") instanceof TensorValue given
            ? given
            : Tensors.ofData(a.get("q"), java.util.Optional.of(type), interp);
    Elements wanted = Elements.of(q.data().buffer(), q.data().dtype());
    HostTensor flatQ = Lanes.atLeast1d(q.data());
    List<TensorValue> parts = new java.util.ArrayList<>();
    for (long i = 0; i < flatQ.shape()[0]; i++) {
      double share = wanted.getDouble(flatQ.offset() + i * flatQ.strides()[0]);
      if (!(share >= 0 && share <= 1)) {
        throw Errors.runtime("quantile() q values must be in the range [0, 1]");
      }
      boolean keep = !flat && a.flag("keepdim", false);
      parts.add(between(sorted, share * (count - 1), keep, a, c));
    }
    if (q.data().rank() == 0) {
      return parts.getFirst();
    }
    List<TensorValue> rows =
        parts.stream().map(part -> part.view(Views.unsqueeze(part.data(), 0))).toList();
    return Creation.cat(rows, 0, interp);
  }

  private static TensorValue between(Sorted sorted, double rank, boolean keep, Bound a, Call c) {
    String how = a.string("interpolation", "linear");
    double low = Math.floor(rank);
    double share =
        switch (how) {
          case "linear" -> rank - low;
          case "lower" -> 0;
          case "higher" -> rank > low ? 1 : 0;
          case "midpoint" -> rank > low ? 0.5 : 0;
          case "nearest" -> Math.rint(rank) - low;
          default ->
              throw Errors.runtime(
                  "quantile() interpolation must be one of linear, lower, higher, midpoint or"
                      + " nearest, but got "
                      + how);
        };
    TensorValue below = first(sorted.at((long) low, keep, "quantile"));
    TensorValue above = first(sorted.at(Math.min((long) low + 1, sorted.count() - 1), keep, "q"));
    TensorValue last = first(sorted.at(sorted.count() - 1, keep, "q"));
    Wide start = Wide.of(below, c.interp());
    Wide result = start;
    if (share != 0) {
      result = start.plus(Wide.of(above, c.interp()).minus(start).map(v -> v * share));
    }
    // Any NaN stands last and makes the whole NaN.
    Wide spoiled = Wide.of(last, c.interp()).map(v -> Double.isNaN(v) ? v : 0);
    TensorValue value = result.plus(spoiled).as(sorted.values().data().dtype());
    // What lies between two of the values stems from them, and isn't the difference of two.
    TensorValue own =
        Tensors.derived(
            value.data().dtype(), value.data().shape(), sorted.values().origin(), c.interp());
    Tensors.fill(own.data(), value.data());
    return own;
  }

  private static TensorValue first(TupleValue pair) {
    return (TensorValue) pair.items().getFirst();
  }

  private static Value searchSorted(TensorValue t, Bound a, Call c) {
    TensorValue values =
        a.get("input") instanceof TensorValue tensor
            ? tensor
            : Tensors.ofData(a.get("input"), java.util.Optional.empty(), c.interp());
    boolean right = a.flag("right", false);
    if (a.has("side")) {
      right = a.string("side").equals("right");
    }
    if (t.data().rank() != 1) {
      throw Errors.refuse(
          "searchsorted of a sequence of shape "
              + Tensors.shown(t.data().shape())
              + " is not available",
          "pass a sorted 1-D tensor; search row by row",
          c.span());
    }
    return search(t, values, right, a, c.interp());
  }

  private static TensorValue search(
      TensorValue sequence, TensorValue values, boolean right, Bound a, Interp interp) {
    DType type = a.flag("out_int32", false) ? DType.INT32 : DType.INT64;
    HostTensor edges = sequence.data();
    HostTensor wanted = values.data();
    TensorValue result =
        Tensors.derived(type, wanted.shape(), sequence.origin().and(values.origin()), interp);
    Elements steps = Elements.of(edges.buffer(), edges.dtype());
    Elements in = Elements.of(wanted.buffer(), wanted.dtype());
    Elements out = Elements.of(result.data().buffer(), type);
    StridedLoop.over(
        wanted.shape(),
        (p, at) -> {
          double value = in.getDouble(at[1]);
          long low = 0;
          long high = edges.shape()[0];
          while (low < high) {
            long middle = (low + high) >>> 1;
            double edge = steps.getDouble(edges.offset() + middle * edges.strides()[0]);
            boolean before = right ? !(edge > value) : edge < value;
            low = before ? middle + 1 : low;
            high = before ? high : middle;
          }
          out.setLong(at[0], low);
        },
        result.data(),
        wanted);
    return result;
  }
}
