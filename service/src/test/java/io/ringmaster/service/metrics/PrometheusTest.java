package io.ringmaster.service.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.TestService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A real Prometheus scrapes a running service and answers the catalogue's questions. */
class PrometheusTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Path EXAMPLES = Path.of("..", "examples");
  private static final Path BOARD =
      Path.of("..", "helm", "ringmaster", "dashboards", "ringmaster.json");
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @Test
  void everyFormulaOfTheCatalogueCanBeAsked(@TempDir Path folder) throws IOException {
    try (var service = TestService.inMemory()) {
      int port = freePort();
      var prometheus = start(folder, service.port(), port);
      try {
        var base = "http://127.0.0.1:" + port;
        Awaiting.until("Prometheus scrapes", () -> !query(base, "up == 1").isEmpty());
        service.api().run("# verdict: RACE\n");
        Awaiting.until(
            "the run is seen",
            () -> !query(base, "ringmaster_jobs_finished_total{verdict=\"race\"} == 1").isEmpty());
        assertThat(
                query(base, "sum(ringmaster_barrier_virtual_seconds_count)")
                    .at("/0/value/1")
                    .asString())
            .isEqualTo("3");
        assertThat(query(base, "sum(ringmaster_transferred_bytes_total{op=\"allgather\"}) > 0"))
            .hasSize(1);
        for (var metric : MetricCatalogue.load().metrics()) {
          // Fails unless Prometheus understands it; rates may still lack a second sample.
          query(base, metric.formula());
          var series = metric.type().equals("histogram") ? metric.name() + "_count" : metric.name();
          assertThat(query(base, series)).as(series).isNotEmpty();
        }
        var document = Files.readString(Path.of("../docs/metrics.md"));
        var examples =
            Pattern.compile("(?s)```promql\n(.*?)```")
                .matcher(document)
                .results()
                .flatMap(match -> match.group(1).replace("\n  ", " ").lines())
                .toList();
        assertThat(examples).hasSizeGreaterThan(15).allSatisfy(example -> query(base, example));
      } finally {
        prometheus.destroyForcibly().onExit().join();
      }
    }
  }

  /** Kernels of every kind run; then no panel of the board is empty. */
  @Test
  void everyPanelOfTheBoardShowsSomething(@TempDir Path folder) throws IOException {
    var board = JSON.readTree(Files.readString(BOARD));
    var queries =
        board.get("panels").values().stream()
            .flatMap(panel -> panel.get("targets").values().stream())
            .map(target -> target.get("expr").asString())
            .map(query -> query.replace("$__rate_interval", "30s").replace("$__range", "30s"))
            .toList();
    assertThat(queries).hasSizeGreaterThan(12);
    try (var service = TestService.withKernels()) {
      int port = freePort();
      var prometheus = start(folder, service.port(), port);
      try {
        var base = "http://127.0.0.1:" + port;
        Awaiting.until("Prometheus scrapes", () -> !query(base, "up == 1").isEmpty());
        for (var query : queries) {
          Awaiting.until(
              query,
              () -> {
                if (!numbers(base, query).isEmpty()) {
                  return true;
                }
                runAll(service);
                return false;
              });
        }
      } finally {
        prometheus.destroyForcibly().onExit().join();
      }
    }
  }

  private static void runAll(TestService service) {
    for (var script :
        List.of(
            "ladder/16_putting_it_together.py",
            "ladder/15_all_to_all.py",
            "wrong/gather_without_barrier.py")) {
      var form =
          new Api.Form()
              .file("script", "kernel.py", read(EXAMPLES.resolve(script)))
              .field("platform", "a2a3sim")
              .field("devices", "0,1,2,3")
              .field("arguments", script.contains("15") ? "[\"--mode\",\"builtin\"]" : "[]");
      service.api().postForm("/api/v1/jobs?wait=60", form).expect(200);
    }
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The samples that a graph could show. */
  private static List<JsonNode> numbers(String base, String query) {
    return query(base, query).values().stream()
        .filter(sample -> !sample.at("/value/1").asString().equals("NaN"))
        .toList();
  }

  private static Process start(Path folder, int service, int port) throws IOException {
    var config = folder.resolve("prometheus.yml");
    Files.writeString(
        config,
        """
        global:
          scrape_interval: 1s
        scrape_configs:
          - job_name: ringmaster
            metrics_path: /actuator/prometheus
            static_configs:
              - targets: ["127.0.0.1:%d"]
        """
            .formatted(service));
    return new ProcessBuilder(
            "prometheus",
            "--config.file=" + config,
            "--storage.tsdb.path=" + folder.resolve("data"),
            "--web.listen-address=127.0.0.1:" + port)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("log").toFile())
        .start();
  }

  /** The result of an instant query; empty while the server does not answer yet. */
  private static JsonNode query(String base, String query) {
    var uri =
        URI.create(
            base + "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
    try {
      var response = CLIENT.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
      if (response.statusCode() == 503) {
        return JSON.createArrayNode();
      }
      assertThat(response.statusCode()).as(query + ": " + response.body()).isEqualTo(200);
      return JSON.readTree(response.body()).at("/data/result");
    } catch (ConnectException e) {
      return JSON.createArrayNode();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
