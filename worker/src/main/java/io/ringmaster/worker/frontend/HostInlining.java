package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.JitHeader.Parameter;
import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Calls of inline functions from a HOST orchestrator. What they dispatch has to stand in the loop
 * over the ranks, so their bodies are read in place, their names made the caller's own.
 */
final class HostInlining {

  private final FunctionContext context;
  private final JitCallees callees;

  HostInlining(FunctionContext context, JitCallees callees) {
    this.context = context;
    this.callees = callees;
  }

  /** Reads the body here; the value of its closing return, if it has one. */
  Value inline(JitHeader header, List<Value> arguments, Span at) {
    List<Stmt> body = header.definition().body();
    Set<String> assigned = AssignedNames.in(body);
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < arguments.size(); i++) {
      Parameter param = header.params().get(i);
      names.put(param.name(), define(param, arguments.get(i), assigned.contains(param.name()), at));
    }
    Set<String> locals = new HashSet<>(assigned);
    locals.removeAll(names.keySet());
    locals.forEach(local -> names.put(local, context.freshName(local)));
    List<Stmt> renamed = new Renaming(names).statements(body);
    Optional<io.ringmaster.worker.source.Expr> result = Optional.empty();
    if (!renamed.isEmpty() && renamed.getLast() instanceof Stmt.Return(var value, _)) {
      result = value;
      renamed = renamed.subList(0, renamed.size() - 1);
    }
    refuseReturns(renamed, header);
    ExpressionBuilder expressions = callees.readInPlace(header, context, renamed, at);
    return result.map(expressions::evaluateWhole).orElse(new Value.Items(List.of()));
  }

  private String define(Parameter param, Value argument, boolean assigned, Span at) {
    String name = context.freshName(param.name());
    switch (argument) {
      case Value.Constant(ClosureValue constant) -> context.names().defineConstant(name, constant);
      case Value.Dsl(Expr.Var variable) when !assigned -> {
        Extent extent =
            context
                .names()
                .find(variable.name())
                .map(NameScope.Variable::extent)
                .orElseGet(() -> context.names().fresh(name, OptionalLong.empty()));
        context.names().assign(name, variable.name(), variable.type(), extent);
      }
      case Value.Dsl(Expr expr) -> {
        if (expr.type() instanceof Type.None) {
          throw Refusal.of(
              "'" + param.name() + "' gets no value",
              "give it in the call, or a default value in the head",
              at);
        }
        Expr.Var variable = new Expr.Var(name, expr.type(), at);
        context.emit(new io.ringmaster.worker.ir.Stmt.Assign(variable, expr, at));
        context.names().define(name, expr.type(), context.quantity(name, expr));
      }
      case Value.Items _ ->
          throw Refusal.of(
              "parameter '" + param.name() + "' takes one value, got a list",
              "pass its elements one by one",
              at);
    }
    return name;
  }

  private static void refuseReturns(List<Stmt> body, JitHeader header) {
    for (Stmt statement : body) {
      if (statement instanceof Stmt.Return(_, Span span)) {
        throw Refusal.of(
            "'" + header.name() + "' is called from a HOST orchestrator and returns early",
            "return once, at the end",
            span);
      }
      refuseReturns(io.ringmaster.worker.source.SyntaxChildren.statementsOf(statement), header);
    }
  }
}
