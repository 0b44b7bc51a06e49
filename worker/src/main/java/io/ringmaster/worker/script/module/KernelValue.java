package io.ringmaster.worker.script.module;

import io.ringmaster.worker.frontend.ClosureScope;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** A free function decorated for kernels; programs refer to it by name. */
public record KernelValue(Stmt.FunctionDef definition, ClosureScope scope) implements NativeObject {

  @Override
  public String typeName() {
    return "kernel function";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return switch (name) {
      case "__name__" -> Optional.of(Value.of(definition.name()));
      case "compile", "lower" ->
          Optional.of(
              NativeFunction.of(
                  name,
                  "*samples, **options",
                  (a, c) -> {
                    throw notYet(c.span());
                  }));
      default -> Optional.empty();
    };
  }

  @Override
  public Collection<String> attributeNames() {
    return List.of("compile", "lower");
  }

  @Override
  public Value call(Arguments arguments, Call call) {
    throw notYet(call.span());
  }

  private DiagnosticException notYet(Span at) {
    return Errors.refuse(
        "'" + definition.name() + "' is a free kernel function (@pl.jit), which can't be run yet",
        "write it as a method of a @pl.program class and run it with ir.compile(...)",
        at);
  }

  @Override
  public String repr(Interp interp) {
    return "<kernel function " + definition.name() + ">";
  }
}
