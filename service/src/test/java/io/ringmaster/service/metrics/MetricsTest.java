package io.ringmaster.service.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.HandWorker;
import io.ringmaster.service.testing.Reports;
import io.ringmaster.service.testing.ScriptedRunner;
import io.ringmaster.service.testing.TestService;
import io.ringmaster.worker.job.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What the service exports is what its catalogue says. */
@TestInstance(Lifecycle.PER_CLASS)
class MetricsTest {

  private static final int SERIES_BUDGET = 20_000;

  private final TestService service = TestService.inMemory("--ringmaster.workers.stop-grace=200ms");
  private final Api api = service.api();
  private final List<MetricCatalogue.Metric> catalogue = MetricCatalogue.load().metrics();

  @AfterAll
  void stop() {
    service.close();
  }

  private void runOne() {
    api.run("# verdict: RACE\n");
  }

  @Test
  void theCatalogueAndTheScrapeAgree() {
    runOne();
    var scrape = Scrape.of(api);
    var exported = new TreeSet<String>();
    scrape.types().keySet().stream()
        .filter(name -> name.startsWith("ringmaster_") && !name.endsWith("_max"))
        .forEach(exported::add);
    assertThat(exported)
        .containsExactlyInAnyOrderElementsOf(
            catalogue.stream().map(MetricCatalogue.Metric::name).toList());
    for (var metric : catalogue) {
      assertThat(scrape.types()).containsEntry(metric.name(), metric.type());
      assertThat(scrape.helps().get(metric.name())).as(metric.name()).startsWith(metric.meaning());
      var sample = metric.type().equals("histogram") ? metric.name() + "_count" : metric.name();
      assertThat(scrape.named(sample)).as(sample).isNotEmpty();
      for (var series : scrape.named(sample)) {
        assertThat(series.labels().keySet())
            .as(sample)
            .containsExactlyInAnyOrderElementsOf(metric.labels());
      }
    }
  }

  @Test
  void theDocumentHasEveryMetric() throws IOException {
    var document = Files.readString(Path.of("../docs/metrics.md"));
    for (var metric : catalogue) {
      var labels = metric.labels().stream().map(label -> "`" + label + "`").toList();
      assertThat(document)
          .contains(
              "| `%s` | %s | %s | %s | %s |"
                  .formatted(
                      metric.name(),
                      metric.type(),
                      metric.unit(),
                      String.join(", ", labels),
                      metric.meaning()));
    }
    assertThat(document.lines().filter(line -> line.startsWith("| `ringmaster_")))
        .hasSize(catalogue.size());
  }

  /** M05. */
  @Test
  void namesFollowTheRules() {
    for (var metric : catalogue) {
      assertThat(metric.labels()).doesNotContain("job", "instance", "namespace");
      assertThat(metric.name().endsWith("_total")).isEqualTo(metric.type().equals("counter"));
      if (metric.unit().equals("seconds") || metric.unit().equals("bytes")) {
        assertThat(metric.name().replaceFirst("_total$", "")).endsWith("_" + metric.unit());
      }
      assertThat(metric.name()).isEqualTo(metric.name().toLowerCase(Locale.ROOT));
      assertThat(metric.formula()).contains("ringmaster_");
    }
  }

  /** M01: 5 us, 3 ms and 2 s fall into three different buckets, and the sum is right. */
  @Test
  void barrierWaitsFallIntoTheirBuckets() {
    var before = Scrape.of(api);
    runOne();
    var after = Scrape.of(api);
    var name = "ringmaster_barrier_virtual_seconds";
    assertThat(
            after.sum(name + "_sum", "world", "4", "platform", "a2a3sim")
                - before.sum(name + "_sum", "world", "4", "platform", "a2a3sim"))
        .isCloseTo(Reports.WAITS.stream().mapToLong(w -> w).sum() / 1e9, within(0.02));
    double counted = 0;
    for (var bound : List.of("5.0E-6", "0.005", "2.0")) {
      double here =
          after.sum(name + "_bucket", "world", "4", "platform", "a2a3sim", "le", bound)
              - before.sum(name + "_bucket", "world", "4", "platform", "a2a3sim", "le", bound);
      assertThat(here).as(bound).isEqualTo(++counted);
    }
    assertThat(after.named(name + "_bucket").getFirst().labels()).containsEntry("le", "1.0E-7");
    assertThat(
            after.sum("ringmaster_barrier_release_virtual_seconds_sum")
                - before.sum("ringmaster_barrier_release_virtual_seconds_sum"))
        .isCloseTo(700e-9, within(1e-9));
  }

