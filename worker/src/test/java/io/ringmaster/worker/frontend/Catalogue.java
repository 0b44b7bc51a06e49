package io.ringmaster.worker.frontend;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Reads records of wrong programs. A record begins with {@code === NUMBER: what is wrong}, the
 * number being that of its row in the reference. Lines {@code key: value} follow, {@code phrase}
 * and {@code hint} as often as needed, and at last {@code form}, the frame around the text. The
 * rest is the text; a line of carets in it stands under the places that the line above is blamed
 * for.
 */
public final class Catalogue {

  /** The form of a text that has no frame around it. */
  private static final String WHOLE = "script";

  private Catalogue() {}

  /**
   * One wrong program and what must be said about it.
   *
   * @param phrases what every message about it contains
   * @param hints what every fix contains
   * @param settings other lines of the record's head
   * @param source the text in its frame
   * @param places line:column, in order
   */
  public record Row(
      String name,
      List<String> phrases,
      List<String> hints,
      Map<String, String> settings,
      String form,
      List<String> body,
      String source,
      List<String> places) {

    /** A setting, if the record has it. */
    public Optional<String> setting(String key) {
      return Optional.ofNullable(settings.get(key));
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** The records of a resource, e.g. {@code /frontend/catalogue.txt}. */
  public static Stream<Row> rows(String resource) {
    return Stream.of(Frame.text(resource).split("(?m)^=== ", -1)).skip(1).map(Catalogue::row);
  }

  private static Row row(String text) {
    List<String> lines = text.stripTrailing().lines().toList();
    List<String> phrases = new ArrayList<>();
    List<String> hints = new ArrayList<>();
    Map<String, String> settings = new TreeMap<>();
    int at = 1;
    while (!settings.containsKey("form")) {
      String line = lines.get(at++);
      int colon = line.indexOf(": ");
      if (colon < 0) {
        throw new IllegalArgumentException("no 'key: value' in " + lines.getFirst() + ": " + line);
      }
      String value = line.substring(colon + 2);
      switch (line.substring(0, colon)) {
        case "phrase" -> phrases.add(value);
        case "hint" -> hints.add(value);
        default -> settings.put(line.substring(0, colon), value);
      }
    }
    String form = Optional.ofNullable(settings.remove("form")).orElseThrow();
    Frame frame = form.equals(WHOLE) ? new Frame("", "", "") : Frame.named(form);
    StringBuilder source = new StringBuilder(frame.before());
    long number = frame.before().lines().count();
    List<String> places = new ArrayList<>();
    List<String> body = new ArrayList<>();
    for (String line : lines.subList(at, lines.size())) {
      if (!line.isBlank() && line.replace("^", "").isBlank()) {
        for (int column = 0; column < line.length(); column++) {
          if (line.charAt(column) == '^') {
            places.add(number + ":" + (frame.indent().length() + column + 1));
          }
        }
        continue;
      }
      number++;
      body.add(line);
      source.append(frame.indent()).append(line).append('\n');
    }
    source.append(frame.after());
    return new Row(
        lines.getFirst(), phrases, hints, settings, form, body, source.toString(), places);
  }
}
