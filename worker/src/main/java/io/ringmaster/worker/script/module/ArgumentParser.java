package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code argparse.ArgumentParser}: collects argument definitions and parses {@code sys.argv}. */
final class ArgumentParser implements NativeObject {

  static final String SUPPRESS = "==SUPPRESS==";

  private static final List<String> ACTIONS =
      List.of(
          "store",
          "store_true",
          "store_false",
          "store_const",
          "append",
          "append_const",
          "extend",
          "count",
          "version");

  private static final MethodTable<ArgumentParser> METHODS =
      new MethodTable<ArgumentParser>()
          .add(
              "add_argument",
              "*flags, action=, nargs=, const=, default=, type=, choices=, required=, help=,"
                  + " metavar=, dest=, version=",
              ArgumentParser::addArgument)
          .add("add_argument_group", "title=, description=", (p, a, c) -> p)
          .add("add_mutually_exclusive_group", "*, required=", (p, a, c) -> p)
          .add(
              "add_subparsers",
              "title=, description=, prog=, dest=, required=, help=, metavar=, parser_class=,"
                  + " action=",
              ArgumentParser::addSubparsers)
          .add("get_default", "dest", (p, a, c) -> p.otherwise(a.string("dest")))
          .add("set_defaults", "**values", ArgumentParser::setDefaults)
          .add("parse_args", "args=, namespace=", ArgumentParser::parseArgs)
          .add("parse_known_args", "args=, namespace=", ArgumentParser::parseKnown)
          .add("print_help", "file=", (p, a, c) -> p.write(p.help(c.interp()), c))
          .add("print_usage", "file=", (p, a, c) -> p.write(p.usage(c.interp()), c))
          .add("format_help", "", (p, a, c) -> Value.of(p.help(c.interp())))
          .add("format_usage", "", (p, a, c) -> Value.of(p.usage(c.interp())))
          .add(
              "error",
              "message",
              (p, a, c) -> {
                throw p.error(a.string("message"), c.interp());
              })
          .add("exit", "status=, message=", ArgumentParser::exit);

  private final String program;
  private final String description;
  private final String epilog;
  private final List<Argument> arguments = new ArrayList<>();
  private final Map<String, Value> defaults = new LinkedHashMap<>();
  private Optional<Subparsers> commands = Optional.empty();

  ArgumentParser(String program, String description, String epilog, boolean help) {
    this.program = program;
    this.description = description;
    this.epilog = epilog;
    if (help) {
      arguments.add(
          new Argument(
              List.of("-h", "--help"),
              "help",
              "help",
              "",
              Optional.empty(),
              Value.NONE,
              Optional.empty(),
              Value.NONE,
              List.of(),
              false,
              "show this help message and exit",
              Optional.empty()));
    }
  }

  /** Takes over what the parsers of {@code parents=} know. */
  void inherit(List<Value> parents) {
    for (Value parent : parents) {
      if (!(parent instanceof ArgumentParser other)) {
        throw Errors.type("parents= takes parsers");
      }
      for (Argument argument : other.arguments) {
        requireFree(argument);
        arguments.add(argument);
      }
      defaults.putAll(other.defaults);
    }
  }

  private void requireFree(Argument argument) {
    for (Argument other : arguments) {
      for (String flag : argument.flags()) {
        if (other.flags().contains(flag)) {
          throw Errors.value(
              "argument " + argument.label() + ": conflicting option string: " + flag);
        }
      }
    }
  }

  private static Value addArgument(ArgumentParser parser, Bound a, Call call) {
    List<String> flags = new ArrayList<>();
    for (Value flag : a.rest()) {
      flags.add(Convert.string(flag, "argument name"));
    }
    boolean positional = flags.isEmpty() || !flags.getFirst().startsWith("-");
    Optional<ClassValue> custom =
        a.has("action") && a.get("action") instanceof ClassValue type
            ? Optional.of(type)
            : Optional.empty();
    String action = custom.isPresent() ? ArgparseModule.action(custom.get()) : named(a, call);
    String destination = destination(flags, positional, a);
    if (action.equals("boolean")) {
      flags.addAll(
          flags.stream()
              .filter(flag -> flag.startsWith("--"))
              .map(flag -> "--no-" + flag.substring(2))
              .toList());
    }
    Argument argument =
        new Argument(
            positional ? List.of() : flags,
            destination,
            action,
            arity(a),
            a.has("type") ? a.find("type") : Optional.empty(),
            a.find("default").orElse(initial(action)),
            custom,
            a.find("const").or(() -> a.find("version")).orElse(Value.NONE),
            a.has("choices") ? Iteration.toList(a.get("choices"), call.interp()) : List.of(),
            a.flag("required", false),
            a.string("help", ""),
            a.has("metavar") ? Optional.of(call.interp().str(a.get("metavar"))) : Optional.empty());
    parser.requireFree(argument);
    parser.arguments.add(argument);
    return Value.NONE;
  }

