package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.builtin.Attributes;
import io.ringmaster.worker.script.builtin.Builtins;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.builtin.Numbers;
import io.ringmaster.worker.script.builtin.Operators;
import io.ringmaster.worker.script.builtin.Subscripts;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayDeque;
import java.util.ConcurrentModificationException;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Executes statements. */
final class Statements {

  private final Interpreter interp;
  private final Budget budget;
  private final Definitions definitions;
  private final Contexts contexts;
  private final Matching matching;
  private final Deque<PyError> handled = new ArrayDeque<>();
  private int guards;

  /** What the branches of an {@code if} bind, which may stand in a loop. */
  private final IdentityHashMap<Stmt.If, Set<String>> bound = new IdentityHashMap<>();

  Statements(Interpreter interp) {
    this.interp = interp;
    this.budget = interp.session().budget();
    this.definitions = new Definitions(interp);
    this.contexts = new Contexts(interp);
    this.matching = new Matching(interp);
  }

  /**
   * Runs a whole module; exceptions come out with their place filled in. What is refused at last
   * comes with everything else that is wrong with the definitions below it.
   */
  void module(List<Stmt> body, Scope scope) {
    for (int i = 0; i < body.size(); i++) {
      try {
        if (!(execute(body.get(i), scope) instanceof Flow.Next)) {
          return;
        }
      } catch (PyError error) {
        if (error.refusal().isPresent()) {
          throw FurtherPrograms.after(i, error.refusal().get(), body, interp, definitions, scope);
        }
        throw error;
      } catch (DiagnosticException refusal) {
        throw FurtherPrograms.after(i, refusal, body, interp, definitions, scope);
      }
    }
  }

  /** What was found before the module ran, with what is wrong with the programs in it. */
  DiagnosticException refused(
      DiagnosticException problems, List<Stmt> body, Scope scope, boolean isWhole) {
    return FurtherPrograms.beside(problems, body, isWhole, interp, definitions, scope);
  }

  Contexts contexts() {
    return contexts;
  }

  Matching matching() {
    return matching;
  }

  Flow block(List<Stmt> body, Scope scope) {
    for (Stmt statement : body) {
      Flow flow = execute(statement, scope);
      if (!(flow instanceof Flow.Next)) {
        return flow;
      }
    }
    return Flow.NEXT;
  }

  private Flow execute(Stmt statement, Scope scope) {
    budget.step();
    budget.moveTo(statement.span());
    try {
      return run(statement, scope);
    } catch (PyError error) {
      error.at(budget.here());
      throw error;
    } catch (ConcurrentModificationException changed) {
      // A method of an element changed the list that asked it.
      PyError error = Errors.changedSize("list");
      error.at(budget.here());
      throw error;
    }
  }

  private Flow run(Stmt statement, Scope scope) {
    Optional<Stmt.If> branches = Wishes.asBranches(statement);
    if (branches.isPresent()) {
      // Made for this once, so nothing of it is kept.
      return ifElse(branches.get(), Statements::bindings, scope);
    }
    switch (statement) {
      case Stmt.ExprStmt expression -> interp.eval(expression.value(), scope);
      case Stmt.Assign assign -> {
        Value value = interp.eval(assign.value(), scope);
        assign.targets().forEach(target -> assign(target, value, scope));
      }
      case Stmt.AugmentedAssign assign -> augmented(assign, scope);
      case Stmt.AnnotatedAssign assign -> {
        if (assign.value().isPresent()) {
          assign(assign.target(), interp.eval(assign.value().get(), scope), scope);
        }
      }
      case Stmt.If choice -> {
        return ifElse(choice, one -> bound.computeIfAbsent(one, Statements::bindings), scope);
      }
      case Stmt.For loop -> {
        return forLoop(loop, scope);
      }
      case Stmt.While loop -> {
        return whileLoop(loop, scope);
      }
      case Stmt.Return end -> {
        return new Flow.Return(
            end.value().isEmpty() ? Value.NONE : interp.eval(end.value().get(), scope));
      }
      case Stmt.FunctionDef def -> scope.bind(def.name(), definitions.function(def, scope));
      case Stmt.ClassDef def -> scope.bind(def.name(), definitions.type(def, scope));
      case Stmt.Assert check -> assertion(check, scope);
      case Stmt.Raise raise -> raise(raise, scope);
      case Stmt.Try attempt -> {
        return attempt(attempt, scope);
      }
      case Stmt.With with -> {
        return contexts.run(with, 0, scope);
      }
      case Stmt.Match match -> {
        return block(matching.chosen(match, scope), scope);
      }
      case Stmt.Import imports -> importing(() -> interp.modules().bind(imports, scope));
      case Stmt.ImportFrom imports -> importing(() -> interp.modules().bind(imports, scope));
      case Stmt.Delete delete -> delete.targets().forEach(target -> delete(target, scope));
      case Stmt.Break stop -> {
        return Flow.BREAK;
      }
      case Stmt.Continue next -> {
        return Flow.CONTINUE;
      }
      case Stmt.Pass pass -> {}
      case Stmt.Global global -> {}
      case Stmt.Nonlocal nonlocal -> {}
      case Stmt.Unread unread ->
          throw Errors.refuse("this statement can't be read", "", unread.span());
      case Stmt.Unsupported unsupported ->
          throw Errors.refuse(
              "'" + unsupported.keyword() + "' is not available in scripts",
              StaticChecker.wayOut(unsupported),
              unsupported.span());
    }
    return Flow.NEXT;
  }

