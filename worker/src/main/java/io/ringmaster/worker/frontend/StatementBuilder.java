package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.Call;
import io.ringmaster.worker.source.Expr.ListDisplay;
import io.ringmaster.worker.source.Expr.Name;
import io.ringmaster.worker.source.Expr.StringLiteral;
import io.ringmaster.worker.source.Expr.TupleDisplay;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.SyntaxChildren;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Turns the statements of a function into IR. A statement that breaks a rule is reported, its names
 * are poisoned, and reading goes on with the next.
 */
final class StatementBuilder {

  private static final Set<String> LEAVING = Set.of("return", "raise", "break", "continue");

  private final FunctionContext context;
  private final ExpressionBuilder expressions;
  private final AssignmentBuilder assignments;
  private final LoopBuilder loops;
  private final OutlineBuilder outlines;

  StatementBuilder(
      FunctionContext context,
      ExpressionBuilder expressions,
      AssignmentBuilder assignments,
      OutlineBuilder outlines,
      FrontendOptions options) {
    this.context = context;
    this.expressions = expressions;
    this.assignments = assignments;
    this.outlines = outlines;
    this.loops = new LoopBuilder(context, expressions, this, assignments, options);
  }

  void build(List<io.ringmaster.worker.source.Stmt> statements) {
    for (io.ringmaster.worker.source.Stmt statement : statements) {
      attempt(statement);
    }
  }

  private void attempt(io.ringmaster.worker.source.Stmt statement) {
    StopOrder.look();
    context.countStatement(statement.span());
    try {
      context.nameTemporariesAfter("value");
      statement(statement);
    } catch (Refusal refusal) {
      context.messages().add(refusal);
      context.leaveGap(statement);
      Map<String, Type> meant = assignments.meant(statement, refusal);
      for (String name : AssignedNames.in(List.of(statement))) {
        context.names().doubt(name, Optional.ofNullable(meant.get(name)));
      }
      if (leaves(statement)) {
        context.emit(new Stmt.Return(List.of(), statement.span()));
        context.names().leave();
      }
    }
  }

  /** True for statements behind which nothing runs, whatever else is wrong with them. */
  private static boolean leaves(io.ringmaster.worker.source.Stmt statement) {
    return switch (statement) {
      case io.ringmaster.worker.source.Stmt.Return _,
          io.ringmaster.worker.source.Stmt.Raise _,
          io.ringmaster.worker.source.Stmt.Break _,
          io.ringmaster.worker.source.Stmt.Continue _ ->
          true;
      case io.ringmaster.worker.source.Stmt.Unread unread ->
          !Collections.disjoint(unread.words(), LEAVING);
      case io.ringmaster.worker.source.Stmt other -> false;
    };
  }

  /** Builds one statement into the open block. */
  void build(io.ringmaster.worker.source.Stmt statement) {
    statement(statement);
  }

