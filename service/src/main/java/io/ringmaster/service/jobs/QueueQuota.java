package io.ringmaster.service.jobs;

import io.ringmaster.service.config.Quotas;
import io.ringmaster.service.config.Quotas.Quota;
import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.QuotaFault;
import java.util.Optional;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Refuses jobs of owners of whom enough wait already, exactly: two at once can't both be the last.
 */
@Component
class QueueQuota {

  private static final String NAME = "queued-jobs";

  /** When nobody knows what ends next. */
  private static final long RETRY_SECONDS = 10;

  private final JdbcClient jdbc;
  private final Requester requester;
  private final ApplicationEventPublisher events;
  private final Quotas quotas;

  QueueQuota(
      JdbcClient jdbc,
      Requester requester,
      ApplicationEventPublisher events,
      RingmasterProperties properties) {
    this.jdbc = jdbc;
    this.requester = requester;
    this.events = events;
    this.quotas = properties.quotas();
  }

  private Optional<Integer> limit() {
    int limit = quotas.of(requester.name()).queuedJobs();
    return limit == Quota.UNLIMITED ? Optional.empty() : Optional.of(limit);
  }

  /** Makes the row that {@link #check} locks; outside of the transaction, where it may be there. */
  void prepare() {
    if (limit().isPresent()) {
      jdbc.sql("insert into quota_owner (owner) values (:owner) on conflict do nothing")
          .param("owner", requester.name())
          .update();
    }
  }

  /**
   * Lets one more job in; inside the transaction that inserts it.
   *
   * @throws ProblemException QUOTA_EXCEEDED
   */
  void check() {
    limit().ifPresent(this::check);
  }

  private void check(int limit) {
    var owner = requester.name();
    var _ =
        jdbc.sql("select owner from quota_owner where owner = :owner for update")
            .param("owner", owner)
            .query(String.class)
            .single();
    long queued =
        jdbc.sql("select count(*) from job where owner = :owner and state = 'QUEUED'")
            .param("owner", owner)
            .query(Long.class)
            .single();
    if (queued >= limit) {
      events.publishEvent(new JobEvents.QuotaExceeded(NAME));
      throw new ProblemException(
              ProblemCode.QUOTA_EXCEEDED,
              "%s has %,d queued %s, and the quota is %,d. Wait until some have started, or cancel some."
                  .formatted(owner, queued, queued == 1 ? "job" : "jobs", limit))
          .withQuota(new QuotaFault(NAME, owner, limit, queued))
          .withRetryAfter(RETRY_SECONDS);
    }
  }
}
