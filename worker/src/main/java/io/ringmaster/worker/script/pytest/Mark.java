package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code pytest.mark.name(args, key=value)} as it stands on a test. */
record Mark(String name, List<Value> positional, Map<String, Value> named, Span at) {

  Mark {
    positional = List.copyOf(positional);
    named = Map.copyOf(named);
  }

  Optional<Value> keyword(String key) {
    return Optional.ofNullable(named.get(key));
  }

  /** The {@code reason=} given; empty without one. */
  String reason() {
    return keyword("reason")
        .filter(Value.Str.class::isInstance)
        .map(text -> ((Value.Str) text).value())
        .orElse("");
  }
}
