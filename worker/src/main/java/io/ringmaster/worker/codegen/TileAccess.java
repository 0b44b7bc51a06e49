package io.ringmaster.worker.codegen;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.Bounds;
import io.ringmaster.worker.fabric.Box;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.KernelFault;
import io.ringmaster.worker.fabric.LocalRegion;
import io.ringmaster.worker.fabric.Operation;
import io.ringmaster.worker.fabric.Site;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.fabric.WindowSlice;
import io.ringmaster.worker.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Moves tiles between a rank and memory it may address, its own or a peer's. */
final class TileAccess {

  private TileAccess() {}

  /** True when an access to the view has to wait for its turn. */
  static boolean mustYield(Machine machine, TensorView view) {
    return view.region() instanceof WindowSlice
        && machine.device().computes()
        && !machine.mayTouch();
  }

  static int[] ints(long[] values) {
    int[] result = new int[values.length];
    for (int i = 0; i < values.length; i++) {
      result[i] = Math.toIntExact(values[i]);
    }
    return result;
  }

  static long[] longs(int[] values) {
    return Arrays.stream(values).asLongStream().toArray();
  }

  /**
   * Reads a box into a new tile of {@code shape} and reports the access. What is wanted of a partly
   * valid view beyond its valid part counts as never written.
   */
  static Tile load(
      Machine machine,
      TensorView view,
      long[] offsets,
      long[] shape,
      long[] wanted,
      Operation operation,
      Site site) {
    return load(machine, view, offsets, shape, wanted, operation, site, null);
  }

  /** As above; the tile may take the place of {@code old}, at which nobody will look again. */
  static Tile load(
      Machine machine,
      TensorView view,
      long[] offsets,
      long[] shape,
      long[] wanted,
      Operation operation,
      Site site,
      @Nullable Tile old) {
    Box box = read(machine, view, offsets, shape, wanted, operation, site);
    return copied(machine, box, shape, wanted, old);
  }

  /** As above; the tile needn't be copied before the memory changes. */
  static Tile borrow(
      Machine machine,
      TensorView view,
      long[] offsets,
      long[] shape,
      long[] wanted,
      Operation operation,
      Site site) {
    Box box = read(machine, view, offsets, shape, wanted, operation, site);
    if (machine.device().computes()
        && !machine.device().hasOwnMemory()
        && Arrays.equals(shape, box.extents())
        && box.isWorthBorrowing()) {
      return new BorrowedTile(machine.device(), box.here(), ints(shape));
    }
    return copied(machine, box, shape, wanted, null);
  }

  private static Box read(
      Machine machine,
      TensorView view,
      long[] offsets,
      long[] shape,
      long[] wanted,
      Operation operation,
      Site site) {
    requireShape(machine, shape, wanted, site);
    long[] valid = readable(view, offsets, wanted);
    Box box = Bounds.box(machine.rank(), view, offsets, valid, site);
    machine.touches(operation, Access.Kind.READ, box, view, site);
    Unwritten.check(machine, box, site);
    return box;
  }

  private static Tile copied(
      Machine machine, Box box, long[] shape, long[] wanted, @Nullable Tile old) {
    Tile tile = copied(machine, box, shape, old);
    boolean all = Arrays.equals(box.extents(), wanted);
    return all ? tile : machine.device().withValid(tile, ints(wanted));
  }

  private static Tile copied(Machine machine, Box box, long[] shape, @Nullable Tile old) {
    int[] valid = ints(box.extents());
    Device device = machine.device();
    if (!device.computes()) {
      return device.load(
          MemorySegment.NULL, box.start(), box.strides(), box.dtype(), ints(shape), valid);
    }
    Box here = box.here();
    return device.load(
        here.region().segment(),
        here.start(),
        here.strides(),
        here.dtype(),
        ints(shape),
        valid,
        old);
  }

  /** The part of a box at {@code offsets} that lies in the valid part of a view. */
  static long[] readable(TensorView view, long[] offsets, long[] wanted) {
    if (view.isWhole() || view.rank() != offsets.length) {
      return wanted;
    }
    long[] valid = wanted.clone();
    for (int axis = 0; axis < valid.length; axis++) {
      long left = Math.max(0, view.valid()[axis] - Math.max(0, offsets[axis]));
      valid[axis] = Math.min(valid[axis], left);
    }
    return valid;
  }

  /** The whole view as a tile. */
  static Tile loadAll(Machine machine, TensorView view, Site site) {
    long[] shape = view.shape();
    Tile tile = load(machine, view, new long[shape.length], shape, shape, Operation.LOAD, site);
    machine.spend(machine.cost().load(view.payloadBytes()));
    return tile;
  }

