package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The places that a wrong program says its report must name. A line with the comment {@code <-
 * here} at its end means the column of its first word, and with words behind a colon in that
 * comment the column at which these first stand in it. Places are written line:column.
 */
final class Marks {

  private static final Pattern MARK = Pattern.compile("(.*?)\\s*# <- here(?:: (.+))?");
  private static final Pattern TRACE = Pattern.compile("line (\\d+)");

  private Marks() {}

  /** The marked places of a program. */
  static Set<String> in(String source) {
    var places = new TreeSet<String>();
    List<String> lines = source.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      Matcher mark = MARK.matcher(lines.get(i));
      if (mark.matches()) {
        String words = mark.group(2);
        int column = words == null ? firstWord(lines.get(i)) : mark.group(1).indexOf(words);
        assertThat(column).as("'%s' in line %s", words, i + 1).isNotNegative();
        places.add((i + 1) + ":" + (column + 1));
      }
    }
    return places;
  }

  /**
   * The places that a report names in its diagnostics and findings. Of a check, and of what the
   * script raised, it has the line only: that stands for the first word there.
   */
  static Set<String> named(JobReport report, String source) {
    List<String> lines = source.lines().toList();
    var places = new TreeSet<String>();
    report.diagnostics().forEach(d -> places.add(d.line() + ":" + d.column()));
    for (JobReport.Run run : report.runs()) {
      run.findings().forEach(f -> f.places().forEach(p -> places.add(p.line() + ":" + p.column())));
      List<Integer> alone = new ArrayList<>();
      run.checks().stream().filter(check -> !check.passed()).forEach(c -> alone.add(c.line()));
      Matcher trace = TRACE.matcher(run.log());
      while (trace.find()) {
        alone.add(Integer.valueOf(trace.group(1)));
      }
      for (int line : alone) {
        assertThat(line).as("a line of the script").isBetween(1, lines.size());
        places.add(line + ":" + (firstWord(lines.get(line - 1)) + 1));
      }
    }
    return places;
  }

  private static int firstWord(String line) {
    return line.length() - line.stripLeading().length();
  }
}
