package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.stop.StopOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A variable that was passed to a function as Out or InOut is used up: what the function wrote is
 * its result. Reading the old variable again, in the next iteration of a loop too, is refused;
 * assigning the name clears it. Subscripted arguments aren't variables and are exempt.
 */
final class UseDiscipline {

  private final ProgramSignatures signatures;
  private final Messages messages;
  private final Span function;
  private final boolean host;

  private UseDiscipline(ProgramSignatures signatures, Messages messages, Function function) {
    this.signatures = signatures;
    this.messages = messages;
    this.function = function.span();
    this.host = function.level() == Level.HOST;
  }

  static void check(Function function, ProgramSignatures signatures, Messages messages) {
    new UseDiscipline(signatures, messages, function).visit(function.body(), new HashMap<>());
  }

  /** Where each used-up variable was passed; {@code used} is changed to the state afterwards. */
  private void visit(List<Stmt> body, Map<String, Span> used) {
    for (Stmt statement : body) {
      StopOrder.look();
      switch (statement) {
        case Stmt.Assign(Expr.Var target, Expr value, _) -> {
          value(value, used);
          used.remove(target.name());
        }
        case Stmt.AssignTuple(var targets, Expr value, _) -> {
          if (!Gap.is(value)) {
            value(value, used);
          }
          targets.forEach(target -> used.remove(target.name()));
        }
        case Stmt.Eval(Expr value, _) -> value(value, used);
        case Stmt.For loop -> {
          read(loop.start(), used);
          read(loop.stop(), used);
          twice(loop.body(), used);
        }
        case Stmt.While loop -> {
          read(loop.condition(), used);
          twice(loop.body(), used);
        }
        case Stmt.If branch -> {
          read(branch.condition(), used);
          Map<String, Span> otherwise = new HashMap<>(used);
          visit(branch.thenBody(), used);
          visit(branch.elseBody(), otherwise);
          boolean thenLeaves = leaves(branch.thenBody());
          boolean elseLeaves = leaves(branch.elseBody());
          if (thenLeaves) {
            used.clear();
          }
          if (!elseLeaves) {
            otherwise.forEach(used::putIfAbsent);
          }
        }
        case Stmt.Return(var values, Span span) -> {
          // The return that a free function leaves away reads nothing: it names the output. So does
          // that of HOST code, whose results travel through the Out tensors.
          if (!host && !span.equals(function)) {
            values.forEach(value -> value(value, used));
          }
        }
        case Stmt.Region region -> visit(region.body(), used);
        case Stmt.Break _, Stmt.Continue _ -> {}
      }
    }
  }

  private void twice(List<Stmt> body, Map<String, Span> used) {
    Map<String, Span> before = new HashMap<>(used);
    visit(body, used);
    // From the same state the second round finds the same; going round anyway, in nested loops,
    // would double the work with each level.
    if (!used.equals(before)) {
      visit(body, used);
    }
    before.forEach(used::putIfAbsent);
  }

  private static boolean leaves(List<Stmt> body) {
    return !body.isEmpty()
        && (body.getLast() instanceof Stmt.Return
            || body.getLast() instanceof Stmt.Break
            || body.getLast() instanceof Stmt.Continue);
  }

  private void value(Expr value, Map<String, Span> used) {
    read(value, used);
    if (!(value instanceof Expr.Call call)) {
      return;
    }
    List<Param> params =
        signatures.find(call.function()).map(FunctionSignature::params).orElse(List.of());
    for (int i = 0; i < params.size(); i++) {
      if (params.get(i).direction() != Direction.IN
          && call.arguments().get(i) instanceof Expr.Var variable) {
        used.put(variable.name(), variable.span());
      }
    }
  }

  private void read(Expr expr, Map<String, Span> used) {
    if (expr instanceof Expr.Var variable && used.containsKey(variable.name())) {
      Span passed = used.get(variable.name());
      messages.error(
          "'"
              + variable.name()
              + "' was passed as InOut/Out at line "
              + passed.line()
              + "; read the post-call return value instead of the pre-call variable",
          "assign the call's result to '" + variable.name() + "', or view the window again",
          variable.span());
    }
    IrWalk.children(expr).forEach(child -> read(child, used));
  }
}
