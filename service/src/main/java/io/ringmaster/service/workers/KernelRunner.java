package io.ringmaster.service.workers;

import io.ringmaster.service.submissions.ScriptCompiler;
import io.ringmaster.service.submissions.SubmissionReader;
import io.ringmaster.worker.job.CompiledScript;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.source.SourceFile;
import java.util.List;

/** Runs and compiles kernels through the worker's one door. */
final class KernelRunner implements JobExecutor, ScriptCompiler {

  private final JobRunner runner;

  KernelRunner(JobRunner runner) {
    this.runner = runner;
  }

  @Override
  public JobReport run(JobSpec spec, RunControl control) {
    return runner.run(spec, control);
  }

  @Override
  public List<JobReport.DiagnosticLine> check(SourceFile source) {
    return runner.check(source);
  }

  @Override
  public Outcome compile(
      SourceFile source,
      String platform,
      List<Integer> devices,
      List<String> arguments,
      SubmissionReader.Stage stage) {
    CompiledScript compiled =
        runner.compile(
            new JobSpec(source, platform, List.of(devices), arguments, JobSpec.Limits.DEFAULT, 0));
    if (compiled.isRejected()) {
      return new Outcome.Rejected(compiled.report().diagnostics());
    }
    String text =
        compiled.text(
            switch (stage) {
              case SOURCE -> CompiledScript.FRONTEND;
              case LOWERED -> CompiledScript.LOWERED;
            });
    return new Outcome.Compiled(text, compiled.report().diagnostics());
  }
}
