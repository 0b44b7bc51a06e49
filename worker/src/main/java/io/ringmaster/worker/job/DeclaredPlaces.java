package io.ringmaster.worker.job;

import io.ringmaster.worker.source.SourceFile;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Which lines of a declared job's script stand for which field of its declaration. That is written
 * into the script's last line, so that whoever runs the script knows it: another worker, a bundle,
 * a rerun.
 *
 * @param from first line that isn't the client's program
 * @param inputs names, in the declaration's order; so are {@code outputs}
 * @param goldens for each golden the name of its argument
 * @param expected for each golden how the script calls the expected values
 */
record DeclaredPlaces(
    int from,
    List<String> inputs,
    List<String> outputs,
    List<String> goldens,
    List<String> expected,
    List<Place> places) {

  private static final String BEGIN = "# declaration: ";
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();
  private static final Pattern NAMES = Pattern.compile("[A-Za-z0-9_]+");

  DeclaredPlaces {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    goldens = List.copyOf(goldens);
    expected = List.copyOf(expected);
    places = List.copyOf(places);
  }

  /**
   * Some lines.
   *
   * @param pointer the field, as a JSON pointer into the declaration; empty for all of it
   * @param text true for lines that are the field's own text
   */
  record Place(int first, int last, String pointer, boolean text) {

    Place {
      Objects.requireNonNull(pointer);
    }

    boolean has(int line) {
      return line >= first && line <= last;
    }
  }

  /** The script's last line. */
  String comment() {
    return BEGIN + JSON.writeValueAsString(this);
  }

  /** Those of a script; empty when it stands for no declaration. */
  static Optional<DeclaredPlaces> of(SourceFile source) {
    String text = source.text().stripTrailing();
    String last = text.substring(text.lastIndexOf('\n') + 1);
    if (!last.startsWith(BEGIN)) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(
              JSON.readValue(last.substring(BEGIN.length()), DeclaredPlaces.class))
          .filter(DeclaredPlaces::isWhole);
    } catch (JacksonException e) {
      return Optional.empty(); // A comment that somebody else wrote.
    }
  }

  private boolean isWhole() {
    return from > 0
        && expected.size() == goldens.size()
        && expected.stream().allMatch(name -> NAMES.matcher(name).matches());
  }

  /** What a line stands for: the text of a field rather than the field around it. */
  Optional<Place> at(int line) {
    return places.stream()
        .filter(place -> place.has(line))
        .min((a, b) -> Boolean.compare(b.text(), a.text()));
  }

  /** What a field is called in a sentence: {@code input 'x' (/declaration/inputs/0)}. */
  String label(Place place, int column) {
    String at = place.text() && column > 0 ? ", column " + column : "";
    return what(place.pointer()) + " (" + pointer(place) + at + ")";
  }

  static String pointer(Place place) {
    return "/declaration" + place.pointer();
  }

  private String what(String pointer) {
    String[] parts = pointer.split("/", -1);
    if (parts.length < 3) {
      return parts.length == 2 ? parts[1] : "the declaration";
    }
    return switch (parts[1]) {
      case "inputs" -> "input '" + name(inputs, parts[2]) + "'";
      case "outputs" -> "output '" + name(outputs, parts[2]) + "'";
      default -> "golden of '" + name(goldens, parts[2]) + "'";
    };
  }

  private static String name(List<String> names, String number) {
    return number.matches("\\d{1,3}") && Integer.parseInt(number) < names.size()
        ? names.get(Integer.parseInt(number))
        : "?";
  }
}
