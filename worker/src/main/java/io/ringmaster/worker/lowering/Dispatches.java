package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;

/** Which ranks a dispatch reaches, from its {@code device=} and the loops around it. */
final class Dispatches {

  private final HostValues values;
  private final Deque<Stmt.For> loops = new ArrayDeque<>();

  Dispatches(HostValues values) {
    this.values = values;
  }

  void enter(Stmt.For loop) {
    loops.push(loop);
  }

  void leave() {
    loops.pop();
  }

  DeviceSet of(Expr device) {
    return switch (device) {
      case Expr.IntConst e -> single(e.value(), device.span());
      case Expr.Convert e -> of(e.operand());
      case Expr.Var e -> ofLoop(e);
      default ->
          throw Errors.at(
              device.span(),
              "device= expression must be ConstInt or the induction var of an enclosing pl.range"
                  + " loop",
              "Loop over the target ranks and pass the loop variable itself.");
    };
  }

  private static DeviceSet single(long rank, Span span) {
    if (rank < 0) {
      throw Errors.at(
          span, "device= ConstInt must be non-negative, got " + rank, "Ranks count from 0.");
    }
    return DeviceSet.range(rank, rank + 1);
  }

  private DeviceSet ofLoop(Expr.Var variable) {
    Stmt.For loop =
        loops.stream()
            .filter(l -> l.variable().name().equals(variable.name()))
            .findFirst()
            .orElseThrow(
                () ->
                    Errors.at(
                        variable.span(),
                        "device= Var is not the induction variable of any enclosing pl.range loop:"
                            + " '"
                            + variable.name()
                            + "'",
                        "Use the variable of the loop around this dispatch."));
    if (!values.value(loop.step()).equals(OptionalLong.of(1))) {
      throw Errors.at(
          loop.span(),
          "device=" + variable.name() + " over a non-unit-step loop is not supported",
          "Let the loop run over consecutive ranks.");
    }
    OptionalLong start = values.value(loop.start());
    if (values.isWorldSize(loop.stop())) {
      if (!start.equals(OptionalLong.of(0))) {
        throw bound(variable, loop, "and start at 0 when it runs to pld.world_size()");
      }
      return DeviceSet.ALL;
    }
    // A bound that merely evaluates to a number for this world size would tie the program to it.
    OptionalLong stop = Build.constant(values.resolve(loop.stop()));
    OptionalLong from = Build.constant(values.resolve(loop.start()));
    if (stop.isEmpty() || from.isEmpty()) {
      throw bound(variable, loop, "");
    }
    if (from.getAsLong() < 0) {
      throw Errors.at(
          loop.span(),
          "device=" + variable.name() + " loop starts at " + from.getAsLong(),
          "Ranks count from 0.");
    }
    return stop.getAsLong() <= from.getAsLong()
        ? DeviceSet.NONE
        : DeviceSet.range(from.getAsLong(), stop.getAsLong());
  }

  private static DiagnosticException bound(Expr.Var variable, Stmt.For loop, String more) {
    return Errors.at(
        loop.span(),
        "device="
            + variable.name()
            + " loop bound must be ConstInt or pld.system.world_size()"
            + (more.isEmpty() ? "" : " " + more),
        "Write pl.range(pld.world_size()) or pl.range(a, b) with constants.");
  }
}
