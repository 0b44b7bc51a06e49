package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.Shapes;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.builtin.Sequences;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.ByteRanges;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.List;

/** {@code tensor[index]}: views for numbers and slices, copies for masks and index lists. */
final class Indexing {

  private final Interp interp;
  private final TensorValue self;
  private HostTensor view;

  /** For each dimension of {@link #view}: the chosen indices, or all. */
  private final List<Choice> choices = new ArrayList<>();

  /** How many dimensions of the tensor the parts so far have used up. */
  private int dimension;

  /** Where the index tensors stem from. */
  private Origin indices = Origin.NONE;

  /** Where masks stem from: they decide how many elements are chosen. */
  private Origin masks = Origin.NONE;

  /** A dimension's choice: a list of indices, or everything. */
  private sealed interface Choice {}

  private record All() implements Choice {}

  private record Chosen(HostTensor indices, int dimension) implements Choice {}

  private Indexing(TensorValue self, Value index, Interp interp) {
    this.interp = interp;
    this.self = self;
    this.view = self.data();
    read(index);
  }

  static Value get(TensorValue self, Value index, Interp interp) {
    Indexing indexing = new Indexing(self, index, interp);
    if (!indexing.isAdvanced()) {
      return self.view(indexing.view);
    }
    return indexing.gathered();
  }

  static void set(TensorValue self, Value index, Value value, Interp interp) {
    Indexing indexing = new Indexing(self, index, interp);
    Operand source = Operand.require(value, "__setitem__");
    HostTensor from = source.data();
    if (value instanceof TensorValue same
        && same.data().equals(indexing.view)
        && !indexing.isAdvanced()) {
      // y[0] /= 2 has divided in place already and now stores what is there.
      return;
    }
    if (value instanceof TensorValue tensor && tensor.data().buffer() == self.data().buffer()) {
      from = Tensors.copy(tensor, from.dtype(), interp).data();
    }
    interp.session().budget().elements(indexing.view.elements());
    if (!indexing.isAdvanced()) {
      HostTensor fitted = fitted(from, indexing.view.shape());
      Origin origin = source.origin();
      self.view(indexing.view).overwrite(origin, () -> Change.replacing(fitted, origin, interp));
      Tensors.fill(indexing.view, fitted);
    } else {
      indexing.scatter(from, source.origin());
    }
  }

  /** Drops leading extents of 1 that the target lacks, and checks that the rest broadcasts. */
  private static HostTensor fitted(HostTensor from, long[] shape) {
    HostTensor source = from;
    while (source.rank() > shape.length && source.shape()[0] == 1) {
      source = Views.select(source, 0, 0);
    }
    boolean fits =
        source.rank() <= shape.length
            && Shapes.broadcasts(source.shape(), shape)
            && java.util.Arrays.equals(Shapes.broadcast(source.shape(), shape), shape);
    if (!fits) {
      throw Errors.runtime(
          "shape mismatch: value tensor of shape "
              + Tensors.shown(from.shape())
              + " cannot be broadcast to indexing result of shape "
              + Tensors.shown(shape));
    }
    return source;
  }

  private void read(Value index) {
    List<Value> parts = index instanceof TupleValue tuple ? tuple.items() : List.of(index);
    int used = 0;
    int dots = 0;
    for (Value part : parts) {
      used += dimensionsOf(part);
      dots += part instanceof Value.Ellipsis ? 1 : 0;
    }
    if (dots > 1) {
      throw Errors.index("an index can only have a single ellipsis ('...')");
    }
    if (used > 0 && view.rank() == 0) {
      throw Errors.index(
          "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert a 0-dim"
              + " tensor to a number");
    }
    if (used > view.rank()) {
      throw Errors.index("too many indices for tensor of dimension " + view.rank());
    }
    int axis = 0;
    for (Value part : parts) {
      axis = apply(part, axis, used);
    }
    while (choices.size() < view.rank()) {
      choices.add(new All());
    }
  }

  private static int dimensionsOf(Value part) {
    return switch (part) {
      case Value.None none -> 0;
      case Value.Ellipsis ellipsis -> 0;
      case Value.Bool bool -> 0;
      case TensorValue mask when isMask(mask) -> mask.data().rank();
      default -> 1;
    };
  }

  /** Bytes count as truth values, as ever in torch. */
  private static boolean isMask(TensorValue tensor) {
    return tensor.data().dtype() == DType.BOOL || tensor.data().dtype() == DType.UINT8;
  }

