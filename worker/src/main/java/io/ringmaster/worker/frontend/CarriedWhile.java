package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Expr.Call;
import io.ringmaster.worker.source.Expr.Keyword;
import io.ringmaster.worker.source.Expr.ListDisplay;
import io.ringmaster.worker.source.Expr.Name;
import io.ringmaster.worker.source.Expr.TupleDisplay;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code for (x,) in pl.while_(init_values=(a,)):} with {@code pl.cond(...)} first and {@code
 * pl.yield_} last, said as a plain {@code while} loop.
 */
final class CarriedWhile {

  private static final String FORM =
      "for (x,) in pl.while_(init_values=(a,)): pl.cond(...) first, x2 = pl.yield_(...) last";

  private CarriedWhile() {}

  /** The statements that do the same. */
  static List<Stmt> plain(Stmt.For loop, Resolver resolver) {
    Call head = (Call) loop.iterable();
    List<Expr> initial = initial(head);
    List<Expr> carried = names(loop.target());
    if (carried.size() != initial.size()) {
      throw Refusal.of(
          "Mismatch: " + carried.size() + " iter_args but " + initial.size() + " init_values",
          FORM,
          loop.target().span());
    }
    List<Stmt> body = loop.body();
    Expr condition = condition(body.getFirst(), resolver);
    if (!(body.getLast() instanceof Stmt.Assign closing)
        || closing.targets().size() != 1
        || !(closing.value() instanceof Call yielded)
        || !is(yielded, "pl.yield_", resolver)) {
      throw Refusal.of(
          "a loop with init_values must end with an assigned pl.yield_",
          FORM,
          body.getLast().span());
    }
    List<Expr> results = names(closing.targets().getFirst());
    if (results.size() != carried.size() || yielded.arguments().size() != carried.size()) {
      throw Refusal.of(
          "pl.yield_ has "
              + yielded.arguments().size()
              + " value(s) and "
              + results.size()
              + " name(s) for "
              + carried.size()
              + " carried value(s)",
          "give one value and one name for each of init_values",
          closing.span());
    }
    List<Stmt> statements = new ArrayList<>();
    statements.add(assign(carried, initial, loop.span()));
    List<Stmt> inner = new ArrayList<>(body.subList(1, body.size() - 1));
    inner.add(assign(results, yielded.arguments(), closing.span()));
    if (!same(results, carried)) {
      statements.add(assign(results, carried, loop.span()));
      inner.add(assign(carried, results, closing.span()));
    }
    statements.add(new Stmt.While(condition, inner, List.of(), loop.span()));
    return statements;
  }

  private static boolean same(List<Expr> a, List<Expr> b) {
    for (int i = 0; i < a.size(); i++) {
      if (!((Name) a.get(i)).id().equals(((Name) b.get(i)).id())) {
        return false;
      }
    }
    return true;
  }

  private static Stmt assign(List<Expr> targets, List<Expr> values, Span span) {
    return targets.size() == 1
        ? new Stmt.Assign(targets, values.getFirst(), span)
        : new Stmt.Assign(
            List.of(new TupleDisplay(targets, span)), new TupleDisplay(values, span), span);
  }

  private static List<Expr> initial(Call head) {
    for (Keyword keyword : head.keywords()) {
      if (keyword.name().filter("init_values"::equals).isPresent()) {
        return switch (keyword.value()) {
          case TupleDisplay(var elements, _) -> elements;
          case ListDisplay(var elements, _) -> elements;
          case Expr other ->
              throw Refusal.of("init_values must be a tuple", "init_values=(a, b)", other.span());
        };
      }
    }
    throw Refusal.of("pl.while_ needs init_values=", FORM, head.span());
  }

  private static List<Expr> names(Expr target) {
    List<Expr> names = target instanceof TupleDisplay(var elements, _) ? elements : List.of(target);
    for (Expr name : names) {
      if (!(name instanceof Name)) {
        throw Refusal.of("carried values are plain names", FORM, name.span());
      }
    }
    return names;
  }

  private static Expr condition(Stmt first, Resolver resolver) {
    if (first instanceof Stmt.ExprStmt(Call call, _)
        && is(call, "pl.cond", resolver)
        && call.arguments().size() == 1
        && call.keywords().isEmpty()) {
      return call.arguments().getFirst();
    }
    throw Refusal.of("the first statement of a pl.while_ loop is pl.cond(...)", FORM, first.span());
  }

  private static boolean is(Call call, String path, Resolver resolver) {
    return resolver.path(call.function()).filter(path::equals).isPresent();
  }
}
