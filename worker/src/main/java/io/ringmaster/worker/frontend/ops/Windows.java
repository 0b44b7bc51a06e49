package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Window buffers, their views, and the communication context. */
final class Windows {

  private static final Set<DType> DTYPES =
      Set.of(
          DType.FP16,
          DType.FP32,
          DType.BF16,
          DType.INT8,
          DType.INT16,
          DType.INT32,
          DType.INT64,
          DType.UINT8,
          DType.UINT16,
          DType.UINT32,
          DType.UINT64,
          DType.BOOL);

  private Windows() {}

  /** True for the dtypes that a window may carry. */
  static boolean carries(DType dtype) {
    return DTYPES.contains(dtype);
  }

  static Expr allocate(OpCall call) {
    if (call.given("name")) {
      throw call.refuse(
          "name",
          "'name' kwarg cannot be passed explicitly",
          "the variable it is assigned to names the buffer");
    }
    Expr bytes;
    if (call.isList("size")) {
      if (!call.has("dtype")) {
        throw call.refuse(
            "size",
            "requires dtype= when the first argument is a shape",
            "add dtype=, or give a number of bytes");
      }
      DType dtype = call.dtype("dtype");
      List<Expr> shape = call.integers("size");
      if (shape.isEmpty()) {
        throw call.refuse(
            "size",
            "shape must be non-empty",
            "pld.alloc_window_buffer([4, 64], dtype=pl.FP32), or a number of bytes");
      }
      bytes = new Expr.IntConst(dtype.bytes(), DType.INDEX, call.spanOf("size"));
      for (Expr extent : shape) {
        if (call.extentOf(extent).constant().orElse(1) <= 0) {
          throw call.refuse("size", "all dimensions must be positive", "the least extent is 1");
        }
        bytes = times(extent, bytes, call);
      }
    } else {
      if (call.has("dtype")) {
        throw call.refuse(
            "dtype",
            "dtype= is only valid when the first argument is a shape",
            "leave dtype away for a number of bytes, or give a shape");
      }
      bytes =
          call.integer(
              "size", DType.INDEX, "size must be a number of bytes or a shape with dtype=");
      if (call.extentOf(bytes).constant().orElse(1) <= 0) {
        throw call.refuse(
            "size", "size must be positive", "give the number of bytes of one rank's part");
      }
    }
    return call.op(OpCode.ALLOC_WINDOW, List.of(bytes), Map.of(), new Type.Buffer());
  }

  private static Expr times(Expr a, Expr b, OpCall call) {
    if (a instanceof Expr.IntConst(long x, _, _) && b instanceof Expr.IntConst(long y, _, _)) {
      return new Expr.IntConst(Math.multiplyExact(x, y), DType.INDEX, call.spanOf("size"));
    }
    return new Expr.Binary(
        Expr.BinaryOp.MUL, a, b, new Type.Scalar(DType.INDEX), call.spanOf("size"));
  }

  static Expr view(OpCall call) {
    Expr buffer =
        call.dsl("buf")
            .filter(expr -> expr.type() instanceof Type.Buffer)
            .orElseThrow(
                () ->
                    call.refuse(
                        "buf",
                        "expects a Ptr handle: 'buf' must have type Ptr, got "
                            + call.describe("buf"),
                        "pass the result of pld.alloc_window_buffer"));
    if (!call.isList("shape")) {
      throw call.refuse("shape", "second argument must be a shape tuple", "write a list");
    }
    DType dtype = call.dtype("dtype");
    if (!DTYPES.contains(dtype)) {
      throw call.refuse(
          "dtype", "Unsupported DistributedTensor dtype " + dtype, "e.g. dtype=pl.FP32");
    }
    List<Expr> shape = new ArrayList<>();
    for (Expr extent : call.integers("shape")) {
      if (call.extentOf(extent).constant().orElse(1) <= 0) {
        throw call.refuse("shape", "all dimensions must be positive", "the least extent is 1");
      }
      shape.add(call.context().freeze(extent));
    }
    if (shape.isEmpty()) {
      throw call.refuse("shape", "shape must be non-empty", "e.g. [4, 64]");
    }
    requireRoom(call, buffer, shape, dtype);
    return call.op(
        OpCode.WINDOW,
        List.of(buffer, call.tuple(shape, "shape")),
        Map.of("dtype", new Attribute.Dtype(dtype)),
        new Type.Tensor(shape, dtype, true));
  }

  /** A buffer's quantity is its size in bytes, which is not its number of elements. */
  private static void requireRoom(OpCall call, Expr buffer, List<Expr> shape, DType dtype) {
    Extent needed = Extent.product(shape, call.context().symbols()).times(dtype.bytes());
    Extent there = call.extentOf(buffer);
    if (needed.minus(there).alwaysPositive()) {
      throw call.refuse(
          "shape",
          "window view "
              + TypeText.shape(shape)
              + " of "
              + dtype
              + " needs "
              + needed.describe()
              + " bytes, its buffer '"
              + TypeText.scalar(buffer)
              + "' has "
              + there.describe()
              + ": the window view is larger than the allocation",
          "alloc_window_buffer takes bytes: multiply by pl."
              + dtype
              + ".get_byte(), or give a shape and dtype=");
    }
  }

  static Expr worldSize(OpCall call) {
    return call.op(OpCode.WORLD_SIZE, List.of(), Map.of(), new Type.Scalar(DType.INT64));
  }

  static Expr context(OpCall call) {
    Expr window =
        call.dsl("target")
            .filter(expr -> expr.type() instanceof Type.Tensor tensor && tensor.window())
            .orElseThrow(
                () ->
                    call.refuse(
                        "target",
                        "expects a DistributedTensor (window-bound), got "
                            + call.describe("target"),
                        "pass a window"));
    return call.op(OpCode.GET_COMM_CTX, List.of(window), Map.of(), new Type.Context());
  }

  static Operation ofContext(OpCode code) {
    return call -> {
      Expr context =
          call.dsl("ctx")
              .filter(expr -> expr.type() instanceof Type.Context)
              .orElseThrow(
                  () ->
                      call.refuse(
                          "ctx",
                          "expects a CommCtx (output of pld.system.get_comm_ctx), got "
                              + call.describe("ctx"),
                          "ctx = pld.get_comm_ctx(window)"));
      return call.op(code, List.of(context), Map.of(), new Type.Scalar(DType.INT32));
    };
  }

  /** The dtype of a window operand. */
  static DType dtype(Expr window) {
    if (window.type() instanceof Type.Tensor tensor) {
      return tensor.dtype();
    }
    throw new IllegalArgumentException(TypeText.of(window.type()));
  }
}