  /** Writes a tile's valid box at {@code offsets} and reports the access; returns the box. */
  static Box store(
      Machine machine,
      Tile tile,
      TensorView view,
      long[] offsets,
      boolean add,
      Operation operation,
      Site site,
      Site read) {
    requireType(machine, tile.dtype(), view.dtype(), site);
    long[] extents = extents(machine, tile, offsets.length, site);
    Box box = Bounds.box(machine.rank(), view, offsets, extents, site);
    Access.Kind kind = add ? Access.Kind.ATOMIC_ADD : Access.Kind.WRITE;
    machine.touches(operation, kind, box, view, site);
    long unwritten = machine.device().computes() ? written(machine.device(), tile, box, add) : 0;
    box.recordWrite();
    if (unwritten > 0) {
      Unwritten.stored(machine, unwritten, tile.dtype(), read, site);
    }
    return box;
  }

  /** Puts the elements into memory; returns how many of them nobody has written. */
  static long written(Device device, Tile tile, Box box, boolean add) {
    box.beforeWrite(!add);
    if (tile instanceof BorrowedTile passed && !add) {
      passOn(device, passed, box);
      return 0;
    }
    long[] strides = tileStrides(box, tile.shape().length);
    return device.store(tile, box.region().segment(), box.start(), strides, add);
  }

  private static void passOn(Device device, BorrowedTile tile, Box box) {
    Box from = tile.borrowed();
    tile.drop();
    if (from == null || !box.isContiguous()) {
      long[] strides = tileStrides(box, tile.shape().length);
      device.store(tile.fetched(), box.region().segment(), box.start(), strides, false);
    } else if (!box.borrow(from)) {
      Copies.beforeHost(device, from, box);
      MemorySegment.copy(
          from.region().segment(),
          from.start(),
          box.region().segment(),
          box.start(),
          box.payloadBytes());
      Copies.afterHost(device, box);
    }
  }

  /** A fresh tensor of this rank that holds the tile. */
  static TensorView toTensor(Machine machine, Tile tile, Site site) {
    long[] shape = longs(tile.shape());
    TensorView view = machine.environment().createTensor(tile.dtype(), shape, site.span());
    if (!Arrays.equals(tile.shape(), tile.valid())) {
      mark(machine, view);
    }
    store(machine, tile, view, new long[shape.length], false, Operation.STORE, site, site);
    machine.spend(machine.cost().store(view.payloadBytes()));
    return view;
  }

  /** Marks new memory of chip code as not written; the HOST's is zeroed. */
  static void mark(Machine machine, TensorView view) {
    if (view.region() instanceof LocalRegion local && machine.device().computes()) {
      machine.device().mark(local.segment().asSlice(0, local.bytes()), view.dtype());
    }
  }

  /** The tile's valid extents seen with another number of leading dimensions. */
  private static long[] extents(Machine machine, Tile tile, int rank, Site site) {
    int[] valid = tile.valid();
    long[] extents = new long[rank];
    Arrays.fill(extents, 1);
    for (int axis = 0; axis < valid.length; axis++) {
      int at = axis + rank - valid.length;
      if (at >= 0) {
        extents[at] = valid[axis];
      } else if (valid[axis] != 1) {
        throw invalid(
            machine,
            site,
            "a tile of shape "
                + Arrays.toString(tile.shape())
                + " can't be stored with "
                + rank
                + " offsets",
            "give one offset for each dimension of the tile");
      }
    }
    return extents;
  }

  private static long[] tileStrides(Box box, int rank) {
    long[] strides = box.strides();
    if (strides.length == rank) {
      return strides;
    }
    long[] result = new long[rank];
    int shift = rank - strides.length;
    for (int axis = Math.max(0, shift); axis < rank; axis++) {
      result[axis] = strides[axis - shift];
    }
    return result;
  }

  private static void requireShape(Machine machine, long[] shape, long[] valid, Site site) {
    for (int axis = 0; axis < shape.length; axis++) {
      if (valid.length != shape.length || valid[axis] > shape[axis]) {
        throw invalid(
            machine,
            site,
            "valid_shape "
                + Arrays.toString(valid)
                + " exceeds the window extent "
                + Arrays.toString(shape),
            "0 <= valid_shape <= shape must hold in every dimension");
      }
    }
  }

  static void requireType(Machine machine, DType from, DType to, Site site) {
    if (from != to) {
      throw invalid(
          machine,
          site,
          "src dtype ("
              + from
              + ") must match target dtype ("
              + to
              + ") of '"
              + site.tensor()
              + "'",
          "cast the source with pl.cast");
    }
  }

  static KernelFault invalid(Machine machine, Site site, String message, String hint) {
    return KernelFault.of(
        Finding.Kind.RULE_BROKEN,
        machine.rank(),
        site.span(),
        "rank " + machine.rank() + ": " + site.operation() + ": " + message,
        hint);
  }
}
