package io.ringmaster.service.placement;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.Run;
import io.ringmaster.service.jobs.State;
import io.ringmaster.service.jobs.WaitingExplainer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Says what queued jobs wait for: a pass of the planner in which nobody wants a run. */
@Component
class QueueExplainer implements WaitingExplainer {

  /** For so many runs at the head of the queue devices may be kept; those behind see it. */
  private static final int HEAD = 200;

  private final JdbcClient jdbc;
  private final FleetReader fleet;
  private final QueuePlaces places;
  private final EmbeddedSeat embedded;
  private final Policy policy;

  QueueExplainer(
      JdbcClient jdbc,
      FleetReader fleet,
      QueuePlaces places,
      EmbeddedSeat embedded,
      RingmasterProperties properties) {
    this.jdbc = jdbc;
    this.places = places;
    this.fleet = fleet;
    this.embedded = embedded;
    this.policy = RunQueue.policy(properties);
  }

  @Override
  public Map<String, Reason> explain(Collection<Job> jobs) {
    var first = new LinkedHashMap<String, Run>();
    jobs.forEach(job -> firstQueued(job).ifPresent(run -> first.put(job.id(), run)));
    if (first.isEmpty()) {
      return Map.of();
    }
    var ids = first.values().stream().map(Run::id).toList();
    var queued = QueueReader.byId(jdbc, ids);
    var ahead = places.ahead(queued);
    var platforms = first.values().stream().map(Run::platform).distinct().toList();
    var now = fleet.read();
    var waits = plan(now, queued, platforms).waits();
    var reasons = new HashMap<String, Reason>();
    first.forEach(
        (job, run) -> {
          // A run that left the queue between the looks waits for nothing.
          var wait = waits.get(run.id());
          if (wait != null && ahead.containsKey(run.id())) {
            long count = ahead.get(run.id());
            reasons.put(
                job,
                new Reason(
                    wait.reason().name(),
                    cause(wait, now, run).detail() + " " + behind(count),
                    count));
          }
        });
    return reasons;
  }

  private Plan plan(Fleet now, List<QueuedRun> runs, Collection<String> platforms) {
    var pass = new PlanningPass(now, policy);
    var reader = new QueueReader(jdbc, platforms, Optional.empty());
    for (int i = 0; i < HEAD; i++) {
      var run = reader.next(pass);
      if (run.isEmpty()) {
        break;
      }
      pass.consider(run.get());
    }
    runs.forEach(pass::consider);
    return pass.plan();
  }

  /** A device that a run waits for, and when its holder's limit ends. */
  record HeldDevice(String pool, int device, Instant until) {}

  /**
   * Why one run waits.
   *
   * @param kept the devices that are kept for it
   * @param held of these, or of those that it asks for, the ones that other runs have
   */
  record Explanation(
      Run run,
      Plan.Wait cause,
      long position,
      Optional<Plan.Reservation> kept,
      List<HeldDevice> held) {}

  /** All that is known of a job's queued runs. */
  List<Explanation> explain(Job job) {
    var waiting = job.runs().stream().filter(run -> run.state() == State.QUEUED).toList();
    if (waiting.isEmpty()) {
      return List.of();
    }
    var queued = QueueReader.byId(jdbc, waiting.stream().map(Run::id).toList());
    var now = fleet.read();
    var plan = plan(now, queued, waiting.stream().map(Run::platform).distinct().toList());
    var ahead = places.ahead(queued);
    var all = new ArrayList<Explanation>();
    for (var run : waiting) {
      var wait = plan.waits().get(run.id());
      if (wait != null && ahead.containsKey(run.id())) {
        var kept = plan.reservations().stream().filter(r -> r.runId().equals(run.id())).findFirst();
        all.add(
            new Explanation(
                run, cause(wait, now, run), ahead.get(run.id()), kept, held(now, run, kept)));
      }
    }
    return all;
  }

  /** The workers here count as busy; whoever waits for them should know when that has no end. */
  private Plan.Wait cause(Plan.Wait wait, Fleet now, Run run) {
    boolean isForLost =
        embedded.isLost()
            && wait.reason() == WaitReason.NO_WORKER
            && now.seats().stream()
                .filter(seat -> seat.platforms().contains(run.platform()))
                .filter(seat -> run.wantedPool().map(seat.pool()::equals).orElse(true))
                .allMatch(seat -> seat.worker().equals(embedded.seat().worker()));
    return isForLost
        ? new Plan.Wait(
            wait.reason(),
            "Every worker inside the service is lost to a run that does not stop. Restart the"
                + " service, or add a worker process; what is queued stays queued.")
        : wait;
  }

  /** Devices of pools that the run can't use are nothing that it waits for. */
  private static List<HeldDevice> held(Fleet now, Run run, Optional<Plan.Reservation> kept) {
    var wanted = kept.<Collection<Integer>>map(Plan.Reservation::devices).orElseGet(run::devices);
    var held = new ArrayList<HeldDevice>();
    now.pools()
        .forEach(
            (name, pool) -> {
              boolean isMeant =
                  kept.map(some -> some.pool().equals(name))
                      .orElseGet(() -> mayUse(now, run, name));
              for (int device : isMeant ? wanted : List.<Integer>of()) {
                var until = pool.held().get(device);
                if (until != null && !now.privatePlatforms().contains(run.platform())) {
                  held.add(new HeldDevice(name, device, until));
                }
              }
            });
    return held;
  }

  private static boolean mayUse(Fleet now, Run run, String pool) {
    return run.wantedPool().map(pool::equals).orElse(true)
        && now.seats().stream()
            .anyMatch(
                seat -> seat.pool().equals(pool) && seat.platforms().contains(run.platform()));
  }

  private static Optional<Run> firstQueued(Job job) {
    return job.runs().stream().filter(run -> run.state() == State.QUEUED).findFirst();
  }

  private static String behind(long ahead) {
    return switch ((int) Math.min(ahead, 2)) {
      case 0 -> "This one is next.";
      case 1 -> "1 run is ahead of this one.";
      default -> "%,d runs are ahead of this one.".formatted(ahead);
    };
  }
}
