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
 * Every program under {@code examples/wrong} gets the verdict its header expects, in the words its
 * header says, and points to a line.
 */
class WrongProgramsTest {

  static List<Path> programs() {
    return Examples.in("wrong");
  }

  @ParameterizedTest
  @MethodSource("programs")
  void isNamed(Path file) {
    var source = Examples.source(file);
    List<Integer> devices =
        Arrays.stream(header(source.text(), "devices").split(",")).map(Integer::valueOf).toList();

    JobReport report = Examples.run(source, devices);

    String words = Examples.words(report);
    assertThat(report.verdict().name())
        .as("%s said: %s", file, words)
        .isEqualTo(header(source.text(), "expect"));
    assertThat(words).contains(header(source.text(), "says"));
    assertThat(linesNamed(report)).as("lines named").isNotEmpty().allMatch(line -> line > 0);
  }

  private static List<Integer> linesNamed(JobReport report) {
    var lines = new java.util.ArrayList<Integer>();
    report.diagnostics().forEach(d -> lines.add(d.line()));
    for (JobReport.Run run : report.runs()) {
      run.findings().forEach(f -> f.places().forEach(p -> lines.add(p.line())));
      run.checks().forEach(c -> lines.add(c.line()));
    }
    return lines;
  }

  private static String header(String text, String key) {
    Matcher matcher = Pattern.compile("(?m)^# " + key + ": (.*)$").matcher(text);
    assertThat(matcher.find()).as("header '# %s:'", key).isTrue();
    return matcher.group(1).strip();
  }
}
