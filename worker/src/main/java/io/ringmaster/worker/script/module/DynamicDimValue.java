package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import java.util.Optional;

/** {@code pl.dynamic("NR")}: a dimension that the run decides. */
public record DynamicDimValue(String name) implements NativeObject {

  @Override
  public String typeName() {
    return "DynVar";
  }

  @Override
  public String repr(Interp interp) {
    return "DynVar(" + name + ")";
  }

  @Override
  public Optional<Object> key() {
    return Optional.of(this);
  }
}
