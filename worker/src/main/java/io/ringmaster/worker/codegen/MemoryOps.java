package io.ringmaster.worker.codegen;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.Bounds;
import io.ringmaster.worker.fabric.Box;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.KernelFault;
import io.ringmaster.worker.fabric.Operation;
import io.ringmaster.worker.fabric.Site;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Operations on the rank's own memory: loads, stores, scalars, views, arrays. */
final class MemoryOps {

  private MemoryOps() {}

  static Instruction load(OpCompiler compiler, Expr.Op op, int target) {
    int tensor = compiler.reference(op, 0);
    LongExpr[] offsets = compiler.tuple(op, 1);
    LongExpr[] shape = compiler.tuple(op, 2);
    LongExpr[] valid = op.operands().size() > 3 ? compiler.tuple(op, 3) : shape;
    boolean clamp = Attributes.bool(op, "clamp", false);
    boolean owned = compiler.isOwned(target);
    boolean passedOn = compiler.isPassedOn(target);
    Site site = OpCompiler.site(op, 0);
    return (machine, frame, pc) -> {
      TensorView view = frame.view(tensor);
      if (TileAccess.mustYield(machine, view)) {
        return Instruction.YIELD;
      }
      long[] at = LongExpr.all(offsets, frame);
      long[] extents = LongExpr.all(shape, frame);
      long[] box = LongExpr.all(valid, frame);
      if (clamp && view.rank() == at.length) {
        for (int axis = 0; axis < at.length; axis++) {
          box[axis] = Math.clamp(view.shape()[axis] - at[axis], 0, box[axis]);
        }
      }
      Tile tile =
          passedOn
              ? TileAccess.borrow(machine, view, at, extents, box, Operation.LOAD, site)
              : TileAccess.load(
                  machine,
                  view,
                  at,
                  extents,
                  box,
                  Operation.LOAD,
                  site,
                  owned ? frame.replaced(target) : null);
      put(frame, target, tile);
      machine.spend(machine.cost().load(bytes(box, view.dtype())));
      return pc + 1;
    };
  }

  static Instruction store(OpCompiler compiler, Expr.Op op, int target) {
    int source = compiler.reference(op, 0);
    LongExpr[] offsets = compiler.tuple(op, 1);
    int destination = compiler.reference(op, 2);
    boolean add = Attributes.atomicAdd(op);
    Site site = OpCompiler.site(op, 2);
    Site read = OpCompiler.site(op, 0);
    return (machine, frame, pc) ->
        store(machine, frame, pc, source, destination, target, offsets, add, site, read);
  }

  /** Writes into a tensor in place ({@code dst[...] = src}), or into a tile. */
  static Instruction assemble(OpCompiler compiler, Expr.Op op, int target) {
    int destination = compiler.reference(op, 0);
    int source = compiler.reference(op, 1);
    LongExpr[] offsets = compiler.tuple(op, 2);
    boolean add = Attributes.atomicAdd(op);
    boolean host = compiler.isHost();
    Site site = OpCompiler.site(op, 0);
    Site read = OpCompiler.site(op, 1);
    return (machine, frame, pc) -> {
      if (frame.refs[destination] instanceof Tile tile) {
        long[] at = LongExpr.all(offsets, frame);
        Tile part = frame.tile(source);
        Bounds.tile(machine.rank(), tile.shape(), at, TileAccess.longs(part.valid()), site);
        machine.device().assemble(tile, part, TileAccess.ints(at));
        put(frame, target, tile);
        machine.spend(machine.cost().vector(tile.bytes()));
        return pc + 1;
      }
      if (host) {
        TensorView from = frame.view(source);
        TensorView whole = frame.view(destination);
        long[] at = LongExpr.all(offsets, frame);
        Box box = Bounds.box(machine.rank(), whole, at, aligned(from.shape(), at.length), site);
        TensorView to =
            new TensorView(box.region(), box.start(), box.extents(), box.strides(), box.dtype());
        machine.environment().copy(from, to, site.span());
        put(frame, target, whole);
        return pc + 1;
      }
      return store(machine, frame, pc, source, destination, target, offsets, add, site, read);
    };
  }

