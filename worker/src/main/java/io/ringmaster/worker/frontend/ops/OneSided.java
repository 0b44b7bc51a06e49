package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.ClosureValue;
import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.ir.Type.MemorySpace;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** Transfers that one rank does alone: remote load and store of tiles, put and get of tensors. */
final class OneSided {

  private static final List<String> REGION = List.of("dst_offsets", "src_offsets", "shape");

  private OneSided() {}

  static Expr remoteLoad(OpCall call) {
    call.each(
        () -> call.window("target"),
        () -> Signals.peer(call),
        () -> call.integers("offsets"),
        () -> call.tileShape("shape"));
    Expr target = call.window("target");
    Type.Tensor type = (Type.Tensor) target.type();
    int rank = type.shape().size();
    Expr peer = Signals.peer(call);
    List<Expr> offsets = call.integers("offsets", rank, "target tensor");
    call.integers("shape", rank, "target tensor");
    List<Long> shape = call.tileShape("shape");
    if (call.has("valid_shape")) {
      call.integers("valid_shape", rank, "target tensor");
    }
    List<Expr> box = Bounds.validBox(call, "valid_shape", shape);
    Bounds.warnOfRest(call, type, offsets, box.isEmpty() ? Bounds.constants(shape, call) : box);
    List<Expr> extents = box.isEmpty() ? Bounds.constants(shape, call) : box;
    Bounds.Given given = new Bounds.Given("offsets", box.isEmpty() ? "shape" : "valid_shape");
    Bounds.check(call, given, "reads", "window", offsets, extents, type.shape());
    List<Expr> operands = new ArrayList<>();
    operands.add(target);
    operands.add(peer);
    operands.add(call.tuple(offsets, "offsets"));
    operands.add(call.tuple(Bounds.constants(shape, call), "shape"));
    if (!box.isEmpty()) {
      operands.add(call.tuple(box, "valid_shape"));
    }
    return call.op(
        OpCode.REMOTE_LOAD,
        operands,
        Map.of(),
        new Type.Tile(shape, type.dtype(), MemorySpace.VEC, box));
  }

  static Expr remoteStoreTile(OpCall call) {
    Expr source =
        call.tile(
            "src_tile",
            "src_tile must be a TileType",
            "for a tensor call pld.tensor.remote_store instead");
    Type.Tile from = (Type.Tile) source.type();
    Expr target = call.window("target");
    Type.Tensor to = (Type.Tensor) target.type();
    Expr peer = Signals.peer(call);
    requirePush(call, from.dtype(), from.shape().size(), to);
    for (int axis = 0; axis < from.shape().size() - 2; axis++) {
      if (from.shape().get(axis) != 1) {
        throw call.refuse(
            "src_tile",
            "src leading dimension " + axis + " must be 1, got " + from.shape().get(axis),
            "a push moves one 2-D block");
      }
    }
    return push(call, source, Bounds.valid(from, call), target, peer);
  }

  static Expr remoteStoreTensor(OpCall call) {
    if (call.isTile("src")) {
      throw call.refuse(
          "src", "src is a tile; use pld.tile.remote_store", "call pld.tile.remote_store instead");
    }
    Expr source = call.tensor("src", "src");
    Type.Tensor from = (Type.Tensor) source.type();
    if (from.window()) {
      throw call.refuse(
          "src", "src is a DistributedTensor; use pld.tensor.put", "call pld.tensor.put instead");
    }
    Expr target = call.window("target");
    Type.Tensor to = (Type.Tensor) target.type();
    Expr peer = Signals.peer(call);
    requirePush(call, from.dtype(), from.shape().size(), to);
    List<Expr> extents = Bounds.valid(from, call);
    List<Expr> offsets = pushOffsets(call, extents, to);
    List<Expr> zeros = zeros(from.shape().size(), call);
    boolean atomic = atomic(call, to.dtype());
    Map<String, Attribute> attributes = new HashMap<>(chunks(0, 0, false));
    attributes.put("atomic", new Attribute.Atomic(atomic));
    return call.op(
        OpCode.PUT,
        List.of(
            target,
            peer,
            source,
            call.tuple(offsets, "offsets"),
            call.tuple(zeros, "src"),
            call.tuple(extents, "src")),
        attributes,
        new Type.None());
  }

