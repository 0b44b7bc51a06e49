package io.ringmaster.worker.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Calibrations are files with sources, and the shipped one says what was measured. */
class CostModelsTest {

  static Stream<Measured> published() {
    return CostModels.published().stream();
  }

  @ParameterizedTest
  @MethodSource("published")
  void aPublishedTransferIsReproducedWithinTenPercent(Measured row) {
    assertThat((double) row.modelled(CostModels.a2a3()))
        .isCloseTo(row.nanos(), Percentage.withPercentage(10));
  }

  @Test
  void thePublishedTableHasBothWaysFromFourKibibytesToFourMebibytes() {
    for (Measured.Kind kind : Measured.Kind.values()) {
      assertThat(published().filter(row -> row.kind() == kind).map(Measured::bytes))
          .containsExactly(1L << 12, 1L << 14, 1L << 16, 1L << 18, 1L << 20, 1L << 22);
    }
  }

  @Test
  void theShippedNumbersAreTheFitOfThePublishedRows() {
    CostModel shipped = CostModels.a2a3();

    Fit fit = Fit.of(shipped, "again", CostModels.published());

    assertThat(fit.model().remoteNanos()).isCloseTo(shipped.remoteNanos(), Offset.offset(1.0));
    assertThat(fit.model().asyncNanos()).isCloseTo(shipped.asyncNanos(), Offset.offset(5.0));
    assertThat(fit.model().asyncRate()).isCloseTo(shipped.asyncRate(), Offset.offset(0.05));
    assertThat(fit.worst()).isLessThan(0.03);
  }

  @Test
  void aFitFindsTheNumbersBehindMadeUpRows() {
    CostModel truth = CostModels.a2a3().refitted("truth", 900, 5000, 40, java.util.Map.of());
    List<Measured> rows =
        published()
            .map(row -> new Measured(row.kind(), row.bytes(), row.modelled(truth)))
            .filter(row -> row.kind() == Measured.Kind.SYNC || row.bytes() < 1 << 15)
            .toList();

    Fit fit = Fit.of(CostModels.a2a3(), "fitted", rows);

    assertThat(fit.model().name()).isEqualTo("fitted");
    assertThat(fit.model().remoteNanos()).isCloseTo(900, Offset.offset(1.0));
    assertThat(fit.model().provenance().get("remote")).startsWith("fitted to 6 measured");
    assertThat(fit.table(rows)).hasSize(rows.size());
  }

  @Test
  void aCalibrationThatIsPrintedReadsBack() {
    CostModel model = CostModels.a5();

    assertThat(CostModels.parse("copy", CostModels.print(model))).isEqualTo(model);
  }

  @Test
  void everyGroupOfNumbersHasASource() {
    assertThat(CostModels.a2a3().provenance())
        .containsKeys("load", "remote", "async", "link", "port", "notify", "wait", "dispatch")
        .allSatisfy((group, source) -> assertThat(source).as(group).isNotBlank());
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "port.rate = 28, port.rate = none, isn't a number",
        "port.rate = 28, port.rate = 0, isn't in 1e-6..1e12",
        "load.nanos = 115, load.nanos = -1, isn't in 0..1e12",
        "load.nanos = 115, load.nanoes = 115, unknown key 'load.nanoes'",
        "wait.source = assumption, \"\", 'wait.source' is missing; say where the numbers come from"
      })
  void aFileWithAMistakeIsRefusedWithItsKey(String line, String instead, String message) {
    String text = CostModels.resource("a2a3.properties");
    assertThat(text).contains(line);

    assertThatThrownBy(() -> CostModels.parse("my.properties", text.replace(line, instead)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("my.properties: ")
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sync,4096|isn't kind,bytes,nanos",
        "both,4096,1|kind is sync or async",
        "sync,-1,1|bytes a whole number above 0",
        "sync,4096,fast|nanos a number above 0"
      })
  void aRowWithAMistakeIsRefusedWithItsLine(String row, String message) {
    assertThatThrownBy(() -> Measured.parse("rows.csv", "# measured\n" + row))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("rows.csv line 2: ")
        .hasMessageContaining(message);
  }
}