  private Flow ifElse(Stmt.If choice, Function<Stmt.If, Set<String>> names, Scope scope) {
    Value.Bool truth = Operators.truthValue(interp.eval(choice.condition(), scope), interp);
    boolean body = Wishes.ofBranches(choice, truth, interp.session().checks());
    Flow flow = block(body ? choice.body() : choice.orElse(), scope);
    truth.claim().ifPresent(claim -> mark(names.apply(choice), claim.origin(), scope));
    return flow;
  }

  private static Set<String> bindings(Stmt.If choice) {
    Set<String> names = new LinkedHashSet<>(Names.ofBlock(choice.body()).locals());
    names.addAll(Names.ofBlock(choice.orElse()).locals());
    return names;
  }

  /** {@code if d > worst: worst = d}: worst depends on d, whichever way it went. */
  private static void mark(Set<String> names, Origin origin, Scope scope) {
    for (String name : names) {
      Value value = scope.values().get(name);
      if (value instanceof Value.Int || value instanceof Value.Float) {
        scope.values().put(name, Numbers.with(value, origin.withoutPair()));
      }
    }
  }

  private Flow forLoop(Stmt.For loop, Scope scope) {
    Iterator<Value> items = interp.iterate(interp.eval(loop.iterable(), scope));
    while (items.hasNext()) {
      assign(loop.target(), items.next(), scope);
      Flow flow = block(loop.body(), scope);
      if (flow instanceof Flow.Break) {
        return Flow.NEXT;
      }
      if (flow instanceof Flow.Return) {
        return flow;
      }
    }
    return block(loop.orElse(), scope);
  }

  private Flow whileLoop(Stmt.While loop, Scope scope) {
    while (interp.truth(interp.eval(loop.condition(), scope))) {
      budget.step();
      Flow flow = block(loop.body(), scope);
      if (flow instanceof Flow.Break) {
        return Flow.NEXT;
      }
      if (flow instanceof Flow.Return) {
        return flow;
      }
    }
    return block(loop.orElse(), scope);
  }

  private void assertion(Stmt.Assert check, Scope scope) {
    Value.Bool truth = Operators.truthValue(interp.eval(check.condition(), scope), interp);
    if (Wishes.ofAssertion(truth, interp.session().checks())) {
      return;
    }
    List<Value> message =
        check.message().isEmpty() ? List.of() : List.of(interp.eval(check.message().get(), scope));
    budget.moveTo(check.span());
    throw new PyError(Exceptions.make(Exceptions.ASSERTION_ERROR, message));
  }

  /** The exception whose handler runs. */
  Optional<PyError> handling() {
    return Optional.ofNullable(handled.peek());
  }

