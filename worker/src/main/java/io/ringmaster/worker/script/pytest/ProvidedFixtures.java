package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.builtin.FilePath;
import io.ringmaster.worker.script.module.Warnings;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.OutputLog;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The fixtures that every test file has without defining them. */
final class ProvidedFixtures {

  private final RunSettings run;
  private final TestConfig config;
  private final Configuration configuration;
  private Optional<Value> log = Optional.empty();

  ProvidedFixtures(Configuration configuration) {
    this.run = configuration.run();
    this.configuration = configuration;
    this.config = new TestConfig(run, configuration.options());
  }

  static List<String> names() {
    return List.of(
        "request",
        "test_config",
        "device_ids",
        "platform",
        "world_size",
        "pytestconfig",
        "tmp_path",
        "tmpdir",
        "tmp_path_factory",
        "recwarn",
        "capsys",
        "capfd",
        "caplog",
        "monkeypatch",
        "record_property");
  }

  Configuration configuration() {
    return configuration;
  }

  /** A fixture's value; empty when there is none of that name. */
  Optional<Value> value(String name, TestItem item, FixtureStack stack, Interp interp) {
    return switch (name) {
      case "test_config" -> Optional.of(config);
      case "device_ids" -> Optional.of(TestConfig.deviceIds(run));
      case "platform" -> Optional.of(Value.of(run.platform()));
      case "world_size" -> Optional.of(Value.of(run.deviceIds().size()));
      case "pytestconfig" -> Optional.of(configuration());
      case "tmp_path", "tmpdir" -> Optional.of(new FilePath("/tmp/" + folder(item.name())));
      case "tmp_path_factory" -> Optional.of(new Folders());
      case "recwarn" -> Optional.of(recording(stack, interp));
      case "capsys", "capfd" -> Optional.of(captured(stack, interp));
      case "caplog" -> Optional.of(logged(item, stack, interp));
      case "monkeypatch" -> Optional.of(patch(stack));
      case "record_property" ->
          Optional.of(NativeFunction.of("record_property", "name, value", (a, c) -> Value.NONE));
      default -> Optional.empty();
    };
  }

  private static Value patch(FixtureStack stack) {
    MonkeyPatch patch = new MonkeyPatch(new ArrayDeque<>());
    stack.undo(patch::undo);
    return patch;
  }

  /** What loggers were told in the case: one object for all that ask for it. */
  private Value logged(TestItem item, FixtureStack stack, Interp interp) {
    if (log.isEmpty()) {
      Span at = item.function().definedAt();
      Value module = interp.module("_pytest.logging").orElseThrow();
      Value fixture =
          interp.call(interp.attribute(module, "LogCaptureFixture"), Arguments.of(), at);
      log = Optional.of(fixture);
      stack.undo(
          () -> {
            log = Optional.empty();
            interp.call(interp.attribute(fixture, "_finalize"), Arguments.of(), at);
          });
    }
    return log.get();
  }

  /** Every warning of the case from here on. */
  private static Value recording(FixtureStack stack, Interp interp) {
    ListValue recorded = Warnings.record(interp.session());
    stack.undo(() -> Warnings.stopRecording(interp.session()));
    return new RecordedWarnings(recorded);
  }

  /** {@code tmp_path_factory}: folders that have a name each, and nothing in them. */
  private static final class Folders implements NativeObject {

    private int made;

    @Override
    public String typeName() {
      return "TempPathFactory";
    }

    @Override
    public Optional<Value> attribute(String name) {
      return switch (name) {
        case "mktemp" ->
            Optional.of(
                NativeFunction.of(
                    "mktemp",
                    "basename, numbered=",
                    (a, c) ->
                        new FilePath(
                            "/tmp/"
                                + folder(a.string("basename"))
                                + (a.flag("numbered", true) ? made++ : ""))));
        case "getbasetemp" ->
            Optional.of(NativeFunction.of("getbasetemp", "", (a, c) -> new FilePath("/tmp")));
        default -> Optional.empty();
      };
    }

    @Override
    public Collection<String> attributeNames() {
      return List.of("mktemp", "getbasetemp");
    }

    @Override
    public String repr(Interp by) {
      return "<TempPathFactory>";
    }
  }

  private static String folder(String name) {
    return name.replaceAll("\\W", "_");
  }

  private static Value captured(FixtureStack stack, Interp interp) {
    OutputLog log = interp.session().log();
    OutputLog.Capture capture = log.capture();
    stack.undo(() -> log.release(capture));
    return new Captured(capture);
  }

  /** {@code capsys}: what was printed since it was asked last. */
  private record Captured(OutputLog.Capture capture) implements NativeObject {

    private static final MethodTable<Captured> METHODS =
        new MethodTable<Captured>()
            .add("readouterr", "", (self, a, c) -> self.read())
            .add("disabled", "", (self, a, c) -> new Disabled(self.capture));

    private Value read() {
      return new TupleValue(
          List.of(Value.of(capture.takeOut()), Value.of(capture.takeErr())),
          "CaptureResult",
          List.of("out", "err"));
    }

    @Override
    public String typeName() {
      return "CaptureFixture";
    }

    @Override
    public Optional<Value> attribute(String name) {
      return METHODS.bind(this, name);
    }

    @Override
    public Collection<String> attributeNames() {
      return METHODS.names();
    }

    @Override
    public String repr(Interp by) {
      return "<CaptureFixture>";
    }
  }

  /** {@code with capsys.disabled():} what is printed there is seen, and not captured. */
  private record Disabled(OutputLog.Capture capture) implements NativeObject {

    @Override
    public String typeName() {
      return "_GeneratorContextManager";
    }

    @Override
    public Value enter(Call call) {
      capture.pause(true);
      return Value.NONE;
    }

    @Override
    public void exit() {
      capture.pause(false);
    }

    @Override
    public String repr(Interp by) {
      return "<context manager>";
    }
  }
}
