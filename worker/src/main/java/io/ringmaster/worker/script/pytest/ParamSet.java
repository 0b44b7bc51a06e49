package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.List;
import java.util.Optional;

/** {@code pytest.param(values, id=, marks=)}, or a plain entry of a parameter list. */
record ParamSet(List<Value> values, List<Mark> marks, Optional<Value> id) implements NativeObject {

  ParamSet {
    values = List.copyOf(values);
    marks = List.copyOf(marks);
  }

  @Override
  public String typeName() {
    return "ParameterSet";
  }

  @Override
  public String repr(Interp interp) {
    return "ParameterSet(" + String.join(", ", values.stream().map(interp::repr).toList()) + ")";
  }
}
