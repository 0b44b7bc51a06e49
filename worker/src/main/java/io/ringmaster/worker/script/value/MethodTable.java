package io.ringmaster.worker.script.value;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The methods of a native type; built once, then only read. */
public final class MethodTable<T> {

  private final Map<String, Method<T>> methods = new LinkedHashMap<>();

  /** What a method does. */
  @FunctionalInterface
  public interface Body<T> {
    Value apply(T self, Bound arguments, Call call);
  }

  private record Method<T>(Signature signature, Body<T> body) {}

  /** Adds a method; see {@link Signature#of} for the parameter text. */
  public MethodTable<T> add(String name, String parameters, Body<T> body) {
    methods.put(name, new Method<>(Signature.of(name, parameters), body));
    return this;
  }

  /** A method bound to its object. */
  public Optional<Value> bind(T self, String name) {
    Method<T> method = methods.get(name);
    return method == null
        ? Optional.empty()
        : Optional.of(
            new NativeFunction(
                name,
                method.signature(),
                (arguments, call) -> method.body().apply(self, arguments, call)));
  }

  /** The method as a function that takes the object first: {@code str.upper}. */
  public Optional<Value> unbound(String name, java.util.function.Function<Value, T> self) {
    Method<T> method = methods.get(name);
    return method == null
        ? Optional.empty()
        : Optional.of(
            NativeFunction.of(
                name,
                "self, *rest, **named",
                (arguments, call) -> {
                  Arguments rest = new Arguments(arguments.rest(), arguments.named());
                  Bound bound = method.signature().bind(rest, call.span());
                  return method.body().apply(self.apply(arguments.get("self")), bound, call);
                }));
  }

  public Set<String> names() {
    return methods.keySet();
  }
}
