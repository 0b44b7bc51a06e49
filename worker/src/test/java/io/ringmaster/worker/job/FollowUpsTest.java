package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A right program with one wrong call in a kernel: that is said, and nothing that follows from it,
 * neither by the rules of the language nor by those of the platform.
 */
class FollowUpsTest {

  private static final int SLIPS = 5;
  private static final List<Integer> TWO = Examples.firstDevices(2);

  /** The end of a statement that is a call of an operation or of a function of the program. */
  private static final Pattern CALL =
      Pattern.compile("(?m)^ +(?:\\w+ = |return )?(?:pld?|self)\\.[\\w.]+\\([^()\\n]*(\\))$");

  /** Right on two devices, and not a test of what is refused. */
  static Stream<Path> rightPrograms() {
    return Examples.rightPrograms()
        .filter(file -> !Examples.source(file).text().contains("raises("))
        .filter(file -> errors(Examples.run(Examples.source(file), TWO)).isEmpty());
  }

  private static List<JobReport.DiagnosticLine> errors(JobReport report) {
    return report.diagnostics().stream().filter(d -> d.severity().equals("ERROR")).toList();
  }

  @ParameterizedTest
  @MethodSource("rightPrograms")
  void oneWrongCallIsNotSaidTwice(Path file) throws IOException {
    String text = Files.readString(file);
    List<MatchResult> calls = CALL.matcher(text).results().toList();
    Random random = new Random(file.getFileName().toString().hashCode());
    for (int i = 0; i < SLIPS && !calls.isEmpty(); i++) {
      MatchResult call = calls.get(random.nextInt(calls.size()));
      String comma = text.charAt(call.start(1) - 1) == '(' ? "" : ", ";
      String slip = random.nextBoolean() ? "nope=1" : "nope=nope_x";
      String wrong =
          text.substring(0, call.start(1)) + comma + slip + text.substring(call.start(1));
      int line = (int) text.substring(0, call.start(1)).lines().count();
      assertThat(errors(Examples.run(SourceFile.of("test_slip.py", wrong), TWO)))
          .as("line %d: %s with %s", line, call.group(), slip)
          .allMatch(d -> d.line() == line);
    }
  }
}
