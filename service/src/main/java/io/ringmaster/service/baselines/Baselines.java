package io.ringmaster.service.baselines;

import io.ringmaster.service.config.EmbeddedDatabase;
import io.ringmaster.service.config.Sha256;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.JobReader;
import io.ringmaster.service.jobs.JobReports;
import io.ringmaster.service.jobs.Requester;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.RequestError;
import io.ringmaster.worker.job.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The rules of baselines. Everybody may read them and compare with them, else a team could not
 * share one; only the owner and operators change one, and a change says which version it is about.
 */
@Service
class Baselines {

  private final BaselineStore store;
  private final JobReader reader;
  private final JobReports reports;
  private final Requester requester;
  private final TransactionTemplate transaction;
  private final EmbeddedDatabase database;
  private final InstantSource clock;

  Baselines(
      BaselineStore store,
      JobReader reader,
      JobReports reports,
      Requester requester,
      TransactionTemplate transaction,
      EmbeddedDatabase database,
      InstantSource clock) {
    this.store = store;
    this.reader = reader;
    this.reports = reports;
    this.requester = requester;
    this.transaction = transaction;
    this.database = database;
    this.clock = clock;
  }

  /**
   * A baseline.
   *
   * @throws ProblemException NOT_FOUND
   */
  Baseline get(String name) {
    return store.find(name).orElseThrow(() -> unknown(name));
  }

  static ProblemException unknown(String name) {
    return ProblemException.notFound(
        "There is no baseline %s. Approve a job in it: POST /api/v1/baselines/%s/approve."
            .formatted(name, name));
  }

  /**
   * Makes a baseline, or changes its settings.
   *
   * @return whether it was made
   */
  boolean put(
      String name, Optional<String> description, Optional<Double> tolerance, Optional<String> tag) {
    return change(
        () -> {
          var now = Columns.now(clock);
          var old = store.lock(name);
          checkTag(name, old, tag);
          if (old.isEmpty()) {
            store.insert(
                name, requester.name(), description.orElse(""), tolerance.orElse(0.0), now);
            return true;
          }
          requireOwner(old.get());
          store.update(
              name,
              description.orElse(old.get().description()),
              tolerance.orElse(old.get().tolerancePercent()),
              now);
          return false;
        });
  }

  /**
   * Lets a job's result stand for its name.
   *
   * @param tag the version of the baseline that somebody has looked at
   * @param anyway also when the job isn't PASSED
   */
  void approve(String name, String jobId, String note, boolean anyway, Optional<String> tag) {
    var job = finished(jobId);
    if (job.verdict().orElseThrow() != Verdict.PASSED && !anyway) {
      throw ProblemException.of(
          ProblemCode.NOT_PASSED,
          new RequestError(
              RequestError.Where.BODY,
              "/jobId",
              RequestError.Kind.BAD_VALUE,
              "Job %s is %s, so it would approve a fault. Say \"anyway\": true if you mean it."
                  .formatted(jobId, job.verdict().orElseThrow())));
    }
    var content = Columns.json(RunNumbers.of(job, reports.report(job)));
    var _ =
        change(
            () -> {
              approveLocked(name, job, content, note, tag);
              return true;
            });
  }

  private void approveLocked(
      String name, Job job, String content, String note, Optional<String> tag) {
    var now = Columns.now(clock);
    var locked = store.lock(name);
    if (locked.isEmpty()) {
      checkTag(name, Optional.empty(), tag);
      store.insert(name, requester.name(), "", 0, now);
    }
    var baseline = locked.or(() -> store.find(name)).orElseThrow();
    requireOwner(baseline);
    var old = baseline.approvedFor(job.name());
    var digest = Sha256.hex(content.getBytes(StandardCharsets.UTF_8));
    if (old.isPresent()
        && old.get().digest().equals(digest)
        && old.get().labels().equals(job.labels())) {
      return; // the same again, as a retry says it
    }
    if (old.isPresent() && tag.isEmpty()) {
      throw new ProblemException(
          ProblemCode.PRECONDITION_REQUIRED,
          "Baseline %s has a result for %s already, revision %d of job %s. Look at it, then send If-Match: %s, or If-Match: * to replace whatever is there."
              .formatted(
                  name, job.name(), old.get().revision(), old.get().jobId(), tagOf(baseline)));
    }
    if (old.isPresent()) {
      checkTag(name, Optional.of(baseline), tag);
    }
    var result =
        new ApprovedResult(
            "",
            job.name(),
            old.map(ApprovedResult::revision).orElse(0) + 1,
            job.id(),
            job.labels(),
            digest,
            requester.name(),
            clock.instant(),
            note,
            List.of());
    store.approve(name, result, content, now);
  }

  /** Removes a baseline with its history. */
  void delete(String name) {
    var _ =
        change(
            () -> {
              requireOwner(store.lock(name).orElseThrow(() -> unknown(name)));
              store.delete(name);
              return true;
            });
  }

  /** A finished job that the requester may see. */
  Job finished(String jobId) {
    var job = reader.get(jobId);
    if (!job.isFinished()) {
      throw new ProblemException(
              ProblemCode.NOT_FINISHED,
              "Job %s is %s. Wait for it with GET /api/v1/jobs/%s?wait=30."
                  .formatted(jobId, job.state(), jobId))
          .withRetryAfter(1);
    }
    return job;
  }

  private interface Change {
    boolean make();
  }

  /** In one transaction; if somebody made the same baseline meanwhile, once more. */
  private boolean change(Change change) {
    boolean result;
    try {
      result = Boolean.TRUE.equals(transaction.execute(_ -> change.make()));
    } catch (DuplicateKeyException e) {
      result = Boolean.TRUE.equals(transaction.execute(_ -> change.make()));
    }
    database.settle();
    return result;
  }

  private void requireOwner(Baseline baseline) {
    var only = requester.seesOnly();
    if (only.isPresent() && !only.get().equals(baseline.owner())) {
      throw new ProblemException(
          ProblemCode.FORBIDDEN,
          "Baseline %s belongs to %s; only its owner and operators change it. Use another name for your own."
              .formatted(baseline.name(), baseline.owner()));
    }
  }

  static String tagOf(Baseline baseline) {
    return "\"" + baseline.version() + "\"";
  }

  private static void checkTag(String name, Optional<Baseline> old, Optional<String> tag) {
    if (tag.isEmpty()) {
      return;
    }
    boolean matches =
        old.isPresent() && (tag.get().strip().equals("*") || tag.get().contains(tagOf(old.get())));
    if (!matches) {
      throw new ProblemException(
          ProblemCode.PRECONDITION_FAILED,
          old.isEmpty()
              ? "There is no baseline %s yet, so no version of it. Leave If-Match out."
                  .formatted(name)
              : "Baseline %s is at version %s, not %s; somebody has changed it. Look at it again."
                  .formatted(name, tagOf(old.get()), tag.get()));
    }
  }
}
