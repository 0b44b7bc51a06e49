package io.ringmaster.worker.codegen;

import io.ringmaster.worker.fabric.Bounds;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.KernelFault;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.Site;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.fabric.WindowSlice;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.source.Span;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Notify, wait, and the communication context. */
final class SignalOps {

  private SignalOps() {}

  static Instruction context(OpCompiler compiler, Expr.Op op, int target) {
    int window = compiler.reference(op, 0);
    Site site = OpCompiler.site(op, 0);
    return (machine, frame, pc) -> {
      WindowSlice slice = Bounds.window(machine.rank(), frame.view(window), site);
      MemoryOps.put(frame, target, slice);
      return pc + 1;
    };
  }

  static Instruction notifying(OpCompiler compiler, Expr.Op op) {
    int window = compiler.reference(op, 0);
    LongExpr peer = compiler.scalar(op, 1);
    LongExpr[] offsets = compiler.tuple(op, 2);
    long @Nullable [] fixed = LongExpr.fixed(offsets);
    LongExpr value = compiler.scalar(op, 3);
    boolean set = Attributes.isSet(op);
    Site site = OpCompiler.site(op, 0);
    Span written = OpCompiler.place(op, op.operands().get(3));
    return (machine, frame, pc) -> {
      if (!machine.maySignal()) {
        return Instruction.YIELD;
      }
      TensorView view = frame.view(window);
      WindowSlice target = Bounds.peer(machine.rank(), view, peer.eval(frame), site);
      long[] at = fixed != null ? fixed : LongExpr.all(offsets, frame);
      long cell = Bounds.cell(machine.rank(), view, at, site);
      int amount = cellValue(value.eval(frame), machine.rank(), site, written);
      machine.counts().notifies++;
      if (machine.fabric().observed()) {
        var notification =
            new Notification(
                machine.fabric().nextNotification(),
                machine.rank(),
                target.owner(),
                target.info(),
                cell,
                boxed(at),
                amount,
                set,
                site.span(),
                machine.clock());
        machine.fabric().events().notified(notification);
        machine.environment().send(machine, notification, target);
      } else {
        machine.environment().send(machine, target, cell, amount, set, site.span());
      }
      machine.spend(machine.cost().notifySendNanos());
      return pc + 1;
    };
  }

  static Instruction waiting(OpCompiler compiler, Expr.Op op) {
    int window = compiler.reference(op, 0);
    LongExpr[] offsets = compiler.tuple(op, 1);
    long @Nullable [] fixed = LongExpr.fixed(offsets);
    LongExpr expected = compiler.scalar(op, 2);
    boolean exact = Attributes.isExact(op);
    boolean deferred = op.code() == OpCode.DEFER_WAIT;
    Site site = OpCompiler.site(op, 0);
    Span written = OpCompiler.place(op, op.operands().get(2));
    return (machine, frame, pc) -> {
      if (machine.takeWaitOver()) {
        machine.spend(machine.cost().waitNanos());
        return pc + 1;
      }
      if (!machine.maySignal()) {
        return Instruction.YIELD;
      }
      TensorView view = frame.view(window);
      WindowSlice slice = Bounds.window(machine.rank(), view, site);
      long[] at = fixed != null ? fixed : LongExpr.all(offsets, frame);
      long cell = Bounds.cell(machine.rank(), view, at, site);
      int needed = cellValue(expected.eval(frame), machine.rank(), site, written);
      machine.counts().waits++;
      int seen = slice.cell(cell);
      SignalWait event = null;
      if (machine.fabric().observed()) {
        event =
            new SignalWait(
                machine.fabric().nextWait(),
                machine.rank(),
                slice.info(),
                cell,
                boxed(at),
                needed,
                exact,
                deferred,
                site.span(),
                machine.clock());
        machine.fabric().events().waitStarted(event, seen);
      }
      if (machine.waits() && !SignalWait.holds(seen, needed, exact, deferred)) {
        machine.block(
            new Machine.Pending(
                slice, cell, at, needed, exact, deferred, site.span(), machine.clock(), event));
        return Instruction.BLOCK;
      }
      if (event != null) {
        machine.fabric().events().waitSatisfied(event, seen, machine.clock());
      }
      machine.spend(machine.cost().waitNanos());
      return pc + 1;
    };
  }

  /** A value for a signal cell, which has 32 bits. */
  private static int cellValue(long value, int rank, Site site, Span written) {
    if (value != (int) value) {
      throw KernelFault.of(
          Finding.Kind.SIGNAL_WRAPPED,
          rank,
          written,
          "rank %d: %s: %d doesn't fit into a signal cell, which is INT32"
              .formatted(rank, site.operation(), value),
          "count in smaller steps, or take the credits back");
    }
    return (int) value;
  }

  private static List<Long> boxed(long[] values) {
    return switch (values.length) {
      case 1 -> List.of(values[0]);
      case 2 -> List.of(values[0], values[1]);
      default -> Arrays.stream(values).boxed().toList();
    };
  }
}
