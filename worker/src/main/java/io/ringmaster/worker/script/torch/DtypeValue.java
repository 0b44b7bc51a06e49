package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** {@code torch.float32} and its kin. */
record DtypeValue(DType type) implements NativeObject {

  @Override
  public String typeName() {
    return "dtype";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return switch (name) {
      case "itemsize" -> Optional.of(Value.of(type.bytes()));
      case "is_floating_point" -> Optional.of(Value.of(type.isFloat()));
      default -> Optional.empty();
    };
  }

  @Override
  public Collection<String> attributeNames() {
    return List.of("itemsize", "is_floating_point");
  }

  @Override
  public String repr(Interp interp) {
    return "torch." + Dtypes.nameOf(type);
  }

  @Override
  public Optional<Object> key() {
    return Optional.of(this);
  }
}
