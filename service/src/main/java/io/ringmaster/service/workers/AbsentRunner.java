package io.ringmaster.service.workers;

import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.results.RunResults;
import io.ringmaster.service.submissions.ScriptCompiler;
import io.ringmaster.service.submissions.SubmissionReader;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.job.Verdict;
import io.ringmaster.worker.source.SourceFile;
import java.util.List;

/** Stands where the runner belongs in a build without one: says so instead of guessing. */
final class AbsentRunner implements JobExecutor, ScriptCompiler {

  private static final String SENTENCE = "This build has no kernel runner.";

  @Override
  public JobReport run(JobSpec spec, RunControl control) {
    return RunResults.outside(Verdict.INFRA, SENTENCE);
  }

  @Override
  public Outcome compile(
      SourceFile source,
      String platform,
      List<Integer> devices,
      List<String> arguments,
      SubmissionReader.Stage stage) {
    throw new ProblemException(ProblemCode.UNAVAILABLE, SENTENCE);
  }
}
