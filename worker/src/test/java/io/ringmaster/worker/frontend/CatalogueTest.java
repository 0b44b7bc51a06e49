package io.ringmaster.worker.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every row of the catalogue of wrong programs that the front end refuses: text and place. */
public class CatalogueTest {

  /** All rows, those for {@code @pl.jit} last. */
  public static Stream<Catalogue.Row> rows() {
    return Stream.of("/frontend/catalogue.txt", "/frontend/jit_catalogue.txt")
        .flatMap(Catalogue::rows);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void aWrongProgramIsRefusedAtItsPlace(Catalogue.Row row) {
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
              assertThat(diagnostic.hint()).isNotEmpty();
              if (!row.hints().isEmpty()) {
                assertThat(diagnostic.hint()).contains(row.hints());
              }
            });
    assertThat(found)
        .extracting(d -> d.span().line() + ":" + d.span().column())
        .containsExactlyElementsOf(row.places());
  }
}
