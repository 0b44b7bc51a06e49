package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The options that a file adds in {@code pytest_addoption(parser)}: each has its default, since a
 * job's arguments are pytest's own. Other hooks of a {@code conftest.py} are never called, as in
 * any test file of pytest, and the log says so.
 */
final class AddedOptions implements NativeObject {

  private static final String HOOK = "pytest_addoption";

  /** Hooks that are called, or whose effect is nothing here. */
  private static final Set<String> HEARD =
      Set.of(HOOK, "pytest_generate_tests", "pytest_configure");

  private static final MethodTable<AddedOptions> METHODS =
      new MethodTable<AddedOptions>()
          .add("addoption", "*names, **attributes", AddedOptions::add)
          .add("addini", "name, *rest, **attributes", (self, a, c) -> Value.NONE)
          .add("getgroup", "name, *rest, **attributes", (self, a, c) -> self);

  private final Map<String, Value> defaults = new LinkedHashMap<>();

  private AddedOptions() {}

  /** Name and default of every option that the file adds. */
  static Map<String, Value> of(Interp interp) {
    AddedOptions added = new AddedOptions();
    new LinkedHashMap<>(interp.moduleNames())
        .forEach(
            (name, value) -> {
              if (!(value instanceof FunctionValue hook) || !name.startsWith("pytest_")) {
                return;
              }
              if (name.equals(HOOK)) {
                interp.call(hook, Arguments.of(added), hook.definedAt());
              } else if (!HEARD.contains(name)) {
                interp
                    .session()
                    .log()
                    .write(
                        "note: "
                            + name
                            + " isn't called: pytest calls hooks of a conftest.py, not of a test"
                            + " file; use a fixture or a mark instead\n");
              }
            });
    return added.defaults;
  }

  private static Value add(AddedOptions self, Bound a, Call call) {
    Map<String, Value> attributes = a.named();
    List<String> names = a.rest().stream().map(name -> call.interp().str(name)).toList();
    String plain =
        attributes.containsKey("dest")
            ? call.interp().str(attributes.get("dest"))
            : names.stream()
                .filter(name -> name.startsWith("--"))
                .findFirst()
                .or(() -> names.stream().findFirst())
                .map(AddedOptions::plain)
                .orElse("");
    boolean flag =
        attributes.containsKey("action")
            && call.interp().str(attributes.get("action")).equals("store_true");
    Value value = attributes.getOrDefault("default", flag ? Value.FALSE : Value.NONE);
    self.defaults.put(plain, value);
    names.forEach(name -> self.defaults.put(plain(name), value));
    return Value.NONE;
  }

  /** {@code --my-option} as {@code my_option}. */
  static String plain(String name) {
    return name.replaceFirst("^-+", "").replace('-', '_');
  }

  @Override
  public String typeName() {
    return "Parser";
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
    return "<Parser>";
  }
}