  private void statement(io.ringmaster.worker.source.Stmt statement) {
    Optional<Submission> submission =
        Submission.of(statement, expressions.resolver(), context.level());
    if (submission.isPresent()) {
      statement(submission.get().call());
      submission.get().task().ifPresent(outlines::defineTask);
      return;
    }
    switch (statement) {
      case io.ringmaster.worker.source.Stmt.Assign assign -> assignments.assign(assign);
      case io.ringmaster.worker.source.Stmt.AnnotatedAssign assign -> assignments.annotated(assign);
      case io.ringmaster.worker.source.Stmt.ExprStmt(var value, Span span) ->
          expression(value, span);
      case io.ringmaster.worker.source.Stmt.For loop -> loops.forLoop(loop);
      case io.ringmaster.worker.source.Stmt.While loop -> loops.whileLoop(loop);
      case io.ringmaster.worker.source.Stmt.If branch -> branch(branch);
      case io.ringmaster.worker.source.Stmt.Return(var value, Span span) -> returns(value, span);
      case io.ringmaster.worker.source.Stmt.Break(Span span) -> {
        loops.requireLoop("break", span);
        context.emit(new Stmt.Break(span));
        context.names().leave();
      }
      case io.ringmaster.worker.source.Stmt.Continue(Span span) -> {
        loops.requireLoop("continue", span);
        context.emit(new Stmt.Continue(span));
        context.names().leave();
      }
      case io.ringmaster.worker.source.Stmt.Pass _ -> {}
      case io.ringmaster.worker.source.Stmt.With with -> with(with);
      case io.ringmaster.worker.source.Stmt.Unread _ -> throw Refusal.silent();
      case io.ringmaster.worker.source.Stmt.AugmentedAssign assign ->
          throw beside(
              assign, () -> expressions.evaluateAll(List.of(assign.target(), assign.value())));
      case io.ringmaster.worker.source.Stmt.Try attempt -> {
        attempt.handlers().forEach(h -> h.name().ifPresent(context.names()::poison));
        throw beside(attempt, () -> build(SyntaxChildren.statementsOf(attempt)));
      }
      case io.ringmaster.worker.source.Stmt.Match match -> throw beside(match, () -> cases(match));
      case io.ringmaster.worker.source.Stmt.FunctionDef _,
          io.ringmaster.worker.source.Stmt.ClassDef _,
          io.ringmaster.worker.source.Stmt.Raise _,
          io.ringmaster.worker.source.Stmt.Assert _,
          io.ringmaster.worker.source.Stmt.Import _,
          io.ringmaster.worker.source.Stmt.ImportFrom _,
          io.ringmaster.worker.source.Stmt.Global _,
          io.ringmaster.worker.source.Stmt.Nonlocal _,
          io.ringmaster.worker.source.Stmt.Delete _,
          io.ringmaster.worker.source.Stmt.Unsupported _ ->
          throw unsupported(statement);
    }
  }

  private static Refusal unsupported(io.ringmaster.worker.source.Stmt statement) {
    return Refusal.of(
        "Unsupported statement type: " + PythonNames.of(statement),
        PythonNames.adviceFor(statement),
        statement.span());
  }

  /** What to say of a statement that kernels don't have, after its parts have been read. */
  private Refusal beside(io.ringmaster.worker.source.Stmt statement, Runnable parts) {
    new SideBySide(context.messages()).attempt(parts);
    return unsupported(statement);
  }

  /** The parts of a match statement; what its patterns hold is anybody's guess. */
  private void cases(io.ringmaster.worker.source.Stmt.Match match) {
    SideBySide parts = new SideBySide(context.messages());
    parts.attempt(() -> expressions.evaluate(match.subject()));
    for (io.ringmaster.worker.source.Stmt.Case one : match.cases()) {
      one.pattern().names().forEach(context.names()::poison);
      one.guard().ifPresent(guard -> parts.attempt(() -> expressions.evaluate(guard)));
      build(one.body());
    }
  }

  private void expression(io.ringmaster.worker.source.Expr value, Span span) {
    if (value instanceof StringLiteral || isConstant(value)) {
      return;
    }
    if (!(value instanceof Call call)) {
      expressions.evaluate(value);
      throw Refusal.of(
          "an expression statement must be a call", "assign the value or remove the line", span);
    }
    Optional<String> path = expressions.resolver().path(call.function());
    switch (path.orElse("")) {
      case "pl.func_attr", "pl.static_print" -> {
        return;
      }
      case "pl.static_assert" -> {
        new StaticChecks(expressions).require(call);
        return;
      }
      default -> {}
    }
    context.expectStatement(call.span());
    Value result = expressions.evaluateWhole(call);
    if (!(result instanceof Value.Dsl(Expr expr))) {
      return;
    }
    if (expr instanceof Expr.Op op && op.code() == io.ringmaster.worker.ir.OpCode.ALLOC_WINDOW) {
      throw Refusal.of(
          "pld.alloc_window_buffer must appear as the RHS of a simple assignment (its result must"
              + " be bound to a named variable)",
          "buf = pld.alloc_window_buffer(...)",
          span);
    }
    if (expr instanceof Expr.Op || expr instanceof Expr.Call) {
      context.emit(new Stmt.Eval(expr, span));
    }
  }

