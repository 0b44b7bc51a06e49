package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** {@code torch.device("cpu")}: the only device that tensors of a script live on. */
record DeviceValue(String type) implements NativeObject {

  @Override
  public String typeName() {
    return "device";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return name.equals("type") ? Optional.of(Value.of(type)) : Optional.empty();
  }

  @Override
  public Collection<String> attributeNames() {
    return List.of("type");
  }

  @Override
  public String repr(Interp interp) {
    return "device(type='" + type + "')";
  }

  @Override
  public String str(Interp interp) {
    return type;
  }

  @Override
  public Optional<Object> key() {
    return Optional.of(this);
  }
}
