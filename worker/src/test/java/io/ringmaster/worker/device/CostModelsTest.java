package io.ringmaster.worker.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    for (var kind : List.of(Measured.Kind.SYNC, Measured.Kind.ASYNC)) {
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
    CostModel truth =
        CostModels.changed(
            CostModels.a2a3(),
            "truth",
            Map.of("remote.nanos", 900.0, "async.nanos", 5000.0, "async.rate", 40.0),
            Map.of());
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
  void aFitFindsWhatADeviceOfItsOwnTakes() {
    var numbers =
        Map.of(
            "load.nanos", 46_000.0,
            "load.rate", 13.0,
            "store.nanos", 45_000.0,
            "store.rate", 12.0,
            "vector.nanos", 47_000.0,
            "vector.rate", 3.0,
            "async.nanos", 42_000.0,
            "async.rate", 14.0,
            "notify.sendNanos", 2_000.0,
            "notify.nanos", 2_000.0);
    CostModel truth =
        CostModels.changed(
            CostModels.changed(CostModels.generic(), "truth", numbers, Map.of()),
            "truth",
            Map.of("wait.nanos", 2_000.0, "dispatch.nanos", 21_000.0),
            Map.of());
    List<Measured> rows = new ArrayList<>();
    for (var kind :
        List.of(
            Measured.Kind.LOAD, Measured.Kind.STORE, Measured.Kind.VECTOR, Measured.Kind.ASYNC)) {
      for (long bytes : List.of(1L << 12, 1L << 16, 1L << 20)) {
        rows.add(new Measured(kind, bytes, new Measured(kind, bytes, 1).modelled(truth)));
      }
    }
    for (long ranks : List.of(2L, 4L, 8L)) {
      rows.add(new Measured(Measured.Kind.BARRIER, ranks, truth.barrier(ranks)));
    }

    Fit fit = Fit.ofDevice(CostModels.generic(), "mine", rows, "some device");

    assertThat(fit.worst()).isLessThan(0.001);
    numbers.forEach(
        (key, value) ->
            assertThat(Double.parseDouble(line(fit.model(), key)))
                .as(key)
                .isCloseTo(value, Percentage.withPercentage(1)));
    assertThat(fit.model().remoteCopy(1 << 20, 4096)).isEqualTo(fit.model().asyncCopy(1 << 20));
    assertThat(fit.model().provenance())
        .containsEntry("load", "fitted to 3 measured load rows")
        .containsEntry("dispatch", "fitted to 3 measured barrier rows, what no peer adds")
        .hasEntrySatisfying("all", all -> assertThat(all).startsWith("measured on some device"));
    var read = CostModels.parse("copy", CostModels.print(fit.model()));
    assertThat(read.remoteChunkBytes()).isZero();
    assertThat(fit.table(rows))
        .contains("barrier 8 ranks: measured 51.0 us, model 51.0 us, +0.0 %");
  }

  private static String line(CostModel model, String key) {
    return CostModels.print(model)
        .lines()
        .filter(line -> line.startsWith(key + " = "))
        .findFirst()
        .orElseThrow()
        .substring(key.length() + 3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "load,4096,10 load,4096,11|load rows of one size can't tell start-up from rate",
        "barrier,2,100 barrier,4,50|the barrier rows don't take longer for more bytes",
        "vector,4096,10|vector rows of one size can't tell start-up from rate",
      })
  void rowsThatCanNotTellAreRefused(String rows, String message) {
    List<Measured> measured = Measured.parse("rows.csv", rows.replace(' ', '\n'));
    assertThatThrownBy(() -> Fit.of(CostModels.generic(), "x", measured))
        .hasMessageContaining(message);
  }

  @Test
  void whatIsWrittenReadsBack() {
    var row = new Measured(Measured.Kind.BARRIER, 8, 51_000);
    assertThat(Measured.parse("rows.csv", row.text())).containsExactly(row);
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
        "both,4096,1|kind is sync, async, load, store, vector or barrier",
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
