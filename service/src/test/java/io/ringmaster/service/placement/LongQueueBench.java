package io.ringmaster.service.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.HandWorker;
import io.ringmaster.service.testing.RealPostgres;
import io.ringmaster.service.testing.TestService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * What a queue of 100,000 jobs costs whoever asks something of the service. Not part of the tests:
 * {@code ./mvnw -pl service test -Dtest=LongQueueBench} prints medians and the slowest, HTTP
 * included.
 */
class LongQueueBench {

  private static final int QUEUED = 100_000;
  private static final int CHUNK = 2_000;
  private static final int TIMES = 30;
  private static final int WARM = 5;
  private static final long MOST_NANOS = 10_000_000_000L;
  private static final String JOBS = "/api/v1/jobs";

  private static final String[] OPTIONS = {
    "--ringmaster.workers.embedded=0",
    "--ringmaster.workers.lost-after=600s",
    "--ringmaster.placement.simulated-devices=shared"
  };

  @Test
  void onH2(@TempDir Path folder) {
    try (var service = TestService.inFolder(folder, OPTIONS)) {
      measure("H2", service);
    }
  }

  @Test
  void onPostgres() {
    try (var postgres = RealPostgres.start();
        var service = TestService.on(postgres, OPTIONS)) {
      measure("PostgreSQL", service);
    }
  }

  private static void measure(String database, TestService service) {
    System.out.printf("%s, %,d queued jobs%n", database, QUEUED);
    var api = service.api();
    var worker = HandWorker.register(api, "w", "lab", "[\"a2a3sim\"]", "[[0, 127]]", "[[0, 127]]");
    fill(service);
    service.jdbc().sql("analyze").update();
    // Not by the client of the tests, which holds every reply against the contract.
    try (var client = HttpClient.newHttpClient()) {
      var http = new Plain(client, "http://127.0.0.1:" + service.port());
      ask(service, http, api, worker);
    }
  }

  private static void ask(TestService service, Plain http, Api api, HandWorker worker) {
    var ids =
        service
            .jdbc()
            .sql("select id from job order by id")
            .query((row, _) -> row.getString(1))
            .list();
    var middle = ids.get(ids.size() / 2);
    var last = ids.getLast();
    time("submit", () -> http.post(JOBS, Api.job("x = 1\n", ""), 202));
    time("list, first page", () -> http.get(JOBS + "?pageSize=50"));
    var deep = deep(api);
    time("list, page 100", () -> http.get(JOBS + "?pageSize=50&pageToken=" + deep));
    time("list, queued", () -> http.get(JOBS + "?pageSize=50&state=QUEUED"));
    time("list, running", () -> http.get(JOBS + "?pageSize=50&state=RUNNING"));
    time("list, by name", () -> http.get(JOBS + "?pageSize=50&name=name-77"));
    time("list, by a name that no job has", () -> http.get(JOBS + "?pageSize=50&name=none"));
    time("list, by platform", () -> http.get(JOBS + "?pageSize=50&platform=a2a3sim"));
    time(
        "list, by a platform that no job has",
        () -> http.get(JOBS + "?pageSize=50&platform=opencl"));
    time("list, by pool", () -> http.get(JOBS + "?pageSize=50&pool=lab"));
    time("list, by a pool that no job has", () -> http.get(JOBS + "?pageSize=50&pool=none"));
    time("read a job in the middle", () -> http.get(JOBS + "/" + middle));
    time("explain a job in the middle", () -> http.get(JOBS + "/" + middle + "/explain"));
    time("explain the last one", () -> http.get(JOBS + "/" + last + "/explain"));
    time("scrape the metrics", () -> http.get("/actuator/prometheus"));

    time("claim: devices are free", () -> worker.lease());
    kinds(service, "'one'", "'[0,1]'");
    service.jdbc().sql("delete from device_lease").update();
    hold(service);
    time("claim: nothing fits, 1 kind", () -> assertThat(worker.tryLease()).isEmpty());
    kinds(service, "'some' || (mod(wall, 15))", "'[0,' || (1 + mod(wall, 15)) || ']'");
    time("claim: nothing fits, 15 kinds", () -> assertThat(worker.tryLease()).isEmpty());
    kinds(service, "id", "'[0,1]'");
    time("claim: nothing fits, 100,000 kinds", () -> assertThat(worker.tryLease()).isEmpty());
  }

