package io.ringmaster.worker.script.value;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Span;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/** What built-in functions may ask of the running script. */
public interface Interp {

  Session session();

  /** Evaluates an expression of the script where these names are seen. */
  Value evaluate(Expr expression, Scope names);

  /** Calls any callable value. */
  Value call(Value callee, Arguments arguments, Span at);

  /** Iterates; each element counts as a step. */
  Iterator<Value> iterate(Value value);

  boolean truth(Value value);

  Value binary(Expr.BinaryOperator operator, Value left, Value right);

  Value compare(Expr.CompareOperator operator, Value left, Value right);

  /** The exception whose handler runs. */
  Optional<PyError> handling();

  /** Python's {@code ==} as a plain answer. */
  boolean equal(Value left, Value right);

  String str(Value value);

  String repr(Value value);

  Value attribute(Value value, String name);

  /** A module that scripts can import. */
  Optional<Value> module(String name);

  /** The names of the module, in the order in which they were bound first. */
  Map<String, Value> moduleNames();

  /** The text of an argument as written, with the values of simple subscripts filled in. */
  String describe(Call call, int position);
}
