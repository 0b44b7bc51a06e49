package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a function returns: as its head declares it, and as its return statements have it. */
final class Returns {

  private final FunctionContext context;
  private final Optional<List<Type>> declared;
  private Optional<List<Type>> first = Optional.empty();

  Returns(FunctionContext context, Optional<List<Type>> declared) {
    this.context = context;
    this.declared = declared;
  }

  /** Result types of the first return statement read. */
  Optional<List<Type>> first() {
    return first;
  }

  /** Compares a return statement with the declared result types, and remembers its types. */
  void require(List<Expr> values, Span span) {
    List<Type> types = new ArrayList<>();
    for (Expr value : values) {
      if (value.type() instanceof Type.Tuple(var elements)) {
        types.addAll(elements);
      } else {
        types.add(value.type());
      }
    }
    if (first.isEmpty()) {
      first = Optional.of(types);
    }
    if (declared.isPresent()) {
      compare(declared.get(), types, span);
    }
  }

  private void compare(List<Type> wanted, List<Type> types, Span span) {
    if (wanted.size() != types.size()) {
      throw Refusal.of(
          "the function declares " + wanted.size() + " result(s) and returns " + types.size(),
          "correct the annotation or the return statement",
          span);
    }
    for (int i = 0; i < types.size(); i++) {
      Optional<String> difference =
          TypeRules.returnDifference(wanted.get(i), types.get(i), context.symbols());
      if (difference.isPresent()) {
        throw Refusal.of(
            "result "
                + i
                + " doesn't match the declared type: "
                + difference.get()
                + " mismatch, declared "
                + TypeText.of(wanted.get(i))
                + ", returned "
                + TypeText.of(types.get(i)),
            "correct the annotation or the return statement",
            span);
      }
    }
  }
}
