package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.tensor.DType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The texts of the kernels: one program for each element type, one for each width of moves. */
final class Texts {

  private static final String TILES = resource("tiles.cl");
  private static final String MOVES = resource("moves.cl");

  private Texts() {}

  /** Arithmetic on tiles of a type. */
  static String tiles(DType dtype) {
    return "#define T " + code(dtype) + "\n" + TILES;
  }

  /** Moves of elements of a width in bytes. */
  static String moves(int width) {
    String type =
        switch (width) {
          case 1 -> "uchar";
          case 2 -> "ushort";
          case 4 -> "uint";
          case 8 -> "ulong";
          default -> throw new IllegalArgumentException("no element has " + width + " bytes");
        };
    return "#define E " + type + "\n" + MOVES;
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
