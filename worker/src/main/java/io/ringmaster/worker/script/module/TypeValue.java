package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;

/**
 * A type of the kernel language that a script wrote outside a kernel: {@code Row = pl.Tensor[[1,
 * 64], pl.FP32]}. It can be passed on and stand in a kernel's annotations.
 *
 * @param name {@code pl.Tensor}
 * @param index what stands in the brackets
 */
record TypeValue(String name, Value index) implements NativeObject {

  @Override
  public String typeName() {
    return "type";
  }

  @Override
  public String repr(Interp interp) {
    return name + "[...]";
  }
}
