package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.ClosureValue;
import io.ringmaster.worker.frontend.values.ScalarTyping;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.ir.TypeRules;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/** Comparing, choosing, counting, sorting, gathering and scattering of elements. */
final class Arranging {

  private static final List<String> RELATIONS = List.of("eq", "ne", "lt", "le", "gt", "ge");
  private static final List<String> PATTERNS =
      List.of("P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111");
  private static final Set<DType> COUNTED =
      Set.of(DType.INT16, DType.INT32, DType.UINT16, DType.UINT32);
  private static final int SORTED = 32;
  private static final int RUN = 64;
  private static final int RUNS = 4;

  private Arranging() {}

  /** {@code pl.cmp(a, b, cmp_type)}: a mask of tiles, ones and zeros of tensors. */
  static Expr compare(OpCall call) {
    return masked(call, Elementwise.compared(call));
  }

  static Expr compareWithScalar(OpCall call) {
    if (!call.isScalar("rhs")) {
      throw call.refuse(
          "rhs",
          "needs a scalar right operand, got " + call.describe("rhs"),
          "for two tiles there is the operation without s");
    }
    return compare(call);
  }

  private static Expr masked(OpCall call, Expr.Op compared) {
    Type type =
        compared.type() instanceof Type.Tile t
            ? new Type.Tile(t.shape(), DType.UINT8, t.memory(), t.valid())
            : compared.type();
    return call.op(
        OpCode.CMP,
        compared.operands(),
        Map.of("cmp_type", new Attribute.Text(choice(call, "cmp_type", RELATIONS, 0, "eq"))),
        type);
  }

  /** A name or its number, counted from {@code first}. */
  private static String choice(
      OpCall call, String parameter, List<String> names, int first, String otherwise) {
    if (!call.given(parameter)) {
      return otherwise;
    }
    if (call.arg(parameter).value() instanceof Value.Constant(ClosureValue.Int(long number))
        && number >= first
        && number < first + names.size()) {
      return names.get((int) number - first);
    }
    if (call.arg(parameter).value() instanceof Value.Constant(ClosureValue.Text(String text))
        && names.contains(text)) {
      return text;
    }
    String member = call.enumMember(parameter).orElse("");
    String last = member.substring(member.lastIndexOf('.') + 1);
    if (names.contains(last)) {
      return last;
    }
    throw call.refuse(
        parameter,
        parameter
            + " must be one of "
            + String.join(", ", names)
            + " ("
            + first
            + "-"
            + (first + names.size() - 1)
            + "), got "
            + call.describe(parameter),
        "pass one of these names, or its number");
  }

  /** {@code pl.sel(mask, a, b)}: {@code a} where the mask is set, {@code b} elsewhere. */
  static Expr select(OpCall call) {
    Expr onTrue = Elementwise.tensorOrTile(call, "lhs");
    return selected(call, onTrue, Elementwise.tensorOrTile(call, "rhs"), "rhs");
  }

  /** {@code pl.sels(mask, a, tmp, scalar)}. */
  static Expr selectScalar(OpCall call) {
    Expr onTrue = Elementwise.tensorOrTile(call, "src");
    DType dtype = Elementwise.dtype(onTrue);
    Expr scalar = call.scalar("scalar", dtype, "scalar must be a scalar");
    if (!(scalar instanceof Expr.IntConst) && !(scalar instanceof Expr.FloatConst)) {
      throw call.refuse(
          "scalar",
          "scalar must be a literal constant, got " + call.describe("scalar"),
          "choose between two tiles with pl.sel");
    }
    Expr value = ScalarTyping.convert(scalar, dtype, call.spanOf("scalar"));
    Attribute filled =
        value instanceof Expr.FloatConst(double number, _, _)
            ? new Attribute.Float(number)
            : new Attribute.Int(((Expr.IntConst) value).value());
    Map<String, Attribute> attributes =
        Map.of("dtype", new Attribute.Dtype(dtype), "value", filled);
    Expr full =
        switch (onTrue.type()) {
          case Type.Tensor t ->
              call.op(
                  OpCode.FULL_TENSOR,
                  List.of(call.tuple(t.shape(), "src")),
                  attributes,
                  new Type.Tensor(t.shape(), dtype, false));
          case Type other ->
              call.op(
                  OpCode.FULL_TILE,
                  List.of(),
                  attributes,
                  new Type.Tile(
                      ((Type.Tile) other).shape(), dtype, Type.MemorySpace.VEC, List.of()));
        };
    return selected(call, onTrue, call.context().operand(full), "src");
  }

