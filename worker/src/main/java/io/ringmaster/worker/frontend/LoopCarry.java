package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.Call;
import io.ringmaster.worker.source.Expr.ListDisplay;
import io.ringmaster.worker.source.Expr.Name;
import io.ringmaster.worker.source.Expr.TupleDisplay;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayList;
import java.util.List;

/**
 * The values that a counted loop hands from one iteration to the next: {@code init_values=} in its
 * head, the names in its target, and the {@code r1, r2 = pl.yield_(v1, v2)} that closes its body.
 */
final class LoopCarry {

  static final String INIT_VALUES = "init_values";

  private final FunctionContext context;
  private final ExpressionBuilder expressions;
  private final AssignmentBuilder assignments;
  private final Target target;
  private final Closing closing;

  private LoopCarry(
      FunctionContext context,
      ExpressionBuilder expressions,
      AssignmentBuilder assignments,
      Target target,
      Closing closing) {
    this.context = context;
    this.expressions = expressions;
    this.assignments = assignments;
    this.target = target;
    this.closing = closing;
  }

  /** The loop variable and the names of the carried values. */
  private record Target(Name variable, List<Name> names) {}

  /** The {@code pl.yield_} at the end, and the body before it. */
  private record Closing(
      List<Name> targets,
      List<io.ringmaster.worker.source.Expr> values,
      List<Stmt> body,
      Span span) {}

  /** Reads what a loop carries and binds its names to the first values. */
  static LoopCarry enter(
      Stmt.For loop,
      FunctionContext context,
      ExpressionBuilder expressions,
      AssignmentBuilder assignments) {
    List<Expr> initial = initialValues((Call) loop.iterable(), expressions);
    Target target = target(loop, initial.size());
    Span head = loop.iterable().span();
    for (int i = 0; i < target.names().size(); i++) {
      Name inner = target.names().get(i);
      assignments.bind(inner.id(), inner.span(), initial.get(i), head);
    }
    LoopCarry carry =
        new LoopCarry(
            context, expressions, assignments, target, closing(loop, target, assignments));
    // What the loop leaves behind when it never runs.
    carry.bindEach(carry.closing.targets(), target.names(), head);
    return carry;
  }

  Name variable() {
    return target.variable();
  }

  /** The body without the {@code pl.yield_}. */
  List<Stmt> body() {
    return closing.body();
  }

  /** Writes what the {@code pl.yield_} does, where the end of the body is reached. */
  void finishIteration() {
    if (closing.targets().isEmpty() || !context.names().reachable()) {
      return;
    }
    try {
      List<Expr> values = scalars(closing.values(), expressions);
      List<Type> types = values.stream().map(Expr::type).toList();
      Expr tuple = new Expr.TupleExpr(values, closing.span());
      assignments.bindAll(closing.targets(), types, tuple, closing.span());
      bindEach(target.names(), closing.targets(), closing.span());
    } catch (Refusal refusal) {
      context.messages().add(refusal);
    }
  }

  /** Assigns to each name the variable that stands for another one now. */
  private void bindEach(List<Name> names, List<Name> sources, Span at) {
    for (int i = 0; i < names.size(); i++) {
      Name name = names.get(i);
      Name source = sources.get(i);
      Type type = context.names().findSource(source.id()).orElseThrow().type();
      String variable = context.names().current(source.id());
      assignments.bind(name.id(), name.span(), new Expr.Var(variable, type, source.span()), at);
    }
  }

  private static List<Expr> initialValues(Call call, ExpressionBuilder expressions) {
    List<Expr> values = new ArrayList<>();
    for (var keyword : call.keywords()) {
      if (keyword.name().filter(INIT_VALUES::equals).isPresent()) {
        switch (keyword.value()) {
          case TupleDisplay(var elements, _) -> values.addAll(scalars(elements, expressions));
          case ListDisplay(var elements, _) -> values.addAll(scalars(elements, expressions));
          case io.ringmaster.worker.source.Expr other -> values.addAll(held(other, expressions));
        }
      }
    }
    return values;
  }

