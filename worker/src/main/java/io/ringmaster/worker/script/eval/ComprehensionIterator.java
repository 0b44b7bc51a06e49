package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/** Produces a comprehension's elements one by one, as they are asked for. */
final class ComprehensionIterator implements Iterator<Value> {

  private final Expr.Comprehension comprehension;
  private final Scope scope;
  private final Interpreter interp;
  private final List<Iterator<Value>> open = new ArrayList<>();
  private Optional<Value> ahead = Optional.empty();

  ComprehensionIterator(
      Expr.Comprehension comprehension, Iterator<Value> first, Scope scope, Interpreter interp) {
    this.comprehension = comprehension;
    this.scope = scope;
    this.interp = interp;
    open.add(first);
  }

  @Override
  public boolean hasNext() {
    if (ahead.isEmpty()) {
      ahead = advance();
    }
    return ahead.isPresent();
  }

  @Override
  public Value next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    Value value = ahead.orElseThrow();
    ahead = Optional.empty();
    return value;
  }

  /** Moves the innermost open clause on; opens inner clauses and closes finished ones. */
  private Optional<Value> advance() {
    while (!open.isEmpty()) {
      int depth = open.size() - 1;
      Iterator<Value> items = open.get(depth);
      if (!items.hasNext()) {
        open.remove(depth);
        continue;
      }
      Expr.ForClause clause = comprehension.clauses().get(depth);
      interp.statements().assign(clause.target(), items.next(), scope);
      if (!conditionsHold(clause)) {
        continue;
      }
      if (depth + 1 == comprehension.clauses().size()) {
        return Optional.of(element());
      }
      Expr inner = comprehension.clauses().get(depth + 1).iterable();
      open.add(interp.iterate(interp.eval(inner, scope)));
    }
    return Optional.empty();
  }

  private boolean conditionsHold(Expr.ForClause clause) {
    for (Expr condition : clause.conditions()) {
      if (!interp.truth(interp.eval(condition, scope))) {
        return false;
      }
    }
    return true;
  }

  private Value element() {
    Value element = interp.eval(comprehension.element(), scope);
    return comprehension.value().isEmpty()
        ? element
        : TupleValue.of(element, interp.eval(comprehension.value().get(), scope));
  }
}
