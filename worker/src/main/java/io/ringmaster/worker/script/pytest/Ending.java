package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** {@code pytest.fail} and its like: a function that knows what it raises as its Exception. */
record Ending(NativeFunction function, ClassValue raised) implements NativeObject {

  @Override
  public String typeName() {
    return "function";
  }

  @Override
  public boolean isCallable() {
    return true;
  }

  @Override
  public Value call(Arguments arguments, Call call) {
    return function.body().apply(function.signature().bind(arguments, call.span()), call);
  }

  @Override
  public Optional<Value> attribute(String name) {
    return switch (name) {
      case "Exception" -> Optional.of(raised);
      case "__name__" -> Optional.of(Value.of(function.name()));
      default -> Optional.empty();
    };
  }

  @Override
  public Collection<String> attributeNames() {
    return List.of("Exception");
  }

  @Override
  public String repr(Interp interp) {
    return "<function " + function.name() + ">";
  }
}
