package io.ringmaster.service.workers;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.JobEvents;
import io.ringmaster.service.metrics.RunMetrics;
import io.ringmaster.service.metrics.WorkerGauges;
import io.ringmaster.service.placement.EmbeddedSeat;
import io.ringmaster.service.placement.PlacementEvents;
import io.ringmaster.service.placement.RunQueue;
import io.ringmaster.service.workers.ActiveRun.Stop;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * The workers inside this process. Each claims a run, executes it and claims the next; a supervisor
 * thread keeps the limits, passes on cancellations, and replaces a worker whose run ignores them.
 */
@Component
class EmbeddedWorkers implements SmartLifecycle {

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedWorkers.class);
  private static final Duration SUPERVISION = Duration.ofMillis(50);
  private static final Duration REMINDER = Duration.ofMinutes(1);

  /**
   * A run keeps its limit itself, and then says more than one that is told from here. It has this
   * part of the time in which it has to stop before it is told.
   */
  private static final int HEED = 20;

  private final RunQueue queue;
  private final RunExecution execution;
  private final ActiveRuns active;
  private final ServiceInstance instance;
  private final RunMetrics metrics;
  private final RingmasterProperties.Workers settings;
  private final EmbeddedSeat seat;
  private final Semaphore work = new Semaphore(0);
  private final Set<Worker> workers = ConcurrentHashMap.newKeySet();
  private volatile boolean running;
  private long remindedAt;
  private int started;

  EmbeddedWorkers(
      RunQueue queue,
      RunExecution execution,
      ActiveRuns active,
      ServiceInstance instance,
      RunMetrics metrics,
      WorkerGauges gauges,
      EmbeddedSeat seat,
      RingmasterProperties properties) {
    this.queue = queue;
    this.execution = execution;
    this.active = active;
    this.instance = instance;
    this.metrics = metrics;
    this.settings = properties.workers();
    this.seat = seat;
    gauges.show(this::states);
  }

  /** Whether every worker is given up, and nobody can claim a run any more. */
  boolean areLost() {
    return running
        && count(Worker.State.ABANDONED) > 0
        && count(Worker.State.IDLE, Worker.State.BUSY) == 0;
  }

  /** How many workers are in which state now; every state is there. */
  Map<String, Long> states() {
    var states = new LinkedHashMap<String, Long>();
    for (var state : Worker.State.values()) {
      states.put(state.name().toLowerCase(Locale.ROOT), count(state));
    }
    return states;
  }

  private long count(Worker.State... states) {
    return workers.stream().filter(w -> Arrays.asList(states).contains(w.state())).count();
  }

  @EventListener
  void submitted(JobEvents.Submitted event) {
    wakeOne();
  }

  /** Devices came free, here or elsewhere: somebody may have waited for them. */
  @TransactionalEventListener(fallbackExecution = true)
  void freed(PlacementEvents.Freed event) {
    wakeOne();
  }

  /**
   * Lets one idle worker look. If it finds something it wakes the next one: so all come for whom
   * there is something, and a thousand submissions don't make a thousand looks at an empty queue.
   */
  private void wakeOne() {
    if (work.availablePermits() == 0) {
      work.release();
    }
  }

  @Override
  public synchronized void start() {
    running = true;
    fillUp();
    Thread.ofPlatform().name("worker-supervisor").daemon().start(this::supervise);
  }

  /**
   * Starts workers until as many as are wanted can claim. Each that was given up may still take a
   * processor, so there is an end to replacing them.
   */
  private synchronized void fillUp() {
    while (running
        && count(Worker.State.IDLE, Worker.State.BUSY) < settings.embedded()
        && count(Worker.State.ABANDONED) <= settings.mostAbandoned()) {
      started++;
      var worker = new Worker("embedded-" + started, this::loop);
      workers.add(worker);
      worker.thread().start();
    }
    seat.setLost(areLost());
  }

  private void loop(Worker worker) {
    try {
      while (running && !worker.isAbandoned()) {
        if (!claimAndExecute(worker)) {
          var _ = work.tryAcquire(settings.pollInterval().toNanos(), TimeUnit.NANOSECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      workers.remove(worker);
      worker.abandoned().ifPresent(run -> cameBack(worker, run));
    }
  }

  private void cameBack(Worker worker, ActiveRun run) {
    LOG.info(
        "Worker {} came back from run {}, {} s after it was told to stop",
        worker.name(),
        run.claim().run().id(),
        TimeUnit.NANOSECONDS.toSeconds(run.nanosSinceStop()));
    fillUp();
  }

  /** False when there is nothing to do now. */
  private boolean claimAndExecute(Worker worker) {
    try {
      var claim = queue.claim(worker.name(), instance.id(), seat.seat());
      claim.ifPresent(
          some -> {
            wakeOne();
            worker.busy();
            metrics.started(some);
            execution.execute(some);
            worker.idle();
          });
      return claim.isPresent();
    } catch (DataAccessException | TransactionException e) {
      // The database is away; the run, if there was one, is taken up again when it is back.
      LOG.warn("Worker {} cannot reach the queue: {}", worker.name(), e.getMessage());
      worker.idle();
      return false;
    }
  }

  private void supervise() {
    try {
      while (running) {
        for (var run : active.all()) {
          long over = run.nanosOverLimit();
          if (over > settings.stopGrace().toNanos() / HEED) {
            run.stop(Stop.LIMIT);
          }
          if (Math.max(over, run.nanosSinceStop()) > settings.stopGrace().toNanos()) {
            giveUp(run);
          }
        }
        remind();
        TimeUnit.NANOSECONDS.sleep(SUPERVISION.toNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void giveUp(ActiveRun run) {
    try {
      execution.abandon(run);
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("Cannot record the end of run {}: {}", run.claim().run().id(), e.getMessage());
      return;
    }
    workers.stream()
        .filter(worker -> worker.thread().equals(run.thread()))
        .forEach(worker -> worker.abandon(run));
    remindedAt = System.nanoTime();
    fillUp();
    if (count(Worker.State.ABANDONED) > settings.mostAbandoned()) {
      LOG.error(
          "{} workers are lost to runs that do not stop; they are not replaced any more. Restart"
              + " the service: what is queued stays queued.",
          count(Worker.State.ABANDONED));
    }
  }

  /** Says again, once a minute, which threads are still lost. */
  private void remind() {
    if (System.nanoTime() - remindedAt < REMINDER.toNanos()) {
      return;
    }
    remindedAt = System.nanoTime();
    for (var worker : workers) {
      worker
          .abandoned()
          .ifPresent(
              run ->
                  LOG.warn(
                      "Worker {} still executes run {} of job {}, {} s after it was told to stop",
                      worker.name(),
                      run.claim().run().id(),
                      run.claim().job().id(),
                      TimeUnit.NANOSECONDS.toSeconds(run.nanosSinceStop())));
    }
  }

  /** Runs that stop in time go back into the queue; the next start takes up the others. */
  @Override
  public void stop() {
    running = false;
    active.all().forEach(run -> run.stop(Stop.SHUTDOWN));
    work.release(settings.embedded());
    long deadline = System.nanoTime() + settings.stopGrace().toNanos();
    try {
      for (var worker : workers) {
        if (!worker.isAbandoned()) {
          worker.thread().join(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Stops before the web server does, so that waiting clients still get their answer. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE;
  }
}
