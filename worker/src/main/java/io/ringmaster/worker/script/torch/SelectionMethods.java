package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.List;

/** Tensor methods that pick, order or replace elements. */
final class SelectionMethods {

  private SelectionMethods() {}

  static Value sort(TensorValue t, Bound a, Call c) {
    HostTensor from = t.data();
    TensorValue values = Tensors.derived(from.dtype(), from.shape(), t.origin(), c.interp());
    TensorValue places = Tensors.derived(DType.INT64, from.shape(), t.origin(), c.interp());
    int axis = Tensors.axis(a.integer("dim", -1), from.rank());
    Sort.along(from, values.data(), places.data(), axis, a.flag("descending", false), c.interp());
    return new TupleValue(
        List.of(values, places), "torch.return_types.sort", List.of("values", "indices"));
  }

  static Value maskedFill(TensorValue t, Bound a, Call c) {
    return Creation.where(TensorMethods.tensor(a, "mask"), a.get("value"), t, c.interp());
  }

  static Value gather(TensorValue t, Bound a, Call c) {
    TensorValue index = TensorMethods.tensor(a, "index");
    int axis = Tensors.realAxis(a.integer("dim"), t.data().rank());
    if (index.data().rank() != t.data().rank()) {
      throw Errors.runtime("Index tensor must have the same number of dimensions as input tensor");
    }
    HostTensor data = t.data();
    TensorValue result =
        Tensors.derived(
            data.dtype(), index.data().shape(), t.origin().and(index.origin()), c.interp());
    Elements from = Elements.of(data.buffer(), data.dtype());
    Elements to = Elements.of(result.data().buffer(), data.dtype());
    Elements places = Elements.of(index.data().buffer(), index.data().dtype());
    StridedLoop.over(
        index.data().shape(),
        (p, at) -> {
          long[] position = StridedLoop.indexOf(p, index.data().shape());
          position[axis] = places.getLong(at[1]);
          long offset = data.offset();
          for (int i = 0; i < position.length; i++) {
            if (position[i] < 0 || position[i] >= data.shape()[i]) {
              throw Errors.runtime(
                  "index "
                      + position[i]
                      + " is out of bounds for dimension "
                      + i
                      + " with size "
                      + data.shape()[i]);
            }
            offset += position[i] * data.strides()[i];
          }
          if (data.dtype().isFloat()) {
            to.setDouble(at[0], from.getDouble(offset));
          } else {
            to.setLong(at[0], from.getLong(offset));
          }
        },
        result.data(),
        index.data());
    return result;
  }

  static Value indexSelect(TensorValue t, Bound a, Call c) {
    int axis = Tensors.axis(a.integer("dim"), t.data().rank());
    List<Value> index = new ArrayList<>();
    for (int i = 0; i < axis; i++) {
      index.add(new Value.Slice(Value.NONE, Value.NONE, Value.NONE));
    }
    index.add(TensorMethods.tensor(a, "index"));
    return Indexing.get(t, new TupleValue(index), c.interp());
  }

  static Value nonzero(TensorValue t, Bound a, Call c) {
    HostTensor data = t.data();
    int rank = data.rank();
    Elements elements = Elements.of(data.buffer(), data.dtype());
    c.interp().session().budget().elements(2 * data.elements());
    long[] hits = {0};
    StridedLoop.over(
        data.shape(), (p, at) -> hits[0] += elements.getDouble(at[0]) != 0 ? 1 : 0, data);
    TensorValue result =
        Tensors.derived(DType.INT64, new long[] {hits[0], rank}, t.origin(), c.interp());
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
    return result;
  }
}
