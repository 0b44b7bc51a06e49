package io.ringmaster.worker.script.value;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code object.__dict__}: the attributes themselves, to read and to change. */
public final class AttributesDict extends DictValue {

  private final Map<String, Value> attributes;

  public AttributesDict(InstanceValue object) {
    this.attributes = object.attributes();
  }

  private static String name(Value key) {
    if (key instanceof Value.Str text) {
      return text.value();
    }
    throw Errors.type("the names of attributes are texts, not " + Types.nameOf(key));
  }

  @Override
  public Optional<Value> get(Value key) {
    return Optional.ofNullable(attributes.get(name(key)));
  }

  @Override
  public void put(Value key, Value value) {
    attributes.put(name(key), value);
  }

  @Override
  public Optional<Value> remove(Value key) {
    return Optional.ofNullable(attributes.remove(name(key)));
  }

  @Override
  public Optional<Entry> removeLast() {
    List<Entry> all = all();
    if (all.isEmpty()) {
      return Optional.empty();
    }
    remove(all.getLast().key());
    return Optional.of(all.getLast());
  }

  @Override
  public boolean contains(Value key) {
    return key instanceof Value.Str text && attributes.containsKey(text.value());
  }

  @Override
  public Iterable<Entry> entries() {
    return all();
  }

  private List<Entry> all() {
    List<Entry> all = new ArrayList<>();
    attributes.forEach((name, value) -> all.add(new Entry(Value.of(name), value)));
    return all;
  }

  @Override
  public int size() {
    return attributes.size();
  }

  @Override
  public void clear() {
    attributes.clear();
  }
}
