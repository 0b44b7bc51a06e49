package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;

/** Walks the lines of elements that lie along one dimension of some tensors. */
final class Lanes {

  /** Called once for each line. */
  @FunctionalInterface
  interface Body {
    /** The element index at which the line starts, for each tensor; the array is reused. */
    void lane(long[] starts);
  }

  private Lanes() {}

  /** All tensors have the same extents, except along the axis; none is without dimensions. */
  static void over(int axis, Body body, HostTensor... tensors) {
    HostTensor[] corners =
        Arrays.stream(tensors).map(t -> Views.select(t, axis, 0)).toArray(HostTensor[]::new);
    StridedLoop.over(corners[0].shape(), (p, at) -> body.lane(at), corners);
  }

  /** A tensor without dimensions as one of one element. */
  static HostTensor atLeast1d(HostTensor tensor) {
    return tensor.rank() == 0 ? Views.unsqueeze(tensor, 0) : tensor;
  }
}
