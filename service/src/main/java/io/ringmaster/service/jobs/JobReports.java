package io.ringmaster.service.jobs;

import io.ringmaster.api.model.JobReport;

/** The reports of finished jobs; results keep them. */
public interface JobReports {

  /**
   * The report in the contract's shape.
   *
   * @throws io.ringmaster.service.problems.ProblemException NOT_FINISHED
   */
  JobReport view(Job job);

  /**
   * The report as the workers wrote it.
   *
   * @throws io.ringmaster.service.problems.ProblemException NOT_FINISHED
   */
  io.ringmaster.worker.job.JobReport report(Job job);

  /**
   * The report as JUnit XML.
   *
   * @throws io.ringmaster.service.problems.ProblemException NOT_FINISHED
   */
  String junit(Job job);
}