  private static int store(
      Machine machine,
      Frame frame,
      int pc,
      int source,
      int destination,
      int target,
      LongExpr[] offsets,
      boolean add,
      Site site,
      Site read) {
    TensorView view = frame.view(destination);
    boolean tensorSource = frame.refs[source] instanceof TensorView;
    if (TileAccess.mustYield(machine, view)
        || (tensorSource && TileAccess.mustYield(machine, frame.view(source)))) {
      return Instruction.YIELD;
    }
    long[] at = LongExpr.all(offsets, frame);
    Tile tile = TileOps.value(machine, frame, source, read);
    Box box = TileAccess.store(machine, tile, view, at, add, Operation.STORE, site, read);
    put(frame, target, view);
    machine.spend(machine.cost().store(box.payloadBytes()));
    return pc + 1;
  }

  static Instruction read(OpCompiler compiler, Expr.Op op, int target) {
    int source = compiler.reference(op, 0);
    LongExpr[] offsets = compiler.tuple(op, 1);
    Range range = Range.of(op);
    Site site = OpCompiler.site(op, 0);
    return (machine, frame, pc) -> {
      long raw;
      if (frame.refs[source] instanceof Tile tile) {
        int[] index = element(machine, tile, LongExpr.all(offsets, frame), site);
        raw = machine.device().read(tile, index);
        if (!machine.device().holds(tile, index)) {
          Unwritten.element(machine, tile.dtype(), site);
        }
      } else {
        TensorView view = frame.view(source);
        if (TileAccess.mustYield(machine, view)) {
          return Instruction.YIELD;
        }
        long[] index = LongExpr.all(offsets, frame);
        long at = Bounds.element(machine.rank(), view, index, site);
        element(machine, Operation.READ, Access.Kind.READ, view, at, site);
        if (!machine.device().computes()) {
          throw new DeviceFault(Device.NO_VALUES);
        }
        Unwritten.check(
            machine,
            new Box(view.region(), at, new long[] {1}, new long[] {1}, view.dtype()),
            site);
        view.region().settle(at, at + view.dtype().bytes());
        MemorySegment memory = view.region().segment();
        machine.device().reading(memory, at, view.dtype().bytes());
        raw = Scalars.read(view.dtype(), memory, at);
      }
      range.check(machine, raw, site);
      if (target >= 0) {
        frame.longs[target] = raw;
      }
      return pc + 1;
    };
  }

  /** What a lowered schedule demands of a value it reads, such as a count within its capacity. */
  private record Range(boolean given, long low, long high, Span source) {

    static Range of(Expr.Op op) {
      boolean given = op.attributes().containsKey("low") || op.attributes().containsKey("high");
      return new Range(
          given,
          Attributes.integer(op, "low", Long.MIN_VALUE),
          Attributes.integer(op, "high", Long.MAX_VALUE),
          OpCompiler.place(op, op.operands().getFirst()));
    }

    void check(Machine machine, long value, Site site) {
      if (given && (value < low || value > high)) {
        throw KernelFault.of(
            Finding.Kind.OUT_OF_BOUNDS,
            machine.rank(),
            source,
            "rank "
                + machine.rank()
                + ": value "
                + value
                + " of '"
                + site.tensor()
                + "' lies outside ["
                + low
                + ", "
                + high
                + "]",
            "counts aren't clamped: make the capacity large enough and counts non-negative");
      }
    }
  }

  static Instruction write(OpCompiler compiler, Expr.Op op) {
    int destination = compiler.reference(op, 0);
    LongExpr[] offsets = compiler.tuple(op, 1);
    LongExpr value = compiler.scalar(op, 2);
    DType from = ExprCompiler.dtype(op.operands().get(2).type());
    Site site = OpCompiler.site(op, 0);
    return (machine, frame, pc) -> {
      if (frame.refs[destination] instanceof Tile tile) {
        int[] index = element(machine, tile, LongExpr.all(offsets, frame), site);
        long raw = Scalars.convert(value.eval(frame), from, tile.dtype());
        machine.device().write(tile, index, raw);
        return pc + 1;
      }
      TensorView view = frame.view(destination);
      if (TileAccess.mustYield(machine, view)) {
        return Instruction.YIELD;
      }
      long at = Bounds.element(machine.rank(), view, LongExpr.all(offsets, frame), site);
      element(machine, Operation.WRITE, Access.Kind.WRITE, view, at, site);
      long raw = Scalars.convert(value.eval(frame), from, view.dtype());
      if (!machine.device().computes()) {
        return pc + 1;
      }
      Box element = new Box(view.region(), at, new long[] {1}, new long[] {1}, view.dtype());
      element.beforeWrite(true);
      MemorySegment memory = view.region().segment();
      machine.device().changing(memory, at, view.dtype().bytes());
      Scalars.write(view.dtype(), memory, at, raw);
      machine.device().changed(memory, at, view.dtype().bytes());
      element.recordWrite();
      return pc + 1;
    };
  }

