package io.ringmaster.worker.source;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Writes a pattern as source that reads back as an equal one. */
final class PatternPrinter {

  private PatternPrinter() {}

  static String print(Pattern pattern) {
    return switch (pattern) {
      case Pattern.Capture(var name, _) -> name.orElse("_");
      case Pattern.Constant(var value, _) -> AstPrinter.print(value);
      case Pattern.Sequence(var elements, _) -> "[" + list(elements) + "]";
      case Pattern.Rest(var name, _) -> "*" + name.orElse("_");
      case Pattern.Mapping(var entries, var rest, _) -> {
        var all = new ArrayList<String>();
        entries.forEach(e -> all.add(AstPrinter.print(e.key()) + ": " + print(e.pattern())));
        rest.ifPresent(name -> all.add("**" + name));
        yield "{" + String.join(", ", all) + "}";
      }
      case Pattern.OfClass(var type, var positional, var named, _) -> {
        var all = new ArrayList<String>();
        positional.forEach(part -> all.add(print(part)));
        named.forEach(part -> all.add(part.name() + "=" + print(part.pattern())));
        yield AstPrinter.print(type) + "(" + String.join(", ", all) + ")";
      }
      case Pattern.Either(var alternatives, _) ->
          alternatives.stream().map(PatternPrinter::closed).collect(Collectors.joining(" | "));
      case Pattern.As(var inner, var name, _) ->
          (inner instanceof Pattern.As ? "(" + print(inner) + ")" : print(inner)) + " as " + name;
    };
  }

  private static String closed(Pattern pattern) {
    return pattern instanceof Pattern.Either || pattern instanceof Pattern.As
        ? "(" + print(pattern) + ")"
        : print(pattern);
  }

  private static String list(List<Pattern> patterns) {
    return patterns.stream().map(PatternPrinter::print).collect(Collectors.joining(", "));
  }
}
