package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.ir.Type.MemorySpace;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Moving data between global memory and tiles: load, store, element access, move. */
final class Moving {

  private Moving() {}

  static Expr load(OpCall call) {
    call.each(
        () -> call.tensor("tensor", "first"),
        () -> call.integers("offsets"),
        () -> call.tileShape("shapes"));
    Expr source = call.tensor("tensor", "first");
    Type.Tensor type = (Type.Tensor) source.type();
    List<Expr> offsets = call.integers("offsets");
    List<Long> shape = call.tileShape("shapes");
    if (offsets.size() != shape.size()) {
      throw call.refuse(
          offsets.size() == type.shape().size() ? "shapes" : "offsets",
          "expects offsets and shapes to have same number of dimensions, got "
              + offsets.size()
              + " and "
              + shape.size(),
          "give one offset and one extent for each dimension");
    }
    if (offsets.size() > type.shape().size()) {
      throw call.refuse(
          "offsets",
          "offsets rank ("
              + offsets.size()
              + ") must match tensor rank ("
              + type.shape().size()
              + ")",
          "give one offset and one extent for each dimension");
    }
    List<Expr> box = Bounds.validBox(call, "valid_shape", shape);
    Bounds.warnOfRest(call, type, offsets, box.isEmpty() ? Bounds.constants(shape, call) : box);
    MemorySpace memory = call.memory("target_memory", MemorySpace.VEC);
    boolean clamp = call.constantBool("clamp", false);
    List<Expr> extents = box.isEmpty() ? Bounds.constants(shape, call) : box;
    if (!clamp && offsets.size() == type.shape().size()) {
      Bounds.Given given = new Bounds.Given("offsets", box.isEmpty() ? "shapes" : "valid_shape");
      Bounds.check(call, given, "reads", "source", offsets, extents, type.shape());
    }
    int missing = type.shape().size() - offsets.size();
    if (missing > 0 && !box.isEmpty()) {
      throw call.refuse(
          "valid_shape",
          "valid_shape needs one extent for each of the tensor's "
              + type.shape().size()
              + " dimensions",
          "give offsets and shapes for every dimension");
    }
    List<Long> whole = new ArrayList<>(java.util.Collections.nCopies(missing, 1L));
    whole.addAll(shape);
    List<Expr> start =
        new ArrayList<>(Bounds.constants(java.util.Collections.nCopies(missing, 0L), call));
    start.addAll(offsets);
    List<Expr> operands = new ArrayList<>();
    operands.add(source);
    operands.add(call.tuple(start, "offsets"));
    operands.add(call.tuple(Bounds.constants(whole, call), "shapes"));
    if (!box.isEmpty()) {
      operands.add(call.tuple(box, "valid_shape"));
    }
    Expr tile =
        call.op(
            OpCode.LOAD,
            operands,
            Map.of(
                "target_memory", new Attribute.Memory(memory), "clamp", new Attribute.Bool(clamp)),
            new Type.Tile(whole, type.dtype(), memory, box));
    if (missing == 0) {
      return tile;
    }
    // A window of lower rank lies in the trailing dimensions.
    return call.op(
        OpCode.RESHAPE,
        List.of(call.context().operand(tile), call.tuple(Bounds.constants(shape, call), "shapes")),
        Map.of(),
        new Type.Tile(shape, type.dtype(), memory, List.of()));
  }

