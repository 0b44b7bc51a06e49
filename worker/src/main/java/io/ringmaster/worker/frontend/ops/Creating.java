package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.ClosureValue;
import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.ir.Type.MemorySpace;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** New tiles, tensors and arrays. */
final class Creating {

  private Creating() {}

  static Expr tile(OpCall call) {
    List<Long> shape = call.tileShape("shape");
    DType dtype = call.dtype("dtype");
    MemorySpace memory = call.memory("target_memory", MemorySpace.VEC);
    return call.op(
        OpCode.CREATE_TILE,
        List.of(),
        Map.of("dtype", new Attribute.Dtype(dtype), "target_memory", new Attribute.Memory(memory)),
        new Type.Tile(shape, dtype, memory, List.of()));
  }

  static Expr fullTile(OpCall call) {
    List<Long> shape = call.tileShape("shape");
    DType dtype = call.dtype("dtype");
    return call.op(
        OpCode.FULL_TILE,
        List.of(),
        Map.of("dtype", new Attribute.Dtype(dtype), "value", constantValue(call, dtype)),
        new Type.Tile(shape, dtype, MemorySpace.VEC, List.of()));
  }

  /**
   * {@code pl.create_tensor(shape, dtype=)}; {@code manual_dep} takes it out of the task graph,
   * which changes nothing where tasks run in program order.
   */
  static Expr tensor(OpCall call) {
    List<Expr> shape = tensorShape(call);
    DType dtype = call.dtype("dtype");
    call.constantBool("manual_dep", false);
    if (call.has("layout") && !call.enumMember("layout").orElse("").endsWith(".ND")) {
      throw call.refuse("layout", "only supports ND layout", "leave layout away");
    }
    if (call.has("init_value")) {
      return initialised(call, shape, dtype);
    }
    return call.op(
        OpCode.CREATE_TENSOR,
        List.of(call.tuple(shape, "shape")),
        Map.of("dtype", new Attribute.Dtype(dtype)),
        new Type.Tensor(shape, dtype, false));
  }

  private static Expr initialised(OpCall call, List<Expr> shape, DType dtype) {
    if (call.context().level() == Level.HOST) {
      throw call.refuse(
          "init_value", "init_value has no meaning in HOST code", "tensors of HOST start as zeros");
    }
    return call.op(
        OpCode.FULL_TENSOR,
        List.of(call.tuple(shape, "shape")),
        Map.of(
            "dtype", new Attribute.Dtype(dtype), "value", constantValue(call, "init_value", dtype)),
        new Type.Tensor(shape, dtype, false));
  }

  static Expr fullTensor(OpCall call) {
    List<Expr> shape = tensorShape(call);
    DType dtype = call.dtype("dtype");
    return call.op(
        OpCode.FULL_TENSOR,
        List.of(call.tuple(shape, "shape")),
        Map.of("dtype", new Attribute.Dtype(dtype), "value", constantValue(call, dtype)),
        new Type.Tensor(shape, dtype, false));
  }

  private static List<Expr> tensorShape(OpCall call) {
    List<Expr> shape = new ArrayList<>();
    for (Expr extent : call.integers("shape")) {
      Extent value = call.extentOf(extent);
      if (value.constant().orElse(1) <= 0 || value.alwaysNegative()) {
        throw call.refuse("shape", "all dimensions must be positive", "the least extent is 1");
      }
      shape.add(call.context().freeze(extent));
    }
    if (shape.isEmpty()) {
      throw call.refuse("shape", "shape must be non-empty", "e.g. [1, 64]");
    }
    return shape;
  }

  private static Attribute constantValue(OpCall call, DType dtype) {
    return constantValue(call, "value", dtype);
  }

  private static Attribute constantValue(OpCall call, String parameter, DType dtype) {
    if (call.arg(parameter).value() instanceof Value.Constant(ClosureValue value)) {
      if (value instanceof ClosureValue.Int(long number)) {
        return dtype.isFloat() ? new Attribute.Float(number) : new Attribute.Int(number);
      }
      if (value instanceof ClosureValue.Float(double number) && dtype.isFloat()) {
        return new Attribute.Float(number);
      }
      if (value instanceof ClosureValue.Bool(boolean truth) && dtype == DType.BOOL) {
        return new Attribute.Int(truth ? 1 : 0);
      }
    }
    throw call.refuse(
        parameter,
        parameter
            + " must be a literal constant that fits "
            + dtype
            + ", got "
            + call.describe(parameter),
        "write the number itself");
  }

  static Expr array(OpCall call) {
    long extent = call.constantInt("extent", "extent must be a compile-time ConstInt");
    DType dtype = call.dtype("dtype");
    if (extent <= 0) {
      throw call.refuse(
          "extent", "extent must be positive, got " + extent, "the least extent is 1");
    }
    if (dtype.isFloat()) {
      throw call.refuse(
          "dtype", "dtype must be an integer or BOOL, got " + dtype, "dtype=pl.INT32");
    }
    return call.op(
        OpCode.ARRAY_CREATE,
        List.of(),
        Map.of("n", new Attribute.Int(extent), "dtype", new Attribute.Dtype(dtype)),
        new Type.Array(extent, dtype));
  }
}