  private static String named(Bound a, Call call) {
    String action = a.string("action", "store");
    if (!ACTIONS.contains(action)) {
      throw Errors.refuse(
          "argparse action '" + action + "' is not known", action, ACTIONS, call.span());
    }
    return action;
  }

  private static String destination(List<String> flags, boolean positional, Bound a) {
    if (a.has("dest")) {
      return a.string("dest");
    }
    if (flags.isEmpty()) {
      throw Errors.type("add_argument() needs a name or dest=");
    }
    if (positional) {
      return flags.getFirst();
    }
    String chosen =
        flags.stream().filter(f -> f.startsWith("--")).findFirst().orElse(flags.getFirst());
    return chosen.replaceFirst("^-+", "").replace('-', '_');
  }

  private static Value initial(String action) {
    return switch (action) {
      case "store_true" -> Value.FALSE;
      case "store_false" -> Value.TRUE;
      default -> Value.NONE;
    };
  }

  private static String arity(Bound a) {
    if (!a.has("nargs")) {
      return "";
    }
    if (a.get("nargs") instanceof Value.Str text) {
      if (!List.of("?", "*", "+").contains(text.value())) {
        throw Errors.value("nargs must be a number, '?', '*' or '+', not '" + text.value() + "'");
      }
      return text.value();
    }
    return Long.toString(Math.clamp(a.integer("nargs"), 0, 10_000));
  }

  /** The words that the commands come after are the positional arguments that stand so far. */
  private static Value addSubparsers(ArgumentParser parser, Bound a, Call call) {
    if (parser.commands.isPresent()) {
      throw Errors.value("cannot have multiple subparser arguments");
    }
    StringBuilder prefix = new StringBuilder(parser.program);
    parser.arguments.stream()
        .filter(Argument::isPositional)
        .forEach(argument -> prefix.append(' ').append(argument.valueUsage(call.interp()::str)));
    var commands =
        new Subparsers(
            a.string("prog", prefix.toString()),
            a.has("dest") ? Optional.of(a.string("dest")) : Optional.empty(),
            a.flag("required", false));
    parser.commands = Optional.of(commands);
    parser.arguments.add(
        new Argument(
            List.of(),
            commands.destination().orElse(SUPPRESS),
            "parsers",
            "",
            Optional.empty(),
            commands.destination().isPresent() ? Value.NONE : Value.of(SUPPRESS),
            Optional.empty(),
            Value.NONE,
            List.of(),
            commands.required(),
            a.string("help", ""),
            a.has("metavar") ? Optional.of(a.string("metavar")) : Optional.empty()));
    return commands;
  }

  /** The commands that {@code add_subparsers} gave it. */
  Optional<Subparsers> commands() {
    return commands;
  }

  /** Reads words into a namespace; what nobody knows comes out. */
  List<String> read(List<String> words, InstanceValue namespace, Call call) {
    List<String> unknown = new ArrayList<>();
    new ArgumentReader(this, arguments, defaults, call, namespace, unknown).read(words);
    return unknown;
  }

  private Value otherwise(String destination) {
    return arguments.stream()
        .filter(argument -> argument.destination().equals(destination))
        .findFirst()
        .map(Argument::otherwise)
        .filter(value -> !defaults.containsKey(destination))
        .orElse(defaults.getOrDefault(destination, Value.NONE));
  }

  private static Value setDefaults(ArgumentParser parser, Bound a, Call call) {
    parser.defaults.putAll(a.named());
    return Value.NONE;
  }

  private static Value parseArgs(ArgumentParser parser, Bound a, Call call) {
    List<String> unknown = new ArrayList<>();
    Value namespace = parser.parse(a, call, unknown);
    if (!unknown.isEmpty()) {
      throw parser.error("unrecognized arguments: " + String.join(" ", unknown), call.interp());
    }
    return namespace;
  }

