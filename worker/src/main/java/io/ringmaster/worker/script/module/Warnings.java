package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Builtins;
import io.ringmaster.worker.script.builtin.PythonPattern;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Session;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** {@code warnings}: what a script warns of is shown, or kept by whoever records it. */
public final class Warnings {

  static final ModuleValue MODULE =
      new ModuleValue(
          "warnings",
          Map.of(
              "warn",
                  NativeFunction.of(
                      "warn", "message, category=, stacklevel=, source=", Warnings::warn),
              "catch_warnings",
                  NativeFunction.of(
                      "catch_warnings",
                      "*, record=, module=, action=, category=",
                      (a, c) -> new Recording(a.flag("record", false))),
              "filterwarnings",
                  NativeFunction.of(
                      "filterwarnings",
                      "action, message=, category=, module=, lineno=, append=",
                      Warnings::filter),
              "simplefilter",
                  NativeFunction.of(
                      "simplefilter", "action, category=, lineno=, append=", Warnings::filter),
              "resetwarnings",
                  NativeFunction.of(
                      "resetwarnings",
                      "",
                      (a, c) -> {
                        of(c.interp().session()).filters = List.of();
                        return Value.NONE;
                      })));

  private static final Set<String> ACTIONS =
      Set.of("default", "error", "ignore", "always", "all", "module", "once");

  private final Deque<ListValue> records = new ArrayDeque<>();

  /** The latest first; the first that fits a warning counts. */
  private List<Filter> filters = List.of();

  /** What becomes of the warnings of a class whose text begins with a pattern. */
  private record Filter(String action, String message, Value category) {

    boolean fits(InstanceValue warning, Interp interp) {
      return Builtins.isInstance(warning, category)
          && (message.isEmpty()
              || PythonPattern.of("(?i)" + message, 0)
                  .matcher(interp.str(warning), interp.session().budget())
                  .lookingAt());
    }
  }

  private static Value filter(Bound a, Call call) {
    String action = a.string("action");
    if (!ACTIONS.contains(action)) {
      throw Errors.value("invalid action: '" + action + "'");
    }
    Warnings warnings = of(call.interp().session());
    Filter added =
        new Filter(
            action,
            a.has("message") ? a.string("message") : "",
            a.has("category") ? a.get("category") : Exceptions.WARNING);
    List<Filter> all = new ArrayList<>(warnings.filters);
    all.add(a.flag("append", false) ? all.size() : 0, added);
    warnings.filters = List.copyOf(all);
    return Value.NONE;
  }

  private Warnings() {}

  private static Warnings of(Session session) {
    return session.shared(Warnings.class, s -> new Warnings());
  }

  /** From here on warnings go into the list. */
  public static ListValue record(Session session) {
    ListValue list = ListValue.of(List.of());
    of(session).records.push(list);
    return list;
  }

  /** Ends the latest recording. */
  public static void stopRecording(Session session) {
    of(session).records.pop();
  }

  /** True when a recorded warning is of one of the classes. */
  public static boolean isOf(Value recorded, Value classes) {
    return recorded instanceof Recorded one && Builtins.isInstance(one.message(), classes);
  }

  private static InstanceValue message(Bound a, Call call) {
    if (a.get("message") instanceof InstanceValue given) {
      return given;
    }
    Value category = a.has("category") ? a.get("category") : Exceptions.all().get("UserWarning");
    if (!(category instanceof ClassValue type) || !type.isSubclassOf(Exceptions.WARNING)) {
      throw Errors.type("category must be a Warning subclass");
    }
    return (InstanceValue) call.interp().call(type, Arguments.of(a.get("message")), call.span());
  }

  private static Value warn(Bound a, Call call) {
    Interp interp = call.interp();
    InstanceValue message = message(a, call);
    Warnings warnings = of(interp.session());
    String action =
        warnings.filters.stream()
            .filter(filter -> filter.fits(message, interp))
            .findFirst()
            .map(Filter::action)
            .orElse("default");
    if (action.equals("error")) {
      throw new PyError(message);
    }
    if (action.equals("ignore")) {
      return Value.NONE;
    }
    if (warnings.records.isEmpty()) {
      interp.session().log().writeError(message.type().name() + ": " + interp.str(message) + "\n");
    } else {
      warnings
          .records
          .element()
          .items()
          .add(new Recorded(message, interp.session().source().name(), call.span().line()));
    }
    return Value.NONE;
  }

  /** {@code warnings.catch_warnings(...)}. */
  private static final class Recording implements NativeObject {

    private final boolean keeps;
    private List<Filter> before = List.of();

    Recording(boolean keeps) {
      this.keeps = keeps;
    }

    @Override
    public String typeName() {
      return "catch_warnings";
    }

    @Override
    public Value enter(Call call) {
      before = of(call.interp().session()).filters;
      return keeps ? record(call.interp().session()) : Value.NONE;
    }

    @Override
    public boolean exit(Optional<PyError> error, Call call) {
      of(call.interp().session()).filters = before;
      if (keeps) {
        stopRecording(call.interp().session());
      }
      return false;
    }

    @Override
    public String repr(Interp interp) {
      return "<catch_warnings>";
    }
  }

  /** A warning as it is found in a recording. */
  private record Recorded(InstanceValue message, String file, int line) implements NativeObject {
    @Override
    public String typeName() {
      return "WarningMessage";
    }

    @Override
    public Optional<Value> attribute(String name) {
      return switch (name) {
        case "message" -> Optional.of(message);
        case "category" -> Optional.of(message.type());
        case "filename" -> Optional.of(Value.of(file));
        case "lineno" -> Optional.of(Value.of(line));
        default -> Optional.empty();
      };
    }

    @Override
    public Collection<String> attributeNames() {
      return List.of("message", "category", "filename", "lineno");
    }

    @Override
    public String repr(Interp interp) {
      return "<WarningMessage " + message.type().name() + ": " + interp.str(message) + ">";
    }
  }
}