  private static Expr selected(OpCall call, Expr onTrue, Expr onFalse, String parameter) {
    Expr mask = Elementwise.tensorOrTile(call, "mask");
    requireSameKind(call, onTrue, onFalse, parameter);
    requireSameKind(call, onTrue, mask, "mask");
    if (Elementwise.dtype(onTrue) != Elementwise.dtype(onFalse)) {
      throw call.refuse(
          parameter,
          "requires identical data types, got "
              + Elementwise.dtype(onTrue)
              + " and "
              + Elementwise.dtype(onFalse),
          "convert one of them with pl.cast first");
    }
    requireShape(call, onTrue, mask, "mask");
    requireShape(call, onTrue, onFalse, parameter);
    return typed(call, OpCode.SEL, List.of(mask, onTrue, onFalse), Map.of());
  }

  /** {@code pl.arange(start, shape, dtype=, descending=)}. */
  static Operation arange(boolean tile) {
    return call -> {
      DType dtype = call.has("dtype") ? call.dtype("dtype") : DType.INT32;
      if (!COUNTED.contains(dtype)) {
        throw call.refuse(
            "dtype",
            "dtype must be INT16, INT32, UINT16 or UINT32, got " + dtype,
            "dtype=pl.INT32");
      }
      Expr start = call.integer("start", dtype, "start must be an integer scalar");
      List<Long> shape = call.tileShape("shape");
      if (shape.getLast() == 1
          || shape.subList(0, shape.size() - 1).stream().anyMatch(extent -> extent != 1)) {
        throw call.refuse(
            "shape",
            "counts one row: leading extents must be 1 and the last must not, got " + shape,
            "count a row and spread it with pl.col_expand");
      }
      return typed(
          call,
          tile ? OpCode.ARANGE_TILE : OpCode.ARANGE,
          List.of(
              ScalarTyping.convert(start, dtype, call.spanOf("start")),
              call.tuple(Bounds.constants(shape, call), "shape")),
          Map.of(
              "dtype", new Attribute.Dtype(dtype),
              "descending", new Attribute.Bool(call.constantBool("descending", false))));
    };
  }

  /** {@code pl.sort32(values, indices)}: pairs of value and index, the largest first. */
  static Expr sort32(OpCall call) {
    Expr values = Elementwise.tensorOrTile(call, "src");
    Expr indices = Elementwise.tensorOrTile(call, "idx");
    requireSameKind(call, values, indices, "idx");
    requireSortable(call, values, "src");
    if (!Elementwise.dtype(indices).isInteger()
        || Elementwise.dtype(indices).bytes() != Integer.BYTES) {
      throw call.refuse(
          "idx",
          "idx must be UINT32 or INT32, got " + Elementwise.dtype(indices),
          "pl.arange(0, [1, n])");
    }
    requireShape(call, values, indices, "idx");
    if (lastExtent(call, values, "src") % SORTED != 0) {
      throw call.refuse(
          "src",
          "sorts blocks of 32 values: the last extent must be a multiple of 32",
          "pad the rows to a multiple of 32");
    }
    return typed(call, OpCode.SORT32, List.of(values, indices), Map.of());
  }

  private static void requireSortable(OpCall call, Expr values, String parameter) {
    if (Elementwise.dtype(values) != DType.FP32) {
      throw call.refuse(
          parameter,
          "of " + Elementwise.dtype(values) + " isn't supported: values must be FP32",
          "convert them with pl.cast(x, pl.FP32)");
    }
  }

  /** {@code pl.mrgsort(row, block_len=n)} and {@code pl.mrgsort(a, b, c, d)}. */
  static Expr mergeSort(OpCall call) {
    List<Expr> rows = new ArrayList<>();
    for (String parameter : List.of("src0", "src1", "src2", "src3")) {
      if (call.has(parameter)) {
        Expr row = Elementwise.tensorOrTile(call, parameter);
        requireSortable(call, row, parameter);
        rows.add(row);
        requireSameKind(call, rows.getFirst(), row, parameter);
        requireRow(call, row, parameter);
      }
    }
    if (call.constantBool("exhausted", false)) {
      throw call.refuse("exhausted", "exhausted=True isn't supported", "merge whole rows");
    }
    if (!call.has("block_len")) {
      if (rows.size() < 2) {
        throw call.refuse(
            "requires either block_len=n for one row, or two to four rows", "block_len=64");
      }
      return typed(call, OpCode.MRGSORT, rows, Map.of());
    }
    if (rows.size() > 1) {
      throw call.refuse(
          "block_len",
          "takes block_len= or several rows, not both",
          "leave block_len away to merge rows");
    }
    long block = call.constantInt("block_len", "block_len must be a compile-time int");
    if (block <= 0 || block % RUN != 0) {
      throw call.refuse(
          "block_len", "block_len must be a positive multiple of 64, got " + block, "block_len=64");
    }
    long width = lastExtent(call, rows.getFirst(), "src0");
    if (width % (RUNS * block) != 0) {
      throw call.refuse(
          "block_len",
          "merges four runs of block_len at a time: " + width + " isn't a multiple of 4 * " + block,
          "merge the rest with pl.mrgsort(a, b)");
    }
    return typed(call, OpCode.MRGSORT, rows, Map.of("block_len", new Attribute.Int(block)));
  }

