package io.ringmaster.worker.script.value;

import java.util.LinkedHashMap;
import java.util.Map;

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
}
