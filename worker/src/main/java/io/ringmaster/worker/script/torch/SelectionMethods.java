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
import io.ringmaster.worker.tensor.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Methods that pick elements by index or by condition. */
final class SelectionMethods {

  static final List<String> FUNCTIONS =
      List.of(
          "gather",
          "take_along_dim",
          "index_select",
          "take",
          "masked_select",
          "nonzero",
          "argwhere",
          "repeat_interleave");

  private SelectionMethods() {}

  static void define(MethodTable<TensorValue> table) {
    table
        .add("gather", "dim, index, *, sparse_grad=", SelectionMethods::gather)
        .add("take_along_dim", "indices, dim=", SelectionMethods::takeAlongDim)
        .add("index_select", "dim, index", SelectionMethods::indexSelect)
        .add("take", "index", SelectionMethods::take)
        .add("masked_select", "mask", SelectionMethods::maskedSelect)
        .add("nonzero", "*, as_tuple=", SelectionMethods::nonzero)
        .add("argwhere", "", (t, a, c) -> places(t, c.interp()))
        .add("repeat_interleave", "repeats, dim=, *, output_size=", SelectionMethods::repeated);
  }

  private static Value gather(TensorValue t, Bound a, Call c) {
    TensorValue index = TensorMethods.tensor(a, "index");
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    return gathered("gather", t, axis, index, c.interp());
  }

  private static TensorValue gathered(
      String function, TensorValue t, int axis, TensorValue index, Interp interp) {
    HostTensor places = index.data();
    Positions.requireLong(function, places);
    Positions.requireWithin(function, places, t.data(), axis, "input");
    DType type = t.data().dtype();
    TensorValue result =
        Tensors.derived(type, places.shape(), t.origin().and(index.origin()), interp);
    Elements in = Elements.of(t.data().buffer(), type);
    Elements out = Elements.of(result.data().buffer(), type);
    Positions.over(
        function,
        t.data(),
        axis,
        places,
        result.data(),
        (from, to) -> {
          if (type.isFloat()) {
            out.setDouble(to, in.getDouble(from));
          } else {
            out.setLong(to, in.getLong(from));
          }
        });
    return result;
  }

  private static Value takeAlongDim(TensorValue t, Bound a, Call c) {
    TensorValue index = TensorMethods.tensor(a, "indices");
    if (!a.has("dim")) {
      TensorValue flat = Views.reshape(t, new long[] {-1}, c.interp());
      TensorValue flatIndex = Views.reshape(index, new long[] {-1}, c.interp());
      return gathered("take_along_dim", flat, 0, flatIndex, c.interp());
    }
    int axis = Tensors.realAxis(a.integer("dim"), t.data().rank());
    if (index.data().rank() != t.data().rank()) {
      throw Errors.runtime(
          "take_along_dim(): input and indices should have the same number of dimensions, but got "
              + Tensors.shown(t.data().shape())
              + " and "
              + Tensors.shown(index.data().shape()));
    }
    long[] own = t.data().shape().clone();
    long[] wanted = index.data().shape().clone();
    own[axis] = 1;
    wanted[axis] = 1;
    long[] common =
        Arithmetic.commonShape(
            Views.expand(HostTensor.zeros(DType.BOOL), own),
            Views.expand(HostTensor.zeros(DType.BOOL), wanted));
    long[] shape = common.clone();
    shape[axis] = t.data().shape()[axis];
    long[] indexShape = common.clone();
    indexShape[axis] = index.data().shape()[axis];
    return gathered(
        "take_along_dim",
        t.view(Views.expand(t.data(), shape)),
        axis,
        index.view(Views.expand(index.data(), indexShape)),
        c.interp());
  }

  private static Value indexSelect(TensorValue t, Bound a, Call c) {
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    TensorValue index = TensorMethods.tensor(a, "index");
    Positions.requireVector("index_select", index.data());
    return selected("index_select", t, axis, index, c.interp());
  }

  /** The slices that an index names, in its order. */
  static TensorValue selected(
      String function, TensorValue t, int axis, TensorValue index, Interp interp) {
    HostTensor from = Lanes.atLeast1d(t.data());
    HostTensor places = Lanes.atLeast1d(index.data());
    long count = places.shape()[0];
    long[] shape = from.shape().clone();
    shape[axis] = count;
    TensorValue result =
        Tensors.derived(from.dtype(), shape, t.origin().and(index.origin()), interp);
    Elements at = Elements.of(places.buffer(), places.dtype());
    for (long i = 0; i < count; i++) {
      long place = at.getLong(places.offset() + i * places.strides()[0]);
      place = Positions.checked(function, place, axis, from.shape()[axis]);
      interp.session().budget().step();
      Tensors.fill(Views.select(result.data(), axis, i), Views.select(from, axis, place));
    }
    return t.data().rank() == 0 ? result.view(Views.select(result.data(), 0, 0)) : result;
  }

  private static Value take(TensorValue t, Bound a, Call c) {
    TensorValue index = TensorMethods.tensor(a, "index");
    Positions.requireLong("take", index.data());
    TensorValue flat = Views.reshape(t, new long[] {-1}, c.interp());
    DType type = t.data().dtype();
    long count = t.data().elements();
    TensorValue result =
        Tensors.derived(type, index.data().shape(), t.origin().and(index.origin()), c.interp());
    Elements places = Elements.of(index.data().buffer(), DType.INT64);
    Elements in = Elements.of(flat.data().buffer(), type);
    Elements out = Elements.of(result.data().buffer(), type);
    long step = flat.data().strides()[0];
    StridedLoop.over(
        index.data().shape(),
        (p, at) -> {
          long place = places.getLong(at[1]);
          if (place < -count || place >= count) {
            throw Errors.index(
                "take(): out of range: tried to access index "
                    + place
                    + " on a tensor of "
                    + count
                    + " elements.");
          }
          long from = flat.data().offset() + (place < 0 ? place + count : place) * step;
          if (type.isFloat()) {
            out.setDouble(at[0], in.getDouble(from));
          } else {
            out.setLong(at[0], in.getLong(from));
          }
        },
        result.data(),
        index.data());
    return result;
  }