  private static void requireRow(OpCall call, Expr operand, String parameter) {
    List<Expr> shape = Views.sizes(operand.type(), call);
    for (Expr extent : shape.subList(0, shape.size() - 1)) {
      if (call.extentOf(extent).constant().orElse(0) != 1) {
        throw call.refuse(
            parameter, "merges one row, got " + TypeText.of(operand.type()), "slice it into rows");
      }
    }
  }

  /** {@code pl.gather(x, -1, index)} within rows, or {@code pl.gather(x, mask_pattern=n)}. */
  static Expr gather(OpCall call) {
    for (String parameter : List.of("kvalue", "cmp_mode", "out_cols", "count_dtype")) {
      if (call.has(parameter)) {
        throw call.refuse(
            parameter,
            "by comparison isn't supported",
            "compare with pl.cmp and choose with pl.sel");
      }
    }
    Expr values = call.tensor("input", "first");
    if (call.has("mask_pattern")) {
      if (call.has("dim") || call.has("index")) {
        throw call.refuse(
            "mask_pattern",
            "takes dim and index or mask_pattern, not both",
            "leave mask_pattern away to take by an index");
      }
      return columns(call, values);
    }
    if (!call.has("dim") || !call.has("index")) {
      throw call.refuse("requires dim and index, or mask_pattern", "pl.gather(x, -1, index)");
    }
    requireLastDim(call, values);
    Expr index = call.tensor("index", "index");
    requireIndex(call, values, index, "index");
    return typed(
        call, OpCode.GATHER, List.of(values, index), Map.of("by_row", new Attribute.Bool(true)));
  }

  private static void requireLastDim(OpCall call, Expr values) {
    int rank = Views.sizes(values.type(), call).size();
    long dim = call.constantInt("dim", "dim must be a compile-time int");
    if (rank != 2 || (dim != -1 && dim != 1)) {
      throw call.refuse(
          "dim",
          "works along the last dimension of 2-D tensors: dim=-1, got dim=" + dim,
          "transpose first, then use dim=-1");
    }
  }

  private static void requireIndex(OpCall call, Expr values, Expr index, String parameter) {
    DType type = Elementwise.dtype(index);
    if (type != DType.INT32 && !(type == DType.INT16 && Elementwise.dtype(values).bytes() <= 2)) {
      throw call.refuse(
          parameter,
          parameter + " must be INT32 (INT16 for types of 2 bytes), got " + type,
          "convert the index with pl.cast");
    }
    List<Expr> rows = Views.sizes(values.type(), call);
    List<Expr> shape = Views.sizes(index.type(), call);
    boolean tensors = values.type() instanceof Type.Tensor;
    if (shape.size() != rows.size()
        || (tensors && !call.extentOf(shape.getFirst()).sameAs(call.extentOf(rows.getFirst())))) {
      throw call.refuse(
          parameter,
          "requires an index with the rows of "
              + TypeText.of(values.type())
              + ", got "
              + TypeText.of(index.type()),
          "give the index as many rows as the values");
    }
  }

  /** {@code pl.tile.gather(src, indices, tmp)}: indices count through the whole tile. */
  static Expr gatherTile(OpCall call) {
    Expr values = call.tile("src", "requires first argument to be a TileType", "");
    Expr index = call.tile("indices", "indices must be a TileType", "");
    requireIndex(call, values, index, "indices");
    return typed(
        call, OpCode.GATHER, List.of(values, index), Map.of("by_row", new Attribute.Bool(false)));
  }

  static Expr gatherMask(OpCall call) {
    return columns(call, Elementwise.tensorOrTile(call, "src"));
  }

  private static Expr columns(OpCall call, Expr values) {
    long pattern = PATTERNS.indexOf(choice(call, "mask_pattern", PATTERNS, 1, "P1111")) + 1L;
    DType dtype = Elementwise.dtype(values);
    DType result = call.has("output_dtype") ? call.dtype("output_dtype") : dtype;
    if (result != dtype && (result.bytes() != dtype.bytes() || dtype != DType.FP32)) {
      throw call.refuse(
          "output_dtype",
          "sees the bits of FP32 as another type of 4 bytes, got " + dtype + " and " + result,
          "output_dtype=pl.UINT32");
    }
    long stride = TypeRules.maskStride(pattern);
    if (lastExtent(call, values, call.given("src") ? "src" : "input") % stride != 0) {
      throw call.refuse(
          "mask_pattern",
          "needs rows of whole groups of " + stride + " elements",
          "pad the rows to a multiple of that");
    }
    return typed(
        call,
        OpCode.GATHER_MASK,
        List.of(values),
        Map.of("mask_pattern", new Attribute.Int(pattern), "dtype", new Attribute.Dtype(result)));
  }