  private static boolean isConstant(io.ringmaster.worker.source.Expr value) {
    return switch (value) {
      case io.ringmaster.worker.source.Expr.EllipsisLiteral _,
          io.ringmaster.worker.source.Expr.IntLiteral _,
          io.ringmaster.worker.source.Expr.NoneLiteral _ ->
          true;
      case io.ringmaster.worker.source.Expr other -> false;
    };
  }

  private void branch(io.ringmaster.worker.source.Stmt.If branch) {
    Expr condition = conditionOrNotice(branch);
    NameScope names = context.names();
    NameScope.State before = names.state();
    List<Stmt> thenBody = block(withoutYield(branch.body()));
    NameScope.State afterThen = names.state();
    names.restore(before);
    List<Stmt> elseBody = block(withoutYield(branch.orElse()));
    NameScope.State afterElse = names.state();
    names.join(List.of(afterThen, afterElse));
    context.emit(new Stmt.If(condition, thenBody, elseBody, branch.span()));
  }

  /** A refused condition is reported, and the branches are read all the same. */
  private Expr conditionOrNotice(io.ringmaster.worker.source.Stmt.If branch) {
    try {
      return condition(branch.condition(), "if");
    } catch (Refusal refusal) {
      context.messages().add(refusal);
      context.leaveGap(
          new io.ringmaster.worker.source.Stmt.ExprStmt(branch.condition(), branch.span()));
      return new Expr.BoolConst(true, branch.condition().span());
    }
  }

  /** A branch's closing {@code r = pl.yield_(v)} is an assignment like any other. */
  private List<io.ringmaster.worker.source.Stmt> withoutYield(
      List<io.ringmaster.worker.source.Stmt> body) {
    if (body.isEmpty()
        || !(body.getLast() instanceof io.ringmaster.worker.source.Stmt.Assign assign)
        || !assignments.isYield(assign.value())) {
      return body;
    }
    var values = ((Call) assign.value()).arguments();
    var value =
        values.size() == 1 ? values.getFirst() : new TupleDisplay(values, assign.value().span());
    List<io.ringmaster.worker.source.Stmt> plain = new ArrayList<>(body);
    plain.set(
        body.size() - 1,
        new io.ringmaster.worker.source.Stmt.Assign(assign.targets(), value, assign.span()));
    return plain;
  }

  /** A condition: a BOOL scalar, or a Python bool that is known now. */
  Expr condition(io.ringmaster.worker.source.Expr condition, String statement) {
    Expr scalar = expressions.scalar(expressions.evaluate(condition), condition.span());
    if (scalar.type() instanceof Type.Scalar(DType dtype) && dtype == DType.BOOL) {
      return scalar;
    }
    throw Refusal.of(
        statement
            + " condition must be a Bool-typed scalar expression, got "
            + TypeText.of(scalar.type()),
        "compare it, e.g. x != 0",
        condition.span());
  }

  /** Says what is wrong with statements of which nobody knows where they are to run. */
  void readAnywhere(List<io.ringmaster.worker.source.Stmt> statements) {
    outlines.readAnywhere(statements);
    AssignedNames.in(statements).forEach(context.names()::poison);
  }

  /** Builds statements into a block of their own. */
  List<Stmt> block(List<io.ringmaster.worker.source.Stmt> statements) {
    context.openBlock();
    build(statements);
    return context.closeBlock();
  }

  private void returns(Optional<io.ringmaster.worker.source.Expr> value, Span span) {
    List<Expr> values = new ArrayList<>();
    if (value.isPresent()) {
      switch (value.get()) {
        case TupleDisplay(var elements, _) ->
            values.addAll(SideBySide.each(context.messages(), elements, this::operand));
        case ListDisplay(var elements, _) ->
            values.addAll(SideBySide.each(context.messages(), elements, this::operand));
        case io.ringmaster.worker.source.Expr.NoneLiteral _ -> {}
        case io.ringmaster.worker.source.Expr single -> {
          Value whole = expressions.evaluateWhole(single);
          if (whole instanceof Value.Items(var elements)) {
            elements.forEach(element -> values.add(expressions.scalar(element, single.span())));
            break;
          }
          Expr result =
              whole instanceof Value.Dsl(Expr expr)
                  ? expr
                  : expressions.scalar(whole, single.span());
          if (result.type() instanceof Type.None) {
            context.emit(new Stmt.Eval(result, span));
          } else {
            values.add(result);
          }
        }
      }
    }
    assignments.returns().require(values, span);
    context.emit(new Stmt.Return(values, span));
    context.names().leave();
  }