  /** Applies one part of the index at a dimension; returns the next dimension. */
  private int apply(Value part, int axis, int used) {
    return switch (part) {
      case Value.None none -> {
        view = Views.unsqueeze(view, axis);
        choices.add(new All());
        yield axis + 1;
      }
      case Value.Ellipsis ellipsis -> {
        int skipped = self.data().rank() - used;
        dimension += skipped;
        for (int i = 0; i < skipped; i++) {
          choices.add(new All());
        }
        yield axis + skipped;
      }
      case Value.Slice slice -> {
        Sequences.Cut cut = Sequences.cut(slice, view.shape()[axis]);
        if (cut.step() < 0) {
          throw Errors.value("step must be greater than zero");
        }
        view = Views.narrow(view, axis, cut.start(), cut.count(), cut.step());
        dimension++;
        choices.add(new All());
        yield axis + 1;
      }
      case Value.Bool flag -> {
        TensorValue mask = Tensors.zeros(DType.BOOL, new long[0], interp);
        Tensors.fill(mask.data(), flag);
        yield mask(mask, axis);
      }
      case TensorValue tensor when isMask(tensor) -> mask(tensor, axis);
      case TensorValue tensor when tensor.data().rank() > 0 -> chosen(tensor, axis);
      case ListValue list -> {
        TensorValue tensor = Tensors.ofData(list, java.util.Optional.empty(), interp);
        if (tensor.data().elements() == 0) {
          tensor = Tensors.copy(tensor, DType.INT64, interp);
        }
        yield isMask(tensor) ? mask(tensor, axis) : chosen(tensor, axis);
      }
      default -> {
        if (part instanceof Value.Str || part instanceof Value.Float) {
          throw Errors.type("tensors can't be indexed with " + Types.nameOf(part));
        }
        long extent = view.shape()[axis];
        long index = Convert.integer(part, "tensor index");
        if (index < -extent || index >= extent) {
          throw Errors.index(
              "index "
                  + index
                  + " is out of bounds for dimension "
                  + dimension
                  + " with size "
                  + extent);
        }
        dimension++;
        view = Views.select(view, axis, index < 0 ? index + extent : index);
        yield axis;
      }
    };
  }

  private int chosen(TensorValue tensor, int axis) {
    DType type = tensor.data().dtype();
    if (type != DType.INT64 && type != DType.INT32) {
      throw Errors.index(
          "tensors used as indices must be long, int, byte or bool tensors, not "
              + Dtypes.nameOf(type));
    }
    indices = indices.and(tensor.origin());
    choices.add(new Chosen(tensor.data(), dimension++));
    return axis + 1;
  }

  /** A mask chooses the positions of its true elements, over as many dimensions as it has. */
  private int mask(TensorValue from, int axis) {
    HostTensor mask = from.data();
    int rank = mask.rank();
    masks = masks.and(from.origin());
    if (rank == 0) {
      // A single truth value chooses all or nothing along a new dimension.
      view = Views.unsqueeze(view, axis);
      boolean all = Elements.of(mask.buffer(), DType.BOOL).getLong(mask.offset()) != 0;
      choices.add(new Chosen(HostTensor.zeros(DType.INT64, all ? 1 : 0), dimension));
      return axis + 1;
    }
    for (int i = 0; i < rank; i++) {
      if (mask.shape()[i] != view.shape()[axis + i]) {
        throw Errors.index(
            "The shape of the mask "
                + Tensors.shown(mask.shape())
                + " at index "
                + i
                + " does not match the shape of the indexed tensor "
                + Tensors.shown(view.shape())
                + " at index "
                + (axis + i));
      }
    }
    Elements flags = Elements.of(mask.buffer(), DType.BOOL);
    interp.session().budget().elements(2 * mask.elements());
    long[] hits = {0};
    StridedLoop.over(mask.shape(), (p, at) -> hits[0] += flags.getLong(at[0]), mask);
    List<Elements> indices = new ArrayList<>();
    for (int i = 0; i < rank; i++) {
      HostTensor chosen = Tensors.zeros(DType.INT64, new long[] {hits[0]}, interp).data();
      indices.add(Elements.of(chosen.buffer(), DType.INT64));
      choices.add(new Chosen(chosen, dimension++));
    }
    long[] to = {0};
    StridedLoop.over(
        mask.shape(),
        (p, at) -> {
          if (flags.getLong(at[0]) != 0) {
            long[] position = StridedLoop.indexOf(p, mask.shape());
            for (int i = 0; i < rank; i++) {
              indices.get(i).setLong(to[0], position[i]);
            }
            to[0]++;
          }
        },
        mask);
    return axis + rank;
  }

  private boolean isAdvanced() {
    return choices.stream().anyMatch(Chosen.class::isInstance);
  }

