package io.ringmaster.service.submissions;

import io.ringmaster.service.problems.Quoting;
import java.util.List;
import java.util.SequencedMap;

/** A JSON value of a request, before anybody knows whether it is what was asked for. */
sealed interface Json {

  record Members(SequencedMap<String, Json> values) implements Json {}

  record Items(List<Json> values) implements Json {}

  record Text(String value) implements Json {}

  /** A number as it was written, e.g. {@code 1e12}. */
  record Numeral(String text) implements Json {}

  record Flag(boolean value) implements Json {}

  record Nothing() implements Json {}

  /** The value in a message: "the number 1.5". */
  default String described() {
    return switch (this) {
      case Members _ -> "an object";
      case Items items -> items.values().isEmpty() ? "an empty list" : "a list";
      case Text text -> text.value().isEmpty() ? "an empty text" : Quoting.quote(text.value());
      case Numeral number -> Quoting.shortened(number.text());
      case Flag flag -> Boolean.toString(flag.value());
      case Nothing _ -> "null";
    };
  }
}
