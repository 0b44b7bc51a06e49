package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.TypeObject;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads one command line for an {@link ArgumentParser}. */
final class ArgumentReader {

  private final ArgumentParser parser;
  private final List<Argument> arguments;
  private final Map<String, Value> defaults;
  private final Call call;
  private final Interp interp;
  private final InstanceValue namespace;
  private final List<String> unknown;
  private final Set<Argument> seen = new LinkedHashSet<>();
  private final List<String> positionals = new ArrayList<>();

  ArgumentReader(
      ArgumentParser parser,
      List<Argument> arguments,
      Map<String, Value> defaults,
      Call call,
      InstanceValue namespace,
      List<String> unknown) {
    this.parser = parser;
    this.arguments = arguments;
    this.defaults = defaults;
    this.call = call;
    this.interp = call.interp();
    this.namespace = namespace;
    this.unknown = unknown;
  }

  void read(List<String> words) {
    setDefaults();
    int at = 0;
    boolean onlyValues = false;
    while (at < words.size()) {
      interp.session().budget().step();
      String word = words.get(at);
      if (!onlyValues && word.equals("--")) {
        onlyValues = true;
        at++;
      } else if (!onlyValues && isFlag(word)) {
        at = option(words, at);
      } else if (isCommand()) {
        distribute();
        requireAll(/* ofCommand= */ true);
        command(word, words.subList(at + 1, words.size()));
        return;
      } else {
        positionals.add(word);
        at++;
      }
    }
    distribute();
    requireAll(/* ofCommand= */ false);
  }

  /** True if the next positional word chooses a command: those before it have theirs. */
  private boolean isCommand() {
    return parser.commands().isPresent()
        && positionals.size()
            >= arguments.stream()
                .filter(argument -> argument.isPositional() && !argument.isCommand())
                .mapToInt(Argument::least)
                .sum();
  }

  /** Everything behind a command is for its own parser, as in argparse. */
  private void command(String word, List<String> rest) {
    Subparsers commands = parser.commands().orElseThrow();
    Optional<ArgumentParser> chosen = commands.find(word);
    if (chosen.isEmpty()) {
      throw parser.error(
          "argument "
              + commands.label()
              + ": invalid choice: "
              + interp.repr(Value.of(word))
              + " (choose from "
              + commands.names().stream()
                  .map(name -> interp.repr(Value.of(name)))
                  .collect(java.util.stream.Collectors.joining(", "))
              + ")",
          interp);
    }
    commands.destination().ifPresent(name -> namespace.attributes().put(name, Value.of(word)));
    InstanceValue own = new InstanceValue(ArgparseModule.NAMESPACE);
    unknown.addAll(chosen.get().read(rest, own, call));
    namespace.attributes().putAll(own.attributes());
  }

  private void setDefaults() {
    for (Argument argument : arguments) {
      if (argument.action().equals("help") || argument.action().equals("version")) {
        continue;
      }
      Value value = defaults.getOrDefault(argument.destination(), argument.otherwise());
      if (value instanceof Value.Str text && text.value().equals(ArgumentParser.SUPPRESS)) {
        continue;
      }
      // A text default goes through the type, as one from the command line would.
      Value converted =
          value instanceof Value.Str text && argument.takesValue() && argument.type().isPresent()
              ? convert(argument, text.value())
              : value;
      namespace.attributes().put(argument.destination(), converted);
    }
    defaults.forEach((name, value) -> namespace.attributes().putIfAbsent(name, value));
  }

  private boolean isFlag(String word) {
    boolean negativeNumber = word.matches("-\\d+|-\\d*\\.\\d+");
    return word.length() > 1 && word.startsWith("-") && !negativeNumber && !word.contains(" ");
  }

