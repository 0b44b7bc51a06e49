package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The fixture {@code request}: who asks, and with which parameter. */
record Request(
    FixtureStack.Asking asking,
    FixtureStack stack,
    Configuration config,
    Value instance,
    Interp interp)
    implements NativeObject {

  private static final MethodTable<Request> METHODS =
      new MethodTable<Request>()
          .add("getfixturevalue", "argname", Request::fixtureValue)
          .add("addfinalizer", "finalizer", Request::addFinalizer)
          .add(
              "applymarker",
              "marker",
              (self, a, c) -> {
                throw Errors.refuse(
                    "request.applymarker is not available in scripts",
                    "write the mark above the test, or in pytest.param(..., marks=...)",
                    c.span());
              });

  private static Value fixtureValue(Request self, Bound a, Call call) {
    return self.stack.value(a.string("argname"), self.asking, call.span());
  }

  private static Value addFinalizer(Request self, Bound a, Call call) {
    Value finalizer = a.get("finalizer");
    self.stack.finish(self.asking, () -> self.interp.call(finalizer, Arguments.of(), call.span()));
    return Value.NONE;
  }

  @Override
  public String typeName() {
    return "FixtureRequest";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return switch (name) {
      case "param" ->
          Optional.of(
              asking
                  .parameter()
                  .orElseThrow(
                      () ->
                          Errors.attribute(
                              "'SubRequest' object has no attribute 'param': the fixture has no"
                                  + " params= and no test gives one with indirect=")));
      case "keywords" -> Optional.of(new ItemNode(asking.item()).keywords());
      case "fixturenames" -> Optional.of(stack.names(asking.item()));
      case "module" -> Optional.of(module());
      case "node" -> Optional.of(new ItemNode(asking.item()));
      case "config" -> Optional.of(config);
      case "function" -> Optional.of(asking.item().function());
      case "cls" -> Optional.of(asking.item().owner().<Value>map(type -> type).orElse(Value.NONE));
      case "instance" -> Optional.of(instance);
      case "scope" -> Optional.of(Value.of(asking.scope().name().toLowerCase(Locale.ROOT)));
      case "fixturename" ->
          Optional.of(asking.definition().<Value>map(d -> Value.of(d.name())).orElse(Value.NONE));
      default -> METHODS.bind(this, name);
    };
  }

  /** The file as a module: to read, as it is now. */
  private Value module() {
    Map<String, Value> members = new LinkedHashMap<>(interp.moduleNames());
    String file = interp.session().source().name();
    members.put("__name__", Value.of(file.substring(file.lastIndexOf('/') + 1).replace(".py", "")));
    return new ModuleValue("request.module", members);
  }

  @Override
  public Collection<String> attributeNames() {
    List<String> names = new ArrayList<>(METHODS.names());
    names.addAll(
        List.of(
            "param",
            "keywords",
            "fixturenames",
            "module",
            "node",
            "config",
            "function",
            "cls",
            "instance",
            "scope",
            "fixturename"));
    return names;
  }

  @Override
  public String repr(Interp by) {
    return "<FixtureRequest for " + asking.item().name() + ">";
  }
}
