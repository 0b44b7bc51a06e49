package io.ringmaster.worker.tensor;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Tensors as {@code .npy} files, format 1.0, C order, little-endian. NumPy has no type for BF16 and
 * the 8- and 4-bit floats: those are written as unsigned integers that hold the bits.
 *
 * <p>Source of the format: NumPy enhancement proposal 1.
 */
public final class NpyWriter {

  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  private static final int ALIGNMENT = 64;

  private NpyWriter() {}

  /**
   * The file's bytes.
   *
   * @throws IllegalArgumentException when the tensor doesn't fit into one array
   */
  public static byte[] write(HostTensor tensor) {
    long size = tensor.elements() * tensor.dtype().bytes();
    if (size > Integer.MAX_VALUE - 1024) {
      throw new IllegalArgumentException(
          "a tensor of " + size + " bytes doesn't fit into one file");
    }
    var file = new ByteArrayOutputStream(Math.toIntExact(size) + 128);
    byte[] header = header(tensor).getBytes(StandardCharsets.US_ASCII);
    file.writeBytes(MAGIC);
    file.write(header.length & 0xFF);
    file.write(header.length >> 8);
    file.writeBytes(header);
    writeData(file, tensor, 0, tensor.offset());
    return file.toByteArray();
  }

  private static String header(HostTensor tensor) {
    String shape =
        LongStream.of(tensor.shape()).mapToObj(Long::toString).collect(Collectors.joining(", "));
    String text =
        "{'descr': '"
            + description(tensor.dtype())
            + "', 'fortran_order': False, 'shape': ("
            + shape
            + (tensor.rank() == 1 ? "," : "")
            + "), }";
    int unpadded = MAGIC.length + 2 + text.length() + 1;
    return text + " ".repeat((ALIGNMENT - unpadded % ALIGNMENT) % ALIGNMENT) + "\n";
  }

  private static void writeData(
      ByteArrayOutputStream file, HostTensor tensor, int axis, long offset) {
    int width = tensor.dtype().bytes();
    MemorySegment memory = tensor.buffer().segment();
    if (axis == tensor.rank()) {
      file.writeBytes(memory.asSlice(offset * width, width).toArray(ValueLayout.JAVA_BYTE));
      return;
    }
    long extent = tensor.shape()[axis];
    if (axis == tensor.rank() - 1 && tensor.strides()[axis] == 1) {
      file.writeBytes(
          memory.asSlice(offset * width, extent * width).toArray(ValueLayout.JAVA_BYTE));
      return;
    }
    for (long i = 0; i < extent; i++) {
      writeData(file, tensor, axis + 1, offset + i * tensor.strides()[axis]);
    }
  }

  private static String description(DType dtype) {
    return switch (dtype) {
      case FP64 -> "<f8";
      case FP32 -> "<f4";
      case FP16 -> "<f2";
      case BF16, UINT16 -> "<u2";
      case INT64, INDEX, TASK_ID -> "<i8";
      case INT32 -> "<i4";
      case INT16 -> "<i2";
      case INT8, INT4 -> "|i1";
      case UINT64 -> "<u8";
      case UINT32 -> "<u4";
      case UINT8, UINT4, FP8E4M3FN, FP8E5M2, FP8E8M0, HF8, FP4, HF4 -> "|u1";
      case BOOL -> "|b1";
    };
  }
}