  private void raise(Stmt.Raise raise, Scope scope) {
    if (raise.exception().isEmpty()) {
      PyError active = handled.peek();
      throw active != null ? active : Errors.runtime("No active exception to reraise");
    }
    Value value = interp.eval(raise.exception().get(), scope);
    budget.moveTo(raise.span());
    if (value instanceof ClassValue type && type.isSubclassOf(Exceptions.BASE_EXCEPTION)) {
      value = interp.call(type, Arguments.of(), raise.span());
    }
    if (raise.cause().isPresent()) {
      Value cause = interp.eval(raise.cause().get(), scope);
      if (cause instanceof ClassValue type && type.isSubclassOf(Exceptions.BASE_EXCEPTION)) {
        cause = interp.call(type, Arguments.of(), raise.span());
      }
      if (value instanceof InstanceValue instance) {
        instance.attributes().put("__cause__", cause);
      }
    }
    if (value instanceof InstanceValue instance
        && instance.type().isSubclassOf(Exceptions.BASE_EXCEPTION)) {
      PyError raised = new PyError(instance);
      // Under another name it is still what compiling or running a kernel had to say.
      throw handling().filter(PyError::isOfKernels).isPresent() ? raised.ofKernels() : raised;
    }
    throw Errors.type("exceptions must derive from BaseException");
  }

  /** Only exceptions of the script are caught; limits and stopped kernels end it whole. */
  private Flow attempt(Stmt.Try attempt, Scope scope) {
    Flow flow;
    try {
      flow = handlers(attempt, scope);
    } catch (PyError error) {
      Flow last = block(attempt.finalBody(), scope);
      if (!(last instanceof Flow.Next)) {
        return last;
      }
      throw error;
    }
    Flow last = block(attempt.finalBody(), scope);
    return last instanceof Flow.Next ? flow : last;
  }

  private Flow handlers(Stmt.Try attempt, Scope scope) {
    int mark = interp.session().checks().mark();
    try {
      Flow flow = guarded(attempt, scope);
      if (!(flow instanceof Flow.Next)) {
        return flow;
      }
    } catch (PyError error) {
      for (Stmt.Handler handler : attempt.handlers()) {
        if (matches(handler, error, scope)) {
          if (ExpectedErrors.isWantedBy(attempt)) {
            interp.session().checks().excuseSince(mark);
          }
          return handle(handler, error, scope);
        }
      }
      throw error;
    }
    return block(attempt.orElse(), scope);
  }

  private Flow guarded(Stmt.Try attempt, Scope scope) {
    boolean guard = GuardedImports.isGuard(attempt);
    guards += guard ? 1 : 0;
    try {
      return block(attempt.body(), scope);
    } finally {
      guards -= guard ? 1 : 0;
    }
  }

  /** A module that isn't known here ends the script, unless the script is prepared for that. */
  private void importing(Runnable imports) {
    try {
      imports.run();
    } catch (DiagnosticException unknown) {
      if (guards == 0) {
        throw unknown;
      }
      throw Errors.of(Exceptions.MODULE_NOT_FOUND, unknown.diagnostics().getFirst().message());
    }
  }

  boolean matches(Stmt.Handler handler, PyError error, Scope scope) {
    if (handler.type().isEmpty()) {
      return true;
    }
    Value type = interp.eval(handler.type().get(), scope);
    boolean valid =
        type instanceof TupleValue many
            ? many.items().stream().allMatch(ClassValue.class::isInstance)
            : type instanceof ClassValue;
    if (!valid) {
      throw Errors.type("catching classes that do not inherit from BaseException is not allowed");
    }
    return Builtins.isInstance(error.exception(), type);
  }

  private Flow handle(Stmt.Handler handler, PyError error, Scope scope) {
    handled.push(error);
    handler.name().ifPresent(name -> scope.bind(name, error.exception()));
    try {
      return block(handler.body(), scope);
    } finally {
      handled.pop();
      handler.name().ifPresent(scope::unbind);
    }
  }

  private void augmented(Stmt.AugmentedAssign assign, Scope scope) {
    switch (assign.target()) {
      case Expr.Attribute attribute -> {
        Value object = interp.eval(attribute.value(), scope);
        Value old = Attributes.get(object, attribute.name(), interp, attribute.nameSpan());
        Value result = combined(assign, old, scope);
        Attributes.set(object, attribute.name(), result, interp, attribute.nameSpan());
      }
      case Expr.Subscript subscript -> {
        Value object = interp.eval(subscript.value(), scope);
        Value index = interp.expressions().index(subscript, scope);
        Value result = combined(assign, Subscripts.item(object, index, interp), scope);
        Subscripts.setItem(object, index, result, interp);
      }
      default -> {
        Value old = interp.eval(assign.target(), scope);
        assign(assign.target(), combined(assign, old, scope), scope);
      }
    }
  }