  /** M07: per rank (P-1) chunks over the wire, the own one through "self". */
  @Test
  void bytesAreCountedByLink() {
    var before = Scrape.of(api);
    runOne();
    var after = Scrape.of(api);
    var name = "ringmaster_transferred_bytes_total";
    assertThat(
            after.sum(name, "op", "allgather", "link", "inter")
                - before.sum(name, "op", "allgather", "link", "inter"))
        .isEqualTo(4 * 3 * Reports.CHUNK);
    assertThat(
            after.sum(name, "op", "allgather", "link", "self")
                - before.sum(name, "op", "allgather", "link", "self"))
        .isEqualTo(4 * Reports.CHUNK);
    assertThat(
            after.sum("ringmaster_minimum_bytes_total")
                - before.sum("ringmaster_minimum_bytes_total"))
        .isEqualTo(4 * 3 * Reports.CHUNK);
  }

  /** What one run adds to a sum of series. */
  private double added(String name, String... labels) {
    var before = Scrape.of(api);
    runOne();
    // What a run has cost is told after its verdict.
    var more = new AtomicReference<>(0.0);
    Awaiting.until(
        name,
        () -> {
          more.set(Scrape.of(api).sum(name, labels) - before.sum(name, labels));
          return more.get() > 0;
        });
    return more.get();
  }

  /** Bandwidths of different rank counts are comparable only through the bus factor. */
  @Test
  void busBytesAreThoseOfOneRank() {
    assertThat(added("ringmaster_bus_bytes_total", "op", "allgather")).isEqualTo(3 * Reports.CHUNK);
  }

  @Test
  void theSimulatorsWorkIsCounted() {
    assertThat(added("ringmaster_simulator_events_total", "platform", "a2a3sim"))
        .isEqualTo(2 * 4 * 3 + 4);
    assertThat(added("ringmaster_simulator_instructions_total", "platform", "a2a3sim"))
        .isEqualTo(ScriptedRunner.INSTRUCTIONS);
    assertThat(added("ringmaster_simulated_seconds_total", "platform", "a2a3sim"))
        .isCloseTo(3e-6, within(1e-12));
    assertThat(added("ringmaster_simulator_busy_seconds_total", "platform", "a2a3sim"))
        .isCloseTo(2e-3, within(1e-9));
  }

  @Test
  void goldenErrorsAreCountedInStepsOfTheirType() {
    assertThat(added("ringmaster_golden_error_ulps_sum", "dtype", "fp16")).isEqualTo(3);
    assertThat(added("ringmaster_golden_error_ulps_bucket", "dtype", "fp16", "le", "4.0"))
        .isEqualTo(1);
    assertThat(
            Scrape.of(api).sum("ringmaster_golden_error_ulps_bucket", "dtype", "fp16", "le", "2.0"))
        .isZero();
  }

  @Test
  void compileTimeIsToldByPass() {
    var name = "ringmaster_compile_seconds_sum";
    assertThat(added(name, "stage", "simplify"))
        .isCloseTo(ScriptedRunner.PASS_NANOS / 1e9, within(1e-9));
    assertThat(added(name, "stage", "checks"))
        .isCloseTo((1_000_000 - ScriptedRunner.PASS_NANOS) / 1e9, within(1e-9));
    assertThat(Scrape.of(api).named(name))
        .extracting(series -> series.labels().get("stage"))
        .contains("lower_composite_ops", "materialize_comm_domain_scopes");
  }

  @Test
  void devicesAndWorkersAreShownByState() {
    var job = api.submit("# hold\n", "");
    Awaiting.until("it is held", () -> !service.runner().holding().isEmpty());
    Awaiting.until(
        "its devices are allocated",
        () ->
            Scrape.of(api).sum("ringmaster_devices", "platform", "a2a3sim", "state", "allocated")
                == 4);
    var scrape = Scrape.of(api);
    assertThat(scrape.sum("ringmaster_devices", "platform", "a2a3sim", "state", "free"))
        .isEqualTo(2 * 1024 - 4);
    assertThat(scrape.sum("ringmaster_devices", "state", "quarantined")).isZero();
    assertThat(scrape.sum("ringmaster_workers", "state", "busy")).isEqualTo(1);
    assertThat(scrape.sum("ringmaster_workers")).isEqualTo(2);
    service.runner().release(1);
    api.get("/api/v1/jobs/" + job + "?wait=30").expect(200);
    Awaiting.until(
        "its devices are free",
        () -> Scrape.of(api).sum("ringmaster_devices", "state", "allocated") == 0);
  }

