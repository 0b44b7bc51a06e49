package io.ringmaster.worker.script.value;

/** A function the script may call that is written in Java. */
public record NativeFunction(String name, Signature signature, Body body) implements Value {

  /** What it does. */
  @FunctionalInterface
  public interface Body {
    Value apply(Bound arguments, Call call);
  }

  /** Makes one; see {@link Signature#of} for the parameter text. */
  public static NativeFunction of(String name, String parameters, Body body) {
    return new NativeFunction(name, Signature.of(name, parameters), body);
  }
}
