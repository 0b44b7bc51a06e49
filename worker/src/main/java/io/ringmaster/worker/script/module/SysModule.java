package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Builtins;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.OutputLog;
import io.ringmaster.worker.script.value.Session;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code sys}: arguments, exit, and streams that write to the job's log. */
final class SysModule {

  private static final TupleValue VERSION =
      new TupleValue(
          List.of(Value.of(3), Value.of(11), Value.of(0), Value.of("final"), Value.of(0)),
          "sys.version_info",
          List.of("major", "minor", "micro", "releaselevel", "serial"));

  private SysModule() {}

  static ModuleValue of(Session session) {
    return new ModuleValue(
        "sys",
        Map.of(
            "argv", ListValue.of(session.argv().stream().map(Value::of).toList()),
            "exit",
                NativeFunction.of(
                    "exit",
                    "code=",
                    (a, c) -> {
                      throw Builtins.exited(a.find("code"));
                    }),
            "stdout", new Stream("stdout"),
            "stderr", new Stream("stderr"),
            "path", ListValue.of(List.of(Value.of("/"))),
            "maxsize", Value.of(Long.MAX_VALUE),
            "version", Value.of("3.11"),
            "version_info", VERSION,
            "platform", Value.of("linux")));
  }

  /** An output stream. */
  private record Stream(String name) implements NativeObject {

    private static final MethodTable<Stream> METHODS =
        new MethodTable<Stream>()
            .add(
                "write",
                "text",
                (stream, a, c) -> {
                  String text = a.string("text");
                  OutputLog log = c.interp().session().log();
                  if (stream.isOfErrors()) {
                    log.writeError(text);
                  } else {
                    log.write(text);
                  }
                  return Value.of(text.codePointCount(0, text.length()));
                })
            .add("flush", "", (stream, a, c) -> Value.NONE)
            .add("isatty", "", (stream, a, c) -> Value.FALSE);

    private boolean isOfErrors() {
      return name.equals("stderr");
    }

    @Override
    public String typeName() {
      return "TextIOWrapper";
    }

    @Override
    public Optional<Value> attribute(String wanted) {
      return METHODS.bind(this, wanted);
    }

    @Override
    public Collection<String> attributeNames() {
      return METHODS.names();
    }

    @Override
    public String repr(Interp interp) {
      return "<" + name + ">";
    }
  }
}
