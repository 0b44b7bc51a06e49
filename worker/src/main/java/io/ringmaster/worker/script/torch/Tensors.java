package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.Sizes;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes tensors, and turns values into shapes and tensors. */
public final class Tensors {

  private Tensors() {}

  /** A new tensor of zeros, counted against the memory limit. */
  public static TensorValue zeros(DType type, long[] shape, Interp interp) {
    Budget budget = interp.session().budget();
    long bytes;
    try {
      bytes = Sizes.times(HostTensor.count(shape), type.bytes());
    } catch (Sizes.TooLarge e) {
      bytes = -1;
    }
    for (long extent : shape) {
      if (extent < 0) {
        throw Errors.runtime(
            "Trying to create tensor with negative dimension " + extent + ": " + shown(shape));
      }
    }
    budget.beforeTensor(bytes);
    budget.elements(bytes / type.bytes());
    HostTensor data = allocated(type, shape, bytes, budget);
    budget.afterTensor(data.buffer());
    return new TensorValue(data, new Storage(data.buffer(), budget.here().line()));
  }

  private static HostTensor allocated(DType type, long[] shape, long bytes, Budget budget) {
    try {
      return HostTensor.zeros(type, shape);
    } catch (OutOfMemoryError full) {
      throw budget.machineFull(bytes);
    }
  }

  /** A new tensor whose values stem from others. */
  static TensorValue derived(DType type, long[] shape, Origin origin, Interp interp) {
    TensorValue result = zeros(type, shape, interp);
    result.storage().mix(origin);
    return result;
  }

  /**
   * A tensor over bytes that are somebody else's, such as a running program's.
   *
   * @param known tensors that the bytes may be part of
   */
  public static TensorValue viewing(HostTensor data, List<TensorValue> known) {
    return new TensorValue(
        data,
        known.stream()
            .map(TensorValue::storage)
            .filter(storage -> storage.buffer() == data.buffer())
            .findFirst()
            .orElseGet(() -> new Storage(data.buffer(), 0)));
  }

  /** A tensor with the content of {@code data}, counted against the memory limit. */
  public static TensorValue holding(HostTensor data, Interp interp) {
    TensorValue result = zeros(data.dtype(), data.shape(), interp);
    fill(result.data(), data);
    return result;
  }

  /** {@code [2, 3]}. */
  static String shown(long[] shape) {
    return Arrays.toString(shape);
  }

  static TupleValue size(long[] shape) {
    List<Value> extents = Arrays.stream(shape).<Value>mapToObj(Value::of).toList();
    return new TupleValue(extents, "torch.Size", List.of());
  }

  /** A shape from {@code (2, 3)}, {@code [2, 3]} or {@code 2, 3}. */
  static long[] shape(List<Value> values, Interp interp) {
    List<Value> extents = values;
    if (values.size() == 1
        && (values.getFirst() instanceof ListValue || values.getFirst() instanceof TupleValue)) {
      extents = Iteration.toList(values.getFirst(), interp);
    }
    if (extents.size() > 16) {
      throw Errors.runtime("tensors have at most 16 dimensions, not " + extents.size());
    }
    return extents.stream().mapToLong(e -> Convert.integer(e, "size")).toArray();
  }

  /** A contiguous copy, converted to a type. */
  static TensorValue copy(TensorValue from, DType type, Interp interp) {
    TensorValue result = derived(type, from.data().shape(), from.origin(), interp);
    fill(result.data(), from.data());
    if (from.isAsWritten() && holds(type, from.data().dtype())) {
      result.storage().isCopyOfKernels();
    }
    return result;
  }

  /** True for a type that holds all values of another. */
  private static boolean holds(DType type, DType other) {
    return type == other
        || (type.kind() == other.kind() && type.bytes() > other.bytes())
        || (type == DType.FP64 && other.bytes() <= 4);
  }

  /**
   * The values in another element type. Rounding to a narrower floating-point type is fine; a value
   * that the type can't hold otherwise is refused.
   *
   * @param name what it is, for the message
   */
  public static TensorValue exactly(TensorValue from, DType type, String name, Interp interp) {
    interp.session().budget().elements(from.data().elements());
    TensorValue result = copy(from, type, interp);
    boolean real = from.data().dtype().isFloat();
    Elements before = Elements.of(from.data().buffer(), from.data().dtype());
    Elements after = Elements.of(result.data().buffer(), type);
    StridedLoop.over(
        from.data().shape(),
        (position, at) -> {
          double wanted = before.getDouble(at[0]);
          boolean held =
              type.isFloat()
                  ? !Double.isInfinite(after.getDouble(at[1])) || Double.isInfinite(wanted)
                  : real
                      ? after.getDouble(at[1]) == wanted
                      : after.getLong(at[1]) == before.getLong(at[0]);
          if (!held) {
            String value =
                real ? spelled(wanted, from.data().dtype()) : Long.toString(before.getLong(at[0]));
            String place = shown(StridedLoop.indexOf(position, from.data().shape()));
            throw Errors.value(
                name
                    + " is "
                    + value
                    + " at "
                    + place
                    + ", which "
                    + type
                    + " can't hold: give values of that type, or declare a type that holds them");
          }
        },
        from.data(),
        result.data());
    return result;
  }

  private static String spelled(double value, DType type) {
    return type == DType.FP64 ? Double.toString(value) : Float.toString((float) value);
  }

