package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Builtins;
import io.ringmaster.worker.script.builtin.Redirects;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Resumable;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import java.util.Map;
import java.util.Optional;

/** {@code contextlib}: a generator as a context, and the contexts that do next to nothing. */
final class ContextlibModule {

  static final ModuleValue MODULE =
      new ModuleValue(
          "contextlib",
          Map.of(
              "_managed",
              NativeFunction.of(
                  "_managed", "generator", (a, c) -> new Managed(resumable(a.get("generator")))),
              "nullcontext",
              NativeFunction.of(
                  "nullcontext",
                  "enter_result=",
                  (a, c) -> new Nothing(a.find("enter_result").orElse(Value.NONE))),
              "redirect_stdout",
              NativeFunction.of(
                  "redirect_stdout", "new_target", (a, c) -> new Redirect(a.get("new_target"))),
              "suppress",
              NativeFunction.of(
                  "suppress", "*exceptions", (a, c) -> new Suppress(new TupleValue(a.rest())))));

  private ContextlibModule() {}

  private static Resumable resumable(Value made) {
    if (made instanceof IteratorValue(String type, var items)
        && items instanceof Resumable generator) {
      return generator;
    }
    throw Errors.type("@contextmanager needs a function that yields once");
  }

  /** A context whose entry ends and whose exit begins at a generator's {@code yield}. */
  private record Managed(Resumable generator) implements NativeObject {

    @Override
    public String typeName() {
      return "_GeneratorContextManager";
    }

    @Override
    public Value enter(Call call) {
      if (!generator.hasNext()) {
        throw Errors.runtime("generator didn't yield");
      }
      return generator.next();
    }

    @Override
    public boolean exit(Optional<PyError> error, Call call) {
      if (error.isEmpty()) {
        if (generator.hasNext()) {
          throw Errors.runtime("generator didn't stop");
        }
        return false;
      }
      // What the generator lets out again is the same exception, or another one in its place.
      generator.raise(error.get());
      if (generator.hasNext()) {
        throw Errors.runtime("generator didn't stop after throw()");
      }
      return true;
    }

    @Override
    public String repr(Interp interp) {
      return "<context manager>";
    }
  }

  private record Nothing(Value value) implements NativeObject {
    @Override
    public String typeName() {
      return "nullcontext";
    }

    @Override
    public Value enter(Call call) {
      return value;
    }

    @Override
    public String repr(Interp interp) {
      return "<nullcontext>";
    }
  }

  private record Redirect(Value target) implements NativeObject {
    @Override
    public String typeName() {
      return "redirect_stdout";
    }

    @Override
    public Value enter(Call call) {
      Redirects.of(call.interp().session()).enter(target);
      return target;
    }

    @Override
    public boolean exit(Optional<PyError> error, Call call) {
      Redirects.of(call.interp().session()).leave();
      return false;
    }

    @Override
    public String repr(Interp interp) {
      return "<redirect_stdout>";
    }
  }

  private record Suppress(TupleValue exceptions) implements NativeObject {
    @Override
    public String typeName() {
      return "suppress";
    }

    @Override
    public Value enter(Call call) {
      return Value.NONE;
    }

    @Override
    public boolean exit(Optional<PyError> error, Call call) {
      return error.isPresent() && Builtins.isInstance(error.get().exception(), exceptions);
    }

    @Override
    public String repr(Interp interp) {
      return "<suppress>";
    }
  }
}
