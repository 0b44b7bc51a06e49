package io.ringmaster.worker.script.value;

import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.check.Origin;
import java.math.BigInteger;
import java.util.Optional;

/** A value of the script. The small immutable ones are declared here. */
public sealed interface Value
    permits Value.None,
        Value.Bool,
        Value.Int,
        Value.Float,
        Value.Str,
        Value.Ellipsis,
        Value.Slice,
        Value.Range,
        ListValue,
        TupleValue,
        DictValue,
        SetValue,
        IteratorValue,
        FunctionValue,
        MethodValue,
        NativeFunction,
        ClassValue,
        InstanceValue,
        ModuleValue,
        NativeObject {

  Value NONE = new None();
  Bool TRUE = new Bool(true, Optional.empty(), false);
  Bool FALSE = new Bool(false, Optional.empty(), false);
  Value ELLIPSIS = new Ellipsis();

  record None() implements Value {}

  record Ellipsis() implements Value {}

  /**
   * A truth value.
   *
   * @param claim the comparison of kernel data it stands for
   * @param inverted true when it is the opposite of the claim
   */
  record Bool(boolean value, Optional<Claim> claim, boolean inverted) implements Value {}

  record Int(BigInteger value, Origin origin) implements Value {
    public Int(BigInteger value) {
      this(value, Origin.NONE);
    }
  }

  record Float(double value, Origin origin) implements Value {
    public Float(double value) {
      this(value, Origin.NONE);
    }
  }

  record Str(String value) implements Value {}

  /** {@code slice(start, stop, step)}; absent bounds are None. */
  record Slice(Value start, Value stop, Value step) implements Value {}

  /** {@code range(start, stop, step)}; the step is never zero. */
  record Range(long start, long stop, long step) implements Value {

    public long size() {
      if (step > 0) {
        return start >= stop ? 0 : (stop - 1 - start) / step + 1;
      }
      return start <= stop ? 0 : (start - 1 - stop) / -step + 1;
    }

    public long at(long index) {
      return start + index * step;
    }
  }

  static Bool of(boolean value) {
    return value ? TRUE : FALSE;
  }

  static Bool of(boolean value, Claim claim) {
    return new Bool(value, Optional.of(claim), false);
  }

  static Int of(long value) {
    return new Int(BigInteger.valueOf(value));
  }

  static Float of(double value) {
    return new Float(value);
  }

  static Str of(String value) {
    return new Str(value);
  }
}
