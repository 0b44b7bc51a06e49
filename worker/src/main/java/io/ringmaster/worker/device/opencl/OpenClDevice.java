package io.ringmaster.worker.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.ringmaster.worker.device.Boxes;
import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.device.DeviceMemoryFull;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.device.opencl.Buffers.Buffer;
import io.ringmaster.worker.device.opencl.Job.Numbers;
import io.ringmaster.worker.device.opencl.Job.Operand;
import io.ringmaster.worker.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A device that computes through OpenCL, for one run. Each operation is a kernel in the queue of
 * the rank's device, and the host goes on at once; it waits only where it reads. No kernel waits
 * for another: who may go on is decided by the host, so a device may have fewer places than there
 * are ranks. Belongs to one thread.
 */
public final class OpenClDevice implements Device {

  /** What the ranks of a run share. */
  private record Session(Mirrors mirrors, List<Lane> lanes, List<OpenClDevice> ranks) {}

  private final Session session;
  private final Lane lane;
  private final Arithmetic arithmetic;
  private final HostTiles hostTiles;

  private OpenClDevice(Session session, Lane lane) {
    this.session = session;
    this.lane = lane;
    this.arithmetic = new Arithmetic(lane);
    this.hostTiles = new HostTiles(lane);
  }

  static OpenClDevice open(Programs programs, List<Integer> deviceIds, boolean sharing) {
    List<Accelerator> devices = programs.devices();
    boolean shared = sharing && devices.stream().allMatch(Accelerator::sharesMemory);
    var session = new Session(new Mirrors(programs, shared), new ArrayList<>(), new ArrayList<>());
    var opened = new @Nullable OpenClDevice[devices.size()];
    try {
      for (int id : deviceIds) {
        int index = Math.floorMod(id, devices.size());
        OpenClDevice device = opened[index];
        if (device == null) {
          var lane = new Lane(programs, devices.get(index));
          session.lanes().add(lane);
          device = new OpenClDevice(session, lane);
          opened[index] = device;
        }
        session.ranks().add(device);
      }
    } catch (OpenClFailure | DeviceMemoryFull failure) {
      session.lanes().forEach(Lane::close);
      throw failure;
    }
    return session.ranks().getFirst();
  }

  @Override
  public Device of(int rank) {
    return session.ranks().get(rank);
  }

  @Override
  public void settle() {
    session.lanes().forEach(Lane::finish);
  }

  @Override
  public void close() {
    session.lanes().forEach(Lane::close);
    session.mirrors().close();
  }

  @Override
  public void reading(MemorySegment memory, long from, long bytes) {
    session.mirrors().toHost(memory, from, bytes);
  }

  @Override
  public void changing(MemorySegment memory, long from, long bytes) {
    session.mirrors().hostChanging(memory, from, bytes);
  }

  @Override
  public void changed(MemorySegment memory, long from, long bytes) {
    session.mirrors().fromHost(memory, from, bytes);
  }

  @Override
  public Tile create(DType dtype, int[] shape) {
    Buffer buffer = arithmetic.filled(dtype, shape, Device.mark(dtype));
    return new OpenClTile(dtype, shape, shape, buffer, Written.RULES.create(DType.BOOL, shape));
  }

  @Override
  public Tile full(DType dtype, int[] shape, long scalar) {
    return new OpenClTile(dtype, shape, shape, arithmetic.filled(dtype, shape, scalar), null);
  }

  @Override
  public Tile load(
      MemorySegment memory,
      long start,
      long[] strides,
      DType dtype,
      int[] shape,
      int[] valid,
      @Nullable Tile old) {
    Texts.code(dtype);
    long[] extents = Boxes.longs(valid);
    Memory box = memory(memory, start, strides, extents, dtype);
    if (Arrays.equals(shape, valid) && Boxes.count(shape) > 0) {
      session.mirrors().read(memory, lane);
      return new OpenClTile(
          dtype,
          shape,
          valid,
          Cells.lent(
              new Cells.View(session.mirrors(), lane, box, dtype.bytes(), shape),
              Arithmetic.spare(dtype, shape, old)),
          null);
    }
    Buffer buffer = arithmetic.room(dtype, shape, valid, old);
    arithmetic.move(
        dtype.bytes(), extents, reading(box), new Operand(buffer, 0, Boxes.rowMajor(shape)));
    return new OpenClTile(dtype, shape, valid, buffer, Written.loaded(shape, valid));
  }

  @Override
  public long store(Tile tile, MemorySegment memory, long start, long[] strides, boolean add) {
    OpenClTile source = own(tile);
    DType dtype = source.dtype();
    long[] extents = Boxes.longs(source.valid());
    // Whoever has elements there takes them along first; this tile, perhaps.
    Operand to = writing(memory(memory, start, strides, extents, dtype));
    Marked marked = marked(source);
    Operand from = marked.operand();
    if (add) {
      var job = new Job(extents, to, to, from, Numbers.op(Arithmetic.code(TileOp.Binary.ADD)));
      arithmetic.run(dtype, job, TileOp.Binary.ADD);
    } else {
      arithmetic.move(dtype.bytes(), extents, from, to);
    }
    return marked.unwritten();
  }

