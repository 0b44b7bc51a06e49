package io.ringmaster.worker.external;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An operator's mistake is named with its place when the worker starts, not by a user's red job.
 */
class SettingsFileTest {

  private static final String GOOD =
      """
      {
        "platforms": ["a2a3"],
        "command": ["python3", "{harness}", "{script}", "-p", "{platform}", "-d", "{devices}", "{arguments}"],
        "folder": "/var/lib/runs"
      }
      """;

  @TempDir private Path folder;

  private ExternalSettings read(String text) {
    var file = folder.resolve("cards.json");
    try {
      return SettingsFile.read(Files.writeString(file, text));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String with(String more) {
    return GOOD.replace("\"folder\"", more + ", \"folder\"");
  }

  @Test
  void whatIsLeftOutHasADefault() {
    var settings = read(GOOD);
    assertThat(settings.rehearse()).isTrue();
    assertThat(settings.limits()).isEqualTo(ExternalSettings.Limits.DEFAULT);
    assertThat(settings.passes("ASCEND_HOME_PATH")).isTrue();
    assertThat(settings.passes("AWS_SECRET_ACCESS_KEY")).isFalse();
    assertThat(settings.passes("RINGMASTER_TOKEN")).isFalse();
    assertThat(read(with("\"deviceSeconds\": 5, \"rehearse\": false")).limits().device())
        .isEqualTo(Duration.ofSeconds(5));
  }

  /** S19: the tool chain's limit above the run's. */
  @Test
  void limitsInTheWrongOrderAreRefusedByName() {
    assertThatThrownBy(() -> read(with("\"deviceSeconds\": 60, \"runSeconds\": 60")))
        .hasMessageContaining("cards.json")
        .hasMessageContaining("deviceSeconds 60 must be less than runSeconds 60");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"deviceSecond\": 5|there is no setting 'deviceSecond'; there are platforms,",
        "\"deviceSeconds\": 0|deviceSeconds 0 isn't in 1..86400",
        "\"deviceSeconds\": \"soon\"|line 4",
        "\"pass\": [\"A B\"]|'A B' isn't the name of an environment variable",
        "\"pass\": [\"RINGMASTER_TOKEN\"]|is the worker's own",
        "\"pass\": [\"*\"]|'' isn't the name",
        "\"set\": {\"RINGMASTER_KEY\": \"x\"}|is the worker's own",
        "\"set\": {\"X\": \"{device}\"}|{device} stands for nothing",
        "\"probe\": [\"npu-smi\"]|probe doesn't get {devices}",
        "\"outputCharacters\": 5|outputCharacters 5 isn't in 1000..1000000",
        "\"probe\": [\"x{arguments}\", \"{devices}\"]|{arguments} must be a word of its own",
      })
  void aMistakeIsNamed(String more, String message) {
    assertThatThrownBy(() -> read(with(more))).hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"a2a3\"|\"a2a3sim\"|'a2a3sim' isn't a platform of cards",
        "[\"a2a3\"]|[]|platforms names none",
        "\"{script}\", ||command doesn't name {script}",
        "\"{devices}\", ||command doesn't get {devices}",
        "\"/var/lib/runs\"|\"runs\"|must be an absolute path",
        "\"folder\"|\"place\"|there is no setting 'place'",
      })
  void whatIsMissingIsNamed(String from, String to, String message) {
    assertThatThrownBy(() -> read(GOOD.replace(from, to == null ? "" : to)))
        .hasMessageContaining(message);
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> SettingsFile.read(folder.resolve("none.json")))
        .hasMessageContaining("none.json can't be read");
  }
}
