package io.ringmaster.service.cli;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Does once what a first client does: submits a script, waits for it, looks at the results. The
 * launcher lets the virtual machine record meanwhile what that loads and links, so that later
 * starts find it done.
 */
final class Rehearsal {

  private static final String BOUNDARY = "----ringmaster-rehearsal";
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final List<String> PAGES =
      List.of("/api/v1/jobs", "/api/v1/platforms", "/actuator/health", "/actuator/prometheus");

  private Rehearsal() {}

  /**
   * Settings that win over whatever the surroundings say: a database of its own in {@code data},
   * since nobody wants the job in theirs.
   */
  static List<String> settings(Path data) {
    return List.of(
        "--server.port=0",
        "--ringmaster.data=" + data,
        "--ringmaster.workers.embedded=2",
        "--spring.datasource.url=${ringmaster.embedded-url}",
        "--spring.datasource.username=",
        "--spring.datasource.password=");
  }

  /** Returns when the script's job has ended, whatever its verdict. */
  static void run(int port, Path script) throws IOException, InterruptedException {
    var base = "http://127.0.0.1:" + port;
    var form =
        part("platform", "a2a3sim")
            + part("devices", "0,1,2,3")
            + part("script\"; filename=\"kernel.py", Files.readString(script))
            + "--"
            + BOUNDARY
            + "--\r\n";
    try (var client = HttpClient.newHttpClient()) {
      client.send(
          HttpRequest.newBuilder(URI.create(base + "/api/v1/jobs?wait=30"))
              .header("Content-Type", "multipart/form-data; boundary=" + BOUNDARY)
              .timeout(PATIENCE)
              .POST(BodyPublishers.ofString(form))
              .build(),
          BodyHandlers.discarding());
      for (var page : PAGES) {
        client.send(
            HttpRequest.newBuilder(URI.create(base + page)).timeout(PATIENCE).build(),
            BodyHandlers.discarding());
      }
    }
  }

  private static String part(String name, String content) {
    return "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n"
        .formatted(BOUNDARY, name, content);
  }
}