  /**
   * How the result is laid out.
   *
   * @param kept the view over the result's shape, standing still along the chosen dimensions
   * @param chosen what the chosen indices add to an element index, over the result's shape
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Plan(long[] shape, HostTensor kept, HostTensor chosen) {}

  private Plan plan() {
    List<Integer> chosen = new ArrayList<>();
    List<Integer> kept = new ArrayList<>();
    long[] common = new long[0];
    for (int axis = 0; axis < choices.size(); axis++) {
      if (choices.get(axis) instanceof Chosen list) {
        long[] shape = list.indices().shape();
        if (!Shapes.broadcasts(common, shape)) {
          throw Errors.index(
              "shape mismatch: indexing tensors could not be broadcast together with shapes "
                  + Tensors.shown(common)
                  + ", "
                  + Tensors.shown(shape));
        }
        common = Shapes.broadcast(common, shape);
        chosen.add(axis);
      } else {
        kept.add(axis);
      }
    }
    boolean together = chosen.getLast() - chosen.getFirst() == chosen.size() - 1;
    int at = together ? chosen.getFirst() : 0;
    HostTensor offsets = offsets(chosen, common);
    long[] shape = new long[common.length + kept.size()];
    long[] keptStrides = new long[shape.length];
    long[] chosenStrides = new long[shape.length];
    System.arraycopy(common, 0, shape, at, common.length);
    System.arraycopy(offsets.strides(), 0, chosenStrides, at, common.length);
    for (int i = 0; i < kept.size(); i++) {
      int place = i < at ? i : i + common.length;
      shape[place] = view.shape()[kept.get(i)];
      keptStrides[place] = view.strides()[kept.get(i)];
    }
    return new Plan(
        shape,
        new HostTensor(view.buffer(), view.dtype(), shape, keptStrides, view.offset()),
        new HostTensor(offsets.buffer(), DType.INT64, shape, chosenStrides, 0));
  }

  /** What the index tensors together add to an element index of the view. */
  private HostTensor offsets(List<Integer> axes, long[] common) {
    HostTensor sums = Tensors.zeros(DType.INT64, common, interp).data();
    Elements out = Elements.of(sums.buffer(), DType.INT64);
    for (int axis : axes) {
      Chosen choice = (Chosen) choices.get(axis);
      HostTensor list = choice.indices();
      Elements in = Elements.of(list.buffer(), list.dtype());
      long extent = view.shape()[axis];
      long step = view.strides()[axis];
      StridedLoop.over(
          common,
          (p, at) -> {
            long index = in.getLong(at[1]);
            if (index < -extent || index >= extent) {
              throw Errors.index(
                  "index "
                      + index
                      + " is out of bounds for dimension "
                      + choice.dimension()
                      + " with size "
                      + extent);
            }
            out.setLong(at[0], out.getLong(at[0]) + (index < 0 ? index + extent : index) * step);
          },
          sums,
          list);
    }
    return sums;
  }

  private TensorValue gathered() {
    Plan plan = plan();
    Origin origin = self.origin().and(indices).and(masks);
    TensorValue result = Tensors.derived(view.dtype(), plan.shape(), origin, interp);
    Elements in = Elements.of(view.buffer(), view.dtype());
    Elements out = Elements.of(result.data().buffer(), view.dtype());
    Elements offsets = Elements.of(plan.chosen().buffer(), DType.INT64);
    boolean real = view.dtype().isFloat();
    StridedLoop.over(
        plan.shape(),
        (p, at) -> {
          long from = at[1] + offsets.getLong(at[2]);
          if (real) {
            out.setDouble(at[0], in.getDouble(from));
          } else {
            out.setLong(at[0], in.getLong(from));
          }
        },
        result.data(),
        plan.kept(),
        plan.chosen());
    return masks.fromTensor() ? result.sized(masks) : result;
  }

  /** The bytes of all that a plan chooses. */
  private static long[] places(Plan plan, int bytes) {
    Elements offsets = Elements.of(plan.chosen().buffer(), DType.INT64);
    ByteRanges ranges = new ByteRanges();
    StridedLoop.over(
        plan.shape(),
        (p, at) -> {
          long to = at[0] + offsets.getLong(at[1]);
          ranges.add(to * bytes, (to + 1) * bytes);
        },
        plan.kept(),
        plan.chosen());
    return ranges.within(0, Long.MAX_VALUE);
  }

  private void scatter(HostTensor from, Origin origin) {
    Plan plan = plan();
    HostTensor source = fitted(from, plan.shape());
    interp.session().budget().elements(HostTensor.count(plan.shape()));
    Origin all = origin.and(indices).and(masks);
    int bytes = view.dtype().bytes();
    if (self.storage().hasOutputs()) {
      self.storage().changed(places(plan, bytes), () -> Change.replacing(source, all, interp));
    }
    self.storage().mix(all);
    Elements in = Elements.of(source.buffer(), source.dtype());
    Elements out = Elements.of(view.buffer(), view.dtype());
    Elements offsets = Elements.of(plan.chosen().buffer(), DType.INT64);
    boolean real = source.dtype().isFloat() && view.dtype().isFloat();
    StridedLoop.over(
        plan.shape(),
        (p, at) -> {
          long to = at[1] + offsets.getLong(at[2]);
          interp
              .session()
              .budget()
              .objects(
                  self.storage()
                      .overwritten(new long[] {to * bytes, (to + 1) * bytes}, false, true));
          if (real) {
            out.setDouble(to, in.getDouble(at[0]));
          } else {
            out.setLong(to, in.getLong(at[0]));
          }
        },
        source,
        plan.kept(),
        plan.chosen());
  }
}
