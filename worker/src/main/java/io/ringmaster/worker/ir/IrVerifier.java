package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks that IR is well formed: variables assigned before they are read, operands of the right
 * number and kind, operations at their level, calls that fit their callee, regions that hold
 * schedules and nothing else.
 *
 * <p>A finding here is a fault of the pass that built the IR. Users' mistakes are found by the
 * front end and by the passes.
 */
public final class IrVerifier {

  private final Map<String, Function> functions = new HashMap<>();
  private final List<IrProblem> problems = new ArrayList<>();
  private final Set<String> defined = new HashSet<>();
  private Function current =
      new Function("", Function.Level.HOST, List.of(), List.of(), List.of(), Span.NONE);
  private int loops;

  private IrVerifier() {}

  /** Everything wrong with the program; empty when it is well formed. */
  public static List<IrProblem> verify(Program program) {
    IrVerifier verifier = new IrVerifier();
    Set<String> buffers = new HashSet<>();
    for (Function function : program.functions()) {
      verifier.current = function;
      if (verifier.functions.put(function.name(), function) != null) {
        verifier.problem("the program has two functions of this name", function.span());
      }
      Traversal.statements(
          function.body(),
          stmt -> Traversal.targets(stmt).forEach(target -> buffers.add(target.name())));
    }
    program.functions().forEach(verifier::function);
    for (Program.Domain domain : program.domains()) {
      for (String buffer : domain.buffers()) {
        if (!buffers.contains(buffer)) {
          verifier.problems.add(
              new IrProblem(domain.name(), "no statement allocates '" + buffer + "'", Span.NONE));
        }
      }
    }
    return List.copyOf(verifier.problems);
  }

  private void function(Function function) {
    current = function;
    defined.clear();
    loops = 0;
    for (Function.Param param : function.params()) {
      if (!defined.add(param.name())) {
        problem("parameter '" + param.name() + "' appears twice", param.span());
      }
    }
    body(function.body());
  }

  private void body(List<Stmt> body) {
    body.forEach(this::stmt);
  }

  private void stmt(Stmt stmt) {
    Traversal.values(stmt).forEach(this::expr);
    switch (stmt) {
      case Stmt.Assign s -> {
        if (!OpRules.sameValue(s.target().type(), s.value().type())) {
          problem(
              "'"
                  + s.target().name()
                  + "' of type "
                  + OpRules.show(s.target().type())
                  + " is given a value of type "
                  + OpRules.show(s.value().type()),
              s.span());
        }
        defined.add(s.target().name());
      }
      case Stmt.AssignTuple s -> {
        if (!(s.value().type() instanceof Type.Tuple t)
            || t.elements().size() != s.targets().size()) {
          problem(s.targets().size() + " targets don't match the value", s.span());
        }
        s.targets().forEach(target -> defined.add(target.name()));
      }
      case Stmt.For s -> {
        defined.add(s.variable().name());
        scalar(s.start(), false);
        scalar(s.stop(), false);
        scalar(s.step(), false);
        loop(s.body());
      }
      case Stmt.While s -> {
        scalar(s.condition(), true);
        loop(s.body());
      }
      case Stmt.If s -> {
        scalar(s.condition(), true);
        body(s.thenBody());
        body(s.elseBody());
      }
      case Stmt.Break _ -> insideLoop("break", stmt.span());
      case Stmt.Continue _ -> insideLoop("continue", stmt.span());
      case Stmt.Region s -> region(s);
      case Stmt.Eval _, Stmt.Return _ -> {}
    }
  }

  private void loop(List<Stmt> body) {
    loops++;
    body(body);
    loops--;
  }

  private void insideLoop(String keyword, Span span) {
    if (loops == 0) {
      problem(keyword + " outside a loop", span);
    }
  }

  private void scalar(Expr expr, boolean condition) {
    boolean fits =
        expr.type() instanceof Type.Scalar(DType dtype)
            && (condition ? dtype == DType.BOOL : dtype.isInteger());
    if (!fits) {
      problem(
          (condition ? "a condition must be BOOL, is " : "a loop bound must be an integer, is ")
              + OpRules.show(expr.type()),
          expr.span());
    }
  }

  private void region(Stmt.Region s) {
    OpCode op = s.collective().op();
    if (!op.isCollective()) {
      problem(op.printedName() + " isn't a collective, yet a region stands for it", s.span());
    } else if (s.collective().operands().size() > OpSyntax.slots(op).size()) {
      problem("the region for " + op.printedName() + " has too many operands", s.span());
    }
    if (current.level() != Function.Level.INCORE) {
      problem("a lowered collective must stand in an InCore function", s.span());
    }
    Traversal.statements(
        s.body(),
        inner -> {
          if (inner instanceof Stmt.Region) {
            problem("a region inside a region", inner.span());
          }
          for (Expr value : Traversal.values(inner)) {
            if (value instanceof Expr.Op operation && operation.code().isCollective()) {
              problem("a collective is left inside a region", inner.span());
            }
          }
        });
    body(s.body());
  }

  private void expr(Expr root) {
    Traversal.expressions(
        root,
        expr -> {
          switch (expr) {
            case Expr.Var e -> {
              if (!defined.contains(e.name())) {
                problem("'" + e.name() + "' is read before anything assigns it", e.span());
              }
            }
            case Expr.Op e ->
                OpRules.problems(e, current.level()).forEach(text -> problem(text, e.span()));
            case Expr.Call e -> call(e);
            case Expr.Binary e -> operands(e, e.left(), e.right());
            case Expr.Unary e -> operands(e, e.operand());
            case Expr.Convert e -> operands(e, e.operand());
            case Expr.IntConst _,
                Expr.FloatConst _,
                Expr.BoolConst _,
                Expr.Dim _,
                Expr.TupleExpr _ -> {}
          }
        });
  }

  private void operands(Expr whole, Expr... parts) {
    for (Expr part : parts) {
      if (!(part.type() instanceof Type.Scalar)) {
        problem("scalar arithmetic on " + OpRules.show(part.type()), whole.span());
      }
    }
  }

  private void call(Expr.Call call) {
    Function callee = functions.get(call.function());
    if (callee == null) {
      problem("the program has no function '" + call.function() + "'", call.span());
      return;
    }
    if (callee.params().size() != call.arguments().size()) {
      problem(
          call.function()
              + " takes "
              + callee.params().size()
              + " arguments, got "
              + call.arguments().size(),
          call.span());
    }
    if (call.device().isPresent() && current.level() != Function.Level.HOST) {
      problem("only HOST chooses a device", call.span());
    }
  }

  private void problem(String message, Span span) {
    problems.add(new IrProblem(current.name(), message, span));
  }
}