  private static void requirePush(OpCall call, DType from, int rank, Type.Tensor to) {
    String source = call.given("src_tile") ? "src_tile" : "src";
    if (from != to.dtype()) {
      throw call.refuse(
          source,
          "src dtype (" + from + ") must match target dtype (" + to.dtype() + ")",
          "convert with pl.cast first");
    }
    if (rank < 2) {
      throw call.refuse(
          source, "src must be at least 2-D, got " + rank + "-D", "reshape it to [1, SIZE]");
    }
    if (to.shape().size() < 2) {
      throw call.refuse(
          "target",
          "target rank must be >= 2, got " + to.shape().size(),
          "view the window as [1, SIZE]");
    }
  }

  private static Expr push(OpCall call, Expr source, List<Expr> extents, Expr target, Expr peer) {
    Type.Tensor to = (Type.Tensor) target.type();
    List<Expr> offsets = pushOffsets(call, extents, to);
    return call.op(
        OpCode.REMOTE_STORE,
        List.of(source, target, peer, call.tuple(offsets, "offsets")),
        Map.of("atomic", new Attribute.Atomic(atomic(call, to.dtype()))),
        new Type.None());
  }

  private static List<Expr> pushOffsets(OpCall call, List<Expr> extents, Type.Tensor to) {
    List<Expr> offsets = call.integers("offsets", to.shape().size(), "target tensor");
    int shift = offsets.size() - extents.size();
    Bounds.Given given = new Bounds.Given("offsets", call.given("src") ? "src" : "src_tile");
    for (int axis = 0; axis < offsets.size(); axis++) {
      Expr offset = offsets.get(axis);
      Expr extent =
          axis < shift ? new Expr.IntConst(1, DType.INDEX, call.span()) : extents.get(axis - shift);
      Expr size = to.shape().get(axis);
      Bounds.requireStart(
          call, "offsets", "offsets dimension " + axis + " must be non-negative", offset);
      Bounds.requireEnd(
          call,
          given,
          "push exceeds the peer's target region in dimension "
              + axis
              + " (offset="
              + TypeText.scalar(offset)
              + ", extent="
              + TypeText.scalar(extent)
              + ", target_dim="
              + TypeText.scalar(size)
              + ")",
          offset,
          extent,
          size);
    }
    return offsets;
  }

  private static boolean atomic(OpCall call, DType dtype) {
    boolean atomic = call.atomic("atomic");
    if (atomic) {
      call.requireAtomicAdd(dtype);
    }
    return atomic;
  }

  static Expr put(OpCall call) {
    call.each(() -> call.window("dst"), () -> Signals.peer(call), () -> gmTensor(call, "src"));
    Expr target = call.window("dst");
    Expr peer = Signals.peer(call);
    Expr source = gmTensor(call, "src");
    List<List<Expr>> region =
        region(call, (Type.Tensor) target.type(), (Type.Tensor) source.type());
    boolean atomic = atomic(call, Windows.dtype(target));
    Map<String, Attribute> attributes = new HashMap<>(staging(call, region.get(2)));
    attributes.put("atomic", new Attribute.Atomic(atomic));
    return call.op(
        OpCode.PUT,
        List.of(
            target,
            peer,
            source,
            call.tuple(region.get(0), "dst_offsets"),
            call.tuple(region.get(1), "src_offsets"),
            call.tuple(region.get(2), "shape")),
        attributes,
        new Type.None());
  }

  static Expr get(OpCall call) {
    call.each(() -> gmTensor(call, "dst"), () -> Signals.peer(call), () -> call.window("src"));
    Expr target = gmTensor(call, "dst");
    Expr peer = Signals.peer(call);
    Expr source = call.window("src");
    List<List<Expr>> region =
        region(call, (Type.Tensor) target.type(), (Type.Tensor) source.type());
    return call.op(
        OpCode.GET,
        List.of(
            target,
            peer,
            source,
            call.tuple(region.get(0), "dst_offsets"),
            call.tuple(region.get(1), "src_offsets"),
            call.tuple(region.get(2), "shape")),
        staging(call, region.get(2)),
        new Type.None());
  }

