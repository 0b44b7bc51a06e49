package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Sums, products, extremes and their places along dimensions. */
final class Reductions {

  /** Which reduction. */
  enum Kind {
    SUM,
    PROD,
    MEAN,
    MAX,
    MIN,
    ARGMAX,
    ARGMIN,
    ALL,
    ANY
  }

  /** Elements of a half type that are summed up as floats before they join the total. */
  private static final int RUN = 4096;

  private Reductions() {}

  static boolean any(TensorValue self, Interp interp) {
    return reduce(self, Kind.ANY, new int[0], false, DType.BOOL, interp).truth(interp);
  }

  /** The element type of a result. */
  static DType resultType(Kind kind, DType type) {
    return switch (kind) {
      case SUM, PROD -> type.isFloat() ? type : DType.INT64;
      case MEAN -> {
        if (!type.isFloat()) {
          throw Errors.runtime(
              "mean(): could not infer output dtype. Input dtype must be either a floating point"
                  + " or complex dtype. Got: "
                  + Dtypes.scalarName(type));
        }
        yield type;
      }
      case MAX, MIN -> type;
      case ARGMAX, ARGMIN -> DType.INT64;
      case ALL, ANY -> DType.BOOL;
    };
  }

  /**
   * Reduces over dimensions.
   *
   * @param axes what to reduce over; none for all
   */
  static TensorValue reduce(
      TensorValue self, Kind kind, int[] axes, boolean keep, DType type, Interp interp) {
    HostTensor data = self.data();
    boolean[] reduced = new boolean[data.rank()];
    for (int axis : axes) {
      reduced[axis] = true;
    }
    if (axes.length == 0) {
      Arrays.fill(reduced, true);
    }
    boolean extreme =
        kind == Kind.MAX || kind == Kind.MIN || kind == Kind.ARGMAX || kind == Kind.ARGMIN;
    long[] outer = new long[data.rank()];
    long count = 1;
    for (int axis = 0; axis < outer.length; axis++) {
      outer[axis] = reduced[axis] ? 1 : data.shape()[axis];
      count *= reduced[axis] ? data.shape()[axis] : 1;
    }
    if (count == 0 && extreme) {
      throw Errors.runtime(
          kind.name().toLowerCase(java.util.Locale.ROOT)
              + "(): Expected reduction dim to be specified for input.numel() == 0. Specify the"
              + " reduction dim with the 'dim' argument.");
    }
    interp.session().budget().elements(data.elements());
    TensorValue result = Tensors.derived(type, outer, self.origin(), interp);
    int[] within = IntStream.range(0, data.rank()).filter(axis -> reduced[axis]).toArray();
    long[] inner = Arrays.stream(within).mapToLong(axis -> data.shape()[axis]).toArray();
    long[] innerStrides = Arrays.stream(within).mapToLong(axis -> data.strides()[axis]).toArray();
    Elements in = Elements.of(data.buffer(), data.dtype());
    Elements out = Elements.of(result.data().buffer(), type);
    HostTensor corner =
        new HostTensor(data.buffer(), data.dtype(), outer, data.strides(), data.offset());
    HostTensor block = new HostTensor(data.buffer(), data.dtype(), inner, innerStrides, 0);
    boolean real = data.dtype().isFloat() || type.isFloat();
    if (result.data().elements() >= count) {
      sideBySide(kind, block, in, out, real, result.data(), corner);
    } else {
      StridedLoop.over(
          outer,
          (p, at) -> one(kind, startingAt(at[1], block), in, out, at[0], real),
          result.data(),
          corner);
    }
    HostTensor shaped = result.data();
    for (int axis = data.rank() - 1; axis >= 0 && !keep; axis--) {
      if (reduced[axis]) {
        shaped = Views.select(shaped, axis, 0);
      }
    }
    TensorValue made = result.view(shaped).with(self.lineage().whole(tellsOfAll(self, kind)));
    if (HostTensor.count(shaped.shape()) == 1) {
      Distances.note(made, interp);
    }
    return made;
  }

  /** True when what comes out is near zero, or true, only if all elements are. */
  private static boolean tellsOfAll(TensorValue self, Kind kind) {
    boolean truths = self.data().dtype() == DType.BOOL;
    return self.lineage().isWhole()
        && switch (kind) {
          case MAX, SUM, MEAN -> !truths;
          case ALL -> truths;
          case MIN, PROD, ARGMAX, ARGMIN, ANY -> false;
        };
  }

  /** One result of many elements. */
  private static void one(
      Kind kind, HostTensor block, Elements in, Elements out, long to, boolean real) {
    Running running = new Running(kind, isHalf(block.dtype()));
    double[] values = StridedLoop.room(real ? block.elements() : 0);
    long[] wholes = new long[real ? 0 : (int) Math.min(StridedLoop.LONGEST, block.elements())];
    StridedLoop.runs(
        block.shape(),
        (p, at, steps, count) -> {
          if (real) {
            in.read(at[0], steps[0], values, 0, count);
            running.add(p, values, count);
          } else {
            in.read(at[0], steps[0], wholes, count);
            for (int i = 0; i < count; i++) {
              running.add(p + i, wholes[i]);
            }
          }
        },
        block);
    running.store(out, to, block.elements(), real);
  }

