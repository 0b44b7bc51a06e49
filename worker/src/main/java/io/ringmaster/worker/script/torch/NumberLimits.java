package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** {@code torch.finfo(...)} and {@code torch.iinfo(...)}: the limits of an element type. */
record NumberLimits(String typeName, Map<String, Value> values) implements NativeObject {

  static NumberLimits ofFloat(Bound a) {
    DType type = a.has("type") ? Dtypes.of(a.get("type")) : DType.FP32;
    return switch (type) {
      case FP32, BF16 -> floats(type, java.lang.Float.MIN_NORMAL);
      case FP64 -> floats(type, Double.MIN_NORMAL);
      case FP16 -> floats(type, Math.scalb(1.0, -14));
      default -> throw Errors.type("torch.finfo() requires a floating point input type");
    };
  }

  /** The greatest finite value of a float type. */
  static double greatest(DType type) {
    return switch (type) {
      case FP32 -> java.lang.Float.MAX_VALUE;
      case FP16 -> 65504;
      case BF16 -> (2 - Math.scalb(1.0, -7)) * Math.scalb(1.0, 127);
      default -> Double.MAX_VALUE;
    };
  }

  /** The distance from 1 to the next value of a float type. */
  static double epsilon(DType type) {
    return switch (type) {
      case FP32 -> Math.scalb(1.0, -23);
      case FP16 -> Math.scalb(1.0, -10);
      case BF16 -> Math.scalb(1.0, -7);
      default -> Math.ulp(1.0);
    };
  }

  private static NumberLimits floats(DType type, double tiny) {
    double most = greatest(type);
    return new NumberLimits(
        "finfo",
        Map.of(
            "eps", Value.of(epsilon(type)),
            "max", Value.of(most),
            "min", Value.of(-most),
            "tiny", Value.of(tiny),
            "smallest_normal", Value.of(tiny),
            "resolution", Value.of(Math.pow(10, Math.ceil(Math.log10(epsilon(type))))),
            "bits", Value.of(type.bytes() * 8L),
            "dtype", Value.of(Dtypes.nameOf(type))));
  }

  static NumberLimits ofInteger(Bound a) {
    DType type = Dtypes.of(a.get("type"));
    if (!type.isInteger()) {
      throw Errors.type("torch.iinfo() requires an integer input type");
    }
    int bits = type.bytes() * 8;
    boolean signed = type.kind() == DType.Kind.SIGNED;
    long most = signed ? Long.MAX_VALUE >> (64 - bits) : (1L << bits) - 1;
    return new NumberLimits(
        "iinfo",
        Map.of(
            "max", Value.of(most),
            "min", Value.of(signed ? -most - 1 : 0),
            "bits", Value.of(bits)));
  }

  @Override
  public Optional<Value> attribute(String name) {
    return Optional.ofNullable(values.get(name));
  }

  @Override
  public Collection<String> attributeNames() {
    return values.keySet();
  }

  @Override
  public String repr(Interp interp) {
    return typeName + "(...)";
  }
}