  private static Expr gmTensor(OpCall call, String parameter) {
    if (call.isTensor(parameter)) {
      return call.dsl(parameter).orElseThrow();
    }
    throw call.refuse(
        parameter,
        parameter + " must be a GM tensor, got " + call.describe(parameter),
        call.isTile(parameter)
            ? "a tile is pushed by pld.tile.remote_store"
            : "pass a tensor or a window");
  }

  /** Destination offsets, source offsets and shape of a transfer, written out. */
  private static List<List<Expr>> region(OpCall call, Type.Tensor dst, Type.Tensor src) {
    if (dst.dtype() != src.dtype()) {
      throw call.refuse(
          "src",
          "dst and src must have the same element type, got " + dst.dtype() + " and " + src.dtype(),
          "view the window's buffer with the tensor's dtype");
    }
    int rank = dst.shape().size();
    if (rank != src.shape().size()) {
      throw call.refuse(
          "src",
          "dst rank must match src rank, got " + rank + " and " + src.shape().size(),
          "give both the same number of dimensions");
    }
    List<String> given = REGION.stream().filter(call::has).toList();
    if (given.isEmpty()) {
      if (!dst.valid().isEmpty() || !src.valid().isEmpty()) {
        throw call.refuse(
            dst.valid().isEmpty() ? "src" : "dst",
            "moves whole slices, and of one of these only a part is valid",
            "give dst_offsets, src_offsets and shape to move the valid part");
      }
      requireSameShape(call, dst, src);
      return List.of(zeros(rank, call), zeros(rank, call), src.shape());
    }
    if (given.size() < REGION.size()) {
      throw call.refuse(
          given.getFirst(),
          "dst_offsets, src_offsets and shape must be provided together, got only "
              + String.join(", ", given),
          "give all three, or none for the whole slice");
    }
    List<Expr> dstOffsets = list(call, "dst_offsets", rank, "dst");
    List<Expr> srcOffsets = list(call, "src_offsets", rank, "src");
    List<Expr> shape = list(call, "shape", rank, "dst");
    for (int axis = 0; axis < rank; axis++) {
      Extent extent = call.extentOf(shape.get(axis));
      if (extent.constant().orElse(1) <= 0 || extent.alwaysNegative()) {
        throw call.refuse(
            "shape",
            "shape dimension "
                + axis
                + " must be positive, got "
                + TypeText.scalar(shape.get(axis)),
            "leave the transfer out where there is nothing to move");
      }
    }
    boolean fits = IntStream.range(0, rank).allMatch(i -> fits(call, shape.get(i), dst, i));
    call.each(
        () -> requireInside(call, "dst", dst, dstOffsets, shape),
        () -> {
          // A shape that is too large for both is one mistake.
          if (fits) {
            requireInside(call, "src", src, srcOffsets, shape);
          }
        });
    return List.of(dstOffsets, srcOffsets, shape);
  }

  private static List<Expr> list(OpCall call, String parameter, int rank, String of) {
    List<Expr> list = call.integers(parameter);
    if (list.size() != rank) {
      throw call.refuse(
          parameter,
          parameter + " rank must match " + of + " rank: got " + list.size() + " and " + rank,
          "give one value for each dimension");
    }
    return list;
  }

  private static boolean fits(OpCall call, Expr extent, Type.Tensor tensor, int axis) {
    Extent size = call.extentOf(Bounds.valid(tensor, call).get(axis));
    return !call.extentOf(extent).minus(size).alwaysPositive();
  }

  private static void requireInside(
      OpCall call, String role, Type.Tensor tensor, List<Expr> offsets, List<Expr> shape) {
    for (int axis = 0; axis < shape.size(); axis++) {
      requireInside(call, role, tensor, axis, offsets.get(axis), shape.get(axis));
    }
  }

