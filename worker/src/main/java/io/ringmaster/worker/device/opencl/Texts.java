package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.tensor.DType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The texts of the kernels: one program for each element type, one for each width of moves. */
final class Texts {

  private static final String JOB = resource("job.cl");

  /** By the codes of the types. */
  private static final List<String> TILES =
      IntStream.rangeClosed(0, 11).mapToObj(code -> text("tiles.cl", "T " + code)).toList();

  /** By the widths. */
  private static final Map<Integer, String> MOVES =
      Map.of(
          1, text("moves.cl", "E uchar"),
          2, text("moves.cl", "E ushort"),
          4, text("moves.cl", "E uint"),
          8, text("moves.cl", "E ulong"));

  private Texts() {}

  /** Arithmetic on tiles of a type. */
  static String tiles(DType dtype) {
    return TILES.get(code(dtype));
  }

  /** Moves of elements of a width in bytes. */
  static String moves(int width) {
    String text = MOVES.get(width);
    if (text == null) {
      throw new IllegalArgumentException("no element has " + width + " bytes");
    }
    return text;
  }

  /** Made once each: a launch finds its kernel by the text. */
  private static String text(String resource, String type) {
    return "#define " + type + "\n" + JOB + resource(resource);
  }

  /** The number by which the kernels know a type. */
  static int code(DType dtype) {
    return switch (dtype) {
      case FP32 -> 0;
      case FP16 -> 1;
      case BF16 -> 2;
      case INT64, INDEX -> 3;
      case INT32 -> 4;
      case INT16 -> 5;
      case INT8 -> 6;
      case UINT64 -> 7;
      case UINT32 -> 8;
      case UINT16 -> 9;
      case UINT8 -> 10;
      case BOOL -> 11;
      case FP64, FP8E4M3FN, FP8E5M2, FP8E8M0, HF8, FP4, HF4, INT4, UINT4, TASK_ID ->
          throw new DeviceFault(
              "dtype " + dtype + " isn't computed on opencl; tiles may be " + Accelerator.DTYPES);
    };
  }

  private static String resource(String name) {
    try (InputStream in = Texts.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("resource " + name + " isn't in this program");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
