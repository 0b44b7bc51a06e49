package io.ringmaster.service.jobs;

import io.ringmaster.service.config.EmbeddedDatabase;
import io.ringmaster.service.config.Ids;
import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.RequestError;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** Takes submissions in: one transaction, after which the job is queued or doesn't exist. */
@Service
public class JobSubmitter {

  private static final long RETRY_SECONDS = 5;

  private final JobInserts inserts;
  private final QueueQuota quota;
  private final TransactionTemplate transaction;
  private final EmbeddedDatabase database;
  private final ApplicationEventPublisher events;
  private final InstantSource clock;
  private final Ids ids;
  private final Duration retention;
  private volatile boolean closing;

  JobSubmitter(
      JobInserts inserts,
      QueueQuota quota,
      TransactionTemplate transaction,
      EmbeddedDatabase database,
      ApplicationEventPublisher events,
      InstantSource clock,
      Ids ids,
      RingmasterProperties properties) {
    this.inserts = inserts;
    this.quota = quota;
    this.transaction = transaction;
    this.database = database;
    this.events = events;
    this.clock = clock;
    this.ids = ids;
    this.retention = properties.submit().idempotencyRetention();
  }

  /** The process ends: what it would take in now, another would have to find. */
  @EventListener
  void closing(ContextClosedEvent event) {
    closing = true;
  }

  /**
   * A submission that is in.
   *
   * @param replayed whether the key had been used before and this is the job of then
   */
  public record Accepted(String jobId, boolean replayed) {}

  /**
   * Takes a submission in, or finds the one that its key stands for.
   *
   * @throws ProblemException IDEMPOTENCY_KEY_REUSED when the key belongs to another submission,
   *     QUOTA_EXCEEDED when enough jobs of the requester wait already, UNAVAILABLE while the
   *     process ends
   */
  public Accepted submit(Submission submission, Optional<String> key) {
    if (closing) {
      throw new ProblemException(
              ProblemCode.UNAVAILABLE,
              "This process of the service is shutting down and takes no new jobs. Try again in"
                  + " some seconds.")
          .withRetryAfter(RETRY_SECONDS);
    }
    if (key.isPresent()) {
      inserts.forgetBefore(Columns.at(clock.instant().minus(retention)));
      var earlier = inserts.remembered(key.get());
      if (earlier.isPresent()) {
        return replay(earlier.get(), submission);
      }
    }
    var id = ids.job();
    quota.prepare();
    try {
      transaction.executeWithoutResult(
          _ -> {
            quota.check();
            var now = Columns.now(clock);
            inserts.insert(id, submission, now);
            key.ifPresent(some -> inserts.remember(some, id, submission, now));
          });
    } catch (DuplicateKeyException e) {
      // Somebody else was faster with the same key; ids cannot collide.
      return replay(inserts.remembered(key.orElseThrow(() -> e)).orElseThrow(() -> e), submission);
    }
    database.settle();
    events.publishEvent(new JobEvents.Submitted(id, submission.platforms().getFirst()));
    return new Accepted(id, false);
  }

  private static Accepted replay(JobInserts.Remembered earlier, Submission submission) {
    if (earlier.submissionDigest().equals(submission.digest())) {
      return new Accepted(earlier.jobId(), true);
    }
    throw ProblemException.of(
        ProblemCode.IDEMPOTENCY_KEY_REUSED,
        new RequestError(
            RequestError.Where.HEADER,
            "Idempotency-Key",
            RequestError.Kind.DUPLICATE,
            "This key belongs to job %s, which was another submission. Use a new key for a new"
                    .formatted(earlier.jobId())
                + " submission."));
  }
}
