package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Sorts a tensor along a dimension, stably; NaN counts as largest. */
final class Sort {

  private Sort() {}

  private record Item(double real, long whole, long place) {}

  static void along(HostTensor values, HostTensor places, int axis, boolean descending) {
    if (values.rank() == 0 || values.elements() == 0) {
      return;
    }
    boolean floats = values.dtype().isFloat();
    Elements elements = Elements.of(values.buffer(), values.dtype());
    Elements indices = Elements.of(places.buffer(), places.dtype());
    Comparator<Item> order =
        floats ? Comparator.comparingDouble(Item::real) : Comparator.comparingLong(Item::whole);
    Comparator<Item> wanted = descending ? order.reversed() : order;
    long count = values.shape()[axis];
    HostTensor first = Views.select(values, axis, 0);
    HostTensor firstPlace = Views.select(places, axis, 0);
    StridedLoop.over(
        first.shape(),
        (p, at) -> {
          List<Item> items = new ArrayList<>();
          for (long i = 0; i < count; i++) {
            long from = at[0] + i * values.strides()[axis];
            items.add(new Item(elements.getDouble(from), elements.getLong(from), i));
          }
          items.sort(wanted);
          for (int i = 0; i < count; i++) {
            long to = at[0] + i * values.strides()[axis];
            if (floats) {
              elements.setDouble(to, items.get(i).real());
            } else {
              elements.setLong(to, items.get(i).whole());
            }
            indices.setLong(at[1] + i * places.strides()[axis], items.get(i).place());
          }
        },
        first,
        firstPlace);
  }
}
