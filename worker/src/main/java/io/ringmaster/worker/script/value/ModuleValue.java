package io.ringmaster.worker.script.value;

import java.util.Map;

/**
 * An importable module with all it offers.
 *
 * @param refused names that people look for in vain, with what to do instead
 */
public record ModuleValue(String name, Map<String, Value> members, Map<String, String> refused)
    implements Value {
  public ModuleValue {
    members = Map.copyOf(members);
    refused = Map.copyOf(refused);
  }

  public ModuleValue(String name, Map<String, Value> members) {
    this(name, members, Map.of());
  }

  /** What to write instead of a name that the module lacks. */
  public String hint(String wanted) {
    String known = refused.get(wanted);
    return known == null ? Nearest.hint(wanted, members.keySet()) : known;
  }
}
