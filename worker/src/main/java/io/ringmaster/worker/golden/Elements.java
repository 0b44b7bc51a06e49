package io.ringmaster.worker.golden;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostBuffer;
import java.lang.foreign.MemorySegment;

/**
 * Reads and writes single elements of host memory, rounding to the element type on the way in.
 *
 * <p>Golden arithmetic stands on this class and on nothing that a kernel runs through, so that one
 * mistake can't hide in both. Whoever reads or writes stretches has an object to itself.
 */
public final class Elements {

  private final MemorySegment segment;
  private final DType type;

  /** What stretches of floats pass through on their way, much faster than one by one. */
  private float[] scratch = {};

  private Elements(MemorySegment segment, DType type) {
    this.segment = segment;
    this.type = type;
  }

  /**
   * The elements of a buffer under a type.
   *
   * @throws IllegalArgumentException for types that no host tensor of a script can have
   */
  public static Elements of(HostBuffer buffer, DType type) {
    return switch (type) {
      case FP8E4M3FN, FP8E5M2, FP8E8M0, HF8, FP4, HF4, INT4, UINT4 ->
          throw new IllegalArgumentException("no host tensors of " + type);
      default -> new Elements(buffer.segment(), type);
    };
  }

  /** The value at an element index, as a double; 64-bit integers may lose low bits. */
  public double getDouble(long index) {
    return switch (type) {
      case FP64 -> segment.getAtIndex(JAVA_DOUBLE, index);
      case FP32 -> segment.getAtIndex(JAVA_FLOAT, index);
      case FP16 -> Float.float16ToFloat(segment.getAtIndex(JAVA_SHORT, index));
      case BF16 -> Float.intBitsToFloat(segment.getAtIndex(JAVA_SHORT, index) << 16);
      default -> (double) getLong(index);
    };
  }

  /** The value at an element index, as an integer; fractions are cut off. */
  public long getLong(long index) {
    return switch (type) {
      case INT64, INDEX, UINT64, TASK_ID -> segment.getAtIndex(JAVA_LONG, index);
      case INT32 -> segment.getAtIndex(JAVA_INT, index);
      case UINT32 -> Integer.toUnsignedLong(segment.getAtIndex(JAVA_INT, index));
      case INT16 -> segment.getAtIndex(JAVA_SHORT, index);
      case UINT16 -> Short.toUnsignedLong(segment.getAtIndex(JAVA_SHORT, index));
      case INT8 -> segment.get(JAVA_BYTE, index);
      case UINT8 -> Byte.toUnsignedLong(segment.get(JAVA_BYTE, index));
      case BOOL -> segment.get(JAVA_BYTE, index) != 0 ? 1 : 0;
      default -> (long) getDouble(index);
    };
  }

  /** Stores a value; rounds floats to nearest even, cuts fractions off for integers. */
  public void setDouble(long index, double value) {
    switch (type) {
      case FP64 -> segment.setAtIndex(JAVA_DOUBLE, index, value);
      case FP32 -> segment.setAtIndex(JAVA_FLOAT, index, (float) value);
      case FP16 -> segment.setAtIndex(JAVA_SHORT, index, Float.floatToFloat16(toOddFloat(value)));
      case BF16 -> segment.setAtIndex(JAVA_SHORT, index, toBFloat16(toOddFloat(value)));
      case BOOL -> segment.set(JAVA_BYTE, index, (byte) (value != 0 ? 1 : 0));
      default -> setLong(index, (long) value);
    }
  }

  /** Stores a value; integers keep their low bits, as two's complement does. */
  public void setLong(long index, long value) {
    switch (type) {
      case INT64, INDEX, UINT64, TASK_ID -> segment.setAtIndex(JAVA_LONG, index, value);
      case INT32, UINT32 -> segment.setAtIndex(JAVA_INT, index, (int) value);
      case INT16, UINT16 -> segment.setAtIndex(JAVA_SHORT, index, (short) value);
      case INT8, UINT8 -> segment.set(JAVA_BYTE, index, (byte) value);
      case BOOL -> segment.set(JAVA_BYTE, index, (byte) (value != 0 ? 1 : 0));
      case FP32 -> segment.setAtIndex(JAVA_FLOAT, index, (float) value);
      default -> setDouble(index, (double) value);
    }
  }

  /** Reads {@code count} values, {@code step} elements apart, to {@code to[at]} and after. */
  public void read(long from, long step, double[] to, int at, int count) {
    if (type == DType.FP32 && step == 1) {
      // By far the most common way in which big tensors lie.
      float[] values = floats(count);
      MemorySegment.copy(segment, JAVA_FLOAT, from * Float.BYTES, values, 0, count);
      for (int i = 0; i < count; i++) {
        to[at + i] = values[i];
      }
      return;
    }
    for (int i = 0; i < count; i++) {
      to[at + i] = getDouble(from + i * step);
    }
  }

  /** Reads {@code count} values as integers, {@code step} elements apart. */
  public void read(long from, long step, long[] to, int count) {
    for (int i = 0; i < count; i++) {
      to[i] = getLong(from + i * step);
    }
  }

  /** Stores {@code count} values, {@code step} elements apart. */
  public void write(long to, long step, double[] from, int count) {
    if (type == DType.FP32 && step == 1) {
      float[] values = floats(count);
      for (int i = 0; i < count; i++) {
        values[i] = (float) from[i];
      }
      MemorySegment.copy(values, 0, segment, JAVA_FLOAT, to * Float.BYTES, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      setDouble(to + i * step, from[i]);
    }
  }

  /** Stores {@code count} integers, {@code step} elements apart. */
  public void write(long to, long step, long[] from, int count) {
    for (int i = 0; i < count; i++) {
      setLong(to + i * step, from[i]);
    }
  }

  private float[] floats(int count) {
    if (scratch.length < count) {
      scratch = new float[count];
    }
    return scratch;
  }

  /** Rounds to the nearest bfloat16, ties to even; NaN stays NaN. */
  public static short toBFloat16(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) ((bits >>> 16) | 0x40);
    }
    int rounding = 0x7FFF + ((bits >>> 16) & 1);
    return (short) ((bits + rounding) >>> 16);
  }

  /**
   * A float that rounds to narrower types as {@code value} itself would: when the cut lost bits,
   * the last bit is made odd, so that no second rounding meets a false tie.
   */
  static float toOddFloat(double value) {
    float near = (float) value;
    if (near == value || Float.isNaN(near) || Float.isInfinite(near)) {
      return near;
    }
    float down = Math.abs(near) > Math.abs(value) ? towardsZero(near) : near;
    return Float.intBitsToFloat(Float.floatToRawIntBits(down) | 1);
  }

  private static float towardsZero(float value) {
    return value > 0 ? Math.nextDown(value) : Math.nextUp(value);
  }
}
