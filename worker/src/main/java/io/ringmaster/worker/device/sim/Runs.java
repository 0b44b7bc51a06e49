package io.ringmaster.worker.device.sim;

/** Walks a box inside a row-major array, one contiguous run at a time. */
final class Runs {

  private Runs() {}

  @FunctionalInterface
  interface Run {
    void accept(int from, int length);
  }

  /** Every run of the origin-anchored box {@code valid} of an array of extents {@code shape}. */
  static void forEach(int[] shape, int[] valid, Run run) {
    forEach(shape, null, valid, run);
  }

  /** Every run of the box of extents {@code box} at {@code offsets}. */
  static void forEach(
      int[] shape, int @org.jspecify.annotations.Nullable [] offsets, int[] box, Run run) {
    int axis = shape.length - 1;
    long length = 1;
    while (axis >= 0 && box[axis] == shape[axis]) {
      length *= shape[axis--];
    }
    if (length == 0) {
      return;
    }
    int inner = 1;
    for (int i = axis + 1; i < shape.length; i++) {
      inner *= shape[i];
    }
    if (axis < 0) {
      run.accept(0, (int) length);
      return;
    }
    for (int extent : box) {
      if (extent == 0) {
        return;
      }
    }
    walk(shape, offsets, box, 0, axis, 0, inner, run);
  }

  private static void walk(
      int[] shape,
      int @org.jspecify.annotations.Nullable [] offsets,
      int[] box,
      int axis,
      int last,
      int base,
      int inner,
      Run run) {
    int offset = offsets == null ? 0 : offsets[axis];
    if (axis == last) {
      run.accept((base * shape[axis] + offset) * inner, box[axis] * inner);
      return;
    }
    for (int i = 0; i < box[axis]; i++) {
      walk(shape, offsets, box, axis + 1, last, base * shape[axis] + offset + i, inner, run);
    }
  }
}
