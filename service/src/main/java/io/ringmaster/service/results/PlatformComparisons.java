package io.ringmaster.service.results;

import io.ringmaster.service.artifacts.ArtifactStore;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.worker.job.PlatformCheck;
import io.ringmaster.worker.job.PlatformComparison;
import io.ringmaster.worker.job.RunOutputs;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Holds the runs of a job on each further platform against those of the same devices and arguments
 * on its first.
 */
@Component
class PlatformComparisons {

  private static final Logger LOG = LoggerFactory.getLogger(PlatformComparisons.class);

  private final StoredReports reports;
  private final ArtifactStore artifacts;

  PlatformComparisons(StoredReports reports, ArtifactStore artifacts) {
    this.reports = reports;
    this.artifacts = artifacts;
  }

  /**
   * Compares a job's runs; none on a single platform. To be asked under the lock on the job's row:
   * of two runs that end at the same time, only the second to get it sees what both have left.
   * Contents are read only where digests differ, and by then nobody else wants that row.
   *
   * @param job with all its runs finished
   * @throws ProblemException UNAVAILABLE when the place of their files can't be used
   */
  List<PlatformComparison> of(Job job) {
    var found = new ArrayList<PlatformComparison>();
    // Runs are numbered platform by platform, in each over the same device lists and arguments.
    int each = job.runs().size() / Math.max(1, job.platforms().size());
    for (var run : job.runs().subList(Math.min(each, job.runs().size()), job.runs().size())) {
      found.add(compared(job, run, job.runs().get((run.place() - 1) % each)));
    }
    return found;
  }

  private PlatformComparison compared(Job job, Run run, Run reference) {
    var mine = reports.finished(job, run);
    var its = reports.finished(job, reference);
    try {
      return PlatformCheck.compare(mine, () -> outputs(run), its, () -> outputs(reference));
    } catch (IllegalArgumentException e) {
      LOG.warn("Runs {} and {} can't be compared", run.id(), reference.id(), e);
      return PlatformCheck.unread(mine, its, String.valueOf(e.getMessage()));
    } catch (ProblemException e) {
      if (e.code() == ProblemCode.UNAVAILABLE) {
        throw e;
      }
      return PlatformCheck.unread(mine, its, e.detail());
    }
  }

  private RunOutputs outputs(Run run) {
    var prefix = ResultRecorder.OUTPUTS;
    var names =
        artifacts.list(run.id(), prefix).stream()
            .map(entry -> entry.name().substring(prefix.length()))
            .toList();
    return RunOutputs.read(
        names,
        name ->
            artifacts
                .load(run.id(), prefix + name)
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            "%s of run %d is gone".formatted(name, run.place()))));
  }
}
