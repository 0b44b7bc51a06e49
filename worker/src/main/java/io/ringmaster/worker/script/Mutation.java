package io.ringmaster.worker.script;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What a wrong kernel could have left in an output in the place of what the kernel wrote.
 *
 * @param from first element, in order, that is changed
 * @param to the first after it that isn't
 * @param only the elements that may change; null for all
 * @param instead the values after it; null where the kind tells
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record Mutation(Kind kind, long from, long to, @Nullable BitSet only, double @Nullable [] instead) {

  Mutation(Kind kind, long from, long to, @Nullable BitSet only) {
    this(kind, from, to, only, null);
  }

  /** Other values for all. */
  static Mutation to(double[] values) {
    return new Mutation(Kind.OTHER, 0, Long.MAX_VALUE, null, values);
  }

  /** What is changed. */
  enum Kind {
    /** Far larger: also a mean over all elements shows it. */
    FAR_UP("is far larger"),
    FAR_DOWN("is far smaller"),
    UP("is larger by its largest value"),
    DOWN("is smaller by its largest value"),
    DOUBLED("is twice as large"),
    MORE("is half as large again"),
    LESS("is two fifths smaller"),
    NEGATED("has the other sign"),
    ZERO("is zero"),
    BALANCED("is larger in one half of its elements and smaller by as much in the other"),
    SORTED_ROWS("stands in another order within its rows"),
    SORTED_COLUMNS("stands in another order from row to row"),
    SLICES("stands in the place of another rank's share"),
    /** Of an output with a row for each rank. */
    RANKS("stands in another rank's row"),
    /** Numbers, far off, where it is NaN. */
    FAR_AT_NANS("is a number where it is NaN"),
    /**
     * The same where it is infinite, on the other side of zero: a bound hides what is beyond it.
     */
    FAR_AT_INFINITIES("is finite where it is infinite"),
    INFINITE("is infinite"),
    OTHER("is what the script takes for right then");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }
  }

  static Mutation all(Kind kind) {
    return new Mutation(kind, 0, Long.MAX_VALUE, null);
  }

  /** The values after it; one that is no number is moved as if it were zero. */
  double[] of(Kept kept) {
    if (instead != null) {
      return instead;
    }
    double[] old = kept.values();
    double[] values = changed(kept, old);
    for (int i = 0; i < values.length && only != null; i++) {
      values[i] = only.get(i) ? values[i] : old[i];
    }
    return values;
  }

  private double[] changed(Kept kept, double[] old) {
    double[] values = old.clone();
    double level = 0;
    for (double value : old) {
      level = Double.isFinite(value) ? Math.max(level, Math.abs(value)) : level;
    }
    level = level == 0 ? 1 : level;
    // Not a multiple of what a narrow type wraps around at.
    double far = level * 16.37 * Math.max(1, old.length);
    DType type = kept.content().dtype();
    boolean whole = Arrays.stream(old).allMatch(value -> value == Math.rint(value));
    int columns = Math.max(1, kept.columns());
    int rows = old.length / columns;
    if (kind == Kind.SLICES || kind == Kind.RANKS) {
      int by = kind == Kind.SLICES ? share(kept) : old.length / (int) kept.content().shape()[0];
      for (int i = 0; i < values.length; i++) {
        values[i] = old[(i + by) % values.length];
      }
      return values;
    }
    if (kind == Kind.SORTED_ROWS || kind == Kind.SORTED_COLUMNS) {
      boolean within = kind == Kind.SORTED_ROWS;
      for (int line = 0; line < (within ? rows : columns); line++) {
        int start = within ? line * columns : line;
        sort(values, start, within ? 1 : columns, within ? columns : rows);
      }
      return values;
    }
    for (int i = (int) from; i < Math.min(to, values.length); i++) {
      double value = Double.isFinite(old[i]) ? old[i] : 0;
      double moved =
          switch (kind) {
            case FAR_UP -> value + far;
            case FAR_DOWN -> value - far;
            case UP -> value + level;
            case DOWN -> value - level;
            case DOUBLED -> value * 2;
            case MORE -> value + Math.signum(value) * part(value, 0.5, whole);
            case LESS -> value - Math.signum(value) * part(value, 0.4, whole);
            case NEGATED -> -value;
            case ZERO -> 0;
            case BALANCED -> value + (i % 2 == 0 ? level : -level);
            case FAR_AT_NANS -> Double.isNaN(old[i]) ? far : old[i];
            case FAR_AT_INFINITIES ->
                Double.isInfinite(old[i]) ? Math.copySign(far, -old[i]) : old[i];
            case INFINITE -> Double.isFinite(old[i]) ? Double.POSITIVE_INFINITY : old[i];
            case SORTED_ROWS, SORTED_COLUMNS, SLICES, RANKS, OTHER -> value;
          };
      values[i] = kind == Kind.INFINITE ? moved : clamped(moved, old[i], most(type));
      if (type.kind() == DType.Kind.UNSIGNED) {
        values[i] = Math.max(0, values[i]);
      }
    }
    return values;
  }

  /** A part of a value; of whole numbers at least one, as a kernel of whole numbers goes wrong. */
  private static double part(double value, double of, boolean whole) {
    double part = Math.abs(value) * of;
    return whole ? Math.max(1, Math.rint(part)) : part;
  }

  /** What a type can hold; what was no number before stays as it was. */
  private static double clamped(double value, double old, double most) {
    return Double.compare(value, old) == 0 ? old : Math.clamp(value, -most, most);
  }

  /** Elements of what one rank gives to another, where that shows in the shape; else of a rank. */
  private static int share(Kept kept) {
    long[] shape = kept.content().shape();
    if (shape.length == 0 || shape[0] <= 1) {
      return 0;
    }
    long each = kept.elements() / shape[0];
    return (int) (kept.columns() % shape[0] == 0 ? each / shape[0] : each);
  }

  private static double most(DType type) {
    return switch (type) {
      case FP64 -> 1e300;
      case FP32, BF16, FP8E8M0 -> 1e38;
      case FP16 -> 65504;
      case FP8E4M3FN -> 448;
      case FP8E5M2 -> 57344;
      case FP4 -> 6;
      case BOOL -> 1;
      default -> Math.scalb(1.0, type.bytes() * 8 - (type.kind() == DType.Kind.SIGNED ? 1 : 0)) - 1;
    };
  }

  /** Sorts what lies apart, downwards where it is in order already. */
  private static void sort(double[] values, int start, int step, int count) {
    double[] line = new double[count];
    for (int i = 0; i < count; i++) {
      line[i] = values[start + i * step];
    }
    double[] before = line.clone();
    Arrays.sort(line);
    boolean turned = Arrays.equals(before, line);
    for (int i = 0; i < count; i++) {
      values[start + i * step] = line[turned ? count - 1 - i : i];
    }
  }

  /** True when it changes anything that a usual tolerance shows. */
  boolean changes(Kept kept) {
    double[] old = kept.values();
    double[] now = of(kept);
    double most = 0;
    double apart = 0;
    for (int i = 0; i < old.length; i++) {
      if (Double.isFinite(old[i])) {
        most = Math.max(most, Math.abs(old[i]));
        apart = Math.max(apart, Math.abs(old[i] - now[i]));
      } else if (Double.compare(old[i], now[i]) != 0) {
        return true;
      }
    }
    return apart > 0
        && apart >= (kind == Kind.OTHER ? most / 8 : to - from == 1 ? most / 8 : most * 0.39);
  }

  /** True when it changes any value. */
  boolean alters(Kept kept) {
    return !Arrays.equals(kept.values(), of(kept));
  }

  void apply(HostTensor output, Kept kept) {
    double[] values = of(kept);
    double[] old = kept.values();
    Elements elements = Elements.of(output.buffer(), output.dtype());
    StridedLoop.over(
        output.shape(),
        (position, at) -> {
          int i = (int) position;
          if (Double.compare(values[i], old[i]) != 0) {
            elements.setDouble(at[0], values[i]);
          }
        },
        output);
  }
}
