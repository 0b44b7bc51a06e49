package io.ringmaster.service.results;

import io.ringmaster.api.model.Stage;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.JobReader;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.jobs.Submission;
import io.ringmaster.service.submissions.CompileDesk;
import io.ringmaster.service.submissions.SubmissionReader;
import io.ringmaster.worker.ir.IrDiff;
import org.springframework.stereotype.Component;

/** What runs' kernels were compiled to. The compiler is deterministic: it says the same again. */
@Component
class RunIr {

  private static final int CONTEXT_LINES = 3;

  private final JobReader reader;
  private final CompileDesk compiler;

  RunIr(JobReader reader, CompileDesk compiler) {
    this.reader = reader;
    this.compiler = compiler;
  }

  String text(Job job, Run run, Stage stage) {
    var source = reader.source(job);
    return compiler
        .compile(
            new SubmissionReader.Compilation(
                Submission.Script.of(job.scriptName(), source),
                run.platform(),
                run.devices(),
                run.arguments(),
                SubmissionReader.Stage.valueOf(stage.name())))
        .ir();
  }

  /**
   * A unified diff.
   *
   * @param left {@code JOB} or {@code JOB/PLACE}
   */
  String diff(String left, String right, Stage stage) {
    return IrDiff.unified(left, text(left, stage), right, text(right, stage), CONTEXT_LINES);
  }

  private String text(String address, Stage stage) {
    int slash = address.indexOf('/');
    var job = reader.get(slash < 0 ? address : address.substring(0, slash));
    return text(job, reader.run(job, slash < 0 ? "1" : address.substring(slash + 1)), stage);
  }
}
