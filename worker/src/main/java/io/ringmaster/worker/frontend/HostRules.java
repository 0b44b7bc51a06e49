package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.source.Span;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a HOST orchestrator may do where: windows, dispatch loops, {@code device=}. */
final class HostRules {

  private final Storage storage;
  private final Messages messages;
  private final Map<String, Span> allocated = new LinkedHashMap<>();
  private final Set<String> viewed = new HashSet<>();
  private final Set<String> consumed = new HashSet<>();
  private final Set<String> worldSizes = new HashSet<>();
  private final Deque<Stmt.For> loops = new ArrayDeque<>();
  private int depth;

  private HostRules(Storage storage, Messages messages) {
    this.storage = storage;
    this.messages = messages;
  }

  static void check(Function host, Storage storage, Messages messages) {
    HostRules rules = new HostRules(storage, messages);
    rules.findWorldSizes(host.body());
    rules.visit(host.body());
    rules.requireUse();
  }

  private void findWorldSizes(List<Stmt> body) {
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.Assign(Expr.Var target, Expr.Op op, _) when op.code() == OpCode.WORLD_SIZE ->
            worldSizes.add(target.name());
        case Stmt.For loop -> findWorldSizes(loop.body());
        case Stmt.While loop -> findWorldSizes(loop.body());
        case Stmt.If branch -> {
          findWorldSizes(branch.thenBody());
          findWorldSizes(branch.elseBody());
        }
        case Stmt.Region region -> findWorldSizes(region.body());
        case Stmt.Assign _,
            Stmt.AssignTuple _,
            Stmt.Eval _,
            Stmt.Return _,
            Stmt.Break _,
            Stmt.Continue _ -> {}
      }
    }
  }

  private void visit(List<Stmt> body) {
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.Assign(Expr.Var target, Expr value, _) -> {
          if (value instanceof Expr.Op op && op.code() == OpCode.ALLOC_WINDOW) {
            allocate(target.name(), op.span());
          }
          value(value);
        }
        case Stmt.AssignTuple(_, Expr value, _) -> value(value);
        case Stmt.Eval(Expr value, _) -> value(value);
        case Stmt.Return(var values, _) -> values.forEach(this::value);
        case Stmt.For loop -> {
          loops.push(loop);
          nested(loop.body());
          loops.pop();
        }
        case Stmt.While loop -> nested(loop.body());
        case Stmt.If branch -> {
          nested(branch.thenBody());
          nested(branch.elseBody());
        }
        case Stmt.Region region -> visit(region.body());
        case Stmt.Break _, Stmt.Continue _ -> {}
      }
    }
  }

  private void nested(List<Stmt> body) {
    depth++;
    visit(body);
    depth--;
  }

  private void allocate(String name, Span span) {
    allocated.put(name, span);
    if (depth > 0) {
      messages.error(
          "pld.alloc_window_buffer of '"
              + name
              + "' stands inside a loop or if: a buffer is allocated once for the program",
          "move it above the loop",
          span);
    }
  }

  private void value(Expr value) {
    switch (value) {
      case Expr.Call call -> call(call);
      case Expr.Op op -> operation(op);
      case Expr.IntConst _,
          Expr.FloatConst _,
          Expr.BoolConst _,
          Expr.Var _,
          Expr.Dim _,
          Expr.Binary _,
          Expr.Unary _,
          Expr.Convert _,
          Expr.TupleExpr _ -> {}
    }
  }

  private void operation(Expr.Op op) {
    switch (op.code()) {
      case WINDOW -> viewed.addAll(storage.of(op.operands().getFirst()));
      case CREATE_TENSOR -> {
        if (depth > 0) {
          messages.error(
              "pl.create_tensor in a HOST function must be a top-level statement (not nested"
                  + " inside a loop or if)",
              "create it above, and slice it inside",
              op.span());
        }
      }
      case ASSEMBLE -> {
        if (op.attributes().get("atomic")
                instanceof io.ringmaster.worker.ir.Attribute.Atomic(boolean add)
            && add) {
          messages.error(
              "atomic pl.assemble is only supported inside an InCore function",
              "assemble without atomic",
              op.span());
        }
      }
      case OpCode other -> {
        if (other.isCollective()) {
          collective(op);
        }
      }
    }
  }

  private void collective(Expr.Op op) {
    op.operands().forEach(operand -> consumed.addAll(storage.of(operand)));
    loops.stream()
        .filter(this::coversRanks)
        .findFirst()
        .ifPresent(
            loop ->
                messages.error(
                    op.code().printedName()
                        + " in a HOST function runs on every rank of its domain at once: it can't"
                        + " stand inside the rank loop over '"
                        + loop.variable().name()
                        + "'",
                    "move it after the loop",
                    op.span()));
  }

  /** True for a loop over the ranks: it dispatches with its variable, or counts to world_size. */
  private boolean coversRanks(Stmt.For loop) {
    return isWorldSize(loop.stop());
  }

  private boolean isWorldSize(Expr expr) {
    return switch (expr) {
      case Expr.Var variable -> worldSizes.contains(variable.name());
      case Expr.Convert convert -> isWorldSize(convert.operand());
      case Expr other -> false;
    };
  }

  private void call(Expr.Call call) {
    if (Gap.is(call)) {
      call.arguments().forEach(used -> viewed.addAll(storage.of(used)));
    }
    call.arguments().forEach(argument -> consumed.addAll(storage.of(argument)));
    call.device().ifPresent(this::requireDevice);
  }

  private void requireDevice(Expr device) {
    switch (device) {
      case Expr.IntConst(long value, _, Span span) -> {
        if (value < 0) {
          messages.error(
              "device= ConstInt must be non-negative, got " + value, "ranks count from 0", span);
        }
      }
      case Expr.Var(String name, _, Span span) -> {
        Optional<Stmt.For> loop =
            loops.stream().filter(l -> l.variable().name().equals(name)).findFirst();
        if (loop.isEmpty()) {
          messages.error(
              "device= Var is not the induction variable of any enclosing pl.range loop: '"
                  + name
                  + "'",
              "for r in pl.range(pld.world_size()): ... device=r",
              span);
        } else {
          requireRankLoop(loop.get());
        }
      }
      case Expr other ->
          messages.error(
              "device= expression must be ConstInt or the induction var of an enclosing pl.range"
                  + " loop",
              "dispatch rank r with device=r and compute the other index as an argument",
              other.span());
    }
  }

  private void requireRankLoop(Stmt.For loop) {
    if (Gap.is(loop.stop())) {
      return;
    }
    if (!(loop.step() instanceof Expr.IntConst(long step, _, _)) || step != 1) {
      messages.error(
          "device=" + loop.variable().name() + " over a non-unit-step loop is not supported",
          "use step 1",
          loop.step().span());
    }
    boolean fixed =
        loop.start() instanceof Expr.IntConst
            && (loop.stop() instanceof Expr.IntConst || isWorldSize(loop.stop()));
    if (!fixed) {
      messages.error(
          "device="
              + loop.variable().name()
              + " loop bound must be ConstInt or pld.system.world_size()",
          "for " + loop.variable().name() + " in pl.range(pld.world_size()):",
          loop.stop().span());
    }
  }

  private void requireUse() {
    allocated.forEach(
        (name, span) -> {
          if (!viewed.contains(name)) {
            messages.consequence(
                "window buffer '"
                    + name
                    + "' has no pld.tensor.window materialisation (dead"
                    + " allocation)",
                "view it with pld.window, or remove it",
                span);
          } else if (!consumed.contains(name)) {
            messages.consequence(
                "window buffer '" + name + "' is not consumed by any chip_orch dispatch",
                "pass a view of it to a dispatch, or remove it",
                span);
          }
        });
  }
}
