package io.ringmaster.worker.codegen;

import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.Bounds;
import io.ringmaster.worker.fabric.Box;
import io.ringmaster.worker.fabric.Operation;
import io.ringmaster.worker.fabric.Site;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.fabric.Transfer;
import io.ringmaster.worker.fabric.WindowSlice;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.tensor.DType;

/** One-sided transfers between ranks. A transfer takes effect whole, at its start. */
final class TransferOps {

  private static final long PADDING = 32;

  private TransferOps() {}

  static Instruction remoteLoad(OpCompiler compiler, Expr.Op op, int target) {
    int window = compiler.reference(op, 0);
    LongExpr peer = compiler.scalar(op, 1);
    LongExpr[] offsets = compiler.tuple(op, 2);
    LongExpr[] shape = compiler.tuple(op, 3);
    LongExpr[] valid = op.operands().size() > 4 ? compiler.tuple(op, 4) : shape;
    boolean padded = Attributes.bool(op, "physical_tail_padding", false);
    boolean owned = compiler.isOwned(target);
    boolean passedOn = compiler.isPassedOn(target);
    Site site = OpCompiler.site(op, 0);
    return (machine, frame, pc) -> {
      if (!machine.mayTouch()) {
        return Instruction.YIELD;
      }
      TensorView view = frame.view(window);
      WindowSlice slice = Bounds.peer(machine.rank(), view, peer.eval(frame), site);
      long[] box = LongExpr.all(valid, frame);
      TensorView there = view.in(slice);
      long[] at = LongExpr.all(offsets, frame);
      long[] extents = LongExpr.all(shape, frame);
      Tile tile =
          passedOn
              ? TileAccess.borrow(machine, there, at, extents, box, Operation.REMOTE_LOAD, site)
              : TileAccess.load(
                  machine,
                  there,
                  at,
                  extents,
                  box,
                  Operation.REMOTE_LOAD,
                  site,
                  owned ? frame.replaced(target) : null);
      MemoryOps.put(frame, target, tile);
      long payload = bytes(box, view.dtype());
      long moved = padded ? Math.ceilDiv(payload, PADDING) * PADDING : payload;
      machine.counts().remoteLoads++;
      moved(
          machine,
          slice.owner(),
          machine.rank(),
          Operation.REMOTE_LOAD,
          payload,
          moved,
          machine.cost().remoteTile(moved, false),
          site);
      return pc + 1;
    };
  }

  static Instruction remoteStore(OpCompiler compiler, Expr.Op op, int target) {
    int source = compiler.reference(op, 0);
    int window = compiler.reference(op, 1);
    LongExpr peer = compiler.scalar(op, 2);
    LongExpr[] offsets = compiler.tuple(op, 3);
    boolean add = Attributes.atomicAdd(op);
    Site site = OpCompiler.site(op, 1);
    Site read = OpCompiler.site(op, 0);
    return (machine, frame, pc) -> {
      if (!machine.mayTouch()) {
        return Instruction.YIELD;
      }
      TensorView view = frame.view(window);
      WindowSlice slice = Bounds.peer(machine.rank(), view, peer.eval(frame), site);
      Tile tile =
          frame.refs[source] instanceof TensorView tensor
              ? TileAccess.load(
                  machine,
                  tensor,
                  new long[tensor.rank()],
                  tensor.shape(),
                  tensor.shape(),
                  Operation.REMOTE_STORE,
                  read)
              : frame.tile(source);
      long[] at = LongExpr.all(offsets, frame);
      Box box =
          TileAccess.store(
              machine, tile, view.in(slice), at, add, Operation.REMOTE_STORE, site, read);
      MemoryOps.put(frame, target, view);
      machine.counts().remoteStores++;
      long payload = box.payloadBytes();
      moved(
          machine,
          machine.rank(),
          slice.owner(),
          Operation.REMOTE_STORE,
          payload,
          payload,
          machine.cost().remoteTile(payload, true),
          site);
      return pc + 1;
    };
  }