  private static void requireInside(
      OpCall call, String role, Type.Tensor tensor, int axis, Expr offset, Expr extent) {
    String offsets = role + "_offsets";
    Expr size = Bounds.valid(tensor, call).get(axis);
    String what = tensor.valid().isEmpty() ? tensor.window() ? "window" : "tensor" : "valid";
    Bounds.requireStart(
        call, offsets, offsets + " dimension " + axis + " must be non-negative", offset);
    Bounds.requireEnd(
        call,
        new Bounds.Given(offsets, "shape"),
        role
            + " subregion dimension "
            + axis
            + " exceeds "
            + role
            + " shape: offset "
            + TypeText.scalar(offset)
            + " + extent "
            + TypeText.scalar(extent)
            + " goes beyond the "
            + what
            + " extent "
            + TypeText.scalar(size),
        offset,
        extent,
        size);
  }

  private static void requireSameShape(OpCall call, Type.Tensor dst, Type.Tensor src) {
    for (int axis = 0; axis < dst.shape().size(); axis++) {
      Extent a = call.extentOf(dst.shape().get(axis));
      Extent b = call.extentOf(src.shape().get(axis));
      if (a.sameAs(b)) {
        continue;
      }
      String shapes = TypeText.shape(dst.shape()) + " and " + TypeText.shape(src.shape());
      if (a.constant().isPresent() && b.constant().isPresent()) {
        throw call.refuse(
            "src",
            "dst and src must have the same static shape; dimension "
                + axis
                + " differs: "
                + shapes,
            "give dst_offsets, src_offsets and shape to move a part");
      }
      throw call.refuse(
          "src",
          "dst and src shapes must match structurally; dimension " + axis + " differs: " + shapes,
          "give dst_offsets, src_offsets and shape to move a part");
    }
  }

  private static List<Expr> zeros(int rank, OpCall call) {
    return java.util.Collections.nCopies(rank, new Expr.IntConst(0, DType.INDEX, call.span()));
  }

  private static Map<String, Attribute> staging(OpCall call, List<Expr> shape) {
    long rows = chunk(call, "chunk_rows");
    long cols = chunk(call, "chunk_cols");
    boolean pipeline = call.constantBool("pipeline", false);
    if (pipeline && (rows == 0 || cols == 0)) {
      throw call.refuse(
          "pipeline",
          "pipeline=True requires both chunk_rows>0 and chunk_cols>0",
          "give both chunk sizes");
    }
    OptionalLong width = call.extentOf(shape.getLast()).constant();
    if (width.isPresent() && cols > width.getAsLong()) {
      throw call.refuse(
          "chunk_cols",
          "chunk_cols (" + cols + ") is wider than the row of " + width.getAsLong() + " elements",
          "the device moves the whole staging tile, so the bytes behind the row would go along:"
              + " give chunk_cols="
              + width.getAsLong()
              + " or less");
    }
    if (cols == 0 && width.isEmpty()) {
      throw call.refuse(
          "a dynamic innermost transfer dim needs a static chunk_cols", "chunk_cols=64, say");
    }
    boolean dynamicLeading =
        shape.subList(0, shape.size() - 1).stream()
            .anyMatch(extent -> call.extentOf(extent).constant().isEmpty());
    if (rows == 0 && dynamicLeading) {
      throw call.refuse(
          "a dynamic leading transfer dim needs a static chunk_rows", "chunk_rows=1, say");
    }
    return chunks(rows, cols, pipeline);
  }

  private static Map<String, Attribute> chunks(long rows, long cols, boolean pipeline) {
    return Map.of(
        "chunk_rows", new Attribute.Int(rows),
        "chunk_cols", new Attribute.Int(cols),
        "pipeline", new Attribute.Bool(pipeline));
  }

  private static long chunk(OpCall call, String parameter) {
    if (!call.given(parameter)) {
      return 0;
    }
    if (!(call.arg(parameter).value() instanceof Value.Constant(ClosureValue.Int(long value)))) {
      throw call.refuse(
          parameter,
          parameter + " must be an int (static), got " + call.describe(parameter),
          "write the number itself");
    }
    if (value < 0) {
      throw call.refuse(
          parameter,
          parameter + " must be non-negative (0 = full), got " + value,
          "0 stages all at once");
    }
    return value;
  }
}
