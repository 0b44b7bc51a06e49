package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Environment;
import io.ringmaster.worker.script.builtin.FilePath;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Session;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The part of {@code os} that touches nothing: environment variables of the script's own, and paths
 * as texts, behind which there are no files.
 */
final class OsModule {

  static final ModuleValue PATH = new ModuleValue("os.path", path());

  private static final String NOTHING_OUTSIDE =
      "scripts have no files, network or processes; os has environ, getenv and path";

  private OsModule() {}

  static ModuleValue of(Session session) {
    return new ModuleValue(
        "os",
        Map.ofEntries(
            Map.entry("environ", Environment.of(session)),
            function("getenv", "key, default=", OsModule::variable),
            Map.entry("path", PATH),
            Map.entry("sep", Value.of("/")),
            Map.entry("linesep", Value.of("\n")),
            Map.entry("name", Value.of("posix")),
            function("getcwd", "", (a, c) -> Value.of("/")),
            function("fspath", "path", (a, c) -> Value.of(text(a, "path", c))),
            // Names of folders are kept nowhere, so there is nothing to make.
            function("makedirs", "name, mode=, exist_ok=", (a, c) -> Value.NONE),
            function("mkdir", "path, mode=", (a, c) -> Value.NONE),
            // The same on every machine, so that a script does the same everywhere.
            function("getpid", "", (a, c) -> Value.of(1)),
            function("cpu_count", "", (a, c) -> Value.of(1))),
        refused());
  }

  private static Map.Entry<String, Value> function(
      String name, String parameters, NativeFunction.Body body) {
    return Map.entry(name, NativeFunction.of(name, parameters, body));
  }

  private static Map<String, String> refused() {
    return Stream.of(
            "system", "popen", "fork", "kill", "listdir", "remove", "unlink", "rename", "walk",
            "chdir", "open")
        .collect(Collectors.toMap(name -> name, _ -> NOTHING_OUTSIDE));
  }

  private static Value variable(Bound a, Call call) {
    return Environment.of(call.interp().session())
        .get(a.get("key"))
        .orElse(a.find("default").orElse(Value.NONE));
  }

  private static String text(Bound a, String name, Call call) {
    return call.interp().str(a.get(name));
  }

  private static Map<String, Value> path() {
    Map<String, Value> members = new LinkedHashMap<>();
    members.put(
        "join",
        NativeFunction.of(
            "join",
            "path, *others",
            (a, c) -> {
              String result = text(a, "path", c);
              for (Value other : a.rest()) {
                result = FilePath.join(result, c.interp().str(other));
              }
              return Value.of(result);
            }));
    members.put(
        "basename",
        NativeFunction.of(
            "basename", "path", (a, c) -> Value.of(FilePath.name(text(a, "path", c)))));
    members.put(
        "dirname",
        NativeFunction.of(
            "dirname", "path", (a, c) -> Value.of(FilePath.folder(text(a, "path", c)))));
    for (String same : new String[] {"abspath", "realpath", "normpath", "expanduser"}) {
      members.put(same, NativeFunction.of(same, "path", (a, c) -> Value.of(text(a, "path", c))));
    }
    for (String no : new String[] {"exists", "isfile", "isdir"}) {
      members.put(no, NativeFunction.of(no, "path", (a, c) -> Value.FALSE));
    }
    members.put(
        "split",
        NativeFunction.of(
            "split",
            "path",
            (a, c) -> {
              String whole = text(a, "path", c);
              return TupleValue.of(
                  Value.of(FilePath.folder(whole)), Value.of(FilePath.name(whole)));
            }));
    members.put(
        "isabs",
        NativeFunction.of("isabs", "path", (a, c) -> Value.of(text(a, "path", c).startsWith("/"))));
    members.put(
        "splitext",
        NativeFunction.of(
            "splitext",
            "path",
            (a, c) -> {
              String whole = text(a, "path", c);
              int dot = whole.lastIndexOf('.');
              boolean none = dot <= whole.lastIndexOf('/') + 1;
              int at = none ? whole.length() : dot;
              return TupleValue.of(Value.of(whole.substring(0, at)), Value.of(whole.substring(at)));
            }));
    return members;
  }
}
