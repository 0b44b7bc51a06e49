package io.ringmaster.worker.codegen;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.KernelFault;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.fabric.Window;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;

/** Window buffers and their views, which only HOST code makes. */
final class HostOps {

  private HostOps() {}

  static Instruction allocate(OpCompiler compiler, Expr.Op op, int target, String name) {
    LongExpr bytes = compiler.scalar(op, 0);
    return (machine, frame, pc) -> {
      long size = bytes.eval(frame);
      if (size < 0) {
        throw KernelFault.of(
            Finding.Kind.RULE_BROKEN,
            machine.rank(),
            op.span(),
            "window buffer '" + name + "' would have " + size + " bytes",
            "give a positive number of bytes");
      }
      Window window = machine.environment().allocateWindow(name, size, op.span());
      MemoryOps.put(frame, target, window);
      return pc + 1;
    };
  }

  static Instruction window(OpCompiler compiler, Expr.Op op, int target) {
    int buffer = compiler.reference(op, 0);
    LongExpr[] shape = compiler.tuple(op, 1);
    DType dtype =
        Attributes.dtype(
            op, "dtype", op.type() instanceof Type.Tensor type ? type.dtype() : DType.FP32);
    return (machine, frame, pc) -> {
      if (!(frame.refs[buffer] instanceof Window window)) {
        throw new IllegalStateException("pld.window of something that isn't a buffer");
      }
      long[] extents = LongExpr.all(shape, frame);
      // On HOST a view stands for every rank's slice; the dispatch picks the rank's own.
      TensorView view = TensorView.packed(window.slice(0), 0, extents, dtype);
      if (view.payloadBytes() > window.info().logicalBytes()) {
        throw KernelFault.of(
            Finding.Kind.RULE_BROKEN,
            machine.rank(),
            op.span(),
            "the view "
                + dtype
                + Arrays.toString(extents)
                + " of window buffer '"
                + window.info().buffer()
                + "' needs "
                + view.payloadBytes()
                + " bytes, the buffer has "
                + window.info().logicalBytes(),
            "alloc_window_buffer takes bytes: multiply the elements by pl."
                + dtype
                + ".get_byte()");
      }
      MemoryOps.put(frame, target, view);
      return pc + 1;
    };
  }
}