  /** Where an element of a tile lies, which has to be inside. */
  private static int[] element(Machine machine, Tile tile, long[] index, Site site) {
    long[] one = new long[index.length];
    Arrays.fill(one, 1);
    Bounds.tile(machine.rank(), tile.shape(), index, one, site);
    return TileAccess.ints(index);
  }

  private static void element(
      Machine machine, Operation operation, Access.Kind kind, TensorView view, long at, Site site) {
    machine.touches(operation, kind, view, at, site);
    machine.spend(machine.cost().scalarAccessNanos());
  }

  static Instruction createTensor(OpCompiler compiler, Expr.Op op, int target, boolean fill) {
    LongExpr[] shape = compiler.tuple(op, 0);
    DType dtype =
        Attributes.dtype(
            op, "dtype", op.type() instanceof Type.Tensor type ? type.dtype() : DType.FP32);
    long value = Attributes.number(op, "value", dtype);
    Site site = OpCompiler.site(op, -1 + op.operands().size());
    return (machine, frame, pc) -> {
      long[] extents = LongExpr.all(shape, frame);
      TensorView view = machine.environment().createTensor(dtype, extents, site.span());
      if (fill && value != 0) {
        Tile tile = machine.device().full(dtype, TileAccess.ints(extents), value);
        machine.device().store(tile, view.region().segment(), view.start(), view.strides(), false);
      }
      if (fill) {
        new Box(view.region(), view.start(), extents, view.strides(), dtype).recordWrite();
      } else {
        TileAccess.mark(machine, view);
      }
      put(frame, target, view);
      return pc + 1;
    };
  }

  static Instruction slice(OpCompiler compiler, Expr.Op op, int target) {
    int source = compiler.reference(op, 0);
    LongExpr[] shape = compiler.tuple(op, 1);
    LongExpr[] offsets = compiler.tuple(op, 2);
    LongExpr[] valid = op.operands().size() > 3 ? compiler.tuple(op, 3) : shape;
    long dropped = Attributes.integer(op, "drop_mask", 0);
    Site site = OpCompiler.site(op, 0);
    return (machine, frame, pc) -> {
      long[] extents = LongExpr.all(shape, frame);
      long[] at = LongExpr.all(offsets, frame);
      if (frame.refs[source] instanceof Tile tile) {
        Bounds.tile(machine.rank(), tile.shape(), at, extents, site);
        int[] box = TileAccess.ints(LongExpr.all(valid, frame));
        int[] size = TileAccess.ints(extents);
        Tile part = machine.device().slice(tile, TileAccess.ints(at), size, box);
        int[] kept = TileAccess.ints(kept(extents, dropped));
        put(frame, target, dropped == 0 ? part : machine.device().reshape(part, kept));
        return pc + 1;
      }
      TensorView view = frame.view(source);
      long[] holding = holding(machine, view, at, extents, LongExpr.all(valid, frame), site);
      Box box = Bounds.box(machine.rank(), view, at, holding, site);
      long[] shown = kept(extents, dropped);
      long[] shownValid = kept(holding, dropped);
      if (HostTensor.count(holding) == 0) {
        Arrays.fill(shownValid, 0);
      }
      put(
          frame,
          target,
          new TensorView(
              view.region(),
              box.start(),
              shown,
              kept(box.strides(), dropped),
              view.dtype(),
              Arrays.equals(shown, shownValid) ? shown : shownValid));
      return pc + 1;
    };
  }

  /** The valid part of a slice: what is asked for, as far as the source has it. */
  private static long[] holding(
      Machine machine, TensorView view, long[] at, long[] extents, long[] wanted, Site site) {
    for (int axis = 0; axis < wanted.length; axis++) {
      if (wanted[axis] < 0 || wanted[axis] > extents[axis]) {
        throw TileAccess.invalid(
            machine,
            site,
            "valid_shape "
                + Arrays.toString(wanted)
                + " doesn't fit into the slice "
                + Arrays.toString(extents),
            "0 <= valid_shape <= shape must hold in every dimension");
      }
    }
    return TileAccess.readable(view, at, wanted);
  }

  private static long[] kept(long[] values, long dropped) {
    if (dropped == 0) {
      return values;
    }
    long[] result = new long[values.length];
    int count = 0;
    for (int axis = 0; axis < values.length; axis++) {
      if ((dropped >> axis & 1) == 0) {
        result[count++] = values[axis];
      }
    }
    return Arrays.copyOf(result, count);
  }

