package io.ringmaster.worker.job;

import java.io.StringWriter;
import java.util.List;
import java.util.stream.Collectors;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * The report in the JUnit XML that CI servers read: one suite a run. Of a file of tests, its cases
 * under the names that pytest gives them; of a script, one case a check and one case {@code
 * verdict} that fails unless the run PASSED. A file of tests has that case too when none of its
 * cases says why the run didn't pass. What proves nothing, a case that compared nothing or a check
 * that can't fail, is a skipped case and no passed one, and what a passed one leaves open is its
 * output. A job on several platforms has one more suite, with a case for each comparison of two
 * runs.
 */
public final class JUnitXml {

  private JUnitXml() {}

  public static String write(String name, JobReport report) {
    var text = new StringWriter();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(text);
      xml.writeStartDocument("UTF-8", "1.0");
      xml.writeStartElement("testsuites");
      xml.writeAttribute("name", printable(name));
      if (report.runs().isEmpty()) {
        suiteWithoutRun(xml, name, report);
      }
      for (JobReport.Run run : report.runs()) {
        suite(xml, name, run);
      }
      if (!report.comparisons().isEmpty()) {
        comparisons(xml, name + " platforms", report.comparisons());
      }
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.close();
    } catch (XMLStreamException e) {
      throw new IllegalStateException("writing XML to memory failed", e);
    }
    return text + "\n";
  }

  private static void suiteWithoutRun(XMLStreamWriter xml, String name, JobReport report)
      throws XMLStreamException {
    boolean passed = report.verdict() == Verdict.PASSED;
    var counts = new Counts();
    counts.cases = 1;
    counts.failures = passed ? 0 : 1;
    startSuite(xml, name, counts, 0);
    testCase(
        xml,
        name,
        "verdict",
        passed,
        report.verdict(),
        report.sentence(),
        details(report.verdict(), report.diagnostics()),
        0);
    xml.writeEndElement();
  }

  private static void comparisons(
      XMLStreamWriter xml, String suite, List<PlatformComparison> comparisons)
      throws XMLStreamException {
    var counts = new Counts();
    counts.cases = comparisons.size();
    counts.failures = comparisons.stream().filter(PlatformComparison::isFault).count();
    counts.skipped = comparisons.stream().filter(found -> isSkipped(found)).count();
    startSuite(xml, suite, counts, 0);
    for (PlatformComparison found : comparisons) {
      startCase(xml, suite, title(found), 0);
      if (found.isFault()) {
        because(xml, "failure", found.verdict().name(), found.sentence());
      } else if (isSkipped(found)) {
        because(xml, "skipped", "not compared", found.sentence());
      }
      xml.writeEndElement();
    }
    xml.writeEndElement();
  }

  private static boolean isSkipped(PlatformComparison found) {
    return found.outcome() == PlatformComparison.Outcome.NOT_COMPARED;
  }

  private static String title(PlatformComparison found) {
    String arguments = found.arguments().isEmpty() ? "" : " " + String.join(" ", found.arguments());
    return found.platform()
        + " "
        + found.devices()
        + arguments
        + " against "
        + found.referencePlatform();
  }

  private static void suite(XMLStreamWriter xml, String name, JobReport.Run run)
      throws XMLStreamException {
    String suite = name + " " + run.platform() + " " + run.devices();
    boolean verdictPassed = run.verdict() == Verdict.PASSED;
    List<JobReport.TestCase> tests = run.tests();
    var counts = new Counts();
    tests.forEach(counts::add);
    boolean saysVerdict =
        tests.isEmpty() || (!verdictPassed && counts.failures + counts.errors == 0);
    counts.cases = tests.isEmpty() ? run.checks().size() : tests.size();
    counts.cases += saysVerdict ? 1 : 0;
    boolean onlyCompiled = OnlyCompiled.asAsked(run);
    counts.failures += saysVerdict && !verdictPassed && !onlyCompiled ? 1 : 0;
    counts.skipped += saysVerdict && onlyCompiled ? 1 : 0;
    if (tests.isEmpty()) {
      counts.failures += run.checks().stream().filter(c -> !c.passed()).count();
      counts.skipped += run.checks().stream().filter(JUnitXml::provesNothing).count();
    }
    startSuite(xml, suite, counts, wholeSeconds(run));
    if (tests.isEmpty()) {
      for (JobReport.Check check : run.checks()) {
        checkCase(xml, suite, check);
      }
    }
    for (JobReport.TestCase test : tests) {
      pytestCase(xml, test);
    }
    if (saysVerdict && onlyCompiled) {
      startCase(xml, suite, "verdict", 0);
      because(xml, "skipped", run.verdict().name(), run.sentence());
      xml.writeEndElement();
    } else if (saysVerdict) {
      // A script's checks take no time of their own: what it took as a whole stands here.
      double whole = tests.isEmpty() ? run.timings().runWallNanos() / 1e9 : 0;
      testCase(
          xml,
          suite,
          "verdict",
          verdictPassed,
          run.verdict(),
          run.sentence(),
          details(run.verdict(), run.diagnostics()),
          whole);
    }
    if (!run.log().isEmpty()) {
      xml.writeStartElement("system-out");
      xml.writeCharacters(printable(run.log()));
      xml.writeEndElement();
    }
    xml.writeEndElement();
  }

  private static void checkCase(XMLStreamWriter xml, String suite, JobReport.Check check)
      throws XMLStreamException {
    String name = check.name() + (check.line() > 0 ? " (line " + check.line() + ")" : "");
    if (provesNothing(check)) {
      startCase(xml, suite, name, 0);
      because(xml, "skipped", Verdict.NOT_VERIFIED.name(), check.explanation());
      xml.writeEndElement();
    } else {
      testCase(xml, suite, name, check.passed(), Verdict.WRONG_RESULT, check.explanation(), "", 0);
    }
  }

  private static boolean provesNothing(JobReport.Check check) {
    return check.passed() && VerdictRules.isBlind(check);
  }

  /** What a suite's attributes count. */
  private static final class Counts {
    private long cases;
    private long failures;
    private long errors;
    private long skipped;

    void add(JobReport.TestCase test) {
      switch (test.outcome()) {
        case PASSED, XPASSED -> skipped += test.verdict() == Verdict.PASSED ? 0 : 1;
        case FAILED -> failures++;
        case ERROR -> errors++;
        case SKIPPED, XFAILED, NOT_RUN -> skipped++;
      }
    }
  }

  /** A test under the names, and with the outcome, that pytest gives it. */
  private static void pytestCase(XMLStreamWriter xml, JobReport.TestCase test)
      throws XMLStreamException {
    startCase(xml, test.className(), test.name(), seconds(test));
    switch (test.outcome()) {
      case PASSED, XPASSED -> {
        if (test.verdict() == Verdict.PASSED) {
          open(xml, test.verdict(), test.message());
        } else {
          because(xml, "skipped", test.verdict().name(), test.message());
        }
      }
      case FAILED -> because(xml, "failure", test.verdict().name(), test.message());
      case ERROR -> because(xml, "error", test.verdict().name(), test.message());
      case SKIPPED -> because(xml, "skipped", "pytest.skip", test.message());
      case XFAILED -> because(xml, "skipped", "pytest.xfail", test.message());
      case NOT_RUN -> because(xml, "skipped", "not run", test.message());
    }
    xml.writeEndElement();
  }

  private static void startCase(XMLStreamWriter xml, String group, String name, double seconds)
      throws XMLStreamException {
    xml.writeStartElement("testcase");
    xml.writeAttribute("classname", printable(group));
    xml.writeAttribute("name", printable(name));
    xml.writeAttribute("time", seconds(seconds));
  }

  /** A green sentence, where it leaves something open. */
  private static void open(XMLStreamWriter xml, Verdict verdict, String sentence)
      throws XMLStreamException {
    if (!Qualified.of(verdict, sentence).isEmpty()) {
      xml.writeStartElement("system-out");
      xml.writeCharacters(printable(sentence));
      xml.writeEndElement();
    }
  }

  private static void because(XMLStreamWriter xml, String element, String type, String message)
      throws XMLStreamException {
    xml.writeStartElement(element);
    xml.writeAttribute("type", type);
    xml.writeAttribute("message", printable(message));
    xml.writeEndElement();
  }

  private static void startSuite(XMLStreamWriter xml, String name, Counts counts, double seconds)
      throws XMLStreamException {
    xml.writeStartElement("testsuite");
    xml.writeAttribute("name", printable(name));
    xml.writeAttribute("tests", Long.toString(counts.cases));
    xml.writeAttribute("failures", Long.toString(counts.failures));
    xml.writeAttribute("errors", Long.toString(counts.errors));
    xml.writeAttribute("skipped", Long.toString(counts.skipped));
    xml.writeAttribute("time", seconds(seconds));
  }

  /**
   * What the launches took, and with cases at least what these took together: they also compile,
   * and CI servers show a suite's time beside those of its cases.
   */
  private static double wholeSeconds(JobReport.Run run) {
    double cases = run.tests().stream().mapToLong(test -> Math.round(seconds(test) * 1e6)).sum();
    return Math.max(run.timings().runWallNanos() / 1e9, cases / 1e6);
  }

  private static double seconds(JobReport.TestCase test) {
    return test.wallNanos() == null ? 0 : test.wallNanos() / 1e9;
  }

  private static String seconds(double seconds) {
    return String.format(java.util.Locale.ROOT, "%.6f", seconds);
  }

  private static void testCase(
      XMLStreamWriter xml,
      String suite,
      String name,
      boolean passed,
      Verdict verdict,
      String message,
      String details,
      double seconds)
      throws XMLStreamException {
    startCase(xml, suite, name, seconds);
    if (passed) {
      open(xml, verdict, message);
    } else {
      xml.writeStartElement("failure");
      xml.writeAttribute("type", verdict.name());
      xml.writeAttribute("message", printable(message));
      xml.writeCharacters(printable(details));
      xml.writeEndElement();
    }
    xml.writeEndElement();
  }

  /** All that is wrong with a script that was rejected, a line each; empty for other verdicts. */
  private static String details(Verdict verdict, List<JobReport.DiagnosticLine> diagnostics) {
    if (verdict != Verdict.REJECTED) {
      return "";
    }
    return diagnostics.stream()
        .map(
            d ->
                (d.place().isEmpty() ? "" : d.place() + ": ")
                    + d.severity().toLowerCase(java.util.Locale.ROOT)
                    + ": "
                    + d.message()
                    + (d.hint().isEmpty() ? "" : " (" + d.hint() + ")"))
        .collect(Collectors.joining("\n"));
  }

  /** XML 1.0 has no way to write most control characters; they become U+FFFD. */
  private static String printable(String text) {
    return text.codePoints()
        .map(c -> isPrintable(c) ? c : 0xFFFD)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static boolean isPrintable(int c) {
    boolean isSurrogate = c >= 0xD800 && c <= 0xDFFF;
    return c == '\n' || c == '\t' || (c >= 0x20 && c != 0xFFFE && c != 0xFFFF && !isSurrogate);
  }
}
