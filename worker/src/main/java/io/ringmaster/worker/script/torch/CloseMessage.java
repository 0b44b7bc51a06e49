package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;

/**
 * What {@code torch.testing.assert_close} says of two tensors of one shape that aren't close: how
 * many elements, and the greatest differences of those, counted in the tensors' own type.
 */
final class CloseMessage {

  private final HostTensor actual;
  private final HostTensor expected;
  private final DType type;
  private final double rtol;
  private final double atol;
  private final boolean equalNan;
  private final Greatest absolute = new Greatest();
  private final Greatest relative = new Greatest();
  private long mismatches;

  CloseMessage(HostTensor actual, HostTensor expected, double rtol, double atol, boolean equalNan) {
    this.actual = actual;
    this.expected = expected;
    this.type = Dtypes.promote(actual.dtype(), expected.dtype());
    this.rtol = rtol;
    this.atol = atol;
    this.equalNan = equalNan;
  }

  /** The greatest of some numbers and where it is; NaN is greater than any other. */
  private static final class Greatest {
    private double value;
    private long at;

    void add(double other, long position) {
      if (other > value || (Double.isNaN(other) && !Double.isNaN(value))) {
        value = other;
        at = position;
      }
    }
  }

  String text(Interp interp) {
    Elements left = Elements.of(actual.buffer(), actual.dtype());
    Elements right = Elements.of(expected.buffer(), expected.dtype());
    if (actual.rank() == 0) {
      return ofScalars(left, right, interp);
    }
    boolean whole = type.isInteger() || type == DType.BOOL;
    DoubleUnaryOperator rounded = Arithmetic.rounding(whole ? DType.FP32 : type);
    StridedLoop.over(
        actual.shape(),
        (position, at) -> {
          double a = left.getDouble(at[0]);
          double b = right.getDouble(at[1]);
          boolean same = whole ? left.getLong(at[0]) == right.getLong(at[1]) : a == b;
          if (same || isClose(a, b)) {
            return;
          }
          mismatches++;
          double apart =
              whole
                  ? Math.abs((double) (left.getLong(at[0]) - right.getLong(at[1])))
                  : rounded.applyAsDouble(Math.abs(a - b));
          absolute.add(apart, position);
          relative.add(
              rounded.applyAsDouble(
                  rounded.applyAsDouble(apart) / rounded.applyAsDouble(Math.abs(b))),
              position);
        },
        actual,
        expected);
    String share =
        String.format(Locale.ROOT, "%.1f%%", 100.0 * mismatches / Math.max(1, actual.elements()));
    return heading("Tensor-likes")
        + "Mismatched elements: "
        + mismatches
        + " / "
        + actual.elements()
        + " ("
        + share
        + ")\nGreatest absolute difference: "
        + shown(absolute.value, whole, interp)
        + " at index "
        + index(absolute.at)
        + allowed(atol, interp)
        + "\nGreatest relative difference: "
        + shown(relative.value, false, interp)
        + " at index "
        + index(relative.at)
        + allowed(rtol, interp);
  }

  private boolean isClose(double a, double b) {
    return (equalNan && Double.isNaN(a) && Double.isNaN(b))
        || (Double.isFinite(a - b) && Math.abs(a - b) <= atol + rtol * Math.abs(b));
  }

  private String ofScalars(Elements left, Elements right, Interp interp) {
    boolean whole = type.isInteger() || type == DType.BOOL;
    long at = actual.offset();
    long other = expected.offset();
    double a = left.getDouble(at);
    double b = right.getDouble(other);
    double apart =
        whole ? Math.abs((double) (left.getLong(at) - right.getLong(other))) : Math.abs(a - b);
    double share = b == 0 ? Double.POSITIVE_INFINITY : Math.abs(apart / b);
    return heading("Scalars")
        + "Expected "
        + interp.repr(scalar(right, other, expected.dtype()))
        + " but got "
        + interp.repr(scalar(left, at, actual.dtype()))
        + ".\nAbsolute difference: "
        + shown(apart, whole, interp)
        + allowed(atol, interp)
        + "\nRelative difference: "
        + shown(share, false, interp)
        + allowed(rtol, interp);
  }

  private static Value scalar(Elements elements, long at, DType type) {
    if (type == DType.BOOL) {
      return Value.of(elements.getLong(at) != 0);
    }
    return type.isInteger() ? Value.of(elements.getLong(at)) : Value.of(elements.getDouble(at));
  }

  private String heading(String subject) {
    return subject + " are not " + (isExact() ? "equal" : "close") + "!\n\n";
  }

  private boolean isExact() {
    return rtol == 0 && atol == 0;
  }

  private String allowed(double limit, Interp interp) {
    return isExact() ? "" : " (up to " + interp.repr(Value.of(limit)) + " allowed)";
  }

  private static String shown(double value, boolean whole, Interp interp) {
    return interp.repr(whole ? Value.of((long) value) : Value.of(value));
  }

  private String index(long position) {
    long[] index = StridedLoop.indexOf(position, actual.shape());
    return Arrays.stream(index)
        .mapToObj(String::valueOf)
        .collect(Collectors.joining(", ", "(", index.length == 1 ? ",)" : ")"));
  }
}