  private static Value maskedSelect(TensorValue t, Bound a, Call c) {
    TensorValue mask = TensorMethods.tensor(a, "mask");
    if (mask.data().dtype() != DType.BOOL) {
      throw Errors.runtime(
          "masked_select: expected BoolTensor for mask, but got "
              + Dtypes.nameOf(mask.data().dtype()));
    }
    long[] shape = Arithmetic.commonShape(t.data(), mask.data());
    TensorValue wide = t.view(Views.expand(t.data(), shape));
    TensorValue flags = mask.view(Views.expand(mask.data(), shape));
    if (shape.length == 0) {
      wide = wide.view(Views.unsqueeze(wide.data(), 0));
      flags = flags.view(Views.unsqueeze(flags.data(), 0));
    }
    return Indexing.get(wide, flags, c.interp());
  }

  private static Value nonzero(TensorValue t, Bound a, Call c) {
    TensorValue places = places(t, c.interp());
    return a.flag("as_tuple", false) ? columns(places) : places;
  }

  /** The positions of true elements, as one tensor for each dimension. */
  static TupleValue columns(TensorValue places) {
    List<Value> columns = new ArrayList<>();
    for (int axis = 0; axis < places.data().shape()[1]; axis++) {
      columns.add(places.view(Views.select(places.data(), 1, axis)));
    }
    return new TupleValue(columns);
  }

  /** The positions of true elements, one a row. */
  static TensorValue places(TensorValue t, Interp interp) {
    HostTensor data = t.data();
    int rank = data.rank();
    Elements elements = Elements.of(data.buffer(), data.dtype());
    interp.session().budget().elements(2 * data.elements());
    long[] hits = {0};
    StridedLoop.over(
        data.shape(), (p, at) -> hits[0] += elements.getDouble(at[0]) != 0 ? 1 : 0, data);
    TensorValue result =
        Tensors.derived(DType.INT64, new long[] {hits[0], rank}, t.origin(), interp);
    Elements out = Elements.of(result.data().buffer(), DType.INT64);
    long[] to = {0};
    StridedLoop.over(
        data.shape(),
        (p, at) -> {
          if (elements.getDouble(at[0]) != 0) {
            for (long index : StridedLoop.indexOf(p, data.shape())) {
              out.setLong(to[0]++, index);
            }
          }
        },
        data);
    return result.sized(t.origin());
  }

  private static Value repeated(TensorValue t, Bound a, Call c) {
    Interp interp = c.interp();
    TensorValue source = a.has("dim") ? t : Views.reshape(t, new long[] {-1}, interp);
    int axis = Tensors.axis(a.integer("dim", 0), source.data().rank());
    long extent = Lanes.atLeast1d(source.data()).shape()[axis];
    Operand repeats = Operand.require(a.get("repeats"), "repeat_interleave");
    if (repeats.dtype().isFloat() || repeats.data().rank() > 1) {
      throw Errors.runtime(
          "repeat_interleave(): repeats must be 0-dim or 1-dim int tensor, but has dtype "
              + Dtypes.nameOf(repeats.dtype())
              + " and shape "
              + Tensors.shown(repeats.data().shape()));
    }
    HostTensor counts = Lanes.atLeast1d(repeats.data());
    if (counts.shape()[0] != 1 && counts.shape()[0] != extent) {
      throw Errors.runtime(
          "repeat_interleave(): repeats must have the same size as input along dim, but got"
              + " repeats.size(0) = "
              + counts.shape()[0]
              + " and input.size("
              + axis
              + ") = "
              + extent);
    }
    return selected(
        "repeat_interleave", source, axis, index(counts, extent, repeats.origin(), interp), interp);
  }

  /** Each position as often as it is to be repeated. */
  private static TensorValue index(HostTensor counts, long extent, Origin origin, Interp interp) {
    Elements in = Elements.of(counts.buffer(), counts.dtype());
    long step = counts.shape()[0] == 1 ? 0 : counts.strides()[0];
    long total = 0;
    for (long i = 0; i < extent; i++) {
      StopOrder.look(i);
      long times = in.getLong(counts.offset() + i * step);
      if (times < 0) {
        throw Errors.runtime("repeat_interleave(): repeats can not be negative, but got " + times);
      }
      total = Sizes.plus(total, times);
    }
    TensorValue index = Tensors.derived(DType.INT64, new long[] {total}, origin, interp);
    Elements out = Elements.of(index.data().buffer(), DType.INT64);
    long at = 0;
    for (long i = 0; i < extent; i++) {
      StopOrder.look(i);
      for (long k = in.getLong(counts.offset() + i * step); k > 0; k--) {
        StopOrder.look(k);
        out.setLong(at++, i);
      }
    }
    return index;
  }

  /** {@code torch.where}: with a condition alone, where it holds. */
  static Value where(TensorValue condition, Optional<Value> yes, Optional<Value> no, Call c) {
    if (yes.isEmpty() && no.isEmpty()) {
      return columns(places(condition, c.interp()));
    }
    if (yes.isEmpty() || no.isEmpty()) {
      throw Errors.type("where() takes a condition alone, or a condition and two values");
    }
    return Creation.where(condition, yes.get(), no.get(), c.interp());
  }
}
