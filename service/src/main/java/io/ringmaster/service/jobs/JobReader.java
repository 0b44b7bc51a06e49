package io.ringmaster.service.jobs;

import io.ringmaster.service.problems.ProblemException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.springframework.stereotype.Service;

/** Finds jobs and runs, and waits for jobs to change. */
@Service
public class JobReader {

  /** Another replica's change is not announced here; it is seen at the latest after this time. */
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  private final JobStore store;
  private final JobChanges changes;
  private final Requester requester;

  public JobReader(JobStore store, JobChanges changes, Requester requester) {
    this.store = store;
    this.changes = changes;
    this.requester = requester;
  }

  /**
   * Finds a job that the requester may see.
   *
   * @throws ProblemException NOT_FOUND, also for the job of a stranger
   */
  public Job get(String id) {
    return store
        .find(id)
        .filter(job -> requester.seesOnly().map(job.owner()::equals).orElse(true))
        .orElseThrow(() -> unknown(id));
  }

  /**
   * Finds a job for the service's own work on it: a worker that hands in a result is no requester
   * of the job, and whoever asks may be a stranger to it.
   *
   * @throws ProblemException NOT_FOUND
   */
  public Job known(String id) {
    return store.find(id).orElseThrow(() -> unknown(id));
  }

  /**
   * The script of a job that was found.
   *
   * @throws ProblemException NOT_FOUND when the job was removed meanwhile
   */
  public byte[] source(Job job) {
    return store.source(job.id()).orElseThrow(() -> unknown(job.id()));
  }

  static ProblemException unknown(String id) {
    return ProblemException.notFound("There is no job " + id + ".");
  }

  /**
   * Finds a run of a job.
   *
   * @param run a run's id or its place in the job, from 1
   * @throws ProblemException NOT_FOUND
   */
  public Run run(Job job, String run) {
    return job.runs().stream()
        .filter(some -> some.id().equals(run) || Integer.toString(some.place()).equals(run))
        .findFirst()
        .orElseThrow(
            () ->
                ProblemException.notFound(
                    "Job %s has no run %s; it has runs 1 to %d."
                        .formatted(job.id(), run, job.runs().size())));
  }

  /**
   * The job as soon as it is finished, or as it is when the time is up.
   *
   * @throws ProblemException NOT_FOUND
   */
  public Job awaitEnd(String id, Duration most) {
    return await(id, most, JobChanges.Until.END, Job::isFinished);
  }

  /**
   * The job as soon as it is as wanted, or as it is when the time is up.
   *
   * @throws ProblemException NOT_FOUND
   */
  Job await(String id, Duration most, Predicate<Job> wanted) {
    return await(id, most, JobChanges.Until.CHANGE, wanted);
  }

  private Job await(String id, Duration most, JobChanges.Until until, Predicate<Job> wanted) {
    if (most.isZero()) {
      return get(id);
    }
    long deadline = System.nanoTime() + most.toNanos();
    try (var listening = changes.listen(id, until)) {
      while (true) {
        var job = get(id);
        long left = deadline - System.nanoTime();
        if (wanted.test(job) || left <= 0) {
          return job;
        }
        if (listening
            .signal()
            .tryAcquire(Math.min(left, LOOK_AGAIN.toNanos()), TimeUnit.NANOSECONDS)) {
          listening.signal().drainPermits();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return get(id);
    }
  }
}
