package io.ringmaster.worker.script.value;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The arguments of a native function by parameter name.
 *
 * @param rest further positional values
 * @param named further named values
 */
public record Bound(
    String function, Map<String, Value> values, List<Value> rest, Map<String, Value> named) {

  /** A required argument, or one known to be given. */
  public Value get(String name) {
    Value value = values.get(name);
    if (value == null) {
      throw Errors.type(function + "() missing required argument: '" + name + "'");
    }
    return value;
  }

  public Optional<Value> find(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /** True when given and not None. */
  public boolean has(String name) {
    Value value = values.get(name);
    return value != null && !(value instanceof Value.None);
  }

  public String string(String name) {
    return Convert.string(get(name), what(name));
  }

  public String string(String name, String otherwise) {
    return has(name) ? string(name) : otherwise;
  }

  public long integer(String name) {
    return Convert.integer(get(name), what(name));
  }

  public long integer(String name, long otherwise) {
    return has(name) ? integer(name) : otherwise;
  }

  public double number(String name) {
    return Convert.number(get(name), what(name));
  }

  public double number(String name, double otherwise) {
    return has(name) ? number(name) : otherwise;
  }

  public boolean flag(String name, boolean otherwise) {
    return has(name) ? Convert.flag(get(name), what(name)) : otherwise;
  }

  private String what(String name) {
    return function + "() argument '" + name + "'";
  }
}
