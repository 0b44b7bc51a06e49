package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.ClosureValue;
import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Views of tensors and tiles, and writing one value into a part of another. */
public final class Views {

  private Views() {}

  static Expr slice(OpCall call) {
    if (!call.isTensor("source") && !call.isTile("source")) {
      throw call.refuse(
          "source",
          "expected Tensor or Tile operands, got " + call.describe("source"),
          "pass a tile or tensor");
    }
    if (call.has("pad_value")) {
      throw call.refuse(
          "pad_value", "pad_value isn't supported", "fill the slice up with pl.fillpad");
    }
    Expr source = call.dsl("source").orElseThrow();
    int rank = rank(source.type());
    List<Expr> shape = call.integers("shape", rank, "source");
    List<Expr> offsets = call.integers("offset", rank, "source");
    Set<Integer> dropped = new TreeSet<>();
    if (call.has("drop_dims")) {
      for (Expr axis : call.integers("drop_dims")) {
        long value = call.extentOf(axis).constant().orElse(-1);
        if (value < 0
            || value >= rank
            || call.extentOf(shape.get((int) value)).constant().orElse(0) != 1) {
          throw call.refuse(
              "drop_dims",
              "drop_dims must name unit axes of the slice",
              "name axes of extent 1, counted from 0");
        }
        dropped.add((int) value);
      }
    }
    return slice(call, source, shape, offsets, dropped);
  }

  /**
   * A view of {@code source}; {@code dropped} axes have extent 1 and vanish from a tensor's type.
   */
  public static Expr slice(
      OpCall call, Expr source, List<Expr> shape, List<Expr> offsets, Set<Integer> dropped) {
    List<Expr> sizes = sizes(source.type(), call);
    for (int axis = 0; axis < shape.size(); axis++) {
      if (call.extentOf(shape.get(axis)).alwaysNegative()) {
        throw call.refuse(
            "slice of dimension " + axis + " has provably negative extent", "lower <= upper");
      }
    }
    List<Expr> frozen = shape.stream().map(call.context()::freeze).toList();
    List<Expr> box = valid(call, source.type(), offsets, frozen);
    boolean tensorBox = source.type() instanceof Type.Tensor && !box.isEmpty();
    Bounds.check(
        call,
        new Bounds.Given("offset", tensorBox ? "valid_shape" : "shape"),
        "reads",
        "source",
        offsets,
        tensorBox ? box : shape,
        sizes);
    int mask = 0;
    List<Expr> kept = new ArrayList<>();
    for (int axis = 0; axis < frozen.size(); axis++) {
      if (dropped.contains(axis)) {
        mask |= 1 << axis;
      } else {
        kept.add(frozen.get(axis));
      }
    }
    List<Expr> operands = new ArrayList<>();
    operands.add(source);
    operands.add(new Expr.TupleExpr(frozen, call.span()));
    operands.add(new Expr.TupleExpr(offsets, call.span()));
    Type type;
    if (source.type() instanceof Type.Tile tile) {
      List<Long> extents = new ArrayList<>();
      for (Expr extent : frozen) {
        extents.add(
            call.extentOf(extent)
                .constant()
                .orElseThrow(
                    () ->
                        call.refuse(
                            "shape",
                            "shape " + TypeText.scalar(extent) + " must be a compile-time constant",
                            "slice the tensor before loading it")));
      }
      if (!box.isEmpty()) {
        operands.add(new Expr.TupleExpr(box, call.span()));
      }
      mask = 0;
      type = new Type.Tile(extents, tile.dtype(), tile.memory(), box);
    } else {
      Type.Tensor tensor = (Type.Tensor) source.type();
      if (!box.isEmpty()) {
        operands.add(new Expr.TupleExpr(box, call.span()));
      }
      type = new Type.Tensor(kept, tensor.dtype(), tensor.window(), without(box, dropped));
    }
    return call.op(OpCode.SLICE, operands, Map.of("drop_mask", new Attribute.Int(mask)), type);
  }

  /** The valid box of a slice: what is asked for, and of a partly valid tensor what it has. */
  private static List<Expr> valid(OpCall call, Type source, List<Expr> offsets, List<Expr> shape) {
    if (call.has("valid_shape")) {
      if (call.context().level() == Level.HOST) {
        throw call.refuse(
            "valid_shape",
            "valid_shape has no meaning in HOST code",
            "hand the whole slice to the chip function and slice there with valid_shape");
      }
      return Bounds.validPart(call, "valid_shape", shape);
    }
    return source instanceof Type.Tensor tensor
        ? Bounds.within(call, tensor.valid(), offsets, shape)
        : List.of();
  }

  private static List<Expr> without(List<Expr> extents, Set<Integer> dropped) {
    List<Expr> kept = new ArrayList<>();
    for (int axis = 0; axis < extents.size(); axis++) {
      if (!dropped.contains(axis)) {
        kept.add(extents.get(axis));
      }
    }
    return kept;
  }

