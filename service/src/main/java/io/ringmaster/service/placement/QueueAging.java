package io.ringmaster.service.placement;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.Columns;
import io.ringmaster.service.jobs.Priority;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Raises what has waited for long, one priority for each step of time, up to the highest. So no run
 * is overtaken for longer than two steps, whatever priority it began with: from then on only those
 * come before it that were submitted before.
 */
@Component
class QueueAging {

  /** So much of a step a run may be raised late. */
  private static final int LOOKS_PER_STEP = 60;

  private final JdbcClient jdbc;
  private final PlanningLock planning;
  private final InstantSource clock;
  private final Duration step;
  private Instant looked = Instant.MIN;

  QueueAging(
      JdbcClient jdbc,
      PlanningLock planning,
      InstantSource clock,
      RingmasterProperties properties) {
    this.jdbc = jdbc;
    this.planning = planning;
    this.clock = clock;
    this.step = properties.placement().aging();
  }

  /**
   * Raises what is due, if it is time to look again. In a transaction of its own: a pass that
   * claims locks jobs before their runs, and this locks runs only.
   */
  void raise() {
    if (!step.isZero() && isTime()) {
      var _ =
          planning.locked(
              () ->
                  raise(Priority.LOW, 2, Priority.HIGH)
                      + raise(Priority.NORMAL, 1, Priority.HIGH)
                      + raise(Priority.LOW, 1, Priority.NORMAL));
    }
  }

  private synchronized boolean isTime() {
    var now = clock.instant();
    if (looked.equals(Instant.MIN) || !now.isBefore(looked.plus(step.dividedBy(LOOKS_PER_STEP)))) {
      looked = now;
      return true;
    }
    return false;
  }

  private int raise(Priority from, int steps, Priority to) {
    return jdbc.sql(
            """
            update run set priority = :to
            where state = 'QUEUED' and priority < :to and queued_at <= :time
              and exists (select 1 from job j where j.id = run.job_id and j.priority = :from)
            """)
        .param("to", to.rank())
        .param("from", from.rank())
        .param("time", Columns.at(clock.instant().minus(step.multipliedBy(steps))))
        .update();
  }
}
