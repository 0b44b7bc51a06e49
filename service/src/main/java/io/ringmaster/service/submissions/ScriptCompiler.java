package io.ringmaster.service.submissions;

import io.ringmaster.worker.job.JobReport.DiagnosticLine;
import io.ringmaster.worker.source.SourceFile;
import java.util.List;

/** The door to the compiler: a script in, its programs as text out. Takes no device. */
public interface ScriptCompiler {

  /**
   * What is wrong with a script whatever it is run on, in source order; empty when it may run.
   * Takes a moment, runs nothing.
   */
  List<DiagnosticLine> check(SourceFile source);

  /**
   * Compiles every program that the script compiles when it is run with these devices and
   * arguments.
   */
  Outcome compile(
      SourceFile source,
      String platform,
      List<Integer> devices,
      List<String> arguments,
      SubmissionReader.Stage stage);

  /** What came out. */
  sealed interface Outcome {

    /**
     * The script is fine.
     *
     * @param ir the programs as text
     * @param diagnostics notes and warnings
     */
    record Compiled(String ir, List<DiagnosticLine> diagnostics) implements Outcome {}

    /** At least one diagnostic is an error. */
    record Rejected(List<DiagnosticLine> diagnostics) implements Outcome {}
  }
}