  /** A tile's elements with the mark of its type where nobody wrote, and how many those are. */
  private record Marked(Operand operand, long unwritten) {}

  private Marked marked(OpenClTile tile) {
    Tile written = tile.written();
    if (written == null) {
      return new Marked(tile.read(), 0);
    }
    long count = tile.count();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment flags = arena.allocate(Math.max(1, count));
      long unwritten = Written.flags(written, flags);
      if (unwritten == 0) {
        return new Marked(tile.read(), 0);
      }
      DType dtype = tile.dtype();
      Buffer out = lane.take(count * dtype.bytes());
      lane.copy(tile.buffer(), 0, out, 0, count * dtype.bytes());
      Buffer where = lane.take(count);
      lane.write(where, 0, flags);
      Operand to = new Operand(out, 0, new long[] {1});
      Operand at = new Operand(where, 0, new long[] {1});
      Numbers mark = Numbers.pattern(Written.bits(dtype, Device.mark(dtype)));
      lane.launch(
          Texts.moves(dtype.bytes()), "blot", new Job(new long[] {count}, to, to, at, mark));
      return new Marked(new Operand(out, 0, Boxes.rowMajor(tile.shape())), unwritten);
    }
  }

  @Override
  public boolean isAsynchronous() {
    return true;
  }

  @Override
  public boolean hasOwnMemory() {
    return !session.mirrors().isSharing();
  }

  @Override
  public void copy(
      MemorySegment source,
      long from,
      long[] fromStrides,
      MemorySegment target,
      long to,
      long[] toStrides,
      long[] extents,
      DType dtype) {
    arithmetic.move(
        dtype.bytes(),
        extents,
        reading(memory(source, from, fromStrides, extents, dtype)),
        writing(memory(target, to, toStrides, extents, dtype)));
  }

  private Operand reading(Memory box) {
    return new Operand(session.mirrors().read(box.segment(), lane), box.first(), box.strides());
  }

  private Operand writing(Memory box) {
    return new Operand(session.mirrors().write(box, lane), box.first(), box.strides());
  }

  private static Memory memory(
      MemorySegment memory, long start, long[] strides, long[] extents, DType dtype) {
    if (start % dtype.bytes() != 0) {
      throw new DeviceFault(
          "a view of "
              + dtype
              + " starts at byte "
              + start
              + " of its memory; an OpenCL device needs a multiple of "
              + dtype.bytes());
    }
    return Memory.of(memory, start / dtype.bytes(), strides, extents, dtype.bytes());
  }

  @Override
  public Tile binary(TileOp.Binary op, Tile left, Tile right, DType result, @Nullable Tile old) {
    return arithmetic.binary(op, own(left), own(right), result, old);
  }

  @Override
  public Tile binary(TileOp.Binary op, Tile left, long scalar) {
    return arithmetic.binary(op, own(left), scalar);
  }

  @Override
  public Tile unary(TileOp.Unary op, Tile tile) {
    return arithmetic.unary(op, own(tile));
  }

  @Override
  public Tile cast(Tile tile, DType dtype, TileOp.Rounding rounding) {
    return arithmetic.cast(own(tile), dtype, rounding);
  }

  @Override
  public Tile reduceRows(TileOp.Reduction op, Tile tile) {
    return arithmetic.reduce(op, own(tile), true);
  }

  @Override
  public Tile reduceColumns(TileOp.Reduction op, Tile tile) {
    return arithmetic.reduce(op, own(tile), false);
  }

  @Override
  public Tile matmul(
      @Nullable Tile accumulator,
      Tile left,
      Tile right,
      boolean transposeLeft,
      boolean transposeRight,
      DType result) {
    return arithmetic.matmul(
        accumulator == null ? null : own(accumulator),
        own(left),
        own(right),
        transposeLeft,
        transposeRight,
        result);
  }

  @Override
  public Tile count(DType dtype, int[] shape, long start, long step) {
    return hostTiles.count(dtype, shape, start, step);
  }

  @Override
  public Tile arrange(TileOp.Arrangement op, List<Tile> operands) {
    return hostTiles.arrange(op, operands.stream().map(OpenClDevice::own).toList());
  }

  @Override
  public Tile slice(Tile tile, int[] offsets, int[] shape, int[] valid) {
    OpenClTile source = own(tile);
    Boxes.requireInside(source.shape(), offsets, shape);
    Tile written =
        source.written() == null
            ? Written.loaded(shape, valid)
            : Written.lasting(Written.RULES.slice(Written.of(source), offsets, shape, valid));
    Buffer buffer = lane.take(Boxes.count(shape) * source.dtype().bytes());
    arithmetic.move(
        source.dtype().bytes(),
        Boxes.longs(shape),
        at(source.read(), offsets),
        new Operand(buffer, 0, Boxes.rowMajor(shape)));
    return new OpenClTile(source.dtype(), shape, valid, buffer, written);
  }

  /** The part of an operand that begins at these offsets. */
  private static Operand at(Operand whole, int[] offsets) {
    long first = whole.first();
    for (int axis = 0; axis < offsets.length; axis++) {
      first += offsets[axis] * whole.strides()[axis];
    }
    return new Operand(whole.buffer(), first, whole.strides());
  }

  @Override
  public void assemble(Tile target, Tile source, int[] offsets) {
    OpenClTile to = own(target);
    OpenClTile from = arithmetic.converted(own(source), to.dtype());
    Boxes.requireInside(to.shape(), offsets, from.valid());
    Operand values = marked(from).operand();
    if (to.written() != null) {
      Written.RULES.assemble(Written.of(to), Written.of(from), offsets);
    }
    arithmetic.move(
        to.dtype().bytes(),
        Boxes.longs(from.valid()),
        values,
        new Operand(to.buffer(), Boxes.first(to.shape(), offsets), Boxes.rowMajor(to.shape())));
  }

  @Override
  public Tile reshape(Tile tile, int[] shape) {
    OpenClTile source = own(tile);
    Boxes.requireReshape(source.shape(), shape);
    Tile written = source.written();
    return new OpenClTile(
        source.dtype(),
        shape,
        shape,
        source.buffer(),
        written == null ? null : Written.RULES.reshape(written, shape));
  }

  @Override
  public Tile withValid(Tile tile, int[] valid) {
    OpenClTile source = own(tile);
    Boxes.requireInside(source.shape(), new int[valid.length], valid);
    Tile written =
        source.written() == null
            ? Written.loaded(source.shape(), valid)
            : Written.RULES.withValid(Written.of(source), valid);
    return new OpenClTile(source.dtype(), source.shape(), valid, source.buffer(), written);
  }

  @Override
  public Tile fillPad(Tile tile, TileOp.Pad pad) {
    OpenClTile source = own(tile);
    if (source.isFull()) {
      return source;
    }
    DType dtype = source.dtype();
    int[] shape = source.shape();
    long[] strides = Boxes.rowMajor(shape);
    Buffer out = arithmetic.filled(dtype, shape, Written.padding(dtype, pad));
    arithmetic.move(
        dtype.bytes(), Boxes.longs(source.valid()), source.read(), new Operand(out, 0, strides));
    Tile written = Written.RULES.fillPad(Written.of(source), TileOp.Pad.ZERO);
    return new OpenClTile(dtype, shape, shape, out, Written.lasting(written));
  }

  @Override
  public long read(Tile tile, int[] index) {
    OpenClTile source = own(tile);
    if (!holds(tile, index)) {
      return Written.mark(source.dtype());
    }
    int width = source.dtype().bytes();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(width, Long.BYTES);
      lane.read(source.buffer(), Boxes.element(source.shape(), index) * width, bytes);
      return Written.scalar(source.dtype(), bytes);
    }
  }

  @Override
  public boolean holds(Tile tile, int[] index) {
    OpenClTile source = own(tile);
    Boxes.element(source.shape(), index);
    Tile written = source.written();
    return written == null || Written.RULES.holds(written, index);
  }

  @Override
  public void mark(MemorySegment memory, DType dtype) {
    if (memory.byteSize() == 0) {
      return;
    }
    boolean real = dtype == DType.FP32 || dtype == DType.FP16 || dtype == DType.BF16;
    Buffer buffer = session.mirrors().overwrite(memory, lane);
    int width = real ? dtype.bytes() : 1;
    long bits = real ? Written.bits(dtype, Device.mark(dtype)) : 0xA5;
    lane.fill(buffer, 0, memory.byteSize() / width * width, bits, width);
  }

  @Override
  public void write(Tile tile, int[] index, long scalar) {
    OpenClTile target = own(tile);
    int width = target.dtype().bytes();
    long at = Boxes.element(target.shape(), index) * width;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(Long.BYTES, Long.BYTES);
      bytes.set(JAVA_LONG, 0, Written.bits(target.dtype(), scalar));
      lane.write(target.buffer(), at, bytes.asSlice(0, width));
    }
    Tile written = target.written();
    if (written != null) {
      Written.RULES.write(written, index, 0);
    }
  }

  private static OpenClTile own(Tile tile) {
    if (tile instanceof OpenClTile mine) {
      return mine;
    }
    throw new IllegalArgumentException("a tile of another device: " + tile.getClass().getName());
  }
}
