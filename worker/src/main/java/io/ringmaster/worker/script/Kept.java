package io.ringmaster.worker.script;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.Sizes;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.function.DoublePredicate;

/** What a launch has left in one of its outputs: a tensor of its own that nobody else changes. */
record Kept(HostTensor content) {

  static Kept of(HostTensor tensor) {
    HostTensor copy = HostTensor.zeros(tensor.dtype(), tensor.shape());
    copy(tensor, copy);
    return new Kept(copy);
  }

  /** Puts it where the same launch of another reading writes. */
  void restore(HostTensor output) {
    copy(content, output);
  }

  private static void copy(HostTensor from, HostTensor to) {
    if (from.isContiguous() && to.isContiguous()) {
      int width = from.dtype().bytes();
      MemorySegment.copy(
          from.buffer().segment(),
          from.offset() * width,
          to.buffer().segment(),
          to.offset() * width,
          from.elements() * width);
      return;
    }
    Elements in = Elements.of(from.buffer(), from.dtype());
    Elements out = Elements.of(to.buffer(), to.dtype());
    boolean real = from.dtype().isFloat();
    StridedLoop.over(
        from.shape(),
        (position, at) -> {
          if (real) {
            out.setDouble(at[0], in.getDouble(at[1]));
          } else {
            out.setLong(at[0], in.getLong(at[1]));
          }
        },
        to,
        from);
  }

  /** Its values in order. */
  double[] values() {
    Elements in = Elements.of(content.buffer(), content.dtype());
    double[] values = new double[Sizes.length(content.elements())];
    StridedLoop.runs(
        content.shape(),
        (position, at, steps, count) -> in.read(at[0], steps[0], values, (int) position, count),
        content);
    return values;
  }

  /** The elements whose values are of a kind. */
  BitSet places(DoublePredicate kind) {
    return places(content, kind);
  }

  /** The elements of a tensor whose values are of a kind. */
  static BitSet places(HostTensor tensor, DoublePredicate kind) {
    BitSet places = new BitSet();
    if (!tensor.dtype().isFloat()) {
      return places;
    }
    Elements elements = Elements.of(tensor.buffer(), tensor.dtype());
    double[] values = StridedLoop.room(tensor.elements());
    StridedLoop.runs(
        tensor.shape(),
        (position, offsets, steps, count) -> {
          elements.read(offsets[0], steps[0], values, 0, count);
          for (int i = 0; i < count; i++) {
            if (kind.test(values[i])) {
              places.set(Math.toIntExact(position + i));
            }
          }
        },
        tensor);
    return places;
  }

  long elements() {
    return content.elements();
  }

  /** Elements of one row along the last axis. */
  int columns() {
    return content.rank() == 0 ? 1 : (int) content.shape()[content.rank() - 1];
  }
}
