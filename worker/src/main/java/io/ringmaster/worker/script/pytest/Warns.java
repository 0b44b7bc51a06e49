package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.module.Warnings;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import java.util.List;
import java.util.Optional;

/** {@code with pytest.warns(expected, match=...)}: the block has to warn. */
final class Warns implements NativeObject {

  private final Value expected;
  private final Optional<String> match;
  private ListValue recorded = ListValue.of(List.of());

  private Warns(Value expected, Optional<String> match) {
    this.expected = expected;
    this.match = match;
  }

  static Value of(Bound a, Call call) {
    Value any = Exceptions.all().getOrDefault("Warning", Exceptions.EXCEPTION);
    return new Warns(
        a.has("expected_warning") ? a.get("expected_warning") : any,
        a.has("match") ? Optional.of(a.string("match")) : Optional.empty());
  }

  /** {@code with pytest.deprecated_call()}. */
  static Value deprecated(Bound a, Call call) {
    List<Value> classes =
        List.of(
            Exceptions.all().getOrDefault("DeprecationWarning", Exceptions.EXCEPTION),
            Exceptions.all().getOrDefault("FutureWarning", Exceptions.EXCEPTION));
    return new Warns(
        new TupleValue(classes),
        a.has("match") ? Optional.of(a.string("match")) : Optional.empty());
  }

  @Override
  public String typeName() {
    return "WarningsChecker";
  }

  @Override
  public Value enter(Call call) {
    recorded = Warnings.record(call.interp().session());
    return new RecordedWarnings(recorded);
  }

  @Override
  public boolean exit(Optional<PyError> error, Call call) {
    Interp interp = call.interp();
    Warnings.stopRecording(interp.session());
    if (error.isPresent()) {
      return false;
    }
    List<Value> fitting =
        recorded.items().stream().filter(one -> Warnings.isOf(one, expected)).toList();
    if (fitting.isEmpty()) {
      throw Outcomes.raise(
          Outcomes.FAILED,
          "DID NOT WARN. No warnings of type " + interp.repr(expected) + " were emitted.");
    }
    if (match.isPresent() && fitting.stream().noneMatch(one -> matches(one, interp))) {
      throw Outcomes.raise(
          Outcomes.FAILED,
          "DID NOT WARN. No warnings of type "
              + interp.repr(expected)
              + " matching the regex were emitted.\n Regex: "
              + match.get());
    }
    return false;
  }

  private boolean matches(Value warning, Interp interp) {
    return warning instanceof NativeObject one
        && one.attribute("message")
            .filter(text -> ExceptionInfo.found(match.orElse(""), interp.str(text), interp))
            .isPresent();
  }

  @Override
  public String repr(Interp interp) {
    return "WarningsChecker(" + interp.repr(expected) + ")";
  }
}
