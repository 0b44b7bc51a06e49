package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.eval.Interpreter;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.Session;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Module;
import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The parts of Python's library that are written in the language of scripts themselves. A module is
 * read when it is first imported; what is written in Java already stands beside it.
 */
final class Library {

  private static final List<String> NAMES =
      List.of(
          "_pytest.logging",
          "abc",
          "bisect",
          "collections",
          "contextlib",
          "datetime",
          "enum",
          "functools",
          "gc",
          "heapq",
          "io",
          "itertools",
          "json",
          "logging",
          "operator",
          "pprint",
          "statistics",
          "string",
          "tempfile",
          "textwrap",
          "torch.nn",
          "types",
          "unittest");

  /** What the modules' texts read as. */
  private static final class Texts {
    private final Map<String, Module> read = new HashMap<>();

    Module module(String name) {
      return read.computeIfAbsent(
          name, added -> PythonParser.parse(SourceFile.of(added + ".py", text(added))));
    }
  }

  private Library() {}

  static List<String> names() {
    return NAMES;
  }

  /** The whole module of that name; {@code known} is the part in Java. */
  static ModuleValue load(String name, Optional<Value> known, Session session, Modules modules) {
    Interpreter interpreter = new Interpreter(session, modules, name);
    Map<String, Value> all = new HashMap<>();
    if (known.isPresent() && known.get() instanceof ModuleValue java) {
      java.members().forEach(interpreter::define);
      java.members().entrySet().stream()
          .filter(member -> !member.getKey().startsWith("_"))
          .forEach(member -> all.put(member.getKey(), member.getValue()));
    }
    interpreter.run(session.lasting(Texts.class, _ -> new Texts()).module(name));
    interpreter
        .moduleNames()
        .forEach(
            (member, value) -> {
              if (!member.startsWith("_")) {
                all.put(member, value);
              }
            });
    Map<String, String> refused =
        known.isPresent() && known.get() instanceof ModuleValue java ? java.refused() : Map.of();
    return new ModuleValue(name, all, refused);
  }

  private static String text(String name) {
    String path = "/io/ringmaster/worker/script/library/" + name + ".py";
    try (InputStream in = Library.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("missing resource " + path);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
