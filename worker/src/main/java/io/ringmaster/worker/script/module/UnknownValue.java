package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;

/** Stands for a value that nobody knows; what leans on it can't be read, and says nothing. */
public record UnknownValue(String name) implements NativeObject {

  @Override
  public String typeName() {
    return "object";
  }

  @Override
  public String repr(Interp interp) {
    return "<" + name + ">";
  }
}
