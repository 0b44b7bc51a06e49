package io.ringmaster.worker.script.value;

import java.util.Iterator;

/** A generator: the body of a function that runs on to its next {@code yield} when asked. */
public interface Resumable extends Iterator<Value> {

  /**
   * Raises an exception where the generator stands, and runs on to its next {@code yield}.
   *
   * @throws PyError what comes out of the body
   */
  void raise(PyError error);

  /**
   * Gives the {@code yield} at which the generator stands a value and runs on to its next one.
   *
   * @throws PyError TypeError when it has not begun, unless the value is {@code None}
   */
  void send(Value value);

  /** What its {@code return} gave, once it is finished; {@code None} before and without one. */
  Value returned();
}