  /** Writes the elements of a view that broadcasts to {@code target} into it. */
  static void fill(HostTensor target, HostTensor from) {
    if (target.elements() > 1 && from.elements() == 1 && target.isContiguous()) {
      long[] one = new long[target.rank()];
      Arrays.fill(one, 1);
      fill(new HostTensor(target.buffer(), target.dtype(), one, one, target.offset()), from);
      repeat(target);
      return;
    }
    Elements out = Elements.of(target.buffer(), target.dtype());
    Elements in = Elements.of(from.buffer(), from.dtype());
    boolean real = target.dtype().isFloat() || target.dtype() == DType.BOOL;
    boolean same = target.dtype() == from.dtype();
    int width = target.dtype().bytes();
    int most = (int) Math.min(StridedLoop.LONGEST, target.elements());
    double[] values = new double[from.dtype().isFloat() ? most : 0];
    long[] wholes = new long[from.dtype().isFloat() && real ? 0 : most];
    StridedLoop.runs(
        target.shape(),
        (p, at, steps, count) -> {
          if (same && steps[0] == 1 && steps[1] == 1) {
            MemorySegment.copy(
                from.buffer().segment(),
                at[1] * width,
                target.buffer().segment(),
                at[0] * width,
                (long) count * width);
          } else if (!from.dtype().isFloat()) {
            in.read(at[1], steps[1], wholes, count);
            out.write(at[0], steps[0], wholes, count);
          } else {
            in.read(at[1], steps[1], values, 0, count);
            if (real) {
              out.write(at[0], steps[0], values, count);
              return;
            }
            for (int i = 0; i < count; i++) {
              wholes[i] = (long) values[i];
            }
            out.write(at[0], steps[0], wholes, count);
          }
        },
        target,
        from);
  }

  /** Copies the first element over all of a packed tensor, twice as many each time. */
  private static void repeat(HostTensor target) {
    long width = target.dtype().bytes();
    long bytes = target.elements() * width;
    MemorySegment all = target.buffer().segment().asSlice(target.offset() * width, bytes);
    for (long done = width; done < bytes; done *= 2) {
      MemorySegment.copy(all, 0, all, done, Math.min(done, bytes - done));
    }
  }

  static void fill(HostTensor target, Value number) {
    Operand operand = Operand.require(number, "fill_");
    fill(target, operand.data());
  }

  /** A tensor of nested lists and numbers. */
  static TensorValue ofData(Value data, java.util.Optional<DType> wanted, Interp interp) {
    if (data instanceof TensorValue tensor) {
      return copy(tensor, wanted.orElse(tensor.data().dtype()), interp);
    }
    List<Long> shape = new ArrayList<>();
    List<Value> leaves = new ArrayList<>();
    collect(data, 0, shape, leaves, interp);
    DType type = wanted.orElseGet(() -> inferred(leaves));
    long[] extents = shape.stream().mapToLong(Long::longValue).toArray();
    TensorValue result = zeros(type, extents, interp);
    Elements out = Elements.of(result.data().buffer(), type);
    for (int i = 0; i < leaves.size(); i++) {
      Operand leaf = Operand.require(leaves.get(i), "tensor");
      Elements in = Elements.of(leaf.data().buffer(), leaf.dtype());
      result.storage().mix(leaf.origin());
      if (leaf.dtype().isFloat()) {
        double value = in.getDouble(leaf.data().offset());
        if (type.isFloat() || type == DType.BOOL) {
          out.setDouble(i, value);
        } else {
          out.setLong(i, (long) value);
        }
      } else {
        out.setLong(i, in.getLong(leaf.data().offset()));
      }
    }
    return result;
  }

  private static void collect(
      Value data, int depth, List<Long> shape, List<Value> leaves, Interp interp) {
    if (!(data instanceof ListValue || data instanceof TupleValue || data instanceof Value.Range)) {
      boolean leaf = Operand.find(data).isPresent();
      if (!leaf || (data instanceof TensorValue tensor && tensor.data().elements() != 1)) {
        throw Errors.type("can't make a tensor of " + Types.nameOf(data));
      }
      if (depth != shape.size()) {
        throw Errors.value("expected sequence of length " + shape.get(depth) + " at dim " + depth);
      }
      leaves.add(data);
      return;
    }
    List<Value> items = Iteration.toList(data, interp);
    if (depth > 16) {
      throw Errors.value("too many dimensions");
    }
    if (shape.size() == depth) {
      if (!leaves.isEmpty()) {
        throw Errors.type("not a sequence");
      }
      shape.add((long) items.size());
    } else if (shape.get(depth) != items.size()) {
      throw Errors.value(
          "expected sequence of length "
              + shape.get(depth)
              + " at dim "
              + depth
              + " (got "
              + items.size()
              + ")");
    }
    items.forEach(item -> collect(item, depth + 1, shape, leaves, interp));
  }

  private static DType inferred(List<Value> leaves) {
    if (leaves.isEmpty()) {
      return DType.FP32;
    }
    DType type = DType.BOOL;
    for (Value leaf : leaves) {
      Operand operand = Operand.require(leaf, "tensor");
      type = Dtypes.promote(type, operand.defaulted());
    }
    return type;
  }

  /** Like {@link #axis}, for operations that a tensor without dimensions can't take part in. */
  static int realAxis(long dim, int rank) {
    if (rank == 0) {
      throw Errors.index("Dimension specified as " + dim + " but tensor has no dimensions");
    }
    return axis(dim, rank);
  }

  /** A dimension number; negative ones count from the end. */
  static int axis(long dim, int rank) {
    int extent = Math.max(rank, 1);
    if (dim < -extent || dim >= extent) {
      throw Errors.index(
          "Dimension out of range (expected to be in range of ["
              + -extent
              + ", "
              + (extent - 1)
              + "], but got "
              + dim
              + ")");
    }
    return (int) (dim < 0 ? dim + extent : dim);
  }
}