  private static Value parseKnown(ArgumentParser parser, Bound a, Call call) {
    List<String> unknown = new ArrayList<>();
    Value namespace = parser.parse(a, call, unknown);
    return TupleValue.of(namespace, ListValue.of(unknown.stream().map(Value::of).toList()));
  }

  private Value parse(Bound a, Call call, List<String> unknown) {
    List<String> argv = call.interp().session().argv();
    List<String> words = new ArrayList<>(argv.subList(1, argv.size()));
    if (a.has("args")) {
      words.clear();
      for (Value word : Iteration.toList(a.get("args"), call.interp())) {
        words.add(Convert.string(word, "argument"));
      }
    }
    InstanceValue namespace =
        a.has("namespace") && a.get("namespace") instanceof InstanceValue given
            ? given
            : new InstanceValue(ArgparseModule.NAMESPACE);
    unknown.addAll(read(words, namespace, call));
    return namespace;
  }

  private static Value exit(ArgumentParser parser, Bound a, Call call) {
    call.interp().session().log().writeError(a.string("message", ""));
    throw exit(a.integer("status", 0));
  }

  static PyError exit(long status) {
    return new PyError(Exceptions.make(Exceptions.SYSTEM_EXIT, List.of(Value.of(status))));
  }

  /** Writes usage and message as argparse does; the exception ends the script with code 2. */
  PyError error(String message, Interp interp) {
    interp.session().log().writeError(usage(interp) + program + ": error: " + message + "\n");
    return exit(2);
  }

  Value write(String text, Call call) {
    call.interp().session().log().write(text);
    return Value.NONE;
  }

  private String usage(Interp interp) {
    StringBuilder out = new StringBuilder("usage: ").append(program);
    for (Argument argument : arguments) {
      if (argument.isPositional()) {
        continue;
      }
      String value = argument.takesValue() ? " " + argument.valueUsage(interp::str) : "";
      String one = argument.flags().getFirst() + value;
      out.append(' ').append(argument.required() ? one : "[" + one + "]");
    }
    for (Argument argument : arguments) {
      if (argument.isCommand()) {
        out.append(' ').append(commandUsage(argument)).append(" ...");
      } else if (argument.isPositional()) {
        out.append(' ').append(argument.valueUsage(interp::str));
      }
    }
    return out.append('\n').toString();
  }

  private String commandUsage(Argument argument) {
    return argument.metavar().orElseGet(() -> commands.map(Subparsers::choices).orElse(""));
  }

  String help(Interp interp) {
    StringBuilder out = new StringBuilder(usage(interp));
    if (!description.isEmpty()) {
      out.append('\n').append(description.strip()).append('\n');
    }
    section(out, "positional arguments", true, interp);
    section(out, "options", false, interp);
    if (!epilog.isEmpty()) {
      out.append('\n').append(epilog.strip()).append('\n');
    }
    return out.toString();
  }

  private void section(StringBuilder out, String title, boolean positional, Interp interp) {
    boolean first = true;
    for (Argument argument : arguments) {
      if (argument.isPositional() != positional) {
        continue;
      }
      out.append(first ? "\n" + title + ":\n" : "");
      first = false;
      List<String> forms = new ArrayList<>();
      for (String flag : argument.flags()) {
        forms.add(argument.takesValue() ? flag + " " + argument.valueUsage(interp::str) : flag);
      }
      if (argument.isCommand()) {
        line(out, "  ", commandUsage(argument), argument.help());
        commands.ifPresent(
            all -> all.helps().forEach((name, text) -> line(out, "    ", name, text)));
        continue;
      }
      String left = positional ? argument.placeholder(interp::str) : String.join(", ", forms);
      line(
          out,
          "  ",
          left,
          argument.help().replace("%(default)s", interp.str(argument.otherwise())));
    }
  }

  private static void line(StringBuilder out, String indent, String left, String text) {
    int used = indent.length() + left.length();
    String gap = used <= 22 ? " ".repeat(24 - used) : "\n" + " ".repeat(24);
    out.append(indent).append(left).append(text.isEmpty() ? "" : gap + text).append('\n');
  }

  @Override
  public String typeName() {
    return "ArgumentParser";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return switch (name) {
      case "prog" -> Optional.of(Value.of(program));
      case "description" -> Optional.of(Value.of(description));
      default -> METHODS.bind(this, name);
    };
  }

  @Override
  public Collection<String> attributeNames() {
    return METHODS.names();
  }

  @Override
  public String repr(Interp interp) {
    return "ArgumentParser(prog='" + program + "')";
  }
}
