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
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.List;

/** {@code tensor[index]}: views for numbers and slices, copies for masks and index lists. */
final class Indexing {

  private final Interp interp;
  private final TensorValue self;
  private HostTensor view;

  /** For each dimension of {@link #view}: the chosen indices, or null for all. */
  private final List<Choice> choices = new ArrayList<>();

  /** A dimension's choice: a list of indices, or everything. */
  private sealed interface Choice {}

  private record All() implements Choice {}

  private record Chosen(HostTensor indices) implements Choice {}

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
    if (value instanceof TensorValue tensor && tensor.data().buffer() == self.data().buffer()) {
      from = Tensors.copy(tensor, from.dtype(), interp).data();
    }
    interp.session().budget().elements(indexing.view.elements());
    if (!indexing.isAdvanced()) {
      self.view(indexing.view).overwrite(source.origin());
      Tensors.fill(indexing.view, fitted(from, indexing.view.shape()));
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
      case TensorValue mask when mask.data().dtype() == DType.BOOL -> mask.data().rank();
      default -> 1;
    };
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
        choices.add(new All());
        yield axis + 1;
      }
      case TensorValue tensor when tensor.data().dtype() == DType.BOOL -> mask(tensor.data(), axis);
      case TensorValue tensor when tensor.data().rank() > 0 -> {
        if (tensor.data().dtype().isFloat()) {
          throw Errors.index("tensors used as indices must be long, int, byte or bool tensors");
        }
        choices.add(new Chosen(tensor.data()));
        yield axis + 1;
      }
      case ListValue list -> {
        TensorValue tensor = Tensors.ofData(list, java.util.Optional.empty(), interp);
        if (tensor.data().dtype() == DType.BOOL) {
          yield mask(tensor.data(), axis);
        }
        TensorValue whole =
            tensor.data().elements() == 0 ? Tensors.copy(tensor, DType.INT64, interp) : tensor;
        choices.add(new Chosen(whole.data()));
        yield axis + 1;
      }
      default -> {
        if (part instanceof Value.Bool
            || part instanceof Value.Str
            || part instanceof Value.Float) {
          throw Errors.type("tensors can't be indexed with " + Types.nameOf(part));
        }
        long extent = view.shape()[axis];
        long index = Convert.integer(part, "tensor index");
        if (index < -extent || index >= extent) {
          throw Errors.index(
              "index "
                  + index
                  + " is out of bounds for dimension "
                  + axis
                  + " with size "
                  + extent);
        }
        view = Views.select(view, axis, index < 0 ? index + extent : index);
        yield axis;
      }
    };
  }

  /** A mask chooses the positions of its true elements, over as many dimensions as it has. */
  private int mask(HostTensor mask, int axis) {
    int rank = mask.rank();
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
      choices.add(new Chosen(chosen));
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

  /** Where a chosen element stands in the result and in the view. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Plan(long[] shape, long[] chosenShape, int at, int[] chosenAxes, int[] keptAxes) {}

  private Plan plan() {
    List<Integer> chosen = new ArrayList<>();
    List<Integer> kept = new ArrayList<>();
    long[] common = new long[0];
    for (int axis = 0; axis < choices.size(); axis++) {
      if (choices.get(axis) instanceof Chosen indices) {
        if (!Shapes.broadcasts(common, indices.indices().shape())) {
          throw Errors.index("shape mismatch: indexing tensors could not be broadcast together");
        }
        common = Shapes.broadcast(common, indices.indices().shape());
        chosen.add(axis);
      } else {
        kept.add(axis);
      }
    }
    boolean together = chosen.getLast() - chosen.getFirst() == chosen.size() - 1;
    int at = together ? chosen.getFirst() : 0;
    long[] shape = new long[common.length + kept.size()];
    System.arraycopy(common, 0, shape, at, common.length);
    for (int i = 0; i < kept.size(); i++) {
      shape[i < at ? i : i + common.length] = view.shape()[kept.get(i)];
    }
    return new Plan(
        shape,
        common,
        at,
        chosen.stream().mapToInt(Integer::intValue).toArray(),
        kept.stream().mapToInt(Integer::intValue).toArray());
  }

  /** The element of the buffer that a position of the result stands for. */
  private long offset(Plan plan, long[] position) {
    long offset = view.offset();
    int common = plan.chosenShape().length;
    for (int i = 0; i < plan.keptAxes().length; i++) {
      int axis = plan.keptAxes()[i];
      offset += position[i < plan.at() ? i : i + common] * view.strides()[axis];
    }
    for (int axis : plan.chosenAxes()) {
      HostTensor indices = ((Chosen) choices.get(axis)).indices();
      long[] strides = StridedLoop.stridesFor(indices, plan.chosenShape());
      long from = indices.offset();
      for (int i = 0; i < common; i++) {
        from += position[plan.at() + i] * strides[i];
      }
      long extent = view.shape()[axis];
      long index = Elements.of(indices.buffer(), indices.dtype()).getLong(from);
      if (index < -extent || index >= extent) {
        throw Errors.index(
            "index " + index + " is out of bounds for dimension " + axis + " with size " + extent);
      }
      offset += (index < 0 ? index + extent : index) * view.strides()[axis];
    }
    return offset;
  }

  private TensorValue gathered() {
    Plan plan = plan();
    TensorValue result = Tensors.derived(view.dtype(), plan.shape(), self.origin(), interp);
    interp.session().budget().elements(result.data().elements() * 8);
    Elements in = Elements.of(view.buffer(), view.dtype());
    Elements out = Elements.of(result.data().buffer(), view.dtype());
    boolean real = view.dtype().isFloat();
    StridedLoop.over(
        plan.shape(),
        (p, at) -> {
          long from = offset(plan, StridedLoop.indexOf(p, plan.shape()));
          if (real) {
            out.setDouble(at[0], in.getDouble(from));
          } else {
            out.setLong(at[0], in.getLong(from));
          }
        },
        result.data());
    return result;
  }

  private void scatter(HostTensor from, Origin origin) {
    Plan plan = plan();
    HostTensor source = fitted(from, plan.shape());
    self.storage().mix(origin);
    Elements in = Elements.of(source.buffer(), source.dtype());
    Elements out = Elements.of(view.buffer(), view.dtype());
    int bytes = view.dtype().bytes();
    boolean real = source.dtype().isFloat() && view.dtype().isFloat();
    StridedLoop.over(
        plan.shape(),
        (p, at) -> {
          long to = offset(plan, StridedLoop.indexOf(p, plan.shape()));
          interp
              .session()
              .budget()
              .objects(self.storage().overwritten(to * bytes, (to + 1) * bytes, false));
          if (real) {
            out.setDouble(to, in.getDouble(at[0]));
          } else {
            out.setLong(to, in.getLong(at[0]));
          }
        },
        source);
  }
}
