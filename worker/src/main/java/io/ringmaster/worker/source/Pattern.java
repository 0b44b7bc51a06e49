package io.ringmaster.worker.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What stands between {@code case} and its guard, as written. */
public sealed interface Pattern {

  Span span();

  /** Takes any value; {@code _} takes it without a name. */
  record Capture(Optional<String> name, Span span) implements Pattern {}

  /** A number, a text, a dotted name, {@code None}, {@code True} or {@code False}. */
  record Constant(Expr value, Span span) implements Pattern {}

  record Sequence(List<Pattern> elements, Span span) implements Pattern {}

  /** {@code *name}, only as an element of a sequence; {@code *_} has no name. */
  record Rest(Optional<String> name, Span span) implements Pattern {}

  /** {@code {key: pattern, **rest}}. */
  record Mapping(List<Entry> entries, Optional<String> rest, Span span) implements Pattern {}

  /** {@code Type(pattern, name=pattern)}. */
  record OfClass(Expr type, List<Pattern> positional, List<Named> named, Span span)
      implements Pattern {}

  /** {@code a | b}: two or more. */
  record Either(List<Pattern> alternatives, Span span) implements Pattern {}

  record As(Pattern pattern, String name, Span span) implements Pattern {}

  record Entry(Expr key, Pattern pattern) {}

  record Named(String name, Pattern pattern) {}

  /** The patterns directly in this one. */
  default List<Pattern> parts() {
    return switch (this) {
      case Capture _, Constant _, Rest _ -> List.of();
      case Sequence sequence -> sequence.elements();
      case Mapping mapping -> mapping.entries().stream().map(Entry::pattern).toList();
      case OfClass type -> {
        var all = new ArrayList<>(type.positional());
        type.named().forEach(named -> all.add(named.pattern()));
        yield all;
      }
      case Either either -> either.alternatives();
      case As as -> List.of(as.pattern());
    };
  }

  /** The names that it gives values to, in order; those of alternatives are said once for each. */
  default List<String> names() {
    var all = new ArrayList<String>();
    parts().forEach(part -> all.addAll(part.names()));
    switch (this) {
      case Capture(var name, _) -> name.ifPresent(all::add);
      case Rest(var name, _) -> name.ifPresent(all::add);
      case Mapping mapping -> mapping.rest().ifPresent(all::add);
      case As as -> all.add(as.name());
      case Constant _, Sequence _, OfClass _, Either _ -> {}
    }
    return all;
  }

  /** The expressions in it: constants, keys and classes. */
  default List<Expr> expressions() {
    var all = new ArrayList<Expr>();
    switch (this) {
      case Constant constant -> all.add(constant.value());
      case Mapping mapping -> mapping.entries().forEach(entry -> all.add(entry.key()));
      case OfClass type -> all.add(type.type());
      case Capture _, Sequence _, Rest _, Either _, As _ -> {}
    }
    parts().forEach(part -> all.addAll(part.expressions()));
    return all;
  }
}
