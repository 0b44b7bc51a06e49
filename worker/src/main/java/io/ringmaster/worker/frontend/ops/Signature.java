package io.ringmaster.worker.frontend.ops;

import static java.util.stream.Collectors.joining;

import io.ringmaster.worker.frontend.values.Nearest;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The parameters of an operation; matches arguments to them the way Python does. */
public record Signature(List<Parameter> parameters) {

  public Signature {
    parameters = List.copyOf(parameters);
  }

  /**
   * One parameter of an operation.
   *
   * @param alias another keyword that stands for it; the name where there is none
   */
  public record Parameter(String name, String alias, boolean optional, boolean keywordOnly) {

    boolean isCalled(String keyword) {
      return name.equals(keyword) || alias.equals(keyword);
    }
  }

  /** A named argument and the place of the whole {@code name=value}. */
  public record Named(String name, Arg arg, Span span) {}

  /**
   * Reads {@code "dst, peer, src, shape?, *, atomic?"}; {@code ?} marks what may be left away,
   * {@code pad/pad_value} a second keyword.
   */
  public static Signature of(String text) {
    List<Parameter> parameters = new ArrayList<>();
    boolean keywordOnly = false;
    for (String part : text.split(",", -1)) {
      String name = part.strip();
      if (name.isEmpty()) {
        continue;
      }
      if (name.equals("*")) {
        keywordOnly = true;
        continue;
      }
      boolean optional = name.endsWith("?");
      String names = optional ? name.substring(0, name.length() - 1) : name;
      int slash = names.indexOf('/');
      parameters.add(
          new Parameter(
              slash < 0 ? names : names.substring(0, slash),
              names.substring(slash + 1),
              optional,
              keywordOnly));
    }
    return new Signature(parameters);
  }

  /** The arguments by parameter name; refuses in Python's words what doesn't fit. */
  public Map<String, Arg> bind(String name, List<Arg> positional, List<Named> named, Span span) {
    List<Parameter> byPosition = parameters.stream().filter(p -> !p.keywordOnly()).toList();
    if (positional.size() > byPosition.size()) {
      throw Refusal.of(
          name + "() takes " + counts(byPosition) + " but " + given(positional.size()),
          usage(),
          span);
    }
    Map<String, Arg> bound = new LinkedHashMap<>();
    for (int i = 0; i < positional.size(); i++) {
      bound.put(byPosition.get(i).name(), positional.get(i));
    }
    for (Named keyword : named) {
      Optional<Parameter> parameter =
          parameters.stream().filter(p -> p.isCalled(keyword.name())).findFirst();
      if (parameter.isEmpty()) {
        throw Refusal.of(
            name
                + "() got an unexpected keyword argument '"
                + keyword.name()
                + "' (Unknown kwarg '"
                + keyword.name()
                + "')",
            Nearest.hint(keyword.name(), names(), usage()),
            keyword.span());
      }
      if (bound.putIfAbsent(parameter.get().name(), keyword.arg()) != null) {
        throw Refusal.of(
            name + "() got multiple values for argument '" + keyword.name() + "'",
            "give it once, by position or by name",
            keyword.span());
      }
    }
    requireAll(name, bound, span);
    return bound;
  }

  private void requireAll(String name, Map<String, Arg> bound, Span span) {
    boolean whole = true;
    for (Parameter parameter : parameters) {
      whole &= parameter.optional() || bound.containsKey(parameter.name());
    }
    if (whole) {
      return;
    }
    for (boolean keywordOnly : new boolean[] {false, true}) {
      List<String> missing =
          parameters.stream()
              .filter(p -> !p.optional() && p.keywordOnly() == keywordOnly)
              .map(Parameter::name)
              .filter(parameter -> !bound.containsKey(parameter))
              .toList();
      if (!missing.isEmpty()) {
        throw Refusal.of(
            name
                + "() missing "
                + missing.size()
                + " required "
                + (keywordOnly ? "keyword-only" : "positional")
                + (missing.size() == 1 ? " argument: " : " arguments: ")
                + missing.stream().map(m -> "'" + m + "'").collect(joining(", ")),
            usage(),
            span);
      }
    }
  }

  private List<String> names() {
    return parameters.stream().map(Parameter::name).toList();
  }

  private static String counts(List<Parameter> byPosition) {
    if (byPosition.isEmpty()) {
      return "no positional arguments";
    }
    long required = byPosition.stream().filter(p -> !p.optional()).count();
    String range =
        required == byPosition.size()
            ? "" + required
            : "from " + required + " to " + byPosition.size();
    return range + (byPosition.size() == 1 ? " positional argument" : " positional arguments");
  }

  private static String given(int count) {
    return count + (count == 1 ? " was given" : " were given");
  }

  private String usage() {
    if (parameters.isEmpty()) {
      return "it takes no arguments";
    }
    return "its parameters: "
        + parameters.stream()
            .map(p -> p.name() + (p.keywordOnly() ? "=" : "") + (p.optional() ? " (optional)" : ""))
            .collect(joining(", "));
  }
}