  /** Reads an option and its values; returns where to go on. */
  private int option(List<String> words, int start) {
    String word = words.get(start);
    int equals = word.indexOf('=');
    String flag = word.startsWith("--") && equals > 0 ? word.substring(0, equals) : word;
    Optional<String> attached =
        flag.equals(word) ? Optional.empty() : Optional.of(word.substring(equals + 1));
    Optional<Argument> found = find(flag);
    if (found.isEmpty() && !word.startsWith("--") && word.length() > 2) {
      found = find(word.substring(0, 2));
      String rest = word.substring(2);
      attached = Optional.of(rest.startsWith("=") ? rest.substring(1) : rest);
    }
    if (found.isEmpty()) {
      unknown.add(word);
      return start + 1;
    }
    Argument argument = found.get();
    seen.add(argument);
    if (!argument.takesValue()) {
      if (attached.isPresent()) {
        return cluster(argument, attached.get(), word, words, start);
      }
      act(argument, flag);
      return start + 1;
    }
    List<String> values = new ArrayList<>();
    int at = start + 1;
    if (attached.isPresent()) {
      values.add(attached.get());
    } else {
      while (at < words.size()
          && values.size() < argument.most()
          && !isFlag(words.get(at))
          && !words.get(at).equals("--")) {
        values.add(words.get(at++));
      }
    }
    if (values.size() < argument.least()) {
      throw fail(argument, expected(argument));
    }
    store(argument, values, flag);
    return at;
  }

  /** {@code -vq}: several flags without values in one word. */
  private int cluster(Argument argument, String rest, String word, List<String> words, int start) {
    boolean clustered = !word.startsWith("--") && find("-" + rest.charAt(0)).isPresent();
    if (!clustered) {
      throw fail(argument, "ignored explicit argument '" + rest + "'");
    }
    act(argument, word.substring(0, 2));
    List<String> split = new ArrayList<>(words);
    split.set(start, "-" + rest);
    option(split, start);
    return start + 1;
  }

  private static String expected(Argument argument) {
    return switch (argument.arity()) {
      case "" -> "expected one argument";
      case "+" -> "expected at least one argument";
      case "1" -> "expected 1 argument";
      default -> "expected " + argument.arity() + " arguments";
    };
  }

  private Optional<Argument> find(String flag) {
    List<Argument> near = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (Argument argument : arguments) {
      for (String own : argument.flags()) {
        if (own.equals(flag)) {
          return Optional.of(argument);
        }
        if (flag.startsWith("--") && own.startsWith(flag)) {
          near.add(argument);
          names.add(own);
        }
      }
    }
    if (near.size() > 1) {
      throw parser.error(
          "ambiguous option: " + flag + " could match " + String.join(", ", names), interp);
    }
    return near.stream().findFirst();
  }

  private void act(Argument argument, String flag) {
    Map<String, Value> attributes = namespace.attributes();
    switch (argument.action()) {
      case "store_true" -> attributes.put(argument.destination(), Value.TRUE);
      case "store_false" -> attributes.put(argument.destination(), Value.FALSE);
      case "boolean" -> attributes.put(argument.destination(), Value.of(!flag.startsWith("--no-")));
      case "append_const" -> add(argument, List.of(argument.constant()));
      case "custom" -> custom(argument, ListValue.of(List.of()), flag);
      case "store_const" -> attributes.put(argument.destination(), argument.constant());
      case "count" -> {
        Value old = attributes.getOrDefault(argument.destination(), Value.NONE);
        long count = old instanceof Value.Int number ? number.value().longValue() : 0;
        attributes.put(argument.destination(), Value.of(count + 1));
      }
      case "version" -> {
        interp.session().log().write(interp.str(argument.constant()) + "\n");
        throw ArgumentParser.exit(0);
      }
      default -> {
        interp.session().log().write(parser.help(interp));
        throw ArgumentParser.exit(0);
      }
    }
  }

  /** Appends to the list that an argument has so far; the default list stays as it is. */
  private void add(Argument argument, List<Value> values) {
    List<Value> all = new ArrayList<>();
    if (namespace.attributes().get(argument.destination()) instanceof ListValue before) {
      all.addAll(before.items());
    }
    all.addAll(values);
    namespace.attributes().put(argument.destination(), new ListValue(all));
  }

  /** Calls the script's own action with the parser, what was parsed so far, and the values. */
  private void custom(Argument argument, Value values, String flag) {
    Value action =
        interp.call(
            argument.custom().orElseThrow(),
            new Arguments(
                List.of(),
                Map.of(
                    "option_strings",
                    ListValue.of(argument.flags().stream().map(Value::of).toList()),
                    "dest",
                    Value.of(argument.destination()))),
            call.span());
    interp.call(
        action,
        new Arguments(
            List.of(
                parser, namespace, values, argument.isPositional() ? Value.NONE : Value.of(flag)),
            Map.of()),
        call.span());
  }

