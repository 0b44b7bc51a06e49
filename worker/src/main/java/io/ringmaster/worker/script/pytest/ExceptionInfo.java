package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.builtin.PythonPattern;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What {@code with pytest.raises(...) as exc_info} binds; it has a value once the block is left.
 */
final class ExceptionInfo implements NativeObject {

  private static final MethodTable<ExceptionInfo> METHODS =
      new MethodTable<ExceptionInfo>()
          .add("match", "regexp", ExceptionInfo::match)
          .add("exconly", "", (self, a, c) -> Value.of(self.line(c.interp())))
          .add(
              "errisinstance",
              "exc",
              (self, a, c) ->
                  Value.of(
                      io.ringmaster.worker.script.builtin.Builtins.isInstance(
                          self.exception(), a.get("exc"))));

  /** Whether the exception is also there under the name that {@code unittest} has for it. */
  private final boolean ofUnittest;

  private Optional<InstanceValue> raised = Optional.empty();

  ExceptionInfo(boolean ofUnittest) {
    this.ofUnittest = ofUnittest;
  }

  void fill(InstanceValue exception) {
    raised = Optional.of(exception);
  }

  private InstanceValue exception() {
    return raised.orElseThrow(
        () ->
            Errors.of(
                Exceptions.ASSERTION_ERROR,
                ".value can only be used after the context manager exits"));
  }

  private static Value match(ExceptionInfo self, Bound a, Call call) {
    String pattern = a.string("regexp");
    String text = call.interp().str(self.exception());
    if (!found(pattern, text, call.interp())) {
      throw Errors.of(Exceptions.ASSERTION_ERROR, mismatch(pattern, text));
    }
    return Value.TRUE;
  }

  static boolean found(String pattern, String text, Interp interp) {
    return PythonPattern.of(pattern, 0).matcher(text, interp.session().budget()).find();
  }

  static String mismatch(String pattern, String text) {
    return "Regex pattern did not match.\n  Expected regex: '"
        + pattern
        + "'\n  Actual message: '"
        + text
        + "'";
  }

  private String line(Interp interp) {
    String text = interp.str(exception());
    String type = exception().type().name();
    return text.isEmpty() ? type : type + ": " + text;
  }

  @Override
  public String typeName() {
    return "ExceptionInfo";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return switch (name) {
      case "value" -> Optional.of(exception());
      case "exception" -> ofUnittest ? Optional.of(exception()) : Optional.empty();
      case "type" -> Optional.of(exception().type());
      case "typename" -> Optional.of(Value.of(exception().type().name()));
      default -> METHODS.bind(this, name);
    };
  }

  @Override
  public Collection<String> attributeNames() {
    List<String> names = new ArrayList<>(METHODS.names());
    names.addAll(List.of("value", "type", "typename"));
    return names;
  }

  @Override
  public String repr(Interp interp) {
    return raised.isEmpty()
        ? "<ExceptionInfo for raises contextmanager>"
        : "<ExceptionInfo " + line(interp) + ">";
  }
}
