package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;

/**
 * A function of a class under {@code @property}, {@code @staticmethod} or {@code @classmethod}, or
 * a native method.
 */
public record Descriptor(Kind kind, Value function) implements NativeObject {

  /** Which decorator made it. */
  public enum Kind {
    PROPERTY,
    STATIC,
    CLASS,
    /** A method written in Java that takes the instance first. */
    NATIVE
  }

  @Override
  public String typeName() {
    return switch (kind) {
      case PROPERTY -> "property";
      case STATIC -> "staticmethod";
      case CLASS -> "classmethod";
      case NATIVE -> "method";
    };
  }

  /** Special methods are called on the class, with the instance as first argument. */
  @Override
  public Value call(Arguments arguments, Call call) {
    return call.interp().call(function, arguments, call.span());
  }

  @Override
  public String repr(Interp interp) {
    return "<" + typeName() + " object>";
  }
}
