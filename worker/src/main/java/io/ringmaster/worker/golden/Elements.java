package io.ringmaster.worker.golden;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads and writes single elements of host memory, rounding to the element type on the way in.
 *
 * <p>Golden arithmetic stands on this class and on nothing that a kernel runs through, so that one
 * mistake can't hide in both.
 */
public abstract sealed class Elements {

  final MemorySegment segment;

  private Elements(MemorySegment segment) {
    this.segment = segment;
  }

  /** The value at an element index, as a double; 64-bit integers may lose low bits. */
  public abstract double getDouble(long index);

  /** The value at an element index, as an integer; fractions are cut off. */
  public abstract long getLong(long index);

  /** Stores a value; rounds floats to nearest even, cuts fractions off for integers. */
  public abstract void setDouble(long index, double value);

  /** Stores a value; integers keep their low bits, as two's complement does. */
  public abstract void setLong(long index, long value);

  /**
   * The elements of a buffer under a type.
   *
   * @throws IllegalArgumentException for types that no host tensor of a script can have
   */
  public static Elements of(HostBuffer buffer, DType type) {
    MemorySegment segment = buffer.segment();
    return switch (type) {
      case FP64 -> new Float64(segment);
      case FP32 -> new Float32(segment);
      case FP16 -> new Float16(segment);
      case BF16 -> new BFloat16(segment);
      case INT64, INDEX, UINT64, TASK_ID -> new Int64(segment);
      case INT32 -> new Int32(segment);
      case INT16 -> new Int16(segment);
      case INT8 -> new Int8(segment);
      case UINT8 -> new UInt8(segment);
      case UINT16 -> new UInt16(segment);
      case UINT32 -> new UInt32(segment);
      case BOOL -> new Flag(segment);
      case FP8E4M3FN, FP8E5M2, FP8E8M0, HF8, FP4, HF4, INT4, UINT4 ->
          throw new IllegalArgumentException("no host tensors of " + type);
    };
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

  /** Doubles. */
  private static final class Float64 extends Elements {
    private Float64(MemorySegment segment) {
      super(segment);
    }

    @Override
    public double getDouble(long index) {
      return segment.getAtIndex(ValueLayout.JAVA_DOUBLE, index);
    }

    @Override
    public long getLong(long index) {
      return (long) getDouble(index);
    }

    @Override
    public void setDouble(long index, double value) {
      segment.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
    }

    @Override
    public void setLong(long index, long value) {
      setDouble(index, (double) value);
    }
  }

  /** Floats. */
  private static final class Float32 extends Elements {
    private Float32(MemorySegment segment) {
      super(segment);
    }

    @Override
    public double getDouble(long index) {
      return segment.getAtIndex(ValueLayout.JAVA_FLOAT, index);
    }

    @Override
    public long getLong(long index) {
      return (long) getDouble(index);
    }

    @Override
    public void setDouble(long index, double value) {
      segment.setAtIndex(ValueLayout.JAVA_FLOAT, index, (float) value);
    }

    @Override
    public void setLong(long index, long value) {
      segment.setAtIndex(ValueLayout.JAVA_FLOAT, index, (float) value);
    }
  }

  /** IEEE half precision. */
  private static final class Float16 extends Elements {
    private Float16(MemorySegment segment) {
      super(segment);
    }

    @Override
    public double getDouble(long index) {
      return Float.float16ToFloat(segment.getAtIndex(ValueLayout.JAVA_SHORT, index));
    }

    @Override
    public long getLong(long index) {
      return (long) getDouble(index);
    }

    @Override
    public void setDouble(long index, double value) {
      short bits = Float.floatToFloat16(toOddFloat(value));
      segment.setAtIndex(ValueLayout.JAVA_SHORT, index, bits);
    }

    @Override
    public void setLong(long index, long value) {
      setDouble(index, (double) value);
    }
  }

  /** The upper half of a float. */
  private static final class BFloat16 extends Elements {
    private BFloat16(MemorySegment segment) {
      super(segment);
    }

    @Override
    public double getDouble(long index) {
      int bits = segment.getAtIndex(ValueLayout.JAVA_SHORT, index) << 16;
      return Float.intBitsToFloat(bits);
    }

    @Override
    public long getLong(long index) {
      return (long) getDouble(index);
    }

    @Override
    public void setDouble(long index, double value) {
      short bits = toBFloat16(toOddFloat(value));
      segment.setAtIndex(ValueLayout.JAVA_SHORT, index, bits);
    }

    @Override
    public void setLong(long index, long value) {
      setDouble(index, (double) value);
    }
  }

  /** What all integer types share: doubles go through long. */
  private abstract static sealed class Whole extends Elements {
    private Whole(MemorySegment segment) {
      super(segment);
    }

    @Override
    public final double getDouble(long index) {
      return (double) getLong(index);
    }

    @Override
    public final void setDouble(long index, double value) {
      setLong(index, (long) value);
    }
  }

  private static final class Int64 extends Whole {
    private Int64(MemorySegment segment) {
      super(segment);
    }

    @Override
    public long getLong(long index) {
      return segment.getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    @Override
    public void setLong(long index, long value) {
      segment.setAtIndex(ValueLayout.JAVA_LONG, index, value);
    }
  }

  private static final class Int32 extends Whole {
    private Int32(MemorySegment segment) {
      super(segment);
    }

    @Override
    public long getLong(long index) {
      return segment.getAtIndex(ValueLayout.JAVA_INT, index);
    }

    @Override
    public void setLong(long index, long value) {
      segment.setAtIndex(ValueLayout.JAVA_INT, index, (int) value);
    }
  }

  private static final class UInt32 extends Whole {
    private UInt32(MemorySegment segment) {
      super(segment);
    }

    @Override
    public long getLong(long index) {
      return Integer.toUnsignedLong(segment.getAtIndex(ValueLayout.JAVA_INT, index));
    }

    @Override
    public void setLong(long index, long value) {
      segment.setAtIndex(ValueLayout.JAVA_INT, index, (int) value);
    }
  }

  private static final class Int16 extends Whole {
    private Int16(MemorySegment segment) {
      super(segment);
    }

    @Override
    public long getLong(long index) {
      return segment.getAtIndex(ValueLayout.JAVA_SHORT, index);
    }

    @Override
    public void setLong(long index, long value) {
      segment.setAtIndex(ValueLayout.JAVA_SHORT, index, (short) value);
    }
  }

  private static final class UInt16 extends Whole {
    private UInt16(MemorySegment segment) {
      super(segment);
    }

    @Override
    public long getLong(long index) {
      return Short.toUnsignedLong(segment.getAtIndex(ValueLayout.JAVA_SHORT, index));
    }

    @Override
    public void setLong(long index, long value) {
      segment.setAtIndex(ValueLayout.JAVA_SHORT, index, (short) value);
    }
  }

  private static final class Int8 extends Whole {
    private Int8(MemorySegment segment) {
      super(segment);
    }

    @Override
    public long getLong(long index) {
      return segment.get(ValueLayout.JAVA_BYTE, index);
    }

    @Override
    public void setLong(long index, long value) {
      segment.set(ValueLayout.JAVA_BYTE, index, (byte) value);
    }
  }

  private static final class UInt8 extends Whole {
    private UInt8(MemorySegment segment) {
      super(segment);
    }

    @Override
    public long getLong(long index) {
      return Byte.toUnsignedLong(segment.get(ValueLayout.JAVA_BYTE, index));
    }

    @Override
    public void setLong(long index, long value) {
      segment.set(ValueLayout.JAVA_BYTE, index, (byte) value);
    }
  }

  /** Truth values: anything but zero is true. */
  private static final class Flag extends Elements {
    private Flag(MemorySegment segment) {
      super(segment);
    }

    @Override
    public double getDouble(long index) {
      return (double) getLong(index);
    }

    @Override
    public long getLong(long index) {
      return segment.get(ValueLayout.JAVA_BYTE, index) != 0 ? 1 : 0;
    }

    @Override
    public void setDouble(long index, double value) {
      segment.set(ValueLayout.JAVA_BYTE, index, (byte) (value != 0 ? 1 : 0));
    }

    @Override
    public void setLong(long index, long value) {
      segment.set(ValueLayout.JAVA_BYTE, index, (byte) (value != 0 ? 1 : 0));
    }
  }
}
