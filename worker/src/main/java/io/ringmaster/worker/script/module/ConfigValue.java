package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A {@code DistributedConfig} or {@code RunConfig}: checked settings, only read afterwards. */
record ConfigValue(String typeName, Map<String, Value> settings) implements NativeObject {

  ConfigValue {
    settings = Map.copyOf(settings);
  }

  /** The settings of an object that is used as a configuration, such as a test's fixture. */
  static ConfigValue of(NativeObject object) {
    Map<String, Value> settings = new HashMap<>();
    for (String name : object.attributeNames()) {
      object.attribute(name).ifPresent(value -> settings.put(name, value));
    }
    return new ConfigValue(object.typeName(), settings);
  }

  /** The device ids, those of an inner configuration included; empty where there are none. */
  List<Integer> deviceIds() {
    return settings.get("distributed_config") instanceof ConfigValue inner
        ? inner.deviceIds()
        : settings.get("device_ids") instanceof ListValue ids
            ? PyptoModule.toInts(ids.items())
            : List.of();
  }

  /** The platform; empty for a configuration without. */
  Optional<String> platform() {
    return settings.get("platform") instanceof Value.Str name
        ? Optional.of(name.value())
        : Optional.empty();
  }

  @Override
  public Optional<Value> attribute(String name) {
    return Optional.ofNullable(settings.get(name));
  }

  @Override
  public Collection<String> attributeNames() {
    return settings.keySet();
  }

  @Override
  public String repr(Interp interp) {
    List<String> parts =
        settings.keySet().stream()
            .sorted()
            .map(name -> name + "=" + interp.repr(settings.getOrDefault(name, Value.NONE)))
            .toList();
    return typeName + "(" + String.join(", ", parts) + ")";
  }
}
