package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;

/**
 * A type of the kernel language that a script wrote outside a kernel: {@code Row = pl.Tensor[[1,
 * 64], pl.FP32]}. It can be passed on; a kernel's annotations spell their types out.
 */
record TypeValue(String name) implements NativeObject {

  @Override
  public String typeName() {
    return "type";
  }

  @Override
  public String repr(Interp interp) {
    return name + "[...]";
  }
}
