package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A mark before it stands anywhere: called with a test it marks it, with anything else it grows.
 */
record MarkValue(Mark mark) implements NativeObject {

  /** {@code pytest.mark}: every name below it is a mark. */
  record Source() implements NativeObject {
    @Override
    public String typeName() {
      return "MarkGenerator";
    }

    @Override
    public Optional<Value> attribute(String name) {
      return name.startsWith("_")
          ? Optional.empty()
          : Optional.of(new MarkValue(new Mark(name, List.of(), Map.of(), Span.NONE)));
    }

    @Override
    public String repr(Interp interp) {
      return "<MarkGenerator>";
    }
  }

  @Override
  public String typeName() {
    return "MarkDecorator";
  }

  @Override
  public Value call(Arguments arguments, Call call) {
    List<Value> given = arguments.positional();
    if (given.size() == 1 && arguments.named().isEmpty() && isTest(given.getFirst())) {
      call.interp().session().shared(Marks.class, s -> new Marks()).add(given.getFirst(), mark);
      return given.getFirst();
    }
    List<Value> positional = new ArrayList<>(mark.positional());
    positional.addAll(given);
    Map<String, Value> named = new LinkedHashMap<>(mark.named());
    named.putAll(arguments.named());
    return new MarkValue(new Mark(mark.name(), positional, named, call.span()));
  }

  private static boolean isTest(Value value) {
    return switch (value) {
      case FunctionValue function -> !function.name().equals("<lambda>");
      case ClassValue type -> true;
      case FixtureValue fixture -> true;
      default -> false;
    };
  }

  @Override
  public Optional<Value> attribute(String name) {
    return switch (name) {
      case "name" -> Optional.of(Value.of(mark.name()));
      case "args" -> Optional.of(new TupleValue(mark.positional()));
      case "kwargs" -> {
        DictValue dict = new DictValue();
        mark.named().forEach((key, value) -> dict.put(Value.of(key), value));
        yield Optional.of(dict);
      }
      case "mark" -> Optional.of(this);
      default -> Optional.empty();
    };
  }

  @Override
  public Collection<String> attributeNames() {
    return List.of("name", "args", "kwargs");
  }

  @Override
  public String repr(Interp interp) {
    return "MarkDecorator(mark=" + mark.name() + ")";
  }
}
