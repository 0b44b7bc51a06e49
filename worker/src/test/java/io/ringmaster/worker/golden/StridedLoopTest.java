package io.ringmaster.worker.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Walks every element once, in row-major order, whatever the strides are; and stops when told. */
class StridedLoopTest {

  private static final HostTensor BASE = HostTensor.zeros(DType.FP32, 4, 6, 10);

  private static HostTensor view(long offset, long[] shape, long... strides) {
    return new HostTensor(BASE.buffer(), BASE.dtype(), shape, strides, offset);
  }

  @Test
  void packedViewsAreOneRun() {
    List<Integer> counts = new ArrayList<>();
    StridedLoop.runs(
        BASE.shape(), (position, offsets, steps, count) -> counts.add(count), BASE, BASE);

    assertThat(counts).containsExactly(240);
  }

  @Test
  void offsetsAreThoseOfTheIndices() {
    long[] shape = {4, 1, 3, 2, 5};
    HostTensor strided = view(7, shape, 60, 99, 10, 5, 1);
    HostTensor crossed = view(0, shape, 1, 0, 8, 4, 24);
    HostTensor row = view(3, new long[] {2, 5}, 5, 1);
    HostTensor column = view(2, new long[] {3, 1, 1}, 2, 77, 88);
    List<HostTensor> views = List.of(strided, crossed, row, column);
    List<String> seen = new ArrayList<>();

    StridedLoop.over(
        shape,
        (position, offsets) -> seen.add(position + Arrays.toString(offsets)),
        views.toArray(HostTensor[]::new));

    List<String> wanted = new ArrayList<>();
    for (long position = 0; position < HostTensor.count(shape); position++) {
      long[] index = StridedLoop.indexOf(position, shape);
      long[] offsets = new long[views.size()];
      for (int i = 0; i < offsets.length; i++) {
        offsets[i] = views.get(i).offset();
        long[] strides = StridedLoop.stridesFor(views.get(i), shape);
        for (int axis = 0; axis < shape.length; axis++) {
          offsets[i] += index[axis] * strides[axis];
        }
      }
      wanted.add(position + Arrays.toString(offsets));
    }
    assertThat(seen).isEqualTo(wanted);
  }

  @Test
  void aSingleElementAndNoneAtAll() {
    List<Long> seen = new ArrayList<>();
    StridedLoop.over(
        new long[0], (position, offsets) -> seen.add(offsets[0]), view(9, new long[0]));
    StridedLoop.over(
        new long[] {3, 0}, (position, offsets) -> seen.add(-1L), view(0, new long[] {3, 0}, 0, 1));

    assertThat(seen).containsExactly(9L);
  }

  @Test
  void theOrderToStopIsHeededWithinAStretch() {
    long[] shape = {1L << 60};
    long[] last = {0};
    HostTensor everywhere = view(0, shape, 0);

    assertThatExceptionOfType(StopOrder.Stopped.class)
        .isThrownBy(
            () ->
                StridedLoop.over(
                    shape,
                    (position, offsets) -> {
                      last[0] = position;
                      Thread.currentThread().interrupt();
                    },
                    everywhere));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(last[0]).isLessThan(StopOrder.STRETCH);
  }
}
