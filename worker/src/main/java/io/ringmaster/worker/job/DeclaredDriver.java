package io.ringmaster.worker.job;

import io.ringmaster.worker.job.DeclaredPlaces.Place;
import java.util.ArrayList;
import java.util.List;

/** Text of a driver while it is written; keeps which of its lines stand for which field. */
final class DeclaredDriver {

  private final StringBuilder text = new StringBuilder();
  private final List<Place> places = new ArrayList<>();
  private int line;
  private String field = "";
  private int since;

  /** Begins at a line, counted from 1. */
  DeclaredDriver(int line) {
    this.line = line;
    this.since = line;
  }

  String text() {
    return text.toString();
  }

  List<Place> places() {
    return List.copyOf(places);
  }

  /** From here on lines stand for a field; empty for the declaration as a whole. */
  DeclaredDriver field(String pointer) {
    if (line > since && !field.isEmpty()) {
      places.add(new Place(since, line - 1, field, false));
    }
    field = pointer;
    since = line;
    return this;
  }

  /** Adds a whole line. */
  DeclaredDriver line(String code) {
    return add(code).add("\n");
  }

  /** Adds to a line, or to several. */
  DeclaredDriver add(String code) {
    text.append(code);
    line += (int) code.chars().filter(c -> c == '\n').count();
    return this;
  }

  /**
   * Adds the text of a field in parentheses, on lines of its own: a comment at its end swallows
   * nothing, and a message that points there shows what the client wrote.
   */
  DeclaredDriver expression(String expression, String pointer) {
    add("(\n");
    int first = line;
    add(expression);
    places.add(new Place(first, line, pointer, true));
    return add("\n    )");
  }
}
