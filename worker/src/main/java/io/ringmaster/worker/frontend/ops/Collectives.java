package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Attribute.ReduceOp;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * The built-in collectives: what can be said about their operands from the types alone. What
 * depends on how they are lowered (signal layout, packed sources, ring sizes) is checked there.
 */
final class Collectives {

  private Collectives() {}

  /** A window of which everything is valid: the collective moves whole slices. */
  private static Expr whole(OpCall call, String parameter) {
    return requireWhole(call, parameter, call.window(parameter));
  }

  private static Expr requireWhole(OpCall call, String parameter, Expr operand) {
    if (operand.type() instanceof Type.Tensor tensor && !tensor.valid().isEmpty()) {
      throw call.refuse(
          parameter,
          parameter + " is valid in part: valid_shape " + TypeText.shape(tensor.valid()),
          "pass the whole window, or a slice that is as large as its valid part");
    }
    return operand;
  }

  static Expr barrier(OpCall call) {
    Expr signal = signal(call);
    return call.op(OpCode.BARRIER, List.of(signal), Map.of(), signal.type());
  }

  static Expr broadcast(OpCall call) {
    Expr target = whole(call, "target");
    Expr signal = signal(call);
    long root = call.constantInt("root", "root must be a compile-time int: one rank's number");
    if (root < 0) {
      throw call.refuse(
          "root", "root rank must be non-negative, got " + root, "root is a rank, 0..nranks-1");
    }
    return call.op(
        OpCode.BROADCAST,
        List.of(target, signal),
        Map.of("root", new Attribute.Int(root)),
        target.type());
  }

  static Expr allreduce(OpCall call) {
    Expr target = call.window("target");
    if (call.given("signal") && !call.has("signal")) {
      throw call.refuse(
          "signal",
          "signal cannot be None; omit the signal argument",
          "on the HOST rail a signal is made when the argument is left away");
    }
    DType dtype = Windows.dtype(target);
    if (dtype != DType.FP16 && dtype != DType.FP32) {
      throw call.refuse(
          "target",
          "target dtype must be FP16 or FP32, got " + dtype,
          "convert the data with pl.cast before it is staged");
    }
    ReduceOp op = reduce(call, "op must be ReduceOp.Sum, Max, Min, or Prod");
    String mode = call.text("mode", "mesh");
    long cores = call.constantInt("core_num", 1, "core_num must be a positive compile-time int");
    if (cores <= 0) {
      throw call.refuse(
          "core_num", "core_num must be positive, got " + cores, "core_num=1, or leave it away");
    }
    List<Expr> operands = call.has("signal") ? List.of(target, signal(call)) : List.of(target);
    return call.op(
        OpCode.ALLREDUCE,
        operands,
        Map.of(
            "op", new Attribute.Reduce(op),
            "mode", new Attribute.Text(mode),
            "core_num", new Attribute.Int(cores)),
        target.type());
  }

  private static ReduceOp reduce(OpCall call, String text) {
    if (!call.given("op")) {
      return ReduceOp.SUM;
    }
    String member = call.member("op", "ReduceOp").orElse("").toUpperCase(Locale.ROOT);
    for (ReduceOp op : ReduceOp.values()) {
      if (op.name().equals(member)) {
        return op;
      }
    }
    throw call.refuse("op", text + ", got " + call.describe("op"), "op=pld.ReduceOp.Sum");
  }

  /** How a rank's contribution becomes one row: windows aren't reshaped, but viewed again. */
  private static String asOneRow(OpCall call) {
    return call.context().level() == Level.HOST
        ? "view its buffer once more: pld.window(buffer, [1, SIZE], dtype=...)"
        : "one row is a rank's contribution: pl.reshape(x, [1, SIZE])";
  }

