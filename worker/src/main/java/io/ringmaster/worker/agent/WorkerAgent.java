package io.ringmaster.worker.agent;

import io.ringmaster.api.client.model.Lease;
import io.ringmaster.api.client.model.Worker;
import io.ringmaster.worker.agent.ServiceLink.Away;
import io.ringmaster.worker.agent.ServiceLink.Ended;
import io.ringmaster.worker.agent.ServiceLink.Refused;
import io.ringmaster.worker.agent.ServiceLink.Unknown;
import io.ringmaster.worker.external.ExternalRunner;
import io.ringmaster.worker.isolated.ChildRunner;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.job.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A worker process: registers with a job service, executes the runs it is given, and hands in what
 * came out. A service that is away is waited for; a lease that has ended takes its run along; the
 * order to end lets runs finish for a while and gives back what is left.
 */
public final class WorkerAgent {

  private static final Duration RETRY = Duration.ofSeconds(1);

  /** How long a run may ignore the order to stop before its thread is given up. */
  private static final Duration DEAF = Duration.ofSeconds(5);

  private static final Duration LOG_EVERY = Duration.ofMillis(500);

  private final AgentSettings settings;
  private final ServiceLink link;
  private final Consumer<String> say;
  private final Optional<ExternalRunner> cards;
  private final JobRunner runner;
  private final DeviceProbe probe;
  private final Set<LeasedRun> active = ConcurrentHashMap.newKeySet();
  private final CountDownLatch ending = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Optional<Worker> registered = Optional.empty();
  private volatile boolean lost;

  /**
   * Makes an agent; it does nothing yet.
   *
   * @param say told each line that a person who watches the process wants to see
   */
  public WorkerAgent(AgentSettings settings, Consumer<String> say) {
    this(settings, Optional.empty(), ChildRunner.jobs(Optional.empty(), settings.slots()), say);
  }

  /**
   * Makes the agent of a host that may have cards.
   *
   * @param cards what runs scripts on them
   * @param runner executes all, with them
   */
  public WorkerAgent(
      AgentSettings settings,
      Optional<ExternalRunner> cards,
      JobRunner runner,
      Consumer<String> say) {
    this.settings = settings;
    this.cards = cards;
    this.runner = runner;
    this.probe = new DeviceProbe(runner::run, cards);
    this.link = new ServiceLink(settings);
    this.say = say;
  }

  /** Why a worker process ended. */
  public enum End {
    /** It was told to. */
    TOLD,
    /** The service refuses it. */
    REFUSED,
    /** A run didn't stop; only the end of the process frees what it holds. */
    LOST_TO_A_RUN
  }

  /** Works until the end, and says why it came. */
  public End work() throws InterruptedException {
    try {
      register();
      var slots =
          java.util.stream.IntStream.rangeClosed(1, settings.slots())
              .mapToObj(slot -> Thread.ofPlatform().name("slot-" + slot).start(this::slot))
              .toList();
      var pulse = Thread.ofPlatform().name("pulse").daemon().start(this::pulse);
      ending.await();
      finishWithin(slots, lost ? Duration.ZERO : settings.grace());
      pulse.interrupt();
      signOff();
      return lost ? End.LOST_TO_A_RUN : End.TOLD;
    } catch (Refused e) {
      say.accept("this worker can't work for the service: " + e.getMessage());
      return End.REFUSED;
    } finally {
      ended.countDown();
    }
  }

  /** Takes no more runs, and returns when those it has are over or given back. */
  public void end() throws InterruptedException {
    ending.countDown();
    ended.await();
  }

  private boolean isEnding() {
    return ending.getCount() == 0;
  }

  private synchronized void register() throws InterruptedException, Refused {
    boolean said = false;
    while (!isEnding()) {
      try {
        var worker = link.register(settings);
        registered = Optional.of(worker);
        say.accept("registered as " + worker.getId() + " at " + settings.service());
        return;
      } catch (Away e) {
        if (!said) {
          say.accept("waiting for " + settings.service() + ": " + e.getMessage());
          said = true;
        }
        pause(RETRY);
      }
    }
  }

  /** Another thread may have done it already. */
  private synchronized void registerInsteadOf(String id) throws InterruptedException, Refused {
    if (id().equals(id)) {
      active.forEach(LeasedRun::drop);
      register();
    }
  }

