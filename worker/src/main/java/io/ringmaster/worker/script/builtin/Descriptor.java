package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A function of a class under {@code @property}, {@code @staticmethod} or {@code @classmethod}, or
 * a native method.
 *
 * @param setter of a property, where it has one
 */
public record Descriptor(Kind kind, Value function, Optional<Value> setter)
    implements NativeObject {

  public Descriptor(Kind kind, Value function) {
    this(kind, function, Optional.empty());
  }

  /** Which decorator made it. */
  public enum Kind {
    PROPERTY,
    STATIC,
    CLASS,
    /** A method written in Java that takes the instance first. */
    NATIVE
  }

  private static final List<String> ATTRIBUTES = List.of("setter", "getter", "deleter");

  @Override
  public String typeName() {
    return switch (kind) {
      case PROPERTY -> "property";
      case STATIC -> "staticmethod";
      case CLASS -> "classmethod";
      case NATIVE -> "method";
    };
  }

  /** {@code @name.setter}: the same property, which can be assigned to. */
  @Override
  public Optional<Value> attribute(String name) {
    if (kind != Kind.PROPERTY || !ATTRIBUTES.contains(name)) {
      return Optional.empty();
    }
    return Optional.of(
        NativeFunction.of(
            name,
            "function",
            (a, c) ->
                switch (name) {
                  case "setter" -> new Descriptor(kind, function, a.find("function"));
                  case "getter" -> new Descriptor(kind, a.get("function"), setter);
                  default -> this;
                }));
  }

  @Override
  public Collection<String> attributeNames() {
    return ATTRIBUTES;
  }

  /** Special methods are called on the class, with the instance as first argument. */
  @Override
  public Value call(Arguments arguments, Call call) {
    return call.interp().call(function, arguments, call.span());
  }

  @Override
  public String repr(Interp interp) {
    return "<" + typeName() + " object>";
  }
}
