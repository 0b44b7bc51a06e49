package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Nearest;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code request.config}: the options of the run. */
record Configuration(RunSettings run, PytestOptions options, Map<String, Value> added)
    implements NativeObject {

  private static final MethodTable<Configuration> METHODS =
      new MethodTable<Configuration>()
          .add("getoption", "name, default=, skip=", Configuration::option)
          .add("getvalue", "name", Configuration::option)
          .add("addinivalue_line", "name, line", (self, a, c) -> Value.NONE);

  private static Value option(Configuration self, Bound a, Call call) {
    String name = a.string("name");
    String plain = AddedOptions.plain(name);
    Optional<Value> known =
        switch (plain) {
          case "platform" -> Optional.of(Value.of(self.run.platform()));
          case "device", "devices", "device_id", "device_ids" ->
              Optional.of(
                  Value.of(
                      String.join(
                          ",", self.run.deviceIds().stream().map(String::valueOf).toList())));
          case "keyword", "k" -> Optional.of(Value.of(self.options.keyword().orElse("")));
          case "markexpr", "m" -> Optional.of(Value.of(self.options.mark().orElse("")));
          case "verbose" -> Optional.of(Value.of(0));
          default -> new TestConfig(self.run, self.options).attribute(plain);
        };
    if (known.isPresent()) {
      return known.get();
    }
    if (self.added.containsKey(plain)) {
      return self.added.get(plain);
    }
    if (a.find("default").isPresent()) {
      return a.get("default");
    }
    throw Errors.value(
        "no option named '"
            + name
            + "' ("
            + Nearest.hint(plain, new TestConfig(self.run, self.options).attributeNames())
            + "); a file adds one in pytest_addoption(parser)");
  }

  @Override
  public String typeName() {
    return "Config";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return METHODS.bind(this, name);
  }

  @Override
  public Collection<String> attributeNames() {
    return List.copyOf(METHODS.names());
  }

  @Override
  public String repr(Interp interp) {
    return "<Config>";
  }
}