  private void store(Argument argument, List<String> words, String flag) {
    List<Value> values = new ArrayList<>();
    words.forEach(word -> values.add(checked(argument, convert(argument, word))));
    Value value;
    if (argument.arity().isEmpty()) {
      value = values.getFirst();
    } else if (argument.arity().equals("?")) {
      Value absent = argument.isPositional() ? argument.otherwise() : argument.constant();
      value = values.isEmpty() ? absent : values.getFirst();
    } else {
      value = ListValue.of(values);
    }
    switch (argument.action()) {
      case "append" -> add(argument, List.of(value));
      case "extend" -> add(argument, value instanceof ListValue list ? list.items() : values);
      case "custom" -> custom(argument, value, flag);
      default -> namespace.attributes().put(argument.destination(), value);
    }
  }

  private Value convert(Argument argument, String word) {
    if (argument.type().isEmpty()) {
      return Value.of(word);
    }
    Value type = argument.type().get();
    try {
      return interp.call(type, Arguments.of(Value.of(word)), call.span());
    } catch (PyError error) {
      if (error.is(ArgparseModule.TYPE_ERROR)) {
        throw fail(argument, interp.str(error.exception()));
      }
      if (error.is(Exceptions.VALUE_ERROR) || error.is(Exceptions.TYPE_ERROR)) {
        throw fail(argument, "invalid " + nameOf(type) + " value: '" + word + "'");
      }
      throw error;
    }
  }

  private static String nameOf(Value type) {
    return switch (type) {
      case TypeObject object -> object.name();
      case FunctionValue function -> function.name();
      case NativeFunction function -> function.name();
      default -> "argument";
    };
  }

  private Value checked(Argument argument, Value value) {
    if (argument.choices().isEmpty()
        || argument.choices().stream().anyMatch(choice -> interp.equal(choice, value))) {
      return value;
    }
    List<String> choices = argument.choices().stream().map(interp::repr).toList();
    throw fail(
        argument,
        "invalid choice: "
            + interp.repr(value)
            + " (choose from "
            + String.join(", ", choices)
            + ")");
  }

  /** Gives the positional words to the positional arguments, as many as each needs at least. */
  private void distribute() {
    List<Argument> targets =
        arguments.stream()
            .filter(argument -> argument.isPositional() && !argument.isCommand())
            .toList();
    int at = 0;
    for (int i = 0; i < targets.size(); i++) {
      Argument target = targets.get(i);
      int later = targets.subList(i + 1, targets.size()).stream().mapToInt(Argument::least).sum();
      int available = positionals.size() - at - later;
      int count = Math.min(target.most(), Math.max(0, available));
      if (count < target.least()) {
        continue;
      }
      seen.add(target);
      if (count > 0 || !target.arity().equals("*")) {
        if (count > 0) {
          store(target, positionals.subList(at, at + count), "");
        }
      } else if (target.otherwise() instanceof Value.None) {
        namespace.attributes().put(target.destination(), ListValue.of(List.of()));
      }
      at += count;
    }
    unknown.addAll(positionals.subList(at, positionals.size()));
  }

  private void requireAll(boolean ofCommand) {
    List<String> missing = new ArrayList<>();
    for (Argument argument : arguments) {
      if (argument.isCommand()) {
        if (argument.required() && !ofCommand) {
          missing.add(parser.commands().map(Subparsers::label).orElse(""));
        }
        continue;
      }
      boolean needed = argument.isPositional() ? argument.least() > 0 : argument.required();
      if (needed && !seen.contains(argument)) {
        missing.add(argument.label());
      }
    }
    if (!missing.isEmpty()) {
      throw parser.error(
          "the following arguments are required: " + String.join(", ", missing), interp);
    }
  }

  private PyError fail(Argument argument, String message) {
    return parser.error("argument " + argument.label() + ": " + message, interp);
  }
}
