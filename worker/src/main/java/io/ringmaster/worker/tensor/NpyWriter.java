package io.ringmaster.worker.tensor;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
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

  /** Elements that are copied at a time. */
  private static final long PIECE = 1 << 18;

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
    try {
      write(tensor, file);
    } catch (IOException e) {
      throw new UncheckedIOException("an array in memory takes whatever it gets", e);
    }
    return file.toByteArray();
  }

  /** Writes the file's bytes to a stream, a piece at a time. */
  public static void write(HostTensor tensor, OutputStream to) throws IOException {
    byte[] header = header(tensor).getBytes(StandardCharsets.US_ASCII);
    to.write(MAGIC);
    to.write(header.length & 0xFF);
    to.write(header.length >> 8);
    to.write(header);
    writeData(to, tensor, 0, tensor.offset());
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

  private static void writeData(OutputStream to, HostTensor tensor, int axis, long offset)
      throws IOException {
    if (axis == tensor.rank()) {
      writeElements(to, tensor, offset, 1);
      return;
    }
    long extent = tensor.shape()[axis];
    if (axis == tensor.rank() - 1 && tensor.strides()[axis] == 1) {
      for (long done = 0; done < extent; done += PIECE) {
        writeElements(to, tensor, offset + done, Math.min(PIECE, extent - done));
      }
      return;
    }
    for (long i = 0; i < extent; i++) {
      writeData(to, tensor, axis + 1, offset + i * tensor.strides()[axis]);
    }
  }

  private static void writeElements(OutputStream to, HostTensor tensor, long from, long count)
      throws IOException {
    int width = tensor.dtype().bytes();
    to.write(
        tensor
            .buffer()
            .segment()
            .asSlice(from * width, count * width)
            .toArray(ValueLayout.JAVA_BYTE));
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
