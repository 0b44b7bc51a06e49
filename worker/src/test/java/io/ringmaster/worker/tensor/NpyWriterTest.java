package io.ringmaster.worker.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class NpyWriterTest {

  @Test
  void writesAnAlignedHeaderAndRowMajorElements() {
    HostTensor tensor = counting(DType.FP32, 2, 3);

    byte[] file = NpyWriter.write(tensor);

    int headerLength = (file[8] & 0xFF) | (file[9] & 0xFF) << 8;
    String header = new String(file, 10, headerLength, StandardCharsets.US_ASCII);
    assertThat((10 + headerLength) % 64).isZero();
    assertThat(header)
        .startsWith("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }")
        .endsWith("\n");
    assertThat(floats(file, 10 + headerLength)).containsExactly(0, 1, 2, 3, 4, 5);
  }

  @Test
  void followsTheStridesOfAView() {
    HostTensor tensor = counting(DType.FP32, 2, 3);
    var transposed =
        new HostTensor(
            tensor.buffer(), DType.FP32, new long[] {3, 2}, new long[] {1, 3}, tensor.offset());

    byte[] file = NpyWriter.write(transposed);

    assertThat(floats(file, file.length - 24)).containsExactly(0, 3, 1, 4, 2, 5);
  }

  @Test
  void aVectorsShapeIsATupleOfOne() {
    byte[] file = NpyWriter.write(HostTensor.zeros(DType.INT32, 4));

    assertThat(new String(file, StandardCharsets.ISO_8859_1)).contains("'<i4'").contains("(4,)");
  }

  private static HostTensor counting(DType dtype, long... shape) {
    HostTensor tensor = HostTensor.zeros(dtype, shape);
    for (int i = 0; i < tensor.elements(); i++) {
      tensor.buffer().segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
    }
    return tensor;
  }

  private static float[] floats(byte[] file, int from) {
    var buffer =
        ByteBuffer.wrap(file, from, file.length - from)
            .order(ByteOrder.LITTLE_ENDIAN)
            .asFloatBuffer();
    float[] values = new float[buffer.remaining()];
    buffer.get(values);
    return values;
  }
}