  /** Device 0 is in use by a run that goes on. */
  private static void hold(TestService service) {
    var run =
        service
            .jdbc()
            .sql("select id from run where state = 'RUNNING' limit 1")
            .query(String.class)
            .single();
    service
        .jdbc()
        .sql(
            """
            insert into device_lease (pool, device, run_id, attempt, acquired_at, until)
            values ('lab', 0, :run, 1, :now, :until)
            """)
        .param("run", run)
        .param("now", OffsetDateTime.now(ZoneOffset.UTC))
        .param("until", OffsetDateTime.now(ZoneOffset.UTC).plusHours(1))
        .update();
  }

  /** What the queued runs ask for; {@code wall} stands for a number that differs. */
  private static void kinds(TestService service, String kind, String devices) {
    var number = "cast(right(sentence, 6) as integer)";
    service
        .jdbc()
        .sql(
            "update run set auto_devices = false, kind = %s, devices = %s where state = 'QUEUED' and sentence is not null"
                .formatted(kind.replace("wall", number), devices.replace("wall", number)))
        .update();
  }

  /** A client that only looks at the status. */
  private record Plain(HttpClient client, String base) {
    void get(String path) {
      send(HttpRequest.newBuilder(URI.create(base + path)).build(), 200);
    }

    void post(String path, String json, int status) {
      send(
          HttpRequest.newBuilder(URI.create(base + path))
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(json))
              .build(),
          status);
    }

    private void send(HttpRequest request, int status) {
      try {
        assertThat(client.send(request, BodyHandlers.ofByteArray()).statusCode()).isEqualTo(status);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  private static String deep(Api api) {
    var token = "";
    for (int i = 0; i < 25; i++) {
      token =
          api.get(JOBS + "?pageSize=200" + (token.isEmpty() ? "" : "&pageToken=" + token))
              .expect(200)
              .get("nextPageToken");
    }
    return token;
  }

  /** What takes seconds is done less often. */
  private static void time(String what, Runnable call) {
    var nanos = new ArrayList<Long>();
    long end = System.nanoTime() + MOST_NANOS;
    for (int i = -WARM; i < TIMES && (i < 1 || System.nanoTime() < end); i++) {
      long begin = System.nanoTime();
      call.run();
      if (i >= 0) {
        nanos.add(System.nanoTime() - begin);
      }
    }
    Collections.sort(nanos);
    System.out.printf(
        "  %-40s %8.1f ms %8.1f ms%n",
        what, nanos.get(nanos.size() / 2) / 1e6, nanos.getLast() / 1e6);
  }

  private static void fill(TestService service) {
    var jdbc = service.bean(JdbcTemplate.class);
    var now = OffsetDateTime.now(ZoneOffset.UTC);
    for (int from = 0; from < QUEUED; from += CHUNK) {
      var numbers = IntStream.range(from, from + CHUNK).boxed().toList();
      insert(
          jdbc,
          """
          insert into job (id, owner, name, state, platform, arguments, argument_sets, labels, seed,
            schedules, priority, wall_seconds, script_steps, kernel_steps, memory_bytes,
            script_name, script_digest, script_bytes, diagnostics, cancel_requested, version,
            created_at)
          values (?, 'local', ?, 'QUEUED', 'a2a3sim', '[]', '[[]]', '{}', 0, 1, 1, 60, 1, 1, 1,
            'a.py', 'd', 1, '[]', false, 1, ?)
          """,
          numbers.stream().map(i -> List.<Object>of(id("job", i), "name-" + i % 1000, now)));
      insert(
          jdbc,
          """
          insert into run (id, job_id, place, platform, devices, arguments, ranks, priority, state,
            attempt, queued_at, auto_devices, kind, owner, sentence, wanted_pool)
          values (?, ?, 1, 'a2a3sim', '[]', '[]', 2, 1, 'QUEUED', 0, ?, true, 'two', 'local', ?, 'lab')
          """,
          numbers.stream()
              .map(
                  i ->
                      List.<Object>of(
                          id("run", i), id("job", i), now, "number %06d".formatted(i))));
      insert(
          jdbc,
          "insert into job_source (job_id, content) values (?, ?)",
          numbers.stream().map(i -> List.<Object>of(id("job", i), new byte[] {'\n'})));
    }
  }

  private static void insert(JdbcTemplate jdbc, String sql, Stream<List<Object>> rows) {
    var all = new ArrayList<Object[]>();
    rows.forEach(row -> all.add(row.toArray()));
    jdbc.batchUpdate(sql, all);
  }

  /** Ids in the order of their numbers, older than all that are made now. */
  private static String id(String prefix, int number) {
    return prefix + "_" + new UUID(0x0190_0000_0000_7000L + ((long) number << 16), 0x8000L << 48);
  }
}