  /**
   * Many results of few elements each: element after element of all results, so memory is read in
   * order.
   */
  private static void sideBySide(
      Kind kind,
      HostTensor block,
      Elements in,
      Elements out,
      boolean real,
      HostTensor results,
      HostTensor corner) {
    boolean half = isHalf(block.dtype());
    double[] values = StridedLoop.room(real ? results.elements() : 0);
    long[] wholes = new long[real ? 0 : (int) Math.min(StridedLoop.LONGEST, results.elements())];
    StridedLoop.runs(
        results.shape(),
        (p, at, steps, count) -> {
          Running[] runnings = new Running[count];
          for (int i = 0; i < count; i++) {
            runnings[i] = new Running(kind, half);
          }
          StridedLoop.over(
              block.shape(),
              (position, inner) -> {
                long from = at[1] + inner[0];
                if (real) {
                  in.read(from, steps[1], values, 0, count);
                } else {
                  in.read(from, steps[1], wholes, count);
                }
                for (int i = 0; i < count; i++) {
                  if (real) {
                    runnings[i].add(position, values[i]);
                  } else {
                    runnings[i].add(position, wholes[i]);
                  }
                }
              },
              block);
          for (int i = 0; i < count; i++) {
            runnings[i].store(out, at[0] + i * steps[0], block.elements(), real);
          }
        },
        results,
        corner);
  }

  private static HostTensor startingAt(long offset, HostTensor block) {
    return new HostTensor(block.buffer(), block.dtype(), block.shape(), block.strides(), offset);
  }

  private static boolean isHalf(DType type) {
    return type.isFloat() && type.bytes() == 2;
  }

  /** One result in the making. */
  private static final class Running {
    private final Kind kind;
    private double real;
    private long whole;
    private long place;
    private boolean empty = true;

    /** Half types are summed up in float, as torch does on a CPU; others in double. */
    private final boolean single;

    private float run;
    private int runLength;

    private Running(Kind kind, boolean single) {
      this.kind = kind;
      this.single = single;
      this.real = kind == Kind.PROD || kind == Kind.ALL ? 1 : 0;
      this.whole = (long) real;
    }

    private void add(long position, double value) {
      switch (kind) {
        case SUM, MEAN -> sum(value);
        case PROD -> real = single ? (float) (real * value) : real * value;
        case ALL -> real = value == 0 ? 0 : real;
        case ANY -> real = value != 0 ? 1 : real;
        case MAX, ARGMAX -> take(position, value, empty || value > real);
        case MIN, ARGMIN -> take(position, value, empty || value < real);
      }
      empty = false;
    }

    /** Adds values that follow each other. */
    private void add(long position, double[] values, int count) {
      if (!single && (kind == Kind.SUM || kind == Kind.MEAN)) {
        double total = real;
        for (int i = 0; i < count; i++) {
          total += values[i];
        }
        real = total;
        return;
      }
      for (int i = 0; i < count; i++) {
        add(position + i, values[i]);
      }
    }

    /** NaN wins and stays, as in torch. */
    private void take(long position, double value, boolean better) {
      boolean nan = Double.isNaN(value) && !(Double.isNaN(real) && !empty);
      if (nan || (better && (empty || !Double.isNaN(real)))) {
        real = value;
        place = position;
      }
    }

    private void add(long position, long value) {
      boolean better =
          switch (kind) {
            case SUM, MEAN -> {
              whole += value;
              yield false;
            }
            case PROD -> {
              whole *= value;
              yield false;
            }
            case ALL -> {
              whole = value == 0 ? 0 : whole;
              yield false;
            }
            case ANY -> {
              whole = value != 0 ? 1 : whole;
              yield false;
            }
            case MAX, ARGMAX -> empty || value > whole;
            case MIN, ARGMIN -> empty || value < whole;
          };
      if (better) {
        whole = value;
        place = position;
      }
      empty = false;
    }

    /** Long sums are made of shorter runs, so that small values aren't lost in a big sum. */
    private void sum(double value) {
      if (!single) {
        real += value;
        return;
      }
      run = (float) (run + value);
      if (++runLength == RUN) {
        real += run;
        run = 0;
        runLength = 0;
      }
    }

    private double real(long size) {
      double total = single ? (float) (real + run) : real;
      return kind == Kind.MEAN ? total / size : total;
    }

    private void store(Elements out, long to, long size, boolean asReal) {
      boolean aPlace = kind == Kind.ARGMAX || kind == Kind.ARGMIN;
      if (asReal && !aPlace) {
        out.setDouble(to, real(size));
      } else {
        out.setLong(to, aPlace ? place : whole);
      }
    }
  }

  /** {@code max(dim)} and {@code min(dim)}: values and their places. */
  static TupleValue withPlaces(
      TensorValue self, boolean max, int axis, boolean keep, Interp interp) {
    DType type = self.data().dtype();
    int[] axes = self.data().rank() == 0 ? new int[0] : new int[] {axis};
    return new TupleValue(
        List.of(
            reduce(self, max ? Kind.MAX : Kind.MIN, axes, keep, type, interp),
            reduce(self, max ? Kind.ARGMAX : Kind.ARGMIN, axes, keep, DType.INT64, interp)),
        "torch.return_types." + (max ? "max" : "min"),
        List.of("values", "indices"));
  }
}