  private Expr operand(io.ringmaster.worker.source.Expr element) {
    return expressions.scalar(expressions.evaluate(element), element.span());
  }

  private void with(io.ringmaster.worker.source.Stmt.With with) {
    if (with.items().size() != 1) {
      poisonTargets(with);
      outlines.readAnywhere(with.body());
      throw Refusal.of("one manager per with statement", "nest two with statements", with.span());
    }
    var item = with.items().getFirst();
    Optional<String> path =
        item.context() instanceof Call call
            ? expressions.resolver().path(call.function())
            : Optional.empty();
    String manager = path.orElse("");
    if (item.target().isPresent() && !manager.equals("pl.at") && !manager.equals("pl.spmd")) {
      poisonTargets(with);
      outlines.readAnywhere(with.body());
      throw Refusal.of(
          "the `as` clause only applies to pl.at and pl.spmd", "leave it away", with.span());
    }
    switch (manager) {
      case "pl.manual_scope" -> manualScope(with);
      case "pl.scope", "pl.cluster" -> build(with.body());
      case "pl.at" -> outlines.outline(with);
      case "pl.spmd" -> blocks(with, (Call) item.context());
      case String other -> {
        outlines.readAnywhere(with.body());
        throw Refusal.of(
            "Unsupported with statement: "
                + (other.isEmpty() ? "this context manager" : other)
                + " isn't available here",
            "pl.at(...), pl.spmd(...), pl.manual_scope(), pl.scope() and pl.cluster() are",
            with.span());
      }
    }
  }

  /** What a manager that isn't there would have given. */
  private void poisonTargets(io.ringmaster.worker.source.Stmt.With with) {
    for (var item : with.items()) {
      item.target().ifPresent(target -> AssignedNames.target(target, context.names()::poison));
    }
  }

  /**
   * A scope in which only {@code deps=} orders tasks becomes a loop that is gone through once, so
   * that whoever runs it knows where it ends. What jumps out of one is left as it is.
   */
  private void manualScope(io.ringmaster.worker.source.Stmt.With with) {
    context.openBlock();
    build(with.body());
    List<Stmt> body = context.closeBlock();
    if (context.level() != Level.ORCHESTRATION || ManualScopes.isLeft(body)) {
      body.forEach(context::emit);
      return;
    }
    Span span = with.span();
    context.emit(
        new Stmt.For(
            new Expr.Var(context.freshName("scope"), new Type.Scalar(DType.INDEX), span),
            new Expr.IntConst(0, DType.INDEX, span),
            new Expr.IntConst(1, DType.INDEX, span),
            new Expr.IntConst(1, DType.INDEX, span),
            ManualScopes.hasDependences(with.body())
                ? Stmt.LoopKind.TASKS_WITH_DEPS
                : Stmt.LoopKind.TASKS,
            body,
            span));
  }

  /** {@code with pl.spmd(n):} is the loop over its blocks. */
  private void blocks(io.ringmaster.worker.source.Stmt.With with, Call call) {
    Optional<Name> task = OutlineBuilder.task(with);
    Name block = new Name(context.freshName("block"), call.span());
    loops.forLoop(
        new io.ringmaster.worker.source.Stmt.For(
            block, call, with.body(), List.of(), false, with.span()));
    task.ifPresent(outlines::defineTask);
  }

  /** The body of a loop over blocks: a kernel that is called once for each of them. */
  void kernel(io.ringmaster.worker.source.Stmt.For loop, Call call, Expr.Var block) {
    outlines.outline(
        AtArguments.ofSpmd(call, context.level()), loop.body(), loop, Optional.of(block));
  }

  /** True for {@code name}, when it is a plain name. */
  static Optional<String> plainName(io.ringmaster.worker.source.Expr target) {
    return target instanceof Name(String id, _) ? Optional.of(id) : Optional.empty();
  }
}
