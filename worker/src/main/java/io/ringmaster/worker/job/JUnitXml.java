package io.ringmaster.worker.job;

import java.io.StringWriter;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * The report in the JUnit XML that CI servers read: one suite a run, one case a check (a test
 * file's cases where there are some), and one case {@code verdict} that fails unless the run
 * PASSED.
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
    startSuite(xml, name, 1, passed ? 0 : 1, 0);
    testCase(xml, name, "verdict", passed, report.verdict(), report.sentence(), 0);
    xml.writeEndElement();
  }

  private static void suite(XMLStreamWriter xml, String name, JobReport.Run run)
      throws XMLStreamException {
    String suite = name + " " + run.platform() + " " + run.devices();
    boolean verdictPassed = run.verdict() == Verdict.PASSED;
    List<JobReport.TestCase> tests = run.tests();
    long failures =
        (verdictPassed ? 0 : 1)
            + (tests.isEmpty()
                ? run.checks().stream().filter(c -> !c.passed()).count()
                : tests.stream().filter(t -> t.verdict() != Verdict.PASSED).count());
    int cases = 1 + (tests.isEmpty() ? run.checks().size() : tests.size());
    startSuite(xml, suite, cases, failures, run.timings().runWallNanos() / 1e9);
    if (tests.isEmpty()) {
      for (JobReport.Check check : run.checks()) {
        testCase(
            xml,
            suite,
            check.name() + " (line " + check.line() + ")",
            check.passed(),
            Verdict.WRONG_RESULT,
            check.explanation(),
            0);
      }
    }
    for (JobReport.TestCase test : tests) {
      boolean passed = test.verdict() == Verdict.PASSED;
      testCase(xml, suite, test.nodeId(), passed, test.verdict(), test.message(), 0);
    }
    testCase(xml, suite, "verdict", verdictPassed, run.verdict(), run.sentence(), 0);
    if (!run.log().isEmpty()) {
      xml.writeStartElement("system-out");
      xml.writeCharacters(printable(run.log()));
      xml.writeEndElement();
    }
    xml.writeEndElement();
  }

  private static void startSuite(
      XMLStreamWriter xml, String name, int cases, long failures, double seconds)
      throws XMLStreamException {
    xml.writeStartElement("testsuite");
    xml.writeAttribute("name", printable(name));
    xml.writeAttribute("tests", Integer.toString(cases));
    xml.writeAttribute("failures", Long.toString(failures));
    xml.writeAttribute("errors", "0");
    xml.writeAttribute("skipped", "0");
    xml.writeAttribute("time", String.format(java.util.Locale.ROOT, "%.6f", seconds));
  }

  private static void testCase(
      XMLStreamWriter xml,
      String suite,
      String name,
      boolean passed,
      Verdict verdict,
      String message,
      double seconds)
      throws XMLStreamException {
    xml.writeStartElement("testcase");
    xml.writeAttribute("classname", printable(suite));
    xml.writeAttribute("name", printable(name));
    xml.writeAttribute("time", Double.toString(seconds));
    if (!passed) {
      xml.writeStartElement("failure");
      xml.writeAttribute("type", verdict.name());
      xml.writeAttribute("message", printable(message));
      xml.writeEndElement();
    }
    xml.writeEndElement();
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
