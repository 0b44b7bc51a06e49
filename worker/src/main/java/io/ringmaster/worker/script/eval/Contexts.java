package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.builtin.Operators;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.Optional;

/** Runs {@code with} statements. */
final class Contexts {

  private final Interpreter interp;

  Contexts(Interpreter interp) {
    this.interp = interp;
  }

  Flow run(Stmt.With with, int item, Scope scope) {
    if (item == with.items().size()) {
      return interp.statements().block(with.body(), scope);
    }
    Stmt.WithItem entry = with.items().get(item);
    Value manager = interp.eval(entry.context(), scope);
    Span at = entry.context().span();
    Value entered = enter(manager, at);
    Flow flow;
    try {
      entry.target().ifPresent(target -> interp.statements().assign(target, entered, scope));
      flow = run(with, item + 1, scope);
    } catch (PyError error) {
      error.at(interp.session().budget().here());
      if (exit(manager, Optional.of(error), at)) {
        return Flow.NEXT;
      }
      throw error;
    }
    exit(manager, Optional.empty(), at);
    return flow;
  }

  Value enter(Value manager, Span at) {
    if (manager instanceof NativeObject object) {
      return object.enter(new Call(interp, at, Optional.empty()));
    }
    Optional<Value> method = Operators.special(manager, "__enter__");
    if (method.isEmpty()) {
      throw Errors.type(
          "'" + Types.nameOf(manager) + "' object does not support the context manager protocol");
    }
    return interp.call(method.get(), Arguments.of(manager), at);
  }

  /** True when the manager swallows the exception. */
  boolean exit(Value manager, Optional<PyError> error, Span at) {
    if (manager instanceof NativeObject object) {
      return object.exit(error, new Call(interp, at, Optional.empty()));
    }
    Optional<Value> method = Operators.special(manager, "__exit__");
    if (method.isEmpty()) {
      throw Errors.type("'" + Types.nameOf(manager) + "' object has no __exit__");
    }
    Value type = error.isEmpty() ? Value.NONE : error.get().exception().type();
    Value exception = error.isEmpty() ? Value.NONE : error.get().exception();
    Value result =
        interp.call(method.get(), Arguments.of(manager, type, exception, Value.NONE), at);
    return error.isPresent() && interp.truth(result);
  }
}
