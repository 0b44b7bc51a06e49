package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Knows which window buffer a HOST variable views, statement by statement: through views, aliases,
 * slices, and the results of calls and collectives, which are the arguments they were given.
 */
final class WindowTracker {

  private final Program program;
  private final Map<String, String> buffers = new HashMap<>();

  WindowTracker(Program program) {
    this.program = program;
  }

  /** Takes note of what a statement assigns; blocks aren't entered. */
  void accept(Stmt stmt) {
    switch (stmt) {
      case Stmt.Assign s -> bind(s.target(), assigned(s.target(), s.value()));
      case Stmt.AssignTuple s -> {
        List<Optional<String>> parts = results(s.value(), s.targets().size());
        for (int i = 0; i < s.targets().size(); i++) {
          bind(s.targets().get(i), parts.get(i));
        }
      }
      case Stmt.Eval _,
          Stmt.For _,
          Stmt.While _,
          Stmt.If _,
          Stmt.Return _,
          Stmt.Break _,
          Stmt.Continue _,
          Stmt.Region _ -> {}
    }
  }

  /** The buffer that an expression views; empty when it isn't a window of the program. */
  Optional<String> bufferOf(Expr expr) {
    return switch (expr) {
      case Expr.Var e -> Optional.ofNullable(buffers.get(e.name()));
      case Expr.Op e ->
          switch (e.code()) {
            case WINDOW, SLICE, RESHAPE, SET_VALID_SHAPE, ASSEMBLE ->
                bufferOf(e.operands().getFirst());
            default ->
                e.code().isCollective() ? bufferOf(LowerCompositeOps.result(e)) : Optional.empty();
          };
      case Expr.Call e -> results(e, 1).getFirst();
      case Expr.IntConst _,
          Expr.FloatConst _,
          Expr.BoolConst _,
          Expr.Dim _,
          Expr.Binary _,
          Expr.Unary _,
          Expr.Convert _,
          Expr.TupleExpr _ ->
          Optional.empty();
    };
  }

  /** Every buffer viewed somewhere inside an expression. */
  Set<String> buffersIn(Expr expr) {
    Set<String> out = new LinkedHashSet<>();
    io.ringmaster.worker.ir.Traversal.expressions(expr, part -> bufferOf(part).ifPresent(out::add));
    return out;
  }

  Map<String, String> snapshot() {
    return Map.copyOf(buffers);
  }

  void restore(Map<String, String> snapshot) {
    buffers.clear();
    buffers.putAll(snapshot);
  }

  private Optional<String> assigned(Expr.Var target, Expr value) {
    return value instanceof Expr.Op op && op.code() == OpCode.ALLOC_WINDOW
        ? Optional.of(target.name())
        : bufferOf(value);
  }

  private void bind(Expr.Var target, Optional<String> buffer) {
    if (buffer.isPresent() && isWindow(target.type())) {
      buffers.put(target.name(), buffer.get());
    } else {
      buffers.remove(target.name());
    }
  }

  private static boolean isWindow(Type type) {
    return type instanceof Type.Buffer || (type instanceof Type.Tensor t && t.window());
  }

  /** Results of a call alias the arguments for the callee's written parameters, in order. */
  private List<Optional<String>> results(Expr value, int count) {
    List<Optional<String>> out = new ArrayList<>();
    if (value instanceof Expr.Call call) {
      List<Function.Param> params =
          program.function(call.function()).map(Function::params).orElse(List.of());
      for (int i = 0; i < Math.min(params.size(), call.arguments().size()); i++) {
        if (params.get(i).direction().isWritten()) {
          out.add(bufferOf(call.arguments().get(i)));
        }
      }
    } else if (value instanceof Expr.TupleExpr tuple) {
      tuple.elements().forEach(element -> out.add(bufferOf(element)));
    }
    while (out.size() < count) {
      out.add(Optional.empty());
    }
    return out;
  }
}