  static Expr allgather(OpCall call) {
    if (!call.isTensor("local_data")) {
      throw call.refuse(
          "local_data",
          "input must be a Tensor or DistributedTensor, got " + call.describe("local_data"),
          call.isTile("local_data")
              ? "pass the tensor itself, not the result of its pl.load"
              : "pass the plain [1, SIZE] tensor");
    }
    Expr source = requireWhole(call, "local_data", call.dsl("local_data").orElseThrow());
    Expr target = whole(call, "target");
    Expr signal = signal(call);
    requireDifferent(call, source, target);
    Type.Tensor from = (Type.Tensor) source.type();
    if (from.shape().size() != 2) {
      throw call.refuse(
          "local_data",
          "input must be 2D [1, SIZE], got " + TypeText.shape(from.shape()),
          asOneRow(call));
    }
    OptionalLong rows = call.extentOf(from.shape().get(0)).constant();
    if (rows.isPresent() && rows.getAsLong() != 1) {
      throw call.refuse(
          "local_data",
          "input must be [1, SIZE], got " + TypeText.shape(from.shape()),
          asOneRow(call));
    }
    requireRows(call, "target", (Type.Tensor) target.type());
    requireSameRow(call, from, (Type.Tensor) target.type());
    requireCells(call, signal, (Type.Tensor) target.type());
    return call.op(OpCode.ALLGATHER, List.of(source, target, signal), Map.of(), target.type());
  }

  static Expr reduceScatter(OpCall call) {
    Expr target = whole(call, "target");
    Expr signal = signal(call);
    String text = "op must be ReduceOp.Sum; Max / Min / Prod lowerings are not yet implemented";
    ReduceOp op = reduce(call, text);
    if (op != ReduceOp.SUM) {
      throw call.refuse(
          "op",
          text + ", got ReduceOp." + call.member("op", "ReduceOp").orElse(""),
          "op=pld.ReduceOp.Sum, or leave it away");
    }
    requireRows(call, "target", (Type.Tensor) target.type());
    return call.op(
        OpCode.REDUCE_SCATTER,
        List.of(target, signal),
        Map.of("op", new Attribute.Reduce(op)),
        target.type());
  }

  static Expr allToAll(OpCall call) {
    Expr source = gmInput(call);
    Expr target = whole(call, "target");
    Expr signal = signal(call);
    requireDifferent(call, source, target);
    requireRows(call, "input", (Type.Tensor) source.type());
    requireRows(call, "target", (Type.Tensor) target.type());
    requireSameRow(call, (Type.Tensor) source.type(), (Type.Tensor) target.type());
    requireCells(call, signal, (Type.Tensor) target.type());
    return call.op(OpCode.ALL_TO_ALL, List.of(source, target, signal), Map.of(), target.type());
  }

  static Expr allToAllV(OpCall call) {
    for (String parameter : List.of("signal", "send_counts", "recv_counts")) {
      if (!call.has(parameter)) {
        throw call.refuse(
            "requires 5 args: input, target, signal, send_counts, recv_counts",
            "give all five, by position or by name");
      }
    }
    Expr source = gmInput(call);
    Expr target = whole(call, "target");
    Expr signal = signal(call);
    requireDifferent(call, source, target);
    Type.Tensor from = (Type.Tensor) source.type();
    Type.Tensor to = (Type.Tensor) target.type();
    requireRows(call, "input", from);
    requireRows(call, "target", to);
    requireSameRow(call, from, to);
    Type.Tensor cells = (Type.Tensor) signal.type();
    if (cells.shape().size() != 2) {
      throw call.refuse(
          "signal",
          "signal must be 2D, got rank " + cells.shape().size(),
          "view the signal as [NR, 1]");
    }
    long ranks = fixed(call, "signal", cells.shape().get(0));
    long rows = fixed(call, "target", to.shape().get(0));
    if (rows % ranks != 0) {
      throw call.refuse(
          "signal",
          "signal dim 0 must divide target dim 0: " + ranks + " and " + rows,
          "give the signal one row for each rank");
    }
    Expr send = call.tensor("send_counts", "send_counts");
    requireCounts(call, "send_counts", (Type.Tensor) send.type(), ranks);
    Expr received = call.window("recv_counts");
    requireCounts(call, "recv_counts", (Type.Tensor) received.type(), ranks);
    return call.op(
        OpCode.ALL_TO_ALL_V,
        List.of(source, target, signal, send, received),
        Map.of(),
        target.type());
  }

  private static void requireCounts(OpCall call, String role, Type.Tensor type, long ranks) {
    if (type.dtype() != DType.INT32) {
      throw call.refuse(
          role,
          role + " must have INT32 element type, got " + type.dtype(),
          "view the buffer with dtype=pl.INT32");
    }
    if (type.shape().size() > 2) {
      throw call.refuse(
          role,
          role + " must be 1D [NR] or 2D [NR, 1], got " + TypeText.shape(type.shape()),
          "one count for each rank: [NR]");
    }
    if (type.shape().size() == 2 && fixed(call, role, type.shape().get(1)) != 1) {
      throw call.refuse(
          role, role + " second dimension must be 1", "one count for each rank: [NR, 1]");
    }
    long count = fixed(call, role, type.shape().get(0));
    if (count != ranks) {
      throw call.refuse(
          role,
          role + " dim 0 (" + count + ") must equal signal dim 0 (" + ranks + ")",
          "one count for each rank");
    }
  }

