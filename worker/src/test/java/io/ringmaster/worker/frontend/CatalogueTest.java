package io.ringmaster.worker.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every row of the catalogue of wrong programs that the front end refuses: text and place. */
public class CatalogueTest {

  /** One wrong program and what must be said about it; {@code places} are line:column. */
  public record Row(
      String name,
      List<String> phrases,
      List<String> hints,
      String form,
      List<String> body,
      String source,
      List<String> places) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** All rows, those for {@code @pl.jit} last. */
  public static Stream<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (String file : List.of("catalogue.txt", "jit_catalogue.txt")) {
      String[] records = Frame.resource(file).split("(?m)^=== ", -1);
      for (int i = 1; i < records.length; i++) {
        rows.add(row(records[i]));
      }
    }
    return rows.stream();
  }

  private static Row row(String text) {
    List<String> lines = text.stripTrailing().lines().toList();
    List<String> phrases = new ArrayList<>();
    List<String> hints = new ArrayList<>();
    String form = "";
    int at = 1;
    for (; form.isEmpty(); at++) {
      String line = lines.get(at);
      String value = line.substring(line.indexOf(' ') + 1);
      if (line.startsWith("phrase: ")) {
        phrases.add(value);
      } else if (line.startsWith("hint: ")) {
        hints.add(value);
      } else {
        form = value;
      }
    }
    Frame frame = Frame.named(form);
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
    return new Row(lines.getFirst(), phrases, hints, form, body, source.toString(), places);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void aWrongProgramIsRefusedAtItsPlace(Row row) {
    DiagnosticException refused =
        catchThrowableOfType(DiagnosticException.class, () -> Kernels.build(row.source()));
    assertThat(refused).as("%s is refused", row.name()).isNotNull();
    List<Diagnostic> found = refused.diagnostics();
    assertThat(found)
        .as("messages: %s", found)
        .isNotEmpty()
        .allSatisfy(
            diagnostic -> {
              assertThat(diagnostic.message()).contains(row.phrases());
              if (!row.hints().isEmpty()) {
                assertThat(diagnostic.hint()).contains(row.hints());
              }
            });
    assertThat(found)
        .extracting(d -> d.span().line() + ":" + d.span().column())
        .containsExactlyElementsOf(row.places());
  }
}