  private Value combined(Stmt.AugmentedAssign assign, Value old, Scope scope) {
    Value value = interp.eval(assign.value(), scope);
    budget.moveTo(assign.span());
    return Operators.inPlace(assign.operator(), old, value, interp);
  }

  /** Binds a target of any form to a value. */
  void assign(Expr target, Value value, Scope scope) {
    switch (target) {
      case Expr.Name name -> scope.bind(name.id(), value);
      case Expr.TupleDisplay tuple -> unpack(tuple.elements(), value, scope);
      case Expr.ListDisplay list -> unpack(list.elements(), value, scope);
      case Expr.Attribute attribute ->
          Attributes.set(
              interp.eval(attribute.value(), scope),
              attribute.name(),
              value,
              interp,
              attribute.nameSpan());
      case Expr.Subscript subscript -> {
        Value object = interp.eval(subscript.value(), scope);
        Value index = interp.expressions().index(subscript, scope);
        budget.moveTo(subscript.span());
        Subscripts.setItem(object, index, value, interp);
      }
      default -> throw Errors.refuse("cannot assign to this expression", "", target.span());
    }
  }

  private void unpack(List<Expr> targets, Value value, Scope scope) {
    List<Value> items;
    try {
      items = Iteration.toList(value, interp);
    } catch (PyError error) {
      if (error.is(Exceptions.TYPE_ERROR) && !(value instanceof InstanceValue)) {
        throw Errors.type("cannot unpack non-iterable " + Types.nameOf(value) + " object");
      }
      throw error;
    }
    int star = 0;
    while (star < targets.size() && !(targets.get(star) instanceof Expr.Starred)) {
      star++;
    }
    boolean starred = star < targets.size();
    int needed = targets.size() - (starred ? 1 : 0);
    if (items.size() < needed) {
      throw Errors.value(
          "not enough values to unpack (expected "
              + (starred ? "at least " : "")
              + needed
              + ", got "
              + items.size()
              + ")");
    }
    if (!starred && items.size() > needed) {
      throw Errors.value("too many values to unpack (expected " + needed + ")");
    }
    for (int i = 0; i < star; i++) {
      assign(targets.get(i), items.get(i), scope);
    }
    if (!starred) {
      return;
    }
    int after = targets.size() - star - 1;
    int end = items.size() - after;
    Expr rest = ((Expr.Starred) targets.get(star)).value();
    assign(rest, ListValue.of(items.subList(star, end)), scope);
    for (int i = 0; i < after; i++) {
      assign(targets.get(star + 1 + i), items.get(end + i), scope);
    }
  }

  private void delete(Expr target, Scope scope) {
    switch (target) {
      case Expr.Name name -> {
        if (!scope.unbind(name.id())) {
          throw Errors.of(Exceptions.NAME_ERROR, "name '" + name.id() + "' is not defined");
        }
      }
      case Expr.Subscript subscript ->
          Subscripts.delete(
              interp.eval(subscript.value(), scope), interp.expressions().index(subscript, scope));
      case Expr.Attribute attribute -> {
        Value object = interp.eval(attribute.value(), scope);
        if (object instanceof ModuleValue module) {
          throw Attributes.unchangeable(module, attribute.name(), attribute.nameSpan());
        }
        Optional<Value> removed =
            switch (object) {
              case InstanceValue instance ->
                  Optional.ofNullable(instance.attributes().remove(attribute.name()));
              // What is built in belongs to all scripts.
              case ClassValue type when type.runner().isPresent() ->
                  Optional.ofNullable(type.members().remove(attribute.name()));
              default -> Optional.empty();
            };
        if (removed.isEmpty()) {
          throw Errors.attribute(
              "'" + Types.nameOf(object) + "' object has no attribute '" + attribute.name() + "'");
        }
      }
      case Expr.TupleDisplay tuple -> tuple.elements().forEach(one -> delete(one, scope));
      default -> throw Errors.refuse("cannot delete this expression", "", target.span());
    }
  }
}