  static Expr store(OpCall call) {
    Expr tile =
        call.tile(
            "tile",
            "requires first argument to be a TileType",
            "load or compute a tile first; tensors are copied by pl.assemble");
    Expr target = call.tensor("output_tensor", "destination");
    Type.Tile from = (Type.Tile) tile.type();
    Type.Tensor to = (Type.Tensor) target.type();
    List<Expr> offsets = call.integers("offsets", to.shape().size(), "destination");
    if (from.dtype() != to.dtype()) {
      throw call.refuse(
          "tile",
          "tile dtype (" + from.dtype() + ") must match destination dtype (" + to.dtype() + ")",
          "convert the tile with pl.cast first");
    }
    if (call.has("shapes") && !call.tileShape("shapes").equals(from.shape())) {
      throw call.refuse(
          "shapes", "shapes must equal the tile's shape " + from.shape(), "leave shapes away");
    }
    if (from.shape().size() == to.shape().size()) {
      Bounds.check(
          call,
          new Bounds.Given("offsets", "tile"),
          "writes",
          "destination",
          offsets,
          Bounds.valid(from, call),
          to.shape());
    }
    boolean atomic = call.atomic("atomic");
    if (atomic) {
      call.requireAtomicAdd(to.dtype());
    }
    return call.op(
        OpCode.STORE,
        List.of(tile, call.tuple(offsets, "offsets"), target),
        Map.of("atomic", new Attribute.Atomic(atomic)),
        to);
  }

  static Expr read(OpCall call) {
    Expr source = element(call, "source");
    return call.op(
        OpCode.READ,
        List.of(source, call.tuple(indices(call, source), "offset")),
        Map.of(),
        new Type.Scalar(elementType(source)));
  }

  static Expr write(OpCall call) {
    Expr target = element(call, "destination");
    List<Expr> indices = indices(call, target);
    DType dtype = elementType(target);
    Expr value = call.scalar("value", dtype, "value must be a scalar");
    if (!(value.type() instanceof Type.Scalar(DType given) && given == dtype)) {
      throw call.refuse(
          "value",
          "requires value dtype to match tensor dtype: got "
              + TypeText.of(value.type())
              + " for "
              + dtype,
          "convert it, e.g. pl.cast(value, pl." + dtype + ")");
    }
    return call.op(
        OpCode.WRITE,
        List.of(target, call.tuple(indices, "offset"), value),
        Map.of(),
        new Type.None());
  }

  private static Expr element(OpCall call, String parameter) {
    if (call.isTensor(parameter) || call.isTile(parameter)) {
      return call.dsl(parameter).orElseThrow();
    }
    throw call.refuse(
        parameter,
        "requires a Tensor or Tile, got " + call.describe(parameter),
        "pass a tensor, a window or a tile");
  }

  private static DType elementType(Expr container) {
    return switch (container.type()) {
      case Type.Tensor tensor -> tensor.dtype();
      case Type.Tile tile -> tile.dtype();
      case Type.None _, Type.Scalar _, Type.Array _, Type.Buffer _, Type.Context _, Type.Tuple _ ->
          throw new IllegalArgumentException(TypeText.of(container.type()));
    };
  }

  private static List<Expr> indices(OpCall call, Expr container) {
    int rank =
        container.type() instanceof Type.Tensor tensor
            ? tensor.shape().size()
            : ((Type.Tile) container.type()).shape().size();
    List<Expr> indices =
        call.isList("offset")
            ? call.integers("offset")
            : List.of(call.integer("offset", DType.INDEX, "indices must have integer dtype"));
    if (indices.size() != rank) {
      throw call.refuse(
          "offset",
          "indices count (" + indices.size() + ") must match tensor rank (" + rank + ")",
          "give one index for each dimension");
    }
    List<Expr> one =
        indices.stream().<Expr>map(_ -> new Expr.IntConst(1, DType.INDEX, call.span())).toList();
    List<Expr> sizes =
        container.type() instanceof Type.Tensor tensor
            ? tensor.shape()
            : Bounds.constants(((Type.Tile) container.type()).shape(), call);
    String verb = call.given("value") ? "writes" : "reads";
    Bounds.check(call, new Bounds.Given("offset", ""), verb, "tensor", indices, one, sizes);
    return indices;
  }

  static Expr move(OpCall call) {
    Expr tile = call.tile("tile", "requires first argument to be a TileType", "");
    Type.Tile type = (Type.Tile) tile.type();
    MemorySpace memory = call.memory("target_memory", MemorySpace.VEC);
    return call.op(
        OpCode.MOVE,
        List.of(tile),
        Map.of("target_memory", new Attribute.Memory(memory)),
        new Type.Tile(type.shape(), type.dtype(), memory, type.valid()));
  }
}
