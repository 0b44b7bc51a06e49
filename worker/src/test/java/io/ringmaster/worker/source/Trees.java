package io.ringmaster.worker.source;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Optional;

/** Compares trees by what they say, not by where it stands. */
final class Trees {

  private Trees() {}

  /** The same tree with every position forgotten. */
  static <T> T withoutSpans(T node) {
    @SuppressWarnings("unchecked")
    T result = (T) erased(node);
    return result;
  }

  private static Object erased(Object value) {
    return switch (value) {
      case Span _ -> Span.NONE;
      case List<?> list -> list.stream().map(Trees::erased).toList();
      case Optional<?> optional -> optional.map(Trees::erased);
      case Record node -> rebuilt(node);
      default -> value;
    };
  }

  private static Object rebuilt(Record node) {
    RecordComponent[] components = node.getClass().getRecordComponents();
    var types = new Class<?>[components.length];
    var values = new Object[components.length];
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        values[i] = erased(components[i].getAccessor().invoke(node));
      }
      return node.getClass().getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("can't rebuild " + node, e);
    }
  }
}
