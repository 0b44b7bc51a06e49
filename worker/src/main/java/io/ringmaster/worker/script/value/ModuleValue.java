package io.ringmaster.worker.script.value;

import java.util.Map;

/** An importable module with all it offers. */
public record ModuleValue(String name, Map<String, Value> members) implements Value {
  public ModuleValue {
    members = Map.copyOf(members);
  }
}
