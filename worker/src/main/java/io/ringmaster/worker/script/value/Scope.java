package io.ringmaster.worker.script.value;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The names of one running block: a module, a function call, a class body, a comprehension. */
public final class Scope {

  private final Kind kind;
  private final @Nullable Scope enclosing;
  private final Set<String> locals;
  private final Set<String> globals;
  private final Set<String> nonlocals;
  private final Map<String, Value> values = new LinkedHashMap<>();

  /** What a scope belongs to. */
  public enum Kind {
    MODULE,
    FUNCTION,
    CLASS,
    COMPREHENSION
  }

  /** The names a function's text binds, and those it declares otherwise. */
  public record Names(Set<String> locals, Set<String> globals, Set<String> nonlocals) {

    public static final Names NONE = new Names(Set.of(), Set.of(), Set.of());
  }

  public Scope(Kind kind, @Nullable Scope enclosing, Names names) {
    this.kind = kind;
    this.enclosing = enclosing;
    this.locals = names.locals();
    this.globals = names.globals();
    this.nonlocals = names.nonlocals();
  }

  public Kind kind() {
    return kind;
  }

  /** The values bound here, in the order in which they were bound first. */
  public Map<String, Value> values() {
    return values;
  }

  /**
   * Finds a name here or in the scopes around; class bodies around are passed over.
   *
   * @throws PyError UnboundLocalError for a local name without a value yet
   */
  public Optional<Value> find(String name) {
    if (globals.contains(name)) {
      return Optional.ofNullable(module().values.get(name));
    }
    for (Scope at = this; at != null; at = at.enclosing) {
      if (at.kind == Kind.CLASS && at != this) {
        continue;
      }
      Value found = at.values.get(name);
      if (found != null) {
        return Optional.of(found);
      }
      if (at.kind == Kind.FUNCTION && at.locals.contains(name)) {
        throw unbound(name, at == this);
      }
      if (at.globals.contains(name)) {
        return Optional.ofNullable(module().values.get(name));
      }
    }
    return Optional.empty();
  }

  /** The names, here and around, of values of a kind. */
  public Set<String> namesOf(Predicate<Value> kind) {
    Set<String> names = new HashSet<>();
    for (Scope at = this; at != null; at = at.enclosing) {
      at.values.forEach(
          (name, value) -> {
            if (kind.test(value)) {
              names.add(name);
            }
          });
    }
    return names;
  }

  /** Binds a name where Python would. */
  public void bind(String name, Value value) {
    owner(name).values.put(name, value);
  }

  /** Binds a name in the nearest function or module: what {@code :=} in a comprehension does. */
  public void bindOutside(String name, Value value) {
    Scope at = this;
    while (at.kind == Kind.COMPREHENSION && at.enclosing != null) {
      at = at.enclosing;
    }
    at.bind(name, value);
  }

  /** Unbinds a name; false when it had no value. */
  public boolean unbind(String name) {
    return owner(name).values.remove(name) != null;
  }

  private Scope owner(String name) {
    if (globals.contains(name)) {
      return module();
    }
    if (nonlocals.contains(name)) {
      for (Scope at = enclosing; at != null; at = at.enclosing) {
        if (at.kind == Kind.FUNCTION && (at.locals.contains(name) || at.values.containsKey(name))) {
          return at;
        }
      }
    }
    return this;
  }

  private Scope module() {
    Scope at = this;
    while (at.enclosing != null) {
      at = at.enclosing;
    }
    return at;
  }

  private static PyError unbound(String name, boolean own) {
    return own
        ? Errors.of(
            Exceptions.UNBOUND_LOCAL,
            "cannot access local variable '" + name + "' where it is not associated with a value")
        : Errors.of(
            Exceptions.NAME_ERROR,
            "cannot access free variable '"
                + name
                + "' where it is not associated with a value in enclosing scope");
  }
}
