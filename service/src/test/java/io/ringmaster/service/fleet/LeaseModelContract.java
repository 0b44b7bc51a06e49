package io.ringmaster.service.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.service.placement.DeviceStatuses;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.MovedTime;
import io.ringmaster.service.testing.TestService;
import io.ringmaster.service.workers.Sweeps;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * The lease protocol under thousands of random steps, with a clock that the test moves: workers
 * come, fall silent, come too late, break, and find devices broken, while people cancel and drain.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class LeaseModelContract {

  /** The scheduled sweep stays out of the way: the test sweeps. */
  static final String[] OPTIONS = {
    "--ringmaster.workers.embedded=0",
    "--ringmaster.workers.heartbeat=1h",
    "--ringmaster.workers.lost-after=15s"
  };

  private static final String JOBS = "/api/v1/jobs";
  private static final List<String> POOLS = List.of("a", "b");
  private static final int DEVICES = 8;
  private static final int CHECK_EVERY = 100;

  private final TestService service;
  private final int steps;
  private final Api api;
  private final LeaseDesk desk;
  private final WorkerRegistry registry;
  private final DeviceStatuses statuses;
  private final MovedTime time;
  private final Random random = new Random(20_260_329);
  private final List<String> workers = new ArrayList<>();
  private final List<Held> active = new ArrayList<>();
  private final List<Held> ended = new ArrayList<>();
  private final List<String> jobs = new ArrayList<>();
  private final Map<String, String> verdicts = new HashMap<>();

  LeaseModelContract(TestService service, int steps) {
    this.service = service;
    this.steps = steps;
    this.api = service.api();
    this.desk = service.bean(LeaseDesk.class);
    this.registry = service.bean(WorkerRegistry.class);
    this.statuses = service.bean(DeviceStatuses.class);
    this.time = service.bean(MovedTime.class);
  }

  @AfterAll
  void stop() {
    service.close();
  }

  private record Held(
      String worker, String lease, int attempt, String run, List<Integer> devices) {}

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private void register(int index) {
    var pool = POOLS.get(index % POOLS.size());
    // Two workers of a pool share some of its devices.
    int first = index % 3;
    workers.add(
        registry.register(
            "w" + index,
            pool,
            List.of("opencl"),
            List.of(List.of(first, DEVICES - 1)),
            index % 2 == 0 ? List.of(List.of(4, DEVICES - 1)) : List.of(),
            4,
            "test"));
  }

  private void submit() {
    var devices =
        random.nextBoolean()
            ? "\"auto:%d\"".formatted(1 + random.nextInt(4))
            : "[%d, %d]".formatted(2 + random.nextInt(3), 5 + random.nextInt(3));
    var reply =
        api.postJson(
            JOBS,
            """
            {"script": "x = %d\\n", "platform": "opencl", "devices": %s, "priority": "%s"}
            """
                .formatted(
                    random.nextInt(),
                    devices,
                    List.of("LOW", "NORMAL", "HIGH").get(random.nextInt(3))));
    if (reply.status() == 202) {
      jobs.add(reply.get("id"));
    } else {
      reply.expect(422); // at the moment nobody has such devices
    }
  }

  private void take() throws InterruptedException {
    if (workers.isEmpty()) {
      return;
    }
    var worker = any(workers);
    try {
      desk.take(worker, Duration.ZERO)
          .ifPresent(
              given -> {
                var claim = given.claim();
                active.add(
                    new Held(
                        worker,
                        claim.leaseId(),
                        claim.attempt(),
                        claim.run().id(),
                        claim.run().devices()));
              });
    } catch (ProblemException e) {
      workers.remove(worker); // it was silent for too long
    }
  }

  private static JobReport report(Verdict verdict) {
    return new JobReport(verdict, "said by the test", List.of(), List.of());
  }

  /** Says something under a lease; whether it is still good is the service's to know. */
  private void speak(Held held, boolean mustFail) {
    Runnable say =
        switch (random.nextInt(6)) {
          case 0, 1 ->
              () -> desk.beat(held.worker(), held.lease(), held.attempt(), Optional.empty());
          case 2 -> () -> desk.printed(held.worker(), held.lease(), held.attempt(), 0, "text");
          case 3 ->
              () ->
                  desk.probeFailed(
                      held.worker(),
                      held.lease(),
                      held.attempt(),
                      held.devices().subList(0, 1),
                      "cold");
          case 4 -> () -> finish(held, Verdict.INFRA);
          default -> () -> finish(held, Verdict.NOT_VERIFIED);
        };
    if (mustFail) {
      assertThatThrownBy(say::run).isInstanceOf(ProblemException.class);
      return;
    }
    try {
      say.run();
    } catch (ProblemException e) {
      active.remove(held);
      ended.add(held);
    }
  }

  private void finish(Held held, Verdict verdict) {
    desk.finish(
        held.worker(),
        held.lease(),
        held.attempt(),
        report(verdict),
        Map.of(),
        Optional.empty(),
        Optional.empty());
  }

  private void step() throws InterruptedException {
    switch (random.nextInt(16)) {
      case 0, 1, 2 -> submit();
      case 3, 4, 5, 6 -> take();
      case 7, 8, 9, 10 -> {
        if (!active.isEmpty()) {
          speak(any(active), false);
        }
      }
      case 11 -> {
        if (!ended.isEmpty()) {
          speak(any(ended), true);
        }
      }
      case 12 -> {
        time.move(Duration.ofMillis(random.nextInt(4_000)));
        Sweeps.sweep(service);
      }
      case 13 -> {
        if (workers.size() < 8) {
          register(random.nextInt(6));
        } else if (random.nextInt(4) == 0) {
          desk.signOff(workers.remove(random.nextInt(workers.size())));
        }
      }
      case 14 -> {
        if (!jobs.isEmpty() && random.nextInt(4) == 0) {
          api.post(JOBS + "/" + any(jobs) + "/cancel");
        }
      }
      default -> {
        var pool = any(POOLS);
        int device = random.nextInt(DEVICES);
        if (random.nextInt(3) == 0) {
          statuses.set(pool, device, any(List.of(DeviceStatuses.State.values())), "test", "test");
        } else {
          for (int i = 0; i < DEVICES; i++) {
            statuses.release(pool, i);
          }
        }
      }
    }
  }

  @Test
  void noDeviceHasTwoRunsAndEveryRunEndsOnce() throws InterruptedException {
    for (int i = 0; i < 6; i++) {
      register(i);
    }
    for (int i = 1; i <= steps; i++) {
      step();
      if (i % CHECK_EVERY == 0) {
        check();
      }
    }
    check();
    assertThat(count("select count(*) from run where state = 'FINISHED'"))
        .isEqualTo((long) finishedCounter())
        .isGreaterThan(steps / 40);
    assertThat(count("select count(*) from attempt where outcome = 'LOST'")).isPositive();
    assertThat(count("select count(*) from attempt where outcome = 'PROBE_FAILED'")).isPositive();
  }

  private long count(String sql) {
    return service.jdbc().sql(sql).query(Long.class).single();
  }

  private void check() {
    // A device that two runs held would have broken the key, so ask the runs themselves.
    var holders = new HashMap<String, String>();
    service
        .jdbc()
        .sql("select id, pool, devices from run where state = 'RUNNING'")
        .query(
            row -> {
              for (var device : row.getString(3).replaceAll("[\\[\\] ]", "").split(",", -1)) {
                var other = holders.put(row.getString(2) + ":" + device, row.getString(1));
                assertThat(other).as(row.getString(2) + ":" + device).isNull();
              }
            });
    var leases = new HashMap<String, String>();
    service
        .jdbc()
        .sql("select pool, device, run_id from device_lease")
        .query(
            row -> {
              leases.put(row.getString(1) + ":" + row.getInt(2), row.getString(3));
            });
    assertThat(leases).isEqualTo(holders);
    service
        .jdbc()
        .sql("select id, verdict from run where state = 'FINISHED'")
        .query(
            row -> {
              var before = verdicts.putIfAbsent(row.getString(1), row.getString(2));
              assertThat(before == null || before.equals(row.getString(2))).isTrue();
            });
    assertThat(
            count(
                """
                select count(*) from attempt a join run r on r.id = a.run_id
                where (a.ended_at is null) <> (r.state = 'RUNNING' and r.attempt = a.attempt)
                """))
        .as("attempts that are open and not running, or the other way round")
        .isZero();
    assertThat(
            count(
                """
                select count(*) from job j where (j.state = 'FINISHED') <>
                  (not exists (select 1 from run r where r.job_id = j.id and r.state <> 'FINISHED'))
                """))
        .as("jobs that don't end with their runs")
        .isZero();
  }

  private double finishedCounter() {
    return api.get("/actuator/prometheus")
        .text()
        .lines()
        .filter(line -> line.startsWith("ringmaster_jobs_finished_total{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  /** S03. */
  @Test
  void aThousandTimesAtOnceCancelledAndFinishedARunEndsOnce() throws Exception {
    var worker =
        registry.register(
            "racer", "race", List.of("a2a3sim"), List.of(List.of(0, 3)), List.of(), 1, "test");
    double before = finishedCounter();
    int races = steps / 10;
    try (var threads = Executors.newFixedThreadPool(2)) {
      for (int i = 0; i < races; i++) {
        var job = api.submit("x = 1\n", "");
        var claim = desk.take(worker, Duration.ofSeconds(5)).orElseThrow().claim();
        List<Callable<Boolean>> both =
            List.of(
                () -> api.post(JOBS + "/" + job + "/cancel").status() < 300,
                () -> {
                  desk.finish(
                      worker,
                      claim.leaseId(),
                      claim.attempt(),
                      report(random.nextBoolean() ? Verdict.PASSED : Verdict.CANCELLED),
                      Map.of(),
                      Optional.empty(),
                      Optional.empty());
                  return true;
                });
        for (var done : threads.invokeAll(both)) {
          assertThat(done.get()).isTrue();
        }
        assertThat(api.get(JOBS + "/" + job).get("state")).isEqualTo("FINISHED");
      }
    }
    assertThat(finishedCounter() - before).isEqualTo(races);
  }
}