  /** Private devices have no lease; they are in use all the same. */
  @Test
  void simulatedDevicesOfAWorkerElsewhereAreShownByState() {
    var worker = HandWorker.register(api, "far", "far", "[\"a2a3sim\"]", "[[0, 15]]", "[]");
    api.submit("x = 1\n", "\"pool\":\"far\"");
    var lease = worker.lease();
    Awaiting.until("its devices are allocated", () -> far("allocated") == 4);
    assertThat(far("free")).isEqualTo(8 * 16 - 4);
    worker.finish(lease, Verdict.NOT_VERIFIED);
    Awaiting.until("they are free", () -> far("allocated") == 0);
    assertThat(far("free")).isEqualTo(8 * 16);
    worker.signOff();
    Awaiting.until(
        "the pool is gone",
        () ->
            Scrape.of(api).named("ringmaster_devices").stream()
                .noneMatch(series -> "far".equals(series.labels().get("pool"))));
  }

  private double far(String state) {
    return Scrape.of(api).sum("ringmaster_devices", "pool", "far", "state", state);
  }

  @Test
  void aWorkerThatDoesNotStopIsSaid() {
    var before = Scrape.of(api);
    var body = Api.job("# deaf\n", "\"limits\":{\"wallSeconds\":1}");
    api.postJson("/api/v1/jobs?wait=30", body).expect(200);
    Awaiting.until(
        "it is shown", () -> Scrape.of(api).sum("ringmaster_workers", "state", "abandoned") == 1);
    var scrape = Scrape.of(api);
    var name = "ringmaster_lease_lost_total";
    assertThat(
            scrape.sum(name, "cause", "not_stopping") - before.sum(name, "cause", "not_stopping"))
        .isEqualTo(1);
    service.runner().hear(1);
    Awaiting.until(
        "it came back", () -> Scrape.of(api).sum("ringmaster_workers", "state", "abandoned") == 0);
  }

  @Test
  void theBuildNamesItsRevision() {
    var info = Scrape.of(api).named("ringmaster_build_info").getFirst();
    assertThat(info.value()).isEqualTo(1);
    assertThat(info.labels().get("revision")).matches("unknown|[0-9a-f]{12}");
    assertThat(info.labels()).containsEntry("java", "25");
  }

  @Test
  void knownSeriesStartAtZero() {
    try (var fresh = TestService.inMemory()) {
      var scrape = Scrape.of(fresh.api());
      assertThat(scrape.named("ringmaster_jobs_finished_total")).hasSize(3 * 14);
      assertThat(scrape.sum("ringmaster_jobs_finished_total")).isZero();
      for (var metric : catalogue) {
        var series = metric.type().equals("histogram") ? metric.name() + "_count" : metric.name();
        assertThat(scrape.named(series)).as(series).isNotEmpty();
        if (metric.type().equals("counter")) {
          assertThat(scrape.sum(series)).as(series).isZero();
        }
      }
      assertThat(scrape.named("ringmaster_transferred_bytes_total")).hasSizeGreaterThan(20);
      assertThat(scrape.named("ringmaster_barrier_wall_seconds_count")).hasSizeGreaterThan(5);
    }
  }

  /** M03: distinct names, labels and scripts make no series. */
  @Test
  void seriesDoNotGrowWithJobs() {
    runOne();
    long before = ownSeries();
    for (int i = 0; i < 50; i++) {
      var more = "\"name\":\"job %d\",\"labels\":{\"n%d\":\"v\"}".formatted(i, i);
      api.postJson("/api/v1/jobs?wait=30", Api.job("# verdict: RACE\nx = " + i, more)).expect(200);
    }
    assertThat(ownSeries()).isEqualTo(before).isLessThan(SERIES_BUDGET);
  }

  private long ownSeries() {
    return Scrape.of(api).samples().stream()
        .filter(s -> s.name().startsWith("ringmaster_"))
        .count();
  }

  /** M11. */
  @Test
  void gaugesSurviveACollection() {
    System.gc();
    var scrape = Scrape.of(api);
    assertThat(scrape.samples().stream().filter(s -> s.name().startsWith("ringmaster_")))
        .noneMatch(sample -> Double.isNaN(sample.value()));
  }

  @Test
  void goldenChecksWithoutAnyAreMissing() {
    var name = "ringmaster_golden_checks_total";
    var before = Scrape.of(api);
    api.run("# verdict: NOT_VERIFIED\n");
    var after = Scrape.of(api);
    assertThat(after.sum(name, "result", "missing") - before.sum(name, "result", "missing"))
        .isEqualTo(1);
    assertThat(after.sum(name, "result", "match")).isEqualTo(before.sum(name, "result", "match"));
  }
}
