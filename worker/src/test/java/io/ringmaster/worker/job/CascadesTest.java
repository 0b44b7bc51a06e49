package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.DiagnosticList;
import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A right program with one slip of the pen: the slip is said, and nothing that follows from it. */
class CascadesTest {

  private static final int SLIPS = 12;
  private static final Pattern SIGN =
      Pattern.compile("[()\\[\\]:,=@\"']|\\b(?:in|as|def|class)\\b");

  @ParameterizedTest
  @MethodSource("io.ringmaster.worker.job.Examples#rightPrograms")
  void oneSlipIsNotSaidTwice(Path file) throws IOException {
    String text = Files.readString(file);
    List<MatchResult> signs = SIGN.matcher(text).results().toList();
    Random random = new Random(file.getFileName().toString().hashCode());
    for (int i = 0; i < SLIPS; i++) {
      MatchResult sign = signs.get(random.nextInt(signs.size()));
      String instead = random.nextBoolean() ? "" : sign.group() + " " + sign.group();
      String slipped = text.substring(0, sign.start()) + instead + text.substring(sign.end());
      SourceFile source = SourceFile.of("slip.py", slipped);
      PythonParser.Reading reading = PythonParser.read(source);
      if (reading.problems().isEmpty()) {
        continue;
      }
      List<String> said =
          new JobRunner()
              .check(source).stream()
                  .filter(line -> line.severity().equals("ERROR"))
                  .map(line -> line.line() + " " + line.message())
                  .toList();
      List<String> expected =
          DiagnosticList.shown(reading.problems()).stream()
              .map(problem -> problem.span().line() + " " + problem.message())
              .toList();
      int line = 1 + (int) text.substring(0, sign.start()).chars().filter(c -> c == '\n').count();
      assertThat(said)
          .as("line %d: '%s' became '%s'", line, sign.group(), instead)
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }
}
