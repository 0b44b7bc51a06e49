package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.List;
import java.util.Optional;

/**
 * What {@code @pytest.fixture} makes of a function.
 *
 * @param params the values it is set up with, each in turn; empty for one without
 * @param ids the {@code ids=} given
 * @param name the {@code name=} given
 */
record FixtureValue(
    FunctionValue function,
    Scope scope,
    List<Value> params,
    Optional<Value> ids,
    Optional<String> name,
    boolean autouse)
    implements NativeObject {

  /** How long a fixture lives; the order is from long to short. */
  enum Scope {
    SESSION,
    PACKAGE,
    MODULE,
    CLASS,
    FUNCTION
  }

  FixtureValue {
    params = List.copyOf(params);
  }

  @Override
  public String typeName() {
    return "FixtureFunctionDefinition";
  }

  @Override
  public Value call(Arguments arguments, Call call) {
    throw Outcomes.raise(
        Outcomes.FAILED,
        "Fixture \""
            + function.name()
            + "\" called directly. Fixtures are not meant to be called directly,"
            + " but are created automatically when test functions request them as parameters.");
  }

  @Override
  public Optional<Value> attribute(String wanted) {
    return wanted.equals("__name__") ? Optional.of(Value.of(function.name())) : Optional.empty();
  }

  @Override
  public String repr(Interp interp) {
    return "<pytest_fixture(" + function.name() + ")>";
  }

  static Scope scope(String text) {
    for (Scope scope : Scope.values()) {
      if (scope.name().toLowerCase(java.util.Locale.ROOT).equals(text)) {
        return scope;
      }
    }
    throw Errors.value(
        "fixture scope '" + text + "': known are session, package, module, class, function");
  }
}
