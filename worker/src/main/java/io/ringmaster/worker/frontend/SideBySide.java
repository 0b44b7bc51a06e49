package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Reads parts of a statement that stand side by side: each of them, whatever is wrong with the ones
 * before it, so that everything wrong with the statement is said at once.
 */
final class SideBySide {

  private final Messages messages;
  private boolean failed;

  SideBySide(Messages messages) {
    this.messages = messages;
  }

  /** The values of all parts; refuses when one of them was refused. */
  static <A, B> List<B> each(Messages messages, List<A> parts, Function<A, B> reader) {
    SideBySide reading = new SideBySide(messages);
    List<B> values = new ArrayList<>();
    for (A part : parts) {
      reading.read(() -> reader.apply(part)).ifPresent(values::add);
    }
    reading.requireAll();
    return values;
  }

  /** A part; empty when it was refused, which has been reported then. */
  <T> Optional<T> read(Supplier<T> part) {
    try {
      return Optional.of(part.get());
    } catch (Refusal refusal) {
      messages.add(refusal);
      failed = true;
      return Optional.empty();
    }
  }

  /** A part that has no value. */
  void attempt(Runnable part) {
    try {
      part.run();
    } catch (Refusal refusal) {
      messages.add(refusal);
      failed = true;
    }
  }

  boolean failed() {
    return failed;
  }

  /** Gives the statement up when a part was refused. */
  void requireAll() {
    if (failed) {
      throw Refusal.silent();
    }
  }
}
