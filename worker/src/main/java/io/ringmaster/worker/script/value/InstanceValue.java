package io.ringmaster.worker.script.value;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** An object of a class of the script, or an exception. */
public final class InstanceValue implements Value {

  private final ClassValue type;
  private final Map<String, Value> attributes = new LinkedHashMap<>();

  public InstanceValue(ClassValue type) {
    this.type = type;
  }

  public ClassValue type() {
    return type;
  }

  public Map<String, Value> attributes() {
    return attributes;
  }

  /** The text or number that a member of an enumeration of such counts as; empty for any other. */
  public Optional<Value> countsAs() {
    return type.member(ClassValue.COUNTS_AS_VALUE).map(_ -> attributes.get("value"));
  }
}