  private String id() {
    return registered.map(Worker::getId).orElse("");
  }

  private void slot() {
    try {
      while (!isEnding()) {
        var id = id();
        try {
          var lease = link.take(id);
          if (lease.isPresent()) {
            execute(id, new LeasedRun(lease.get()));
          }
        } catch (Unknown e) {
          registerInsteadOf(id);
        } catch (Away e) {
          pause(RETRY);
        }
      }
    } catch (Refused e) {
      say.accept("the service refuses this worker: " + e.getMessage());
      ending.countDown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void execute(String id, LeasedRun run) throws InterruptedException {
    active.add(run);
    try {
      var lease = run.lease();
      boolean onCards = isOnCards(lease);
      if ((onCards || Boolean.TRUE.equals(lease.getProbe())) && !devicesAreGood(id, run)) {
        return;
      }
      say.accept(lease.getRunId() + " starts, attempt " + lease.getAttempt());
      var report = report(run);
      if (onCards) {
        report = afterwards(run, report);
      }
      if (!run.isDropped()) {
        handIn(id, run, report);
      }
    } finally {
      active.remove(run);
    }
  }

  /** Something died on them: they are tried out, and those that fail are reported. */
  private boolean devicesAreGood(String id, LeasedRun run) throws InterruptedException {
    var lease = run.lease();
    run.phase(0, "probing");
    var control =
        new RunControl() {
          @Override
          public boolean isCancelled() {
            return run.isCancelled();
          }

          @Override
          public long mostOutputBytes() {
            return 0;
          }
        };
    var failure = probe.failure(lease.getPlatform(), lease.getDevices(), control);
    if (failure.isEmpty()) {
      return true;
    }
    say.accept(
        "devices %s fail their probe: %s"
            .formatted(failure.get().devices(), failure.get().message()));
    while (!run.isDropped()) {
      try {
        link.probeFailed(id, run, failure.get());
        return false;
      } catch (Ended e) {
        return false;
      } catch (Away e) {
        TimeUnit.NANOSECONDS.sleep(RETRY.toNanos());
      }
    }
    return false;
  }

  private boolean isOnCards(Lease lease) {
    return cards.stream()
        .anyMatch(some -> some.settings().platforms().contains(lease.getPlatform()));
  }

  /**
   * Cards are tried out after each run, too. Where they fail, nobody gets them any more, and what
   * this run did wrong may not have been its own fault.
   */
  private JobReport afterwards(LeasedRun run, JobReport report) {
    run.phase(0, "probing");
    var lease = run.lease();
    if (run.broken().isEmpty() && !run.isDropped()) {
      probe
          .failure(lease.getPlatform(), lease.getDevices(), RunControl.none())
          .ifPresent(
              failure ->
                  run.devicesBroken(
                      failure.devices(),
                      "after run " + lease.getRunId() + ": " + failure.message()));
    }
    if (run.broken().isEmpty()) {
      return report;
    }
    var broken = run.broken().get();
    say.accept("devices %s are given up: %s".formatted(broken.devices(), broken.message()));
    return switch (report.verdict()) {
      case WRONG_RESULT, ERROR, NOT_VERIFIED ->
          ofNoRun(
              Verdict.INFRA,
              "It ended %s (%s), but its devices %s aren't good afterwards: %s"
                  .formatted(
                      report.verdict(), report.sentence(), broken.devices(), broken.message()));
      case PASSED,
          CANCELLED,
          REJECTED,
          OUT_OF_BOUNDS,
          MISMATCH,
          DEADLOCK,
          RACE,
          TIMED_OUT,
          RESOURCE,
          WORKER_LOST,
          INFRA ->
          report;
    };
  }

  private JobReport report(LeasedRun run) {
    try {
      return runner.run(run.spec(), run);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      say.accept(run.lease().getRunId() + " broke this worker: " + e);
      return ofNoRun(
          Verdict.INFRA,
          "The worker failed while it executed this run: "
              + e
              + ". This is not the kernel's fault.");
    }
  }

  private static JobReport ofNoRun(Verdict verdict, String sentence) {
    return new JobReport(verdict, sentence, List.of(), List.of());
  }

  /**
   * A result is worth some patience: the service may be restarting. One that it refuses is replaced
   * by a short one once; after that the end of the lease tells the service.
   */
  private void handIn(String id, LeasedRun run, JobReport report) throws InterruptedException {
    var name = run.lease().getRunId();
    var told = report;
    boolean whole = true;
    while (true) {
      try {
        link.finish(id, run, told, whole);
        say.accept(name + " " + told.verdict());
        return;
      } catch (Refused e) {
        say.accept(name + ": the service refuses the result: " + e.getMessage());
        if (!whole) {
          say.accept(name + ": nothing shorter is left to say; its lease will expire");
          return;
        }
        whole = false;
        told =
            ofNoRun(
                Verdict.INFRA,
                "The run ended %s, but the service refused its report: %s"
                    .formatted(report.verdict(), e.getMessage()));
      } catch (Ended e) {
        say.accept(name + " " + report.verdict() + ", but its lease has ended");
        return;
      } catch (Away e) {
        if (run.isDropped()) {
          return;
        }
        TimeUnit.NANOSECONDS.sleep(RETRY.toNanos());
      }
    }
  }

  /** Tells the service what goes on, and hears what it wants, until interrupted. */
  private void pulse() {
    long period =
        Duration.ofSeconds(registered.map(Worker::getHeartbeatSeconds).orElse(1L)).toNanos();
    long beatAt = System.nanoTime();
    try {
      while (true) {
        TimeUnit.NANOSECONDS.sleep(LOG_EVERY.toNanos());
        boolean beat = System.nanoTime() - beatAt > Math.min(period, TimeUnit.SECONDS.toNanos(2));
        beatAt = beat ? System.nanoTime() : beatAt;
        for (var run : active) {
          tell(id(), run, beat);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void tell(String id, LeasedRun run, boolean beat) {
    try {
      // The sign of life goes first: what the script prints must not cost the lease.
      if (beat && link.beat(id, run)) {
        run.stop();
      }
      link.print(id, run);
    } catch (Ended e) {
      run.drop();
    } catch (Away e) {
      // The next beat tries again; a service that was away too long ends the lease.
    }
    if (run.deafFor().compareTo(patience(run)) > 0) {
      giveUp(id, run);
    }
  }

  /** Cards are free only when every process of the run has ended, and they have been tried out. */
  private Duration patience(LeasedRun run) {
    return isOnCards(run.lease())
        ? cards.map(some -> DEAF.plus(some.settings().stopsWithin())).orElse(DEAF)
        : DEAF;
  }

  private void giveUp(String id, LeasedRun run) {
    say.accept(
        run.lease().getRunId()
            + " doesn't stop; this process ends, and with it what the run holds");
    try {
      if (!run.isDropped()) {
        link.finish(
            id,
            run,
            ofNoRun(Verdict.CANCELLED, "Cancelled; the run didn't stop by itself."),
            false);
      }
    } catch (Ended | Away | Refused e) {
      say.accept("its end can't be recorded: " + e.getMessage());
    }
    active.remove(run);
    lost = true;
    ending.countDown();
  }

  private void finishWithin(List<Thread> slots, Duration grace) throws InterruptedException {
    if (!active.isEmpty()) {
      say.accept("ending; up to " + grace.toSeconds() + " s for what runs");
    }
    long end = System.nanoTime() + grace.toNanos();
    // A slot that only waits for work ends with its question; nothing is lost by not waiting for
    // it.
    while (!active.isEmpty() && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    active.forEach(LeasedRun::drop);
    slots.forEach(Thread::interrupt);
    long processesEnd =
        System.nanoTime()
            + cards.map(some -> some.settings().stopsWithin()).orElse(Duration.ZERO).toNanos();
    while (active.stream().anyMatch(run -> isOnCards(run.lease()))
        && System.nanoTime() < processesEnd) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private void signOff() {
    try {
      link.signOff(id());
      say.accept("signed off");
    } catch (Away e) {
      say.accept("can't sign off, the service is away: " + e.getMessage());
    }
  }

  /** Returns early when it is time to end. */
  private void pause(Duration time) throws InterruptedException {
    var _ = ending.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }
}