  /** The extents of a tensor or tile as scalar expressions. */
  public static List<Expr> sizes(Type type, OpCall call) {
    return type instanceof Type.Tensor tensor
        ? tensor.shape()
        : Bounds.constants(((Type.Tile) type).shape(), call);
  }

  private static int rank(Type type) {
    return type instanceof Type.Tensor tensor
        ? tensor.shape().size()
        : ((Type.Tile) type).shape().size();
  }

  static Expr assemble(OpCall call) {
    boolean tensors = call.isTensor("target") && call.isTensor("source");
    boolean tiles = call.isTile("target") && call.isTile("source");
    boolean stored = call.isTensor("target") && call.isTile("source");
    if (!tensors && !tiles && !stored) {
      throw call.refuse(
          "expects two tensors or two tiles, got "
              + call.describe("target")
              + " and "
              + call.describe("source"),
          "load the tensor or store the tile first");
    }
    Expr target = call.dsl("target").orElseThrow();
    Expr source = call.dsl("source").orElseThrow();
    return assemble(
        call,
        target,
        source,
        call.integers("offset", rank(target.type()), "destination"),
        call.atomic("atomic"));
  }

  /** Writes {@code source}'s valid region into {@code target} at {@code offsets}, in place. */
  public static Expr assemble(
      OpCall call, Expr target, Expr source, List<Expr> offsets, boolean atomic) {
    DType from = dtype(source.type());
    DType to = dtype(target.type());
    if (from != to) {
      throw call.refuse(
          "source",
          "source dtype (" + from + ") must match destination dtype (" + to + ")",
          "convert it with pl.cast first");
    }
    if (atomic) {
      call.requireAtomicAdd(to);
    }
    List<Expr> extents = Bounds.valid(source.type(), call);
    if (extents.size() == offsets.size()) {
      Bounds.check(
          call,
          new Bounds.Given("offset", "source"),
          "writes",
          "destination",
          offsets,
          extents,
          sizes(target.type(), call));
    }
    if (source.type() instanceof Type.Tile && target.type() instanceof Type.Tensor) {
      return call.op(
          OpCode.STORE,
          List.of(source, new Expr.TupleExpr(offsets, call.span()), target),
          Map.of("atomic", new Attribute.Atomic(atomic)),
          target.type());
    }
    return call.op(
        OpCode.ASSEMBLE,
        List.of(target, source, new Expr.TupleExpr(offsets, call.span())),
        Map.of("atomic", new Attribute.Atomic(atomic)),
        target.type());
  }

  private static DType dtype(Type type) {
    return type instanceof Type.Tensor tensor ? tensor.dtype() : ((Type.Tile) type).dtype();
  }

  static Expr reshape(OpCall call) {
    if (call.isTile("source")) {
      Expr source = call.dsl("source").orElseThrow();
      Type.Tile tile = (Type.Tile) source.type();
      List<Long> shape = call.tileShape("shape");
      if (product(shape) != product(tile.shape())) {
        throw cannotReshape(call, tile.shape().toString(), shape.toString());
      }
      if (!tile.valid().isEmpty()) {
        throw partly(call);
      }
      return call.op(
          OpCode.RESHAPE,
          List.of(source, call.tuple(Bounds.constants(shape, call), "shape")),
          Map.of(),
          new Type.Tile(shape, tile.dtype(), tile.memory(), List.of()));
    }
    if (!call.isTensor("source")) {
      throw call.refuse(
          "source",
          "expected Tensor or Tile operands, got " + call.describe("source"),
          "pass a tile or tensor");
    }
    Expr source = call.dsl("source").orElseThrow();
    Type.Tensor tensor = (Type.Tensor) source.type();
    if (tensor.window()) {
      throw call.refuse(
          "source",
          "accepts a plain Tensor or a Tile, not a DistributedTensor",
          "view the buffer once more with pld.window in the other shape");
    }
    if (!tensor.valid().isEmpty()) {
      throw partly(call);
    }
    List<Expr> shape = call.integers("shape").stream().map(call.context()::freeze).toList();
    Extent before = Extent.product(tensor.shape(), call.context().symbols());
    Extent after = Extent.product(shape, call.context().symbols());
    if (before.minus(after).alwaysPositive() || after.minus(before).alwaysPositive()) {
      throw cannotReshape(call, TypeText.shape(tensor.shape()), TypeText.shape(shape));
    }
    return call.op(
        OpCode.RESHAPE,
        List.of(source, call.tuple(shape, "shape")),
        Map.of(),
        new Type.Tensor(shape, tensor.dtype(), false));
  }

  private static RuntimeException partly(OpCall call) {
    return call.refuse(
        "source",
        "a partly valid tile or tensor must map to a box when it is reshaped",
        "reshape before narrowing the valid part");
  }

