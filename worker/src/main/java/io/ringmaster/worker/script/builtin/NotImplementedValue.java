package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.Optional;

/** {@code NotImplemented}: a special method leaves an operation to the other operand. */
enum NotImplementedValue implements NativeObject {
  ONLY;

  /** A method's answer, unless it leaves it to others. */
  static Optional<Value> answer(Value given) {
    return given == ONLY ? Optional.empty() : Optional.of(given);
  }

  @Override
  public String typeName() {
    return "NotImplementedType";
  }

  @Override
  public String repr(Interp interp) {
    return "NotImplemented";
  }
}
