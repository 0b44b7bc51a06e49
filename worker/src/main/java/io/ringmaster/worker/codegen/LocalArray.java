package io.ringmaster.worker.codegen;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import java.util.BitSet;

/** A core-local array ({@code pl.array.create}), which knows what of it was written. */
final class LocalArray {

  private final long[] values;
  private final BitSet written = new BitSet();

  LocalArray(int size, DType dtype) {
    this.values = new long[size];
    if (dtype == DType.TASK_ID) {
      // No task yet: that is what its elements say, and what a submit may depend on.
      written.set(0, size);
      return;
    }
    long mark = Device.mark(dtype);
    Arrays.fill(values, dtype.isFloat() ? mark : Scalars.convert(mark, DType.INT64, dtype));
  }

  int size() {
    return values.length;
  }

  long get(int index) {
    return values[index];
  }

  boolean isWritten(int index) {
    return written.get(index);
  }

  void set(int index, long value) {
    values[index] = value;
    written.set(index);
  }
}
