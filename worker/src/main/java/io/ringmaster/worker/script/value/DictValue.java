package io.ringmaster.worker.script.value;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A Python dict: insertion order, keys by Python's equality. */
public sealed class DictValue implements Value permits AttributesDict {

  private final LinkedHashMap<Object, Entry> entries = new LinkedHashMap<>();
  private final Optional<Value> factory;

  public DictValue() {
    this(Optional.empty());
  }

  /** A dict that makes missing values, as {@code collections.defaultdict} does. */
  public DictValue(Optional<Value> factory) {
    this.factory = factory;
  }

  /** What makes missing values. */
  public Optional<Value> factory() {
    return factory;
  }

  /** A key as given first, and its current value. */
  public record Entry(Value key, Value value) {}

  public Optional<Value> get(Value key) {
    Entry entry = entries.get(Keys.of(key));
    return entry == null ? Optional.empty() : Optional.of(entry.value());
  }

  public void put(Value key, Value value) {
    Object hashed = Keys.of(key);
    Entry old = entries.get(hashed);
    entries.put(hashed, new Entry(old == null ? key : old.key(), value));
  }

  public Optional<Value> remove(Value key) {
    Entry entry = entries.remove(Keys.of(key));
    return entry == null ? Optional.empty() : Optional.of(entry.value());
  }

  /** Removes the entry that was added last. */
  public Optional<Entry> removeLast() {
    return Optional.ofNullable(entries.pollLastEntry()).map(Map.Entry::getValue);
  }

  public boolean contains(Value key) {
    return entries.containsKey(Keys.of(key));
  }

  public Iterable<Entry> entries() {
    return new Walk<>(entries.values(), "dictionary");
  }

  public int size() {
    return entries.size();
  }

  public void clear() {
    entries.clear();
  }
}
