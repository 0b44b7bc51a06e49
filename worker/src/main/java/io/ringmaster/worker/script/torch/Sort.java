package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;

/**
 * Sorts a tensor along a dimension, stably; NaN counts as largest. Merges runs of growing length,
 * in memory that counts like a tensor's.
 */
final class Sort {

  private final long count;
  private Elements keys;
  private Elements places;
  private Elements otherKeys;
  private Elements otherPlaces;

  private Sort(long count, Interp interp) {
    this.count = count;
    this.keys = scratch(interp);
    this.places = scratch(interp);
    this.otherKeys = scratch(interp);
    this.otherPlaces = scratch(interp);
  }

  private Elements scratch(Interp interp) {
    return Elements.of(
        Tensors.zeros(DType.INT64, new long[] {count}, interp).data().buffer(), DType.INT64);
  }

  /**
   * Writes the sorted elements of {@code from} to {@code values}, and where each of them stood to
   * {@code places}.
   */
  static void along(
      HostTensor from,
      HostTensor values,
      HostTensor places,
      int axis,
      boolean descending,
      Interp interp) {
    if (from.elements() == 0) {
      return;
    }
    if (from.rank() == 0) {
      Tensors.fill(values, from);
      return;
    }
    long count = from.shape()[axis];
    int levels = 64 - Long.numberOfLeadingZeros(count);
    interp.session().budget().elements(from.elements() * levels);
    boolean floats = from.dtype().isFloat();
    Elements in = Elements.of(from.buffer(), from.dtype());
    Elements out = Elements.of(values.buffer(), values.dtype());
    Elements at = Elements.of(places.buffer(), places.dtype());
    long fromStep = from.strides()[axis];
    long outStep = values.strides()[axis];
    long atStep = places.strides()[axis];
    Sort sort = new Sort(count, interp);
    HostTensor first = Views.select(from, axis, 0);
    StridedLoop.over(
        first.shape(),
        (p, start) -> {
          for (long i = 0; i < count; i++) {
            StopOrder.look(i);
            long element = start[0] + i * fromStep;
            long key = floats ? ordered(in.getDouble(element)) : in.getLong(element);
            sort.keys.setLong(i, descending ? ~key : key);
            sort.places.setLong(i, i);
          }
          sort.run();
          for (long i = 0; i < count; i++) {
            StopOrder.look(i);
            long place = sort.places.getLong(i);
            long element = start[0] + place * fromStep;
            if (floats) {
              out.setDouble(start[1] + i * outStep, in.getDouble(element));
            } else {
              out.setLong(start[1] + i * outStep, in.getLong(element));
            }
            at.setLong(start[2] + i * atStep, place);
          }
        },
        first,
        Views.select(values, axis, 0),
        Views.select(places, axis, 0));
  }

  /** A whole number that orders as the value does, NaN last. */
  private static long ordered(double value) {
    long bits = Double.doubleToLongBits(value);
    return bits ^ ((bits >> 63) & Long.MAX_VALUE);
  }

  private void run() {
    for (long width = 1; width < count; width *= 2) {
      for (long from = 0; from < count; from += 2 * width) {
        merge(from, Math.min(from + width, count), Math.min(from + 2 * width, count));
      }
      Elements swap = keys;
      keys = otherKeys;
      otherKeys = swap;
      swap = places;
      places = otherPlaces;
      otherPlaces = swap;
    }
  }

  private void merge(long from, long middle, long end) {
    long left = from;
    long right = middle;
    for (long to = from; to < end; to++) {
      StopOrder.look(to);
      boolean first = left < middle && (right >= end || keys.getLong(left) <= keys.getLong(right));
      long taken = first ? left++ : right++;
      otherKeys.setLong(to, keys.getLong(taken));
      otherPlaces.setLong(to, places.getLong(taken));
    }
  }
}
