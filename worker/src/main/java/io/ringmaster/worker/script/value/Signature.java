package io.ringmaster.worker.script.value;

import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The parameters of a native function.
 *
 * @param positional names that may be given by position
 * @param required how many of them must be given
 * @param keywordOnly names that must be given by name
 * @param variable true when further positional values are collected
 * @param anyKeyword true when further named values are collected
 */
public record Signature(
    String function,
    List<String> positional,
    int required,
    List<String> keywordOnly,
    boolean variable,
    boolean anyKeyword) {

  /**
   * Reads {@code "input, other, rtol=, *, equal_nan="}: {@code =} marks what may be left out,
   * {@code *} starts the names that go by keyword only, {@code *rest} collects positional values,
   * {@code **rest} collects named ones.
   */
  public static Signature of(String function, String text) {
    List<String> positional = new ArrayList<>();
    List<String> keywordOnly = new ArrayList<>();
    int required = 0;
    boolean variable = false;
    boolean anyKeyword = false;
    boolean afterStar = false;
    for (String part : text.isBlank() ? new String[0] : text.split(",", -1)) {
      String name = part.strip();
      if (name.startsWith("**")) {
        anyKeyword = true;
      } else if (name.startsWith("*")) {
        afterStar = true;
        variable = name.length() > 1;
      } else if (afterStar) {
        keywordOnly.add(name.replace("=", ""));
      } else {
        positional.add(name.replace("=", ""));
        required += name.endsWith("=") ? 0 : 1;
      }
    }
    return new Signature(function, positional, required, keywordOnly, variable, anyKeyword);
  }

  /**
   * Matches values with parameters.
   *
   * @throws PyError TypeError for too many or missing values
   * @throws io.ringmaster.worker.source.DiagnosticException for a keyword that isn't known
   */
  public Bound bind(Arguments given, Span at) {
    Map<String, Value> values = new LinkedHashMap<>();
    List<Value> rest = new ArrayList<>();
    List<Value> positionals = given.positional();
    for (int i = 0; i < positionals.size(); i++) {
      if (i < positional.size()) {
        values.put(positional.get(i), positionals.get(i));
      } else if (variable) {
        rest.add(positionals.get(i));
      } else {
        throw Errors.type(
            function + "() takes " + takes() + " but " + positionals.size() + " were given");
      }
    }
    Map<String, Value> more = new LinkedHashMap<>();
    for (Map.Entry<String, Value> named : given.named().entrySet()) {
      String name = known(named.getKey());
      if (positional.contains(name) || keywordOnly.contains(name)) {
        if (values.put(name, named.getValue()) != null) {
          throw Errors.type(function + "() got multiple values for argument '" + name + "'");
        }
      } else if (anyKeyword) {
        more.put(name, named.getValue());
      } else {
        List<String> known = new ArrayList<>(positional);
        known.addAll(keywordOnly);
        throw Errors.refuse(
            function + "() got an unexpected keyword argument '" + name + "'", name, known, at);
      }
    }
    for (int i = 0; i < required; i++) {
      if (!values.containsKey(positional.get(i))) {
        throw Errors.type(function + "() missing required argument: '" + positional.get(i) + "'");
      }
    }
    return new Bound(function, values, rest, more);
  }

  /** Tensor functions take numpy's names of their parameters, too. */
  private String known(String name) {
    String other =
        switch (name) {
          case "axis" -> "dim";
          case "keepdims" -> "keepdim";
          default -> name;
        };
    boolean own = positional.contains(name) || keywordOnly.contains(name);
    return !own && (positional.contains(other) || keywordOnly.contains(other)) ? other : name;
  }

  private String takes() {
    if (positional.isEmpty()) {
      return "no arguments";
    }
    String many = positional.size() == 1 ? " positional argument" : " positional arguments";
    return required == positional.size()
        ? positional.size() + many
        : "from " + required + " to " + positional.size() + " positional arguments";
  }
}
