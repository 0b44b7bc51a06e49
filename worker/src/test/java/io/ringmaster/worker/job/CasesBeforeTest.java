package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A case that looks at what another one has launched is tried with all that stand before it: what
 * these have done to it counts, and what comes after it doesn't.
 */
class CasesBeforeTest {

  private static final String SHARED =
      """

      @pytest.fixture(scope="module")
      def made():
          x = torch.arange(2 * N, dtype=torch.float32).reshape(2, 1, N) + 1
          y = torch.zeros(2, 1, N)
          config = DistributedConfig(device_ids=[0, 1])
          ir.compile(scale(2.0), platform="a2a3sim", distributed_config=config)(x, y)
          made = {"rows": y.flatten(1).tolist(), "golden": (x * 2).flatten(1).tolist()}
          yield made
          TEARDOWN


      def differing(made):
          pairs = zip(made["rows"], made["golden"])
          return [(a, b) for row, want in pairs for a, b in zip(row, want) if abs(a - b) > 1e-3]
      """;

  private static final String LOOKS = "assert not differing(made)";
  private static final String REPAIRS = "made['rows'][:] = [list(row) for row in made['golden']]";
  private static final String COUNTS = "assert len(made['rows']) == 2";

  private static String prelude() {
    try (InputStream in = CasesBeforeTest.class.getResourceAsStream("/checks/prelude.py")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String body(String kind) {
    return switch (kind) {
      case "looks" -> LOOKS;
      case "repairs" -> REPAIRS;
      case "counts" -> COUNTS;
      default -> throw new IllegalArgumentException(kind);
    };
  }

  /** P for a case that passed, - for one that verified nothing. */
  private static String verdicts(String cases, String teardown) {
    StringBuilder text = new StringBuilder(prelude()).append(SHARED.replace("TEARDOWN", teardown));
    String[] kinds = cases.split(" ", -1);
    for (int i = 0; i < kinds.length; i++) {
      text.append("\n\ndef test_%d(made):\n    %s\n".formatted(i, body(kinds[i])));
    }
    JobReport report =
        new JobRunner()
            .run(
                new JobSpec(
                    SourceFile.of("test_k.py", text.toString()),
                    "a2a3sim",
                    List.of(List.of(0, 1)),
                    List.of(),
                    JobSpec.Limits.DEFAULT,
                    0),
                RunControl.none());
    StringBuilder verdicts = new StringBuilder();
    for (JobReport.TestCase one : report.runs().getFirst().tests()) {
      switch (one.verdict()) {
        case PASSED -> verdicts.append('P');
        case NOT_VERIFIED -> verdicts.append('-');
        default -> throw new AssertionError(one);
      }
    }
    return verdicts.toString();
  }

  @ParameterizedTest
  @CsvSource({
    "counts looks looks counts, -PP-",
    "looks looks counts looks, PP-P",
    // From there on the golden is held against itself, whatever the kernel wrote.
    "counts repairs looks looks, ----",
    "counts looks repairs looks, -P--",
    "looks counts repairs looks, P---"
  })
  void whatACaseFindsIsWhatThoseBeforeItHaveLeft(String cases, String verdicts) {
    assertThat(verdicts(cases, "pass")).isEqualTo(verdicts);
  }

  @ParameterizedTest
  @CsvSource({"counts counts counts counts, --", "counts looks counts counts, P-"})
  void whatIsUndoneAtTheEndIsNotOfACaseBeforeThat(String cases, String ofTheMiddle) {
    // The first case sets the fixture up, and by itself it would be the one that undoes it.
    assertThat(verdicts(cases, LOOKS).substring(1, 3)).isEqualTo(ofTheMiddle);
  }
}
