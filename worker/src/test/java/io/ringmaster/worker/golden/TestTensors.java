package io.ringmaster.worker.golden;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;

/** Small tensors for tests. */
final class TestTensors {

  private TestTensors() {}

  static HostTensor floats(double... values) {
    return tensor(DType.FP32, new long[] {values.length}, values);
  }

  static HostTensor tensor(DType type, long[] shape, double... values) {
    HostTensor tensor = HostTensor.zeros(type, shape);
    Elements elements = Elements.of(tensor.buffer(), type);
    for (int i = 0; i < values.length; i++) {
      elements.setDouble(i, values[i]);
    }
    return tensor;
  }
}
