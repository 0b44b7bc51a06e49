package io.ringmaster.worker.source;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a pattern may not do although it reads well: name a value twice, hide the cases below. */
final class PatternRules {

  private final Problems problems;

  PatternRules(Problems problems) {
    this.problems = problems;
  }

  void check(List<Stmt.Case> cases) {
    for (int i = 0; i < cases.size(); i++) {
      Stmt.Case one = cases.get(i);
      if (!one.pattern().span().isKnown()) {
        continue; // it couldn't be read, which has been said
      }
      names(one.pattern(), new HashSet<>());
      if (i < cases.size() - 1 && one.guard().isEmpty() && takesAll(one.pattern())) {
        report(
            "this pattern takes every value, so the cases below it never run",
            "move it to the end, or compare with a dotted name: a bare name is given the value",
            one.pattern().span());
      }
    }
  }

  private static boolean takesAll(Pattern pattern) {
    return switch (pattern) {
      case Pattern.Capture _ -> true;
      case Pattern.As as -> takesAll(as.pattern());
      case Pattern.Either either -> takesAll(either.alternatives().getLast());
      case Pattern.Constant _,
          Pattern.Sequence _,
          Pattern.Rest _,
          Pattern.Mapping _,
          Pattern.OfClass _ ->
          false;
    };
  }

  private void names(Pattern pattern, Set<String> seen) {
    switch (pattern) {
      case Pattern.Capture(var name, var span) -> name.ifPresent(n -> name(n, span, seen));
      case Pattern.Rest(var name, var span) -> name.ifPresent(n -> name(n, span, seen));
      case Pattern.Either either -> alternatives(either, seen);
      case Pattern.Sequence sequence -> {
        if (sequence.elements().stream().filter(Pattern.Rest.class::isInstance).count() > 1) {
          report("a pattern has two starred names", "one '*name' takes the rest", sequence.span());
        }
        sequence.elements().forEach(part -> names(part, seen));
      }
      case Pattern.Mapping mapping -> {
        mapping.parts().forEach(part -> names(part, seen));
        mapping.rest().ifPresent(name -> name(name, mapping.span(), seen));
      }
      case Pattern.OfClass type -> {
        var given = new HashSet<String>();
        for (Pattern.Named named : type.named()) {
          if (!given.add(named.name())) {
            report(
                "the pattern names the attribute '" + named.name() + "' twice",
                "",
                named.pattern().span());
          }
        }
        type.parts().forEach(part -> names(part, seen));
      }
      case Pattern.As as -> {
        names(as.pattern(), seen);
        name(as.name(), as.span(), seen);
      }
      case Pattern.Constant _ -> {}
    }
  }

  private void alternatives(Pattern.Either either, Set<String> seen) {
    var first = Set.copyOf(either.alternatives().getFirst().names());
    for (int i = 0; i < either.alternatives().size(); i++) {
      Pattern one = either.alternatives().get(i);
      if (!Set.copyOf(one.names()).equals(first)) {
        report(
            "the alternatives of a pattern give values to different names",
            "use the same names in each of them",
            one.span());
      }
      if (i < either.alternatives().size() - 1 && takesAll(one)) {
        report(
            "this pattern takes every value, so the alternatives behind it never count",
            "move it to the end, or compare with a dotted name: a bare name is given the value",
            one.span());
      }
      names(one, new HashSet<>(seen));
    }
    seen.addAll(first);
  }

  private void name(String name, Span at, Set<String> seen) {
    if (!seen.add(name)) {
      report("the pattern gives '" + name + "' two values", "use another name", at);
    }
  }

  private void report(String message, String hint, Span at) {
    problems.add(Diagnostic.error(message, hint, at));
  }
}