  private static List<Expr> scalars(
      List<io.ringmaster.worker.source.Expr> elements, ExpressionBuilder expressions) {
    return SideBySide.each(
        expressions.context().messages(),
        elements,
        element -> expressions.scalar(expressions.evaluate(element), element.span()));
  }

  /** The values of a name that stands for several of them. */
  private static List<Expr> held(
      io.ringmaster.worker.source.Expr tuple, ExpressionBuilder expressions) {
    return expressions
        .evaluate(tuple)
        .sequence()
        .orElseThrow(
            () -> Refusal.of("init_values must be a tuple", "init_values=(a, b)", tuple.span()))
        .stream()
        .map(element -> expressions.scalar(element, tuple.span()))
        .toList();
  }

  private static Target target(Stmt.For loop, int values) {
    if (loop.target() instanceof Name variable) {
      if (values > 0) {
        throw mismatch(0, values, loop.target().span());
      }
      return new Target(variable, List.of());
    }
    if (!(loop.target() instanceof TupleDisplay(var parts, Span span))
        || parts.size() != 2
        || !(parts.get(0) instanceof Name variable)) {
      throw Refusal.of(
          "a loop target is a name, or i, (x, y) with init_values",
          "for i in pl.range(n):",
          loop.target().span());
    }
    List<io.ringmaster.worker.source.Expr> elements =
        switch (parts.get(1)) {
          case TupleDisplay(var inner, _) -> inner;
          case io.ringmaster.worker.source.Expr single -> List.of(single);
        };
    List<Name> names = names(elements, "carried values are plain names");
    if (names.size() != values) {
      throw mismatch(names.size(), values, span);
    }
    return new Target(variable, names);
  }

  private static RuntimeException mismatch(int names, int values, Span span) {
    return Refusal.of(
        "Mismatch: " + names + " iter_args but " + values + " init_values",
        "for i, (x, y) in pl.range(n, init_values=(a, b)):",
        span);
  }

  /** Takes the closing {@code r1, r2 = pl.yield_(v1, v2)} off a loop with carried values. */
  private static Closing closing(Stmt.For loop, Target target, AssignmentBuilder assignments) {
    if (target.names().isEmpty()) {
      return new Closing(List.of(), List.of(), loop.body(), loop.span());
    }
    Stmt last = loop.body().getLast();
    if (!(last instanceof Stmt.Assign assign)
        || assign.targets().size() != 1
        || !assignments.isYield(assign.value())) {
      throw Refusal.of(
          "a loop with init_values must end with an assigned pl.yield_",
          "r1, r2 = pl.yield_(v1, v2)",
          last.span());
    }
    List<io.ringmaster.worker.source.Expr> targets =
        assign.targets().getFirst() instanceof TupleDisplay(var elements, _)
            ? elements
            : List.of(assign.targets().getFirst());
    List<Name> names = names(targets, "pl.yield_ is assigned to plain names");
    List<io.ringmaster.worker.source.Expr> values = ((Call) assign.value()).arguments();
    if (names.size() != target.names().size() || values.size() != target.names().size()) {
      throw Refusal.of(
          "pl.yield_ has "
              + values.size()
              + " value(s) and "
              + names.size()
              + " name(s) for "
              + target.names().size()
              + " carried value(s)",
          "give one value and one name for each of init_values",
          assign.span());
    }
    return new Closing(
        names, values, loop.body().subList(0, loop.body().size() - 1), assign.span());
  }

  private static List<Name> names(
      List<io.ringmaster.worker.source.Expr> elements, String otherwise) {
    List<Name> names = new ArrayList<>();
    for (var element : elements) {
      if (!(element instanceof Name name)) {
        throw Refusal.of(otherwise, "", element.span());
      }
      names.add(name);
    }
    return names;
  }
}
