package io.ringmaster.worker.tensor;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Element types of tensors, tiles and scalars. Sizes in bytes; sub-byte types occupy one byte, as
 * the language's {@code get_byte()} rounds up.
 */
public enum DType {
  FP64(8, Kind.FLOAT),
  FP32(4, Kind.FLOAT),
  FP16(2, Kind.FLOAT),
  BF16(2, Kind.FLOAT),
  FP8E4M3FN(1, Kind.FLOAT),
  FP8E5M2(1, Kind.FLOAT),
  FP8E8M0(1, Kind.FLOAT),
  HF8(1, Kind.FLOAT),
  FP4(1, Kind.FLOAT),
  HF4(1, Kind.FLOAT),
  INT64(8, Kind.SIGNED),
  INT32(4, Kind.SIGNED),
  INT16(2, Kind.SIGNED),
  INT8(1, Kind.SIGNED),
  INT4(1, Kind.SIGNED),
  UINT64(8, Kind.UNSIGNED),
  UINT32(4, Kind.UNSIGNED),
  UINT16(2, Kind.UNSIGNED),
  UINT8(1, Kind.UNSIGNED),
  UINT4(1, Kind.UNSIGNED),
  /** Loop and offset type of the language; 64-bit signed. */
  INDEX(8, Kind.SIGNED),
  BOOL(1, Kind.BOOL),
  TASK_ID(8, Kind.SIGNED);

  /** What arithmetic a type takes part in. */
  public enum Kind {
    FLOAT,
    SIGNED,
    UNSIGNED,
    BOOL
  }

  private static final Map<String, DType> BY_NAME =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(DType::name, type -> type));

  private final int bytes;
  private final Kind kind;

  DType(int bytes, Kind kind) {
    this.bytes = bytes;
    this.kind = kind;
  }

  /** Bytes an element takes in memory. */
  public int bytes() {
    return bytes;
  }

  public Kind kind() {
    return kind;
  }

  public boolean isFloat() {
    return kind == Kind.FLOAT;
  }

  /** True for signed and unsigned integers, INDEX included; false for BOOL. */
  public boolean isInteger() {
    return kind == Kind.SIGNED || kind == Kind.UNSIGNED;
  }

  /** Finds a type by the language's spelling ({@code FP32}), ignoring case. */
  public static Optional<DType> named(String name) {
    DType exact = BY_NAME.get(name);
    return Optional.ofNullable(exact == null ? BY_NAME.get(name.toUpperCase(Locale.ROOT)) : exact);
  }
}