  static Instruction reshape(OpCompiler compiler, Expr.Op op, int target) {
    int source = compiler.reference(op, 0);
    LongExpr[] shape = compiler.tuple(op, 1);
    Site site = OpCompiler.site(op, 0);
    return (machine, frame, pc) -> {
      long[] extents = LongExpr.all(shape, frame);
      if (frame.refs[source] instanceof Tile tile) {
        put(frame, target, machine.device().reshape(tile, TileAccess.ints(extents)));
        return pc + 1;
      }
      TensorView view = frame.view(source);
      TensorView result = view.as(extents, view.dtype());
      if (result == null || result.elements() != view.elements()) {
        throw TileAccess.invalid(
            machine,
            site,
            "cannot reshape tensor of size "
                + view.elements()
                + " with shape "
                + Arrays.toString(view.shape())
                + " to "
                + Arrays.toString(extents),
            "the element counts must be equal and the tensor without gaps");
      }
      put(frame, target, result);
      return pc + 1;
    };
  }

  static Instruction createArray(Expr.Op op, int target) {
    long extent =
        op.type() instanceof Type.Array array ? array.extent() : Attributes.integer(op, "n", 0);
    int size = Math.toIntExact(extent);
    DType dtype = op.type() instanceof Type.Array array ? array.dtype() : DType.INDEX;
    return (machine, frame, pc) -> {
      put(frame, target, new LocalArray(size, dtype));
      return pc + 1;
    };
  }

  static Instruction arrayGet(OpCompiler compiler, Expr.Op op, int target) {
    int array = compiler.reference(op, 0);
    LongExpr index = compiler.scalar(op, 1);
    DType dtype =
        op.operands().get(0).type() instanceof Type.Array type ? type.dtype() : DType.INDEX;
    Site site = OpCompiler.site(op, 0);
    return (machine, frame, pc) -> {
      LocalArray values = frame.array(array);
      int at = checked(machine, index.eval(frame), values.size(), site);
      if (!values.isWritten(at)) {
        Unwritten.element(machine, at, dtype, site);
      }
      if (target >= 0) {
        frame.longs[target] = values.get(at);
      }
      return pc + 1;
    };
  }

  static Instruction arraySet(OpCompiler compiler, Expr.Op op, int target) {
    int array = compiler.reference(op, 0);
    LongExpr index = compiler.scalar(op, 1);
    LongExpr value = compiler.scalar(op, 2);
    DType from = ExprCompiler.dtype(op.operands().get(2).type());
    DType to = op.operands().get(0).type() instanceof Type.Array type ? type.dtype() : from;
    Site site = OpCompiler.site(op, 0);
    return (machine, frame, pc) -> {
      LocalArray values = frame.array(array);
      int at = checked(machine, index.eval(frame), values.size(), site);
      values.set(at, Scalars.convert(value.eval(frame), from, to));
      put(frame, target, values);
      return pc + 1;
    };
  }

  private static int checked(Machine machine, long index, int length, Site site) {
    if (index < 0 || index >= length) {
      throw KernelFault.of(
          Finding.Kind.OUT_OF_BOUNDS,
          machine.rank(),
          site.offset(0),
          "rank "
              + machine.rank()
              + ": index "
              + index
              + " of array '"
              + site.tensor()
              + "' lies outside [0, "
              + length
              + ")",
          "check the index");
    }
    return (int) index;
  }

  private static long[] aligned(long[] shape, int rank) {
    long[] result = new long[rank];
    Arrays.fill(result, 1);
    int shift = rank - shape.length;
    for (int axis = Math.max(0, -shift); axis < shape.length; axis++) {
      result[axis + shift] = shape[axis];
    }
    return result;
  }

  private static long bytes(long[] extents, DType dtype) {
    long total = dtype.bytes();
    for (long extent : extents) {
      total *= extent;
    }
    return total;
  }

  static void put(Frame frame, int target, @Nullable Object value) {
    if (target >= 0) {
      frame.refs[target] = value;
    }
  }

  /** Padding of {@code pl.fillpad}, by its name. */
  static TileOp.Pad pad(Expr.Op op) {
    return switch (Attributes.text(op, "pad", "zero")) {
      case "zero", "0" -> TileOp.Pad.ZERO;
      case "max", "1" -> TileOp.Pad.MAX;
      case "min", "2" -> TileOp.Pad.MIN;
      case String other -> throw new IllegalArgumentException("pl.fillpad: pad " + other);
    };
  }
}
