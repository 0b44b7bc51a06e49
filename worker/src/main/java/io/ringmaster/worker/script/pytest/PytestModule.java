package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.builtin.Comparisons;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code pytest}: marks, parameters, fixtures, and the ways in which a test ends. */
public final class PytestModule {

  private static final Map<String, Value> MEMBERS = new LinkedHashMap<>();

  static {
    MEMBERS.put("mark", new MarkValue.Source());
    define("param", "*values, id=, marks=", (a, c) -> param(a));
    ending(
        "skip",
        Outcomes.SKIPPED,
        "reason=, allow_module_level=, msg=",
        (a, c) -> {
          throw Outcomes.raise(Outcomes.SKIPPED, a.string("reason", a.string("msg", "")));
        });
    ending(
        "fail",
        Outcomes.FAILED,
        "reason=, pytrace=, msg=",
        (a, c) -> {
          throw Outcomes.raise(Outcomes.FAILED, a.string("reason", a.string("msg", "")));
        });
    ending(
        "xfail",
        Outcomes.XFAILED,
        "reason=",
        (a, c) -> {
          throw Outcomes.raise(Outcomes.XFAILED, a.string("reason", ""));
        });
    ending(
        "exit",
        Outcomes.EXIT,
        "reason=, returncode=",
        (a, c) -> {
          throw Outcomes.raise(Outcomes.EXIT, a.string("reason", ""));
        });
    define("raises", "expected_exception=, *rest, match=, check=, **named", Raises::of);
    define("warns", "expected_warning=, *, match=, keep=", Warns::of);
    define("deprecated_call", "*, match=", Warns::deprecated);
    define("approx", "expected, rel=, abs=, nan_ok=", (a, c) -> approx(a));
    define("fixture", "fixture_function=, *, scope=, params=, autouse=, ids=, name=", fixture());
    define("importorskip", "modname, minversion=, reason=, exc_type=", PytestModule::importOrSkip);
    define("main", "args=, plugins=", PytestModule::main);
    define("register_assert_rewrite", "*names", (a, c) -> Value.NONE);
    MEMBERS.put("Skipped", Outcomes.SKIPPED);
    MEMBERS.put("ExceptionInfo", new Annotation("ExceptionInfo"));
    MEMBERS.put("FixtureRequest", new Annotation("FixtureRequest"));
    MEMBERS.put("MonkeyPatch", new Annotation("MonkeyPatch"));
    MEMBERS.put("Config", new Annotation("Config"));
    MEMBERS.put("TempPathFactory", new Annotation("TempPathFactory"));
    MEMBERS.put("WarningsRecorder", new Annotation("WarningsRecorder"));
    MEMBERS.put("LogCaptureFixture", new Annotation("LogCaptureFixture"));
    MEMBERS.put("CaptureFixture", new Annotation("CaptureFixture"));
    MEMBERS.put("__version__", Value.of("9.0.0"));
    Map<String, Value> codes = new LinkedHashMap<>();
    List<String> names =
        List.of(
            "OK",
            "TESTS_FAILED",
            "INTERRUPTED",
            "INTERNAL_ERROR",
            "USAGE_ERROR",
            "NO_TESTS_COLLECTED");
    for (int i = 0; i < names.size(); i++) {
      codes.put(names.get(i), Value.of(i));
    }
    MEMBERS.put("ExitCode", new ModuleValue("pytest.ExitCode", codes));
  }

  public static final ModuleValue MODULE = new ModuleValue("pytest", MEMBERS);

  private PytestModule() {}

  private static void define(String name, String parameters, NativeFunction.Body body) {
    MEMBERS.put(name, NativeFunction.of(name, parameters, body));
  }

  private static void ending(
      String name, ClassValue raised, String parameters, NativeFunction.Body body) {
    MEMBERS.put(name, new Ending(NativeFunction.of(name, parameters, body), raised));
  }

  /** A class of pytest that scripts name in annotations only. */
  private record Annotation(String name) implements NativeObject {
    @Override
    public String typeName() {
      return "type";
    }

    @Override
    public Value item(Value index, Interp interp) {
      return this;
    }

    @Override
    public String repr(Interp interp) {
      return "<class 'pytest." + name + "'>";
    }
  }

  private static Value param(Bound a) {
    List<Mark> marks = a.has("marks") ? Marks.listed(a.get("marks")) : List.of();
    Optional<Value> id = a.has("id") ? a.find("id") : Optional.empty();
    return new ParamSet(a.rest(), marks, id);
  }

  private static Value approx(Bound a) {
    return new Approx(
        a.get("expected"),
        tolerance(a, "rel", "relative"),
        tolerance(a, "abs", "absolute"),
        a.flag("nan_ok", false),
        originOf(a, "rel").and(originOf(a, "abs")));
  }

  private static Optional<Double> tolerance(Bound a, String name, String word) {
    if (!a.has(name)) {
      return Optional.empty();
    }
    double given = a.number(name);
    if (!(given >= 0)) {
      throw Errors.value(word + " tolerance can't be negative or NaN: " + given);
    }
    return Optional.of(given);
  }

  private static Origin originOf(Bound a, String name) {
    return a.has(name) ? Comparisons.originOf(a.get(name)) : Origin.NONE;
  }

  private static NativeFunction.Body fixture() {
    return (a, c) ->
        a.has("fixture_function")
            ? fixture(a.get("fixture_function"), a, c)
            : NativeFunction.of("fixture", "function", (b, d) -> fixture(b.get("function"), a, d));
  }

  private static Value fixture(Value function, Bound a, Call call) {
    if (!(function instanceof FunctionValue plain)) {
      throw Errors.type("@pytest.fixture needs a function, not " + Types.nameOf(function));
    }
    if (a.has("scope") && !(a.get("scope") instanceof Value.Str)) {
      throw Errors.refuse(
          "a fixture's scope must be a text: a function of the configuration isn't called here",
          "",
          call.span());
    }
    return new FixtureValue(
        plain,
        FixtureValue.scope(a.string("scope", "function")),
        a.has("params") ? Iteration.toList(a.get("params"), call.interp()) : List.of(),
        a.has("ids") ? a.find("ids") : Optional.empty(),
        a.has("name") ? Optional.of(a.string("name")) : Optional.empty(),
        a.flag("autouse", false));
  }

  /** Modules that aren't here are missing for a test as well. */
  private static Value importOrSkip(Bound a, Call call) {
    String name = a.string("modname");
    Optional<Value> found = call.interp().module(name);
    if (found.isPresent()) {
      return found.get();
    }
    throw Outcomes.raise(
        Outcomes.SKIPPED,
        a.has("reason")
            ? a.string("reason")
            : "could not import '" + name + "': No module named '" + name + "'");
  }

  /** Runs the cases of this very script; the code is pytest's. */
  private static Value main(Bound a, Call call) {
    List<String> arguments =
        !a.has("args")
            ? List.of()
            : switch (a.get("args")) {
              case Value.Str one -> List.of(one.value());
              case ListValue list -> texts(list.items(), call);
              case TupleValue tuple -> texts(tuple.items(), call);
              default ->
                  throw Errors.type(
                      "`args` parameter expected to be a list of strings, got: "
                          + call.interp().repr(a.get("args")));
            };
    return Value.of(
        TestRun.of(call.interp().session())
            .run(PytestOptions.parse(arguments, call.span()), call.interp())
            .exitCode());
  }

  private static List<String> texts(List<Value> items, Call call) {
    return items.stream().map(item -> call.interp().str(item)).toList();
  }
}
