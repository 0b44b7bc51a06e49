package io.ringmaster.service.workers;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.JobEvents;
import io.ringmaster.service.metrics.RunMetrics;
import io.ringmaster.service.placement.RunQueue;
import io.ringmaster.service.workers.ActiveRun.Stop;
import java.time.Duration;
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

/**
 * The workers inside this process. Each is a thread that claims a run, executes it and claims the
 * next; a supervisor thread keeps the limits, passes on cancellations, and replaces a worker whose
 * run ignores them.
 */
@Component
class EmbeddedWorkers implements SmartLifecycle {

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedWorkers.class);
  private static final Duration SUPERVISION = Duration.ofMillis(50);

  private final RunQueue queue;
  private final RunExecution execution;
  private final ActiveRuns active;
  private final ServiceInstance instance;
  private final RunMetrics metrics;
  private final RingmasterProperties.Workers settings;
  private final Semaphore work = new Semaphore(0);
  private final Set<Worker> workers = ConcurrentHashMap.newKeySet();
  private volatile boolean running;
  private int started;

  EmbeddedWorkers(
      RunQueue queue,
      RunExecution execution,
      ActiveRuns active,
      ServiceInstance instance,
      RunMetrics metrics,
      RingmasterProperties properties) {
    this.queue = queue;
    this.execution = execution;
    this.active = active;
    this.instance = instance;
    this.metrics = metrics;
    this.settings = properties.workers();
  }

  /** One worker: a thread, and whether it may claim more. */
  private final class Worker {
    private final String name;
    private final Thread thread;
    private volatile boolean replaced;

    Worker(String name) {
      this.name = name;
      this.thread = Thread.ofPlatform().name(name).daemon().unstarted(() -> loop(this));
    }
  }

  @EventListener
  void submitted(JobEvents.Submitted event) {
    work.release(settings.embedded());
  }

  @Override
  public synchronized void start() {
    running = true;
    for (int i = 0; i < settings.embedded(); i++) {
      startWorker();
    }
    Thread.ofPlatform().name("worker-supervisor").daemon().start(this::supervise);
  }

  private synchronized void startWorker() {
    started++;
    var worker = new Worker("embedded-" + started);
    workers.add(worker);
    worker.thread.start();
  }

  private void loop(Worker worker) {
    try {
      while (running && !worker.replaced) {
        if (!claimAndExecute(worker)) {
          work.tryAcquire(settings.pollInterval().toNanos(), TimeUnit.NANOSECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      workers.remove(worker);
    }
  }

  /** False when there is nothing to do now. */
  private boolean claimAndExecute(Worker worker) {
    try {
      var claim = queue.claim(worker.name, instance.id());
      claim.ifPresent(
          some -> {
            metrics.started(some);
            execution.execute(some);
            work.release(); // its devices are free: somebody may have waited for them
          });
      return claim.isPresent();
    } catch (DataAccessException | TransactionException e) {
      // The database is away; the run, if there was one, is taken up again when it is back.
      LOG.warn("Worker {} cannot reach the queue: {}", worker.name, e.getMessage());
      return false;
    }
  }

  private void supervise() {
    try {
      while (running) {
        for (var run : active.all()) {
          if (run.isOverLimit()) {
            run.stop(Stop.LIMIT);
          }
          if (run.nanosSinceStop() > settings.stopGrace().toNanos()) {
            replace(run);
          }
        }
        TimeUnit.NANOSECONDS.sleep(SUPERVISION.toNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void replace(ActiveRun run) {
    try {
      execution.abandon(run);
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("Cannot record the end of run {}: {}", run.claim().run().id(), e.getMessage());
      return;
    }
    // The worker of that run may never come back from it.
    workers.stream()
        .filter(worker -> worker.thread.equals(run.thread()))
        .forEach(worker -> worker.replaced = true);
    startWorker();
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
        worker.thread.join(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
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