  private static RuntimeException cannotReshape(OpCall call, String from, String to) {
    return call.refuse(
        "shape",
        "cannot reshape tensor of size " + from + " into " + to,
        "both shapes need the same element count");
  }

  private static long product(List<Long> shape) {
    return shape.stream().reduce(1L, (a, b) -> a * b);
  }

  static Expr setValidShape(OpCall call) {
    Expr operand = Elementwise.tensorOrTile(call, "tile");
    List<Expr> shape = sizes(operand.type(), call);
    if (shape.size() != 2) {
      throw call.refuse(
          "tile", "needs a 2-D tile or tensor, got " + call.describe("tile"), "slice it first");
    }
    List<Expr> before = Bounds.valid(operand.type(), call);
    List<Expr> valid = new ArrayList<>();
    for (String axis : List.of("rows", "cols")) {
      Expr extent = call.integer(axis, DType.INDEX, axis + " must be an integer scalar");
      Extent value = call.extentOf(extent);
      Expr size = shape.get(valid.size());
      if (value.alwaysNegative()) {
        throw call.refuse(axis, axis + " has provably negative extent", "0 is the least");
      }
      if (value.minus(call.extentOf(size)).alwaysPositive()) {
        throw call.refuse(
            axis,
            axis
                + " "
                + TypeText.scalar(extent)
                + " provably exceeds physical shape extent "
                + TypeText.scalar(size),
            "a valid part is at most as large as its tile");
      }
      Expr holding = before.get(valid.size());
      if (operand.type() instanceof Type.Tensor
          && value.minus(call.extentOf(holding)).alwaysPositive()) {
        throw call.refuse(
            axis,
            axis
                + " "
                + TypeText.scalar(extent)
                + " exceeds the valid part of the tensor, "
                + TypeText.scalar(holding)
                + ": a valid part can only be narrowed",
            "slice again with the larger valid_shape");
      }
      valid.add(call.context().freeze(extent));
    }
    return call.op(
        OpCode.SET_VALID_SHAPE,
        List.of(operand, valid.get(0), valid.get(1)),
        Map.of(),
        switch (operand.type()) {
          case Type.Tensor tensor ->
              new Type.Tensor(tensor.shape(), tensor.dtype(), tensor.window(), valid);
          case Type other ->
              new Type.Tile(
                  ((Type.Tile) other).shape(), dtype(other), ((Type.Tile) other).memory(), valid);
        });
  }

  static Expr fillPad(OpCall call) {
    Expr operand = Elementwise.tensorOrTile(call, "tile");
    String pad = pad(call);
    return call.op(
        OpCode.FILL_PAD,
        List.of(operand),
        Map.of("pad", new Attribute.Text(pad)),
        switch (operand.type()) {
          case Type.Tensor tensor -> new Type.Tensor(tensor.shape(), tensor.dtype(), false);
          case Type other ->
              new Type.Tile(
                  ((Type.Tile) other).shape(),
                  dtype(other),
                  ((Type.Tile) other).memory(),
                  List.of());
        });
  }

  /** {@code pl.PadValue.zero}, max or min; also written 0, inf and -inf. */
  private static String pad(OpCall call) {
    if (!call.given("pad")) {
      return "zero";
    }
    String pad =
        switch (call.arg("pad").value()) {
          case Value.Constant(ClosureValue.Path _) -> call.member("pad", "PadValue").orElse("");
          case Value.Constant(ClosureValue.Text(String text)) -> text;
          case Value.Constant(ClosureValue.Int(long number)) when number == 0 -> "zero";
          case Value.Constant(ClosureValue.Float(double number)) ->
              number == 0 ? "zero" : Double.isInfinite(number) ? number > 0 ? "max" : "min" : "";
          case Value.Constant _, Value.Dsl _, Value.Items _ -> "";
        };
    if (!List.of("zero", "max", "min").contains(pad)) {
      throw call.refuse(
          "pad",
          "pad must be zero, max or min, got " + call.describe("pad"),
          "pl.PadValue.zero, pl.PadValue.max or pl.PadValue.min");
    }
    return pad;
  }

  static Expr dim(OpCall call) {
    Expr tensor = call.tensor("tensor", "first");
    Type.Tensor type = (Type.Tensor) tensor.type();
    if (type.window()) {
      throw call.refuse(
          "tensor",
          "accepts a plain Tensor, not a DistributedTensor",
          "the extents of a window are those of its pld.window");
    }
    long axis = call.constantInt("axis", "axis must be a compile-time constant");
    int rank = type.shape().size();
    long actual = axis < 0 ? axis + rank : axis;
    if (actual < 0 || actual >= rank) {
      throw call.refuse(
          "axis",
          "axis " + axis + " is outside a tensor of rank " + rank,
          "axes count from 0, or from -1 at the end");
    }
    return type.shape().get((int) actual);
  }
}
