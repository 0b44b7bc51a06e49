package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
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

  static final Path PROGRAMS = Path.of("src", "test", "resources", "programs");
  private static final Pattern DEVICES = Pattern.compile("(?m)^# devices: (.*)$");

  static List<Path> programs() {
    return Examples.list(PROGRAMS);
  }

  @ParameterizedTest
  @MethodSource("programs")
  void passes(Path file) {
    var source = Examples.source(file);
    List<List<Integer>> lists = devices(source);

    JobReport report = Examples.runOnEach(source, lists);

    assertThat(report.verdict())
        .as("%s said: %s", file, Examples.words(report))
        .isEqualTo(Verdict.PASSED);
    assertThat(report.runs()).hasSameSizeAs(lists);
    assertThat(report.runs()).allSatisfy(run -> assertThat(run.log()).endsWith("OK\n"));
  }

  static List<Path> testFiles() {
    return Examples.list(PROGRAMS.resolve("tests"));
  }

  @ParameterizedTest
  @MethodSource("testFiles")
  void everyCaseOfATestFilePasses(Path file) {
    var source = Examples.source(file);
    List<List<Integer>> lists = devices(source);

    JobReport report = Examples.runOnEach(source, lists);

    assertThat(report.verdict())
        .as("%s said: %s", file, Examples.words(report))
        .isEqualTo(Verdict.PASSED);
    assertThat(report.runs()).hasSameSizeAs(lists);
  }

  /** The device lists that a script names for itself; the first two devices when it names none. */
  static List<List<Integer>> devices(SourceFile source) {
    Matcher line = DEVICES.matcher(source.text());
    return line.find()
        ? Arrays.stream(line.group(1).split("\\|", -1)).map(LanguageTest::numbers).toList()
        : List.of(Examples.firstDevices(2));
  }

  private static List<Integer> numbers(String list) {
    return Arrays.stream(list.strip().split(",", -1)).map(Integer::valueOf).toList();
  }
}
