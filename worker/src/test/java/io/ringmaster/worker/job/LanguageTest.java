package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each construct of the language in a program that runs and compares what it computes. A program
 * names the device lists it runs on in its line {@code # devices:}.
 */
class LanguageTest {

  private static final Path PROGRAMS = Path.of("src", "test", "resources", "programs");
  private static final Pattern DEVICES = Pattern.compile("(?m)^# devices: (.*)$");

  static List<Path> programs() {
    return Examples.list(PROGRAMS);
  }

  @ParameterizedTest
  @MethodSource("programs")
  void passes(Path file) {
    var source = Examples.source(file);
    Matcher devices = DEVICES.matcher(source.text());
    assertThat(devices.find()).as("a line '# devices:' in %s", file).isTrue();
    List<List<Integer>> lists =
        Arrays.stream(devices.group(1).split("\\|", -1)).map(LanguageTest::numbers).toList();

    JobReport report = Examples.runOnEach(source, lists);

    assertThat(report.verdict())
        .as("%s said: %s", file, Examples.words(report))
        .isEqualTo(Verdict.PASSED);
    assertThat(report.runs()).hasSameSizeAs(lists);
    assertThat(report.runs()).allSatisfy(run -> assertThat(run.log()).endsWith("OK\n"));
  }

  private static List<Integer> numbers(String list) {
    return Arrays.stream(list.strip().split(",", -1)).map(Integer::valueOf).toList();
  }
}
