package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Attribute.NotifyOp;
import io.ringmaster.worker.ir.Attribute.WaitCmp;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Map;

/** Notify and wait on the cells of a signal window. */
final class Signals {

  private Signals() {}

  static Expr notifyCell(OpCall call) {
    call.each(
        () -> cell(call, signal(call, "target")),
        () -> peer(call),
        () -> notified(call),
        () -> notifyOp(call));
    Expr target = signal(call, "target");
    Expr peer = peer(call);
    List<Expr> offsets = cell(call, target);
    Expr value = notified(call);
    NotifyOp op = notifyOp(call);
    return call.op(
        OpCode.NOTIFY,
        List.of(target, peer, call.tuple(offsets, "offsets"), value),
        Map.of("op", new Attribute.Notify(op)),
        new Type.None());
  }

  private static Expr notified(OpCall call) {
    return call.integer("value", DType.INT32, "value must be a scalar integer");
  }

  private static NotifyOp notifyOp(OpCall call) {
    return switch (call.member("op", "NotifyOp").orElse("")) {
      case "Set" -> NotifyOp.SET;
      case "AtomicAdd" -> NotifyOp.ATOMIC_ADD;
      default ->
          throw call.refuse(
              "op",
              "op must be NotifyOp.AtomicAdd or NotifyOp.Set, got " + call.describe("op"),
              "op=pld.NotifyOp.AtomicAdd");
    };
  }

  static Expr waitCell(OpCall call) {
    return wait(call, OpCode.WAIT);
  }

  static Expr deferWait(OpCall call) {
    Expr signal = call.window("signal");
    if (Windows.dtype(signal) != DType.INT32) {
      throw call.refuse(
          "signal",
          "signal dtype must be INT32, got " + Windows.dtype(signal),
          "view the signal buffer with dtype=pl.INT32");
    }
    if (call.member("cmp", "WaitCmp").orElse("").equals("Eq")) {
      throw call.refuse("cmp", "only supports WaitCmp.Ge", "cmp=pld.WaitCmp.Ge");
    }
    long expected = call.constantInt("expected", "expected must be a constant");
    if (expected < 0 || expected > Integer.MAX_VALUE) {
      throw call.refuse(
          "expected",
          "expected must be in [0, " + Integer.MAX_VALUE + "], got " + expected,
          "count credits from 0 upwards");
    }
    return wait(call, OpCode.DEFER_WAIT);
  }

  private static Expr wait(OpCall call, OpCode code) {
    call.each(
        () -> cell(call, signal(call, "signal")), () -> expected(call), () -> comparison(call));
    Expr signal = signal(call, "signal");
    List<Expr> offsets = cell(call, signal);
    Expr expected = expected(call);
    WaitCmp cmp = comparison(call);
    return call.op(
        code,
        List.of(signal, call.tuple(offsets, "offsets"), expected),
        Map.of("cmp", new Attribute.Compare(cmp)),
        new Type.None());
  }

  private static Expr expected(OpCall call) {
    return call.integer("expected", DType.INT32, "expected must be a scalar integer");
  }

  private static WaitCmp comparison(OpCall call) {
    return switch (call.member("cmp", "WaitCmp").orElse("")) {
      case "Eq" -> WaitCmp.EQ;
      case "Ge" -> WaitCmp.GE;
      default ->
          throw call.refuse(
              "cmp",
              "cmp must be WaitCmp.Eq or WaitCmp.Ge, got " + call.describe("cmp"),
              "cmp=pld.WaitCmp.Ge");
    };
  }

  /** Cells are INT32: the hardware counts in no other type. */
  private static Expr signal(OpCall call, String parameter) {
    Expr window = call.window(parameter);
    if (Windows.dtype(window) != DType.INT32) {
      throw call.refuse(
          parameter,
          parameter + " must have INT32 element type, got " + Windows.dtype(window),
          "view the signal buffer with dtype=pl.INT32");
    }
    return window;
  }

  private static List<Expr> cell(OpCall call, Expr window) {
    Type.Tensor type = (Type.Tensor) window.type();
    List<Expr> offsets = call.integers("offsets", type.shape().size(), "target tensor");
    List<Expr> one =
        offsets.stream().<Expr>map(_ -> new Expr.IntConst(1, DType.INDEX, call.span())).toList();
    String verb = call.given("value") ? "writes" : "reads";
    Bounds.check(call, new Bounds.Given("offsets", ""), verb, "signal", offsets, one, type.shape());
    return offsets;
  }

  /** A rank index; its range is checked when it runs. */
  static Expr peer(OpCall call) {
    Expr peer = call.integer("peer", DType.INT32, "peer must be a scalar (rank index)");
    if (call.extentOf(peer).alwaysNegative()) {
      throw call.refuse(
          "peer",
          "peer "
              + call.extentOf(peer).constant().orElse(-1)
              + " is outside [0, nranks): it is provably negative",
          "(my_rank + nranks - 1) % nranks names the left neighbour");
    }
    return peer;
  }
}
