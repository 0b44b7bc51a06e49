package io.ringmaster.worker.job;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything a job found out, in the shape of the HTTP interface: component names are the JSON
 * names, times end in {@code Nanos}, sizes in {@code Bytes}, per-rank lists are indexed by rank. A
 * null component means "doesn't apply here".
 */
public record JobReport(
    Verdict verdict,
    String sentence,
    List<DiagnosticLine> diagnostics,
    List<Run> runs,
    List<PlatformComparison> comparisons) {

  /** Reports of older versions have no comparisons. */
  public JobReport(
      Verdict verdict,
      String sentence,
      List<DiagnosticLine> diagnostics,
      List<Run> runs,
      @Nullable List<PlatformComparison> comparisons) {
    this.verdict = verdict;
    this.sentence = sentence;
    this.diagnostics = diagnostics;
    this.runs = runs;
    this.comparisons = comparisons == null ? List.of() : comparisons;
  }

  /** A report of runs that were compared with nothing. */
  public JobReport(
      Verdict verdict, String sentence, List<DiagnosticLine> diagnostics, List<Run> runs) {
    this(verdict, sentence, diagnostics, runs, List.of());
  }

  /**
   * A compile-time message, or the exception that ended a script; {@code source} is the text of its
   * line.
   *
   * @param field of a declared job the field that the message is about, as a JSON pointer into the
   *     submission; line and column then count within the field's own text, and are 0 when it is
   *     about the field as a whole
   */
  public record DiagnosticLine(
      String severity,
      String message,
      String hint,
      int line,
      int column,
      int endColumn,
      String source,
      @Nullable String field) {

    /** A message about a line of the script. */
    public DiagnosticLine(
        String severity,
        String message,
        String hint,
        int line,
        int column,
        int endColumn,
        String source) {
      this(severity, message, hint, line, column, endColumn, source, null);
    }

    /**
     * Where it is, for a sentence: {@code line 3, column 5}, or the field of a declaration with the
     * place in its text; empty when nothing stands for it.
     */
    public String place() {
      String lines = field == null || line > 1 ? "line " + line + ", " : "";
      String within = line > 0 ? lines + "column " + column : "";
      return field == null ? within : within.isEmpty() ? field : field + ", " + within;
    }
  }

  /**
   * One platform x device list x arguments.
   *
   * @param diagnostics compile-time messages of this run; the job's are those of all its runs
   */
  public record Run(
      String id,
      String platform,
      List<Integer> devices,
      List<String> arguments,
      Verdict verdict,
      String sentence,
      List<DiagnosticLine> diagnostics,
      Evidence evidence,
      List<Check> checks,
      List<FindingLine> findings,
      List<Collective> collectives,
      List<Barrier> barriers,
      Traffic traffic,
      List<TestCase> tests,
      Timings timings,
      String log) {

    /** Runs of older versions have no diagnostics of their own. */
    public Run(
        String id,
        String platform,
        List<Integer> devices,
        List<String> arguments,
        Verdict verdict,
        String sentence,
        @Nullable List<DiagnosticLine> diagnostics,
        Evidence evidence,
        List<Check> checks,
        List<FindingLine> findings,
        List<Collective> collectives,
        List<Barrier> barriers,
        Traffic traffic,
        List<TestCase> tests,
        Timings timings,
        String log) {
      this.id = id;
      this.platform = platform;
      this.devices = devices;
      this.arguments = arguments;
      this.verdict = verdict;
      this.sentence = sentence;
      this.diagnostics = diagnostics == null ? List.of() : diagnostics;
      this.evidence = evidence;
      this.checks = checks;
      this.findings = findings;
      this.collectives = collectives;
      this.barriers = barriers;
      this.traffic = traffic;
      this.tests = tests;
      this.timings = timings;
      this.log = log;
    }

    /** The same run, with another end. */
    Run ending(Verdict otherVerdict, String otherSentence) {
      return copy(id, platform, otherVerdict, otherSentence, diagnostics);
    }

    /** The same run under another id. */
    Run as(String other) {
      return copy(other, platform, verdict, sentence, diagnostics);
    }

    /** The same findings, said of another platform. */
    Run of(String otherId, String otherPlatform, String otherSentence) {
      return copy(otherId, otherPlatform, verdict, otherSentence, diagnostics);
    }

    /** The same run with these compile-time messages. */
    public Run saying(List<DiagnosticLine> messages) {
      return copy(id, platform, verdict, sentence, messages);
    }

    private Run copy(
        String otherId,
        String otherPlatform,
        Verdict otherVerdict,
        String otherSentence,
        List<DiagnosticLine> otherDiagnostics) {
      return new Run(
          otherId,
          otherPlatform,
          devices,
          arguments,
          otherVerdict,
          otherSentence,
          otherDiagnostics,
          evidence,
          checks,
          findings,
          collectives,
          barriers,
          traffic,
          tests,
          timings,
          log);
    }
  }

  /**
   * What ran; zero operations or zero checks is never PASSED.
   *
   * @param ranks ranks of the launch that had most of them; 0 without a launch
   */
  public record Evidence(
      int ranks,
      Operations operations,
      long payloadBytes,
      long wireBytes,
      long signalBytes,
      int checks,
      long elementsCompared,
      String outputDigest,
      long scheduleSeed,
      Map<String, String> versions) {}

  public record Operations(
      @JsonProperty("notify") long notifies,
      @JsonProperty("wait") long waits,
      long put,
      long get,
      long remoteLoad,
      long remoteStore) {}

  /**
   * A comparison the script made.
   *
   * @param kind allclose, equal, assert_close, comparison
   * @param maxAt index of the largest difference, empty when there is none
   * @param explanation why it failed, in a sentence; of a check that passed: why it can't fail and
   *     so doesn't count, or which part of the output no kernel wrote; empty for nothing to say
   * @param test node id of the test that made it
   */
  public record Check(
      String name,
      String kind,
      boolean passed,
      int line,
      long elements,
      long mismatches,
      @Nullable Double maxAbsDifference,
      List<Long> maxAt,
      @Nullable Double rtol,
      @Nullable Double atol,
      String explanation,
      @Nullable String test) {}

  /**
   * Something found out about a kernel.
   *
   * @param test node id of the test during which it was found
   */
  public record FindingLine(
      String kind,
      String severity,
      String message,
      String hint,
      List<Integer> ranks,
      @Nullable String window,
      @Nullable String cell,
      @Nullable Long fromByte,
      @Nullable Long toByte,
      @Nullable Long seen,
      @Nullable Long needed,
      List<Place> places,
      @Nullable String test) {}

  /** {@code text} is the source line, {@code what} what happened there. */
  public record Place(int rank, int line, int column, String text, String what) {}

  /**
   * One collective call, over all ranks.
   *
   * @param op the collective; {@code transfer} for one-sided traffic outside any built-in
   * @param algorithm mesh, ring, push, pull, credit, or {@code hand}
   * @param formulaBytes published formula for the wire bytes into each rank; empty without one
   */
  public record Collective(
      String op,
      String rail,
      String algorithm,
      int ranks,
      int line,
      List<Long> payloadBytes,
      List<Long> wireBytes,
      List<Long> formulaBytes,
      long minimumBytes,
      long notifies,
      long waits,
      long virtualNanos,
      long wallNanos) {}

  /** One round of a barrier. {@code lastArriver} is a rank. */
  public record Barrier(
      int line,
      String window,
      int round,
      int ranks,
      int lastArriver,
      long skewVirtualNanos,
      long releaseVirtualNanos,
      List<Long> waitVirtualNanos,
      List<Long> waitWallNanos) {}

  /** Bytes from row rank to column rank; no rows for more than {@link #MOST_RANKS} ranks. */
  public record Traffic(List<List<Long>> payloadBytes, List<List<Long>> wireBytes) {

    /** A table grows with the square of the ranks: at ten thousand it would be a gigabyte. */
    public static final int MOST_RANKS = 1024;
  }

  /**
   * One test of a file of tests.
   *
   * @param nodeId {@code file.py::TestX::test_y[a-b]}
   * @param className {@code file.TestX}, as JUnit XML groups it
   * @param name {@code test_y[a-b]}
   * @param outcome what pytest would say; a test that passed without comparing anything is
   *     NOT_VERIFIED all the same
   * @param message why, in a sentence
   * @param checks how many comparisons it made
   * @param wallNanos how long it took on the machine; nothing in reports of older versions
   */
  public record TestCase(
      String nodeId,
      String className,
      String name,
      Outcome outcome,
      Verdict verdict,
      String message,
      int line,
      int checks,
      @Nullable Long wallNanos) {}

  /** How a test ended, in the words of pytest. */
  public enum Outcome {
    PASSED,
    FAILED,
    ERROR,
    SKIPPED,
    XFAILED,
    XPASSED,
    NOT_RUN
  }

  public record Timings(
      long compileNanos, long runWallNanos, long runVirtualNanos, long verifyNanos) {}
}