  /** {@code pl.scatter(base, -1, index, values)} within rows. */
  static Expr scatter(OpCall call) {
    if (call.has("mask_pattern") || call.has("dst")) {
      throw call.refuse(
          "mask_pattern", "by a mask pattern isn't supported", "pl.scatter(x, -1, index, values)");
    }
    Expr base = call.tensor("input", "first");
    if (!call.has("dim") || !call.has("index") || !call.has("src")) {
      throw call.refuse("requires dim, index and src", "pl.scatter(x, -1, index, values)");
    }
    requireLastDim(call, base);
    return scattered(
        call, base, call.tensor("src", "src"), call.tensor("index", "index"), "index", true);
  }

  /** {@code pl.tile.scatter(dst, src, indexes)}: indices count through the whole tile. */
  static Expr scatterTile(OpCall call) {
    return scattered(
        call,
        call.tile("dst", "requires first argument to be a TileType", ""),
        call.tile("src", "src must be a TileType", ""),
        call.tile("indexes", "indexes must be a TileType", ""),
        "indexes",
        false);
  }

  private static Expr scattered(
      OpCall call, Expr base, Expr values, Expr index, String parameter, boolean byRow) {
    if (Elementwise.dtype(base) != Elementwise.dtype(values)) {
      throw call.refuse(
          "src",
          "requires identical data types, got "
              + Elementwise.dtype(base)
              + " and "
              + Elementwise.dtype(values),
          "convert one of them with pl.cast");
    }
    requireIndex(call, base, index, parameter);
    requireShape(call, values, index, parameter);
    return typed(
        call,
        OpCode.SCATTER,
        List.of(base, values, index),
        Map.of("by_row", new Attribute.Bool(byRow)));
  }

  /** {@code pl.transpose(x, a, b)} of the last two dimensions. */
  static Expr transpose(OpCall call) {
    Expr operand = Elementwise.tensorOrTile(call, "x");
    int rank = Views.sizes(operand.type(), call).size();
    Set<Long> axes = new java.util.HashSet<>();
    for (String axis : List.of("axis1", "axis2")) {
      long value = call.constantInt(axis, axis + " must be a compile-time int");
      axes.add(value < 0 ? value + rank : value);
    }
    if (rank < 2 || !axes.equals(Set.of(rank - 2L, rank - 1L))) {
      throw call.refuse(
          "axis1",
          "swaps the last two dimensions, got axes " + axes + " of " + TypeText.of(operand.type()),
          "pl.transpose(x, 0, 1) of two dimensions");
    }
    return typed(call, OpCode.TRANSPOSE, List.of(operand), Map.of());
  }

  private static Expr typed(
      OpCall call, OpCode code, List<Expr> operands, Map<String, Attribute> attributes) {
    Map<String, Attribute> said = new HashMap<>(attributes);
    said.remove("descending", new Attribute.Bool(false));
    said.remove("by_row", new Attribute.Bool(false));
    Type type =
        TypeRules.op(code, operands, said)
            .orElseThrow(() -> call.refuse("needs static extents", "give a constant last extent"));
    return call.op(code, operands, said, type);
  }

  private static void requireSameKind(OpCall call, Expr a, Expr b, String parameter) {
    if (a.type() instanceof Type.Tensor != b.type() instanceof Type.Tensor) {
      throw call.refuse(
          parameter,
          "cannot mix Tensor and Tile arguments: got "
              + TypeText.of(a.type())
              + " and "
              + TypeText.of(b.type()),
          "load the tensor into a tile with pl.load first");
    }
  }

  private static void requireShape(OpCall call, Expr wanted, Expr given, String parameter) {
    List<Expr> a = Views.sizes(wanted.type(), call);
    List<Expr> b = Views.sizes(given.type(), call);
    boolean same = a.size() == b.size();
    for (int axis = 0; same && axis < a.size(); axis++) {
      same = call.extentOf(a.get(axis)).sameAs(call.extentOf(b.get(axis)));
    }
    if (!same) {
      throw call.refuse(
          parameter,
          "requires compatible shapes, got "
              + TypeText.of(wanted.type())
              + " and "
              + TypeText.of(given.type()),
          "the extents must be equal");
    }
  }

  private static long lastExtent(OpCall call, Expr operand, String parameter) {
    OptionalLong extent = call.extentOf(Views.sizes(operand.type(), call).getLast()).constant();
    return extent.orElseThrow(
        () -> call.refuse(parameter, "needs a constant last extent", "name it in the factory"));
  }
}