  static Instruction put(OpCompiler compiler, Expr.Op op, int target) {
    int window = compiler.reference(op, 0);
    LongExpr peer = compiler.scalar(op, 1);
    int source = compiler.reference(op, 2);
    LongExpr[] to = compiler.tuple(op, 3);
    LongExpr[] from = compiler.tuple(op, 4);
    LongExpr[] shape = compiler.tuple(op, 5);
    Stage stage = Stage.of(compiler, op);
    boolean add = Attributes.atomicAdd(op);
    Site site = OpCompiler.site(op, 0);
    Site read = OpCompiler.site(op, 2);
    return (machine, frame, pc) -> {
      if (!machine.mayTouch()) {
        return Instruction.YIELD;
      }
      TensorView view = frame.view(window);
      WindowSlice slice = Bounds.peer(machine.rank(), view, peer.eval(frame), site);
      long[] extents = LongExpr.all(shape, frame);
      int rank = machine.rank();
      TensorView local = frame.view(source);
      TileAccess.requireType(machine, local.dtype(), view.dtype(), site);
      Box origin = Bounds.box(rank, local, LongExpr.all(from, frame), extents, read);
      Box destination = Bounds.box(rank, view.in(slice), LongExpr.all(to, frame), extents, site);
      MemoryOps.put(frame, target, view);
      machine.counts().puts++;
      copy(machine, origin, local, destination, view.in(slice), add, Operation.PUT, site, read);
      long payload = origin.payloadBytes();
      long nanos = machine.cost().remoteCopy(payload, stage.bytes(frame, payload, view.dtype()));
      moved(machine, rank, slice.owner(), Operation.PUT, payload, payload, nanos, site);
      return pc + 1;
    };
  }

  static Instruction get(OpCompiler compiler, Expr.Op op, int target) {
    int destination = compiler.reference(op, 0);
    LongExpr peer = compiler.scalar(op, 1);
    int window = compiler.reference(op, 2);
    LongExpr[] to = compiler.tuple(op, 3);
    LongExpr[] from = compiler.tuple(op, 4);
    LongExpr[] shape = compiler.tuple(op, 5);
    Stage stage = Stage.of(compiler, op);
    Site site = OpCompiler.site(op, 0);
    Site read = OpCompiler.site(op, 2);
    return (machine, frame, pc) -> {
      if (!machine.mayTouch()) {
        return Instruction.YIELD;
      }
      TensorView view = frame.view(window);
      WindowSlice slice = Bounds.peer(machine.rank(), view, peer.eval(frame), read);
      long[] extents = LongExpr.all(shape, frame);
      int rank = machine.rank();
      TensorView local = frame.view(destination);
      TileAccess.requireType(machine, view.dtype(), local.dtype(), site);
      Box origin = Bounds.box(rank, view.in(slice), LongExpr.all(from, frame), extents, read);
      Box place = Bounds.box(rank, local, LongExpr.all(to, frame), extents, site);
      MemoryOps.put(frame, target, local);
      machine.counts().gets++;
      copy(machine, origin, view.in(slice), place, local, false, Operation.GET, site, read);
      long payload = origin.payloadBytes();
      long nanos = machine.cost().remoteCopy(payload, stage.bytes(frame, payload, view.dtype()));
      moved(machine, slice.owner(), rank, Operation.GET, payload, payload, nanos, site);
      return pc + 1;
    };
  }

  /** How a put or get is staged, for its cost: the values don't depend on it. */
  private record Stage(int slot, long rows, long columns) {

    static Stage of(OpCompiler compiler, Expr.Op op) {
      int slot = op.operands().size() > 6 ? compiler.reference(op, 6) : -1;
      return new Stage(
          slot, Attributes.integer(op, "chunk_rows", 0), Attributes.integer(op, "chunk_cols", 0));
    }

    long bytes(Frame frame, long payload, DType dtype) {
      if (slot >= 0 && frame.refs[slot] instanceof Tile tile) {
        return tile.bytes();
      }
      return rows > 0 && columns > 0 ? rows * columns * dtype.bytes() : payload;
    }
  }

  /** Copies or adds a box; onto itself, a copy is only a read. */
  private static void copy(
      Machine machine,
      Box from,
      TensorView source,
      Box to,
      TensorView target,
      boolean add,
      Operation operation,
      Site site,
      Site read) {
    machine.touches(operation, Access.Kind.READ, from, source, read);
    Unwritten.check(machine, from, read);
    if (!add && from.sameBytes(to)) {
      return;
    }
    Access.Kind kind = add ? Access.Kind.ATOMIC_ADD : Access.Kind.WRITE;
    machine.touches(operation, kind, to, target, site);
    Copies.copy(machine.device(), from, to, add);
    to.recordWrite();
  }

  private static void moved(
      Machine machine,
      int from,
      int to,
      Operation operation,
      long payload,
      long moved,
      long nanos,
      Site site) {
    long start = machine.clock();
    machine.transfer(from, to, moved, nanos);
    if (machine.fabric().observed()) {
      machine
          .fabric()
          .events()
          .transferred(
              new Transfer(
                  machine.rank(),
                  from,
                  to,
                  operation,
                  payload,
                  moved,
                  site.span(),
                  start,
                  machine.clock()));
    }
  }

  private static long bytes(long[] extents, DType dtype) {
    long total = dtype.bytes();
    for (long extent : extents) {
      total *= extent;
    }
    return total;
  }
}
