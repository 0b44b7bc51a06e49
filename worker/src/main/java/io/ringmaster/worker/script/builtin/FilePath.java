package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** A path as text: it can be joined and taken apart, and nothing is ever behind it. */
public record FilePath(String text) implements NativeObject {

  private static final MethodTable<FilePath> METHODS =
      new MethodTable<FilePath>()
          .add("joinpath", "*others", FilePath::joined)
          .add("exists", "", (p, a, c) -> Value.FALSE)
          .add("is_file", "", (p, a, c) -> Value.FALSE)
          .add("is_dir", "", (p, a, c) -> Value.FALSE)
          .add("resolve", "strict=", (p, a, c) -> p)
          .add("absolute", "", (p, a, c) -> p)
          .add("as_posix", "", (p, a, c) -> Value.of(p.text))
          .add("mkdir", "mode=, parents=, exist_ok=", (p, a, c) -> Value.NONE)
          .add(
              "with_suffix",
              "suffix",
              (p, a, c) ->
                  new FilePath(
                      p.text.substring(0, p.text.length() - p.suffix().length())
                          + a.string("suffix")));

  private static Value joined(FilePath path, Bound a, Call call) {
    FilePath result = path;
    for (Value other : a.rest()) {
      result = new FilePath(join(result.text, call.interp().str(other)));
    }
    return result;
  }

  /** One path below the other; an absolute second one stands alone. */
  public static String join(String first, String second) {
    if (second.startsWith("/") || first.isEmpty()) {
      return second;
    }
    return first.endsWith("/") ? first + second : first + "/" + second;
  }

  public static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  public static String folder(String path) {
    int slash = path.lastIndexOf('/');
    return slash < 0 ? "" : slash == 0 ? "/" : path.substring(0, slash);
  }

  private String suffix() {
    String name = name(text);
    int dot = name.lastIndexOf('.');
    return dot <= 0 ? "" : name.substring(dot);
  }

  @Override
  public String typeName() {
    return "PosixPath";
  }

  @Override
  public Optional<Value> attribute(String wanted) {
    return switch (wanted) {
      case "name" -> Optional.of(Value.of(name(text)));
      case "suffix" -> Optional.of(Value.of(suffix()));
      case "stem" ->
          Optional.of(Value.of(name(text).substring(0, name(text).length() - suffix().length())));
      case "parent" -> Optional.of(parent());
      case "parts" ->
          Optional.of(
              new TupleValue(
                  Arrays.stream(text.split("/", -1))
                      .filter(part -> !part.isEmpty())
                      .<Value>map(Value::of)
                      .toList()));
      case "parents" -> Optional.of(parents());
      default -> METHODS.bind(this, wanted);
    };
  }

  private FilePath parent() {
    String folder = folder(text);
    return new FilePath(folder.isEmpty() ? "." : folder);
  }

  private Value parents() {
    List<Value> all = new ArrayList<>();
    FilePath at = this;
    while (!at.parent().text.equals(at.text)) {
      at = at.parent();
      all.add(at);
    }
    return new TupleValue(all);
  }

  @Override
  public Collection<String> attributeNames() {
    List<String> names = new ArrayList<>(METHODS.names());
    names.addAll(List.of("name", "suffix", "stem", "parent", "parents", "parts"));
    return names;
  }

  @Override
  public Optional<Value> binary(
      BinaryOperator operator, Value other, boolean reflected, Interp interp) {
    if (operator != BinaryOperator.DIVIDE) {
      return Optional.empty();
    }
    String that = interp.str(other);
    return Optional.of(new FilePath(reflected ? join(that, text) : join(text, that)));
  }

  @Override
  public String repr(Interp interp) {
    return "PosixPath(" + Texts.quoted(text) + ")";
  }

  @Override
  public String str(Interp interp) {
    return text;
  }

  @Override
  public Optional<Object> key() {
    return Optional.of(this);
  }
}
