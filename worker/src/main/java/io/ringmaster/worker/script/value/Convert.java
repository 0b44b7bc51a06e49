package io.ringmaster.worker.script.value;

import java.math.BigInteger;

/** Turns values into plain Java ones, with Python's complaints. */
public final class Convert {

  private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

  private Convert() {}

  /** A whole number that fits 64 bits; {@code what} starts the message. */
  public static long integer(Value value, String what) {
    return switch (value) {
      case Value.Int number -> fit(number.value(), what);
      case Value.Bool bool -> bool.value() ? 1 : 0;
      case NativeObject object when object.asIndex().isPresent() -> object.asIndex().get();
      case InstanceValue member when member.countsAs().isPresent() ->
          integer(member.countsAs().get(), what);
      default -> throw Errors.type(what + " must be int, not " + Types.nameOf(value));
    };
  }

  public static long fit(BigInteger value, String what) {
    if (value.compareTo(LEAST) < 0 || value.compareTo(MOST) > 0) {
      throw Errors.overflow(what + " does not fit in 64 bits");
    }
    return value.longValue();
  }

  public static double number(Value value, String what) {
    return switch (value) {
      case Value.Float number -> number.value();
      case Value.Int number -> number.value().doubleValue();
      case Value.Bool bool -> bool.value() ? 1 : 0;
      case NativeObject object when object.asNumber().isPresent() -> object.asNumber().get();
      case InstanceValue member when member.countsAs().isPresent() ->
          number(member.countsAs().get(), what);
      default -> throw Errors.type(what + " must be a number, not " + Types.nameOf(value));
    };
  }

  public static String string(Value value, String what) {
    if (value instanceof Value.Str text) {
      return text.value();
    }
    if (value instanceof InstanceValue member && member.countsAs().isPresent()) {
      return string(member.countsAs().get(), what);
    }
    throw Errors.type(what + " must be str, not " + Types.nameOf(value));
  }

  public static boolean flag(Value value, String what) {
    return switch (value) {
      case Value.Bool bool -> bool.value();
      case Value.Int number -> number.value().signum() != 0;
      default -> throw Errors.type(what + " must be bool, not " + Types.nameOf(value));
    };
  }
}