  private static long fixed(OpCall call, String role, Expr extent) {
    return call.extentOf(extent)
        .constant()
        .orElseThrow(
            () ->
                call.refuse(
                    role,
                    role + " needs static dims, got " + TypeText.scalar(extent),
                    "build the program in a factory over the rank count"));
  }

  private static Expr gmInput(OpCall call) {
    if (call.isTensor("input")) {
      return requireWhole(call, "input", call.dsl("input").orElseThrow());
    }
    throw call.refuse(
        "input",
        "input must be a Tensor or DistributedTensor, got " + call.describe("input"),
        call.isTile("input")
            ? "pass the tensor itself, not the result of its pl.load"
            : "pass the tensor that holds one row for each rank");
  }

  private static Expr signal(OpCall call) {
    Expr signal = whole(call, "signal");
    if (Windows.dtype(signal) != DType.INT32) {
      throw call.refuse(
          "signal",
          "signal must have INT32 element type, got " + Windows.dtype(signal),
          "view the signal buffer with dtype=pl.INT32");
    }
    return signal;
  }

  private static void requireDifferent(OpCall call, Expr source, Expr target) {
    if (source instanceof Expr.Var a
        && target instanceof Expr.Var b
        && Objects.equals(a.name(), b.name())) {
      throw call.refuse(
          "target",
          "source and target must be different buffers, but the same expression was passed for"
              + " both: "
              + a.name(),
          "use two windows");
    }
  }

  private static void requireRows(OpCall call, String role, Type.Tensor type) {
    if (type.shape().size() != 2) {
      throw call.refuse(
          role,
          role + " must be 2D [NR, SIZE], got " + TypeText.shape(type.shape()),
          "one row for each rank: [NR, SIZE]");
    }
  }

  private static void requireSameRow(OpCall call, Type.Tensor from, Type.Tensor to) {
    Extent difference = call.extentOf(to.shape().get(1)).minus(call.extentOf(from.shape().get(1)));
    if (difference.alwaysPositive() || difference.alwaysNegative()) {
      throw call.refuse(
          "target",
          "target SIZE must equal input SIZE, got "
              + TypeText.scalar(to.shape().get(1))
              + " and "
              + TypeText.scalar(from.shape().get(1)),
          "give both the same number of columns");
    }
    if (from.dtype() != to.dtype()) {
      throw call.refuse(
          "target",
          "target dtype (" + to.dtype() + ") must match input dtype (" + from.dtype() + ")",
          "view the target's buffer with the input's dtype");
    }
  }

  /** The signal of a row exchange: one cell for each rank, as far as its shape is static. */
  private static void requireCells(OpCall call, Expr signal, Type.Tensor target) {
    Type.Tensor type = (Type.Tensor) signal.type();
    if (type.shape().isEmpty() || type.shape().size() > 2) {
      throw call.refuse(
          "signal",
          "signal must be 1D [NR] or 2D [NR, 1], got " + TypeText.shape(type.shape()),
          "view the signal as [NR, 1]");
    }
    if (type.shape().size() == 2) {
      OptionalLong columns = call.extentOf(type.shape().get(1)).constant();
      if (columns.isPresent() && columns.getAsLong() != 1) {
        throw call.refuse(
            "signal",
            "signal second dimension must be 1: signal shape[1] must be 1 (one cell per rank), got "
                + columns.getAsLong(),
            "a signal shaped for mode=\"ring\" can't serve a mesh collective: use one window for"
                + " each layout");
      }
    }
    OptionalLong cells = call.extentOf(type.shape().get(0)).constant();
    OptionalLong rows = call.extentOf(target.shape().get(0)).constant();
    if (cells.isPresent() && rows.isPresent() && cells.getAsLong() != rows.getAsLong()) {
      throw call.refuse(
          "signal",
          "signal first dimension ("
              + cells.getAsLong()
              + ") must equal target first dimension ("
              + rows.getAsLong()
              + ")",
          "one cell for each rank");
    }
  }
}
