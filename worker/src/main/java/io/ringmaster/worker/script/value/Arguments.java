package io.ringmaster.worker.script.value;

import java.util.List;
import java.util.Map;

/** The values of a call, before they are matched with parameters. */
public record Arguments(List<Value> positional, Map<String, Value> named) {

  public static Arguments of(Value... positional) {
    return new Arguments(List.of(positional), Map.of());
  }
}
