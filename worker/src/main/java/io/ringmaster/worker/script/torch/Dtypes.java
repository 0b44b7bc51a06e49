package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.LinkedHashMap;
import java.util.Map;

/** Element types by their torch names, and which type an operation gives. */
final class Dtypes {

  /** Every name torch has for a type that scripts can use. */
  static final Map<String, DType> NAMES = new LinkedHashMap<>();

  static {
    NAMES.put("float32", DType.FP32);
    NAMES.put("float", DType.FP32);
    NAMES.put("float64", DType.FP64);
    NAMES.put("double", DType.FP64);
    NAMES.put("float16", DType.FP16);
    NAMES.put("half", DType.FP16);
    NAMES.put("bfloat16", DType.BF16);
    NAMES.put("int8", DType.INT8);
    NAMES.put("int16", DType.INT16);
    NAMES.put("short", DType.INT16);
    NAMES.put("int32", DType.INT32);
    NAMES.put("int", DType.INT32);
    NAMES.put("int64", DType.INT64);
    NAMES.put("long", DType.INT64);
    NAMES.put("uint8", DType.UINT8);
    NAMES.put("uint16", DType.UINT16);
    NAMES.put("uint32", DType.UINT32);
    NAMES.put("bool", DType.BOOL);
  }

  private Dtypes() {}

  /** {@code float32} for FP32. */
  static String nameOf(DType type) {
    for (Map.Entry<String, DType> entry : NAMES.entrySet()) {
      if (entry.getValue() == type) {
        return entry.getKey();
      }
    }
    return type.name().toLowerCase(java.util.Locale.ROOT);
  }

  /** The name error messages use: {@code Float}, {@code Long}. */
  static String scalarName(DType type) {
    return switch (type) {
      case FP32 -> "Float";
      case FP64 -> "Double";
      case FP16 -> "Half";
      case BF16 -> "BFloat16";
      case INT8 -> "Char";
      case INT16 -> "Short";
      case INT32 -> "Int";
      case INT64 -> "Long";
      case UINT8 -> "Byte";
      case BOOL -> "Bool";
      default -> nameOf(type);
    };
  }

  static DType of(Value value) {
    if (value instanceof DtypeValue type) {
      return type.type();
    }
    throw Errors.type("dtype must be a torch.dtype, not " + Types.nameOf(value));
  }

  private static int category(DType type) {
    return type == DType.BOOL ? 0 : type.isFloat() ? 2 : 1;
  }

  /** The type that holds values of both. */
  static DType promote(DType a, DType b) {
    if (a == b) {
      return a;
    }
    if (category(a) != category(b)) {
      return category(a) > category(b) ? a : b;
    }
    if (a.isFloat()) {
      boolean halves = a.bytes() == 2 && b.bytes() == 2;
      return halves ? DType.FP32 : a.bytes() > b.bytes() ? a : b;
    }
    boolean sameSign = a.kind() == b.kind();
    if (sameSign) {
      return a.bytes() > b.bytes() ? a : b;
    }
    DType signed = a.kind() == DType.Kind.SIGNED ? a : b;
    DType unsigned = a.kind() == DType.Kind.SIGNED ? b : a;
    if (signed.bytes() > unsigned.bytes()) {
      return signed;
    }
    return unsigned.bytes() == 1 ? DType.INT16 : unsigned.bytes() == 2 ? DType.INT32 : DType.INT64;
  }

  /** The type of an operation: dimensioned tensors outrank 0-dim ones, those outrank numbers. */
  static DType result(Operand a, Operand b) {
    if (a.rank() == b.rank()) {
      return promote(a.dtype(), b.dtype());
    }
    Operand high = a.rank() > b.rank() ? a : b;
    Operand low = a.rank() > b.rank() ? b : a;
    return category(low.dtype()) > category(high.dtype())
        ? promote(high.dtype(), low.defaulted())
        : high.dtype();
  }

  /** True when a result of one type may be stored into a tensor of the other in place. */
  static boolean canCast(DType from, DType to) {
    return category(from) <= category(to);
  }
}
