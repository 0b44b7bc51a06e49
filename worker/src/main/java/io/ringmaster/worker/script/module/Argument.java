package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Value;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One argument that a parser knows.
 *
 * @param flags {@code -p}, {@code --platform}; empty for a positional
 * @param destination the attribute it sets
 * @param action store, store_true, store_false, store_const, append, append_const, extend, count,
 *     parsers (the word that chooses a command), boolean (a flag and its {@code --no-} form),
 *     custom (an {@code argparse.Action} of the script), help, version
 * @param arity empty for one value, else a count, {@code ?}, {@code *} or {@code +}
 * @param custom the class of a custom action
 */
record Argument(
    List<String> flags,
    String destination,
    String action,
    String arity,
    Optional<Value> type,
    Value otherwise,
    Optional<ClassValue> custom,
    Value constant,
    List<Value> choices,
    boolean required,
    String help,
    Optional<String> metavar) {

  boolean isPositional() {
    return flags.isEmpty();
  }

  /** True for the word that chooses one of the parsers of {@code add_subparsers}. */
  boolean isCommand() {
    return action.equals("parsers");
  }

  boolean takesValue() {
    return switch (action) {
      case "store", "append", "extend", "custom" -> !arity.equals("0");
      default -> false;
    };
  }

  /** Fewest values it takes. */
  int least() {
    if (!takesValue()) {
      return 0;
    }
    return switch (arity) {
      case "" -> 1;
      case "?", "*" -> 0;
      case "+" -> 1;
      default -> Integer.parseInt(arity);
    };
  }

  /** Most values it takes. */
  int most() {
    if (!takesValue()) {
      return 0;
    }
    return switch (arity) {
      case "", "?" -> 1;
      case "*", "+" -> Integer.MAX_VALUE;
      default -> Integer.parseInt(arity);
    };
  }

  /** How errors call it: {@code -p/--platform}. */
  String label() {
    return isPositional() ? metavar.orElse(destination) : String.join("/", flags);
  }

  /** What stands for its value in the usage line. */
  String placeholder(java.util.function.Function<Value, String> text) {
    if (metavar.isPresent()) {
      return metavar.get();
    }
    if (!choices.isEmpty()) {
      return "{" + String.join(",", choices.stream().map(text).toList()) + "}";
    }
    return isPositional() ? destination : destination.toUpperCase(Locale.ROOT);
  }

  /** The part of the usage line after the flag. */
  String valueUsage(java.util.function.Function<Value, String> text) {
    String one = placeholder(text);
    return switch (arity) {
      case "" -> one;
      case "?" -> "[" + one + "]";
      case "*" -> "[" + one + " ...]";
      case "+" -> one + " [" + one + " ...]";
      default -> String.join(" ", java.util.Collections.nCopies(least(), one));
    };
  }
}
