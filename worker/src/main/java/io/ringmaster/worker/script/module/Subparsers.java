package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The commands of a parser, each with a parser of its own: what {@code add_subparsers} returns. */
final class Subparsers implements NativeObject {

  private static final MethodTable<Subparsers> METHODS =
      new MethodTable<Subparsers>()
          .add(
              "add_parser",
              "name, help=, aliases=, prog=, usage=, description=, epilog=, parents=,"
                  + " formatter_class=, add_help=, allow_abbrev=, conflict_handler=,"
                  + " argument_default=",
              Subparsers::addParser);

  private final String prefix;
  private final Optional<String> destination;
  private final boolean required;
  private final Map<String, ArgumentParser> parsers = new LinkedHashMap<>();
  private final Map<String, String> helps = new LinkedHashMap<>();

  /**
   * Makes commands.
   *
   * @param prefix what stands before a command in its usage line
   * @param destination the attribute that says which was chosen
   * @param required whether one must be
   */
  Subparsers(String prefix, Optional<String> destination, boolean required) {
    this.prefix = prefix;
    this.destination = destination;
    this.required = required;
  }

  Optional<String> destination() {
    return destination;
  }

  boolean required() {
    return required;
  }

  Optional<ArgumentParser> find(String name) {
    return Optional.ofNullable(parsers.get(name));
  }

  Collection<String> names() {
    return parsers.keySet();
  }

  /** The commands that say what they do, with what they say. */
  Map<String, String> helps() {
    return helps;
  }

  /** {@code {fast,slow}}, as usage lines show them. */
  String choices() {
    return "{" + String.join(",", parsers.keySet()) + "}";
  }

  /** How errors call them. */
  String label() {
    return destination.orElseGet(this::choices);
  }

  private static Value addParser(Subparsers commands, Bound a, Call call) {
    if (a.has("parents")) {
      throw Errors.refuse(
          "add_parser(parents=...) is not available in scripts",
          "write a function that adds the shared arguments, and call it with each parser",
          call.span());
    }
    String name = a.string("name");
    if (commands.parsers.containsKey(name)) {
      throw Errors.value("conflicting subparser: " + name);
    }
    var parser =
        new ArgumentParser(
            a.string("prog", commands.prefix + " " + name),
            a.string("description", ""),
            a.string("epilog", ""),
            a.flag("add_help", true));
    commands.parsers.put(name, parser);
    if (a.has("aliases")) {
      for (Value alias : Iteration.toList(a.get("aliases"), call.interp())) {
        commands.parsers.put(Convert.string(alias, "alias"), parser);
      }
    }
    if (a.has("help")) {
      commands.helps.put(name, a.string("help"));
    }
    return parser;
  }

  @Override
  public String typeName() {
    return "_SubParsersAction";
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
  public String repr(Interp interp) {
    return "_SubParsersAction(" + choices() + ")";
  }
}
