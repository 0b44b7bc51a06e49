package io.ringmaster.worker.script.check;

import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * The values of a tensor as one number, to tell whether two launches were given the same.
 *
 * @param hash of all bytes; of a part of them, evenly spread, where they are many
 */
record Content(DType dtype, List<Long> shape, long hash) {

  /** Bytes that are all looked at. */
  private static final long MOST = 16L << 20;

  static Content of(HostTensor tensor) {
    MemorySegment memory = tensor.buffer().segment();
    int width = tensor.dtype().bytes();
    long step = 8 * Math.max(1, tensor.elements() * width / MOST);
    long[] hash = {1};
    StridedLoop.runs(
        tensor.shape(),
        (position, offsets, steps, count) -> {
          if (steps[0] == 1) {
            long end = (offsets[0] + count) * width;
            long at = offsets[0] * width;
            for (; at + 8 <= end; at += step) {
              add(hash, memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
            }
            for (; at < end; at++) {
              add(hash, memory.get(ValueLayout.JAVA_BYTE, at));
            }
            return;
          }
          for (int i = 0; i < count; i++) {
            long at = (offsets[0] + i * steps[0]) * width;
            for (int part = 0; part < width; part++) {
              add(hash, memory.get(ValueLayout.JAVA_BYTE, at + part));
            }
          }
        },
        tensor);
    return new Content(tensor.dtype(), Arrays.stream(tensor.shape()).boxed().toList(), hash[0]);
  }

  private static void add(long[] hash, long value) {
    long mixed = (hash[0] ^ value) * 0x9E3779B97F4A7C15L;
    hash[0] = mixed ^ mixed >>> 29;
  }
}
