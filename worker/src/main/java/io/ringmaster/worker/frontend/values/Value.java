package io.ringmaster.worker.frontend.values;

import io.ringmaster.worker.frontend.ClosureValue;
import io.ringmaster.worker.ir.Expr;
import java.util.List;
import java.util.Optional;

/** What an expression of a kernel stands for while the kernel is being read. */
public sealed interface Value {

  /** A Python value known now: a literal, a closure value, an enum or a dtype. */
  record Constant(ClosureValue value) implements Value {}

  /** A value of the kernel: a scalar expression, a variable, or (unnamed yet) an operation. */
  record Dsl(Expr expr) implements Value {}

  /** A list or tuple display. */
  record Items(List<Value> elements) implements Value {
    public Items {
      elements = List.copyOf(elements);
    }
  }

  /** The elements of a list or tuple, whether displayed here or known before; empty for others. */
  default Optional<List<Value>> sequence() {
    return switch (this) {
      case Items(var elements) -> Optional.of(elements);
      case Constant(ClosureValue.Sequence(var elements)) ->
          Optional.of(elements.stream().<Value>map(Constant::new).toList());
      case Constant _, Dsl _ -> Optional.empty();
    };
  }
}
