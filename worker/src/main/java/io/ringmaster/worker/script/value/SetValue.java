package io.ringmaster.worker.script.value;

import java.util.LinkedHashMap;
import java.util.Map;

/** A Python set or frozenset; iterates in insertion order, which Python leaves open. */
public final class SetValue implements Value {

  private final Map<Object, Value> items = new LinkedHashMap<>();
  private final boolean frozen;

  public SetValue(boolean frozen) {
    this.frozen = frozen;
  }

  public boolean frozen() {
    return frozen;
  }

  public void add(Value item) {
    items.putIfAbsent(Keys.of(item), item);
  }

  public boolean remove(Value item) {
    return items.remove(Keys.of(item)) != null;
  }

  public boolean contains(Value item) {
    return items.containsKey(Keys.of(item));
  }

  public Iterable<Value> items() {
    return new Walk<>(items.values(), "Set");
  }

  public int size() {
    return items.size();
  }

  public void clear() {
    items.clear();
  }
}
