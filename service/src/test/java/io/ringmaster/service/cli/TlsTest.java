package io.ringmaster.service.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.TestCertificate;
import io.ringmaster.service.testing.TestService;
import io.ringmaster.worker.agent.AgentSettings;
import io.ringmaster.worker.agent.ServiceTrust;
import io.ringmaster.worker.agent.WorkerAgent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** A service with a certificate of a self-made authority, and who believes it. */
@TestInstance(Lifecycle.PER_CLASS)
class TlsTest {

  private Path folder = Path.of("");
  private TestCertificate certificate;
  private TestService service;

  @BeforeAll
  void start(@TempDir Path here) {
    folder = here;
    certificate = TestCertificate.make(folder.resolve("web"), "dns:localhost");
    service = TestService.inMemory(certificate.settings());
  }

  @AfterAll
  void stop() {
    service.close();
  }

  private String url() {
    return "https://localhost:" + service.port();
  }

  private CommandCall.Outcome list(String url, Path authority) {
    return CommandCall.of("list", "--service", url, "--ca-file", authority.toString());
  }

  @Test
  void commandsThatTrustTheAuthorityWork() throws IOException {
    var script = Files.writeString(folder.resolve("kernel.py"), "x = 1\n");
    var submitted =
        CommandCall.of(
            "submit",
            script.toString(),
            "-d",
            "0,1",
            "--wait",
            "--service",
            url(),
            "--ca-file",
            certificate.authority().toString());
    assertThat(submitted.exitCode()).as(submitted.err()).isZero();
    assertThat(list(url(), certificate.authority()).out()).contains("kernel.py");
  }

  @Test
  void whoDoesNotTrustTheAuthorityIsToldWhatToDo() {
    var refused = CommandCall.of("list", "--service", url());
    assertThat(refused.exitCode()).isEqualTo(ExitCodes.INFRASTRUCTURE);
    assertThat(refused.err())
        .contains("can't trust " + url(), "signed by nobody who is trusted here", "--ca-file");
    var other = TestCertificate.make(folder.resolve("other"), "dns:localhost");
    assertThat(list(url(), other.authority()).err()).contains("can't trust " + url());
  }

  @Test
  void aCertificateForAnotherHostIsSaid() {
    var refused = list("https://127.0.0.1:" + service.port(), certificate.authority());
    assertThat(refused.exitCode()).isEqualTo(ExitCodes.INFRASTRUCTURE);
    assertThat(refused.err()).contains("isn't good: ", "127.0.0.1");
  }

  @Test
  void plainHttpToThatPortIsSaid() {
    var refused = CommandCall.of("list", "--service", "http://localhost:" + service.port());
    assertThat(refused.err()).contains("that port speaks TLS, say https://");
  }

  @Test
  void aFileWithoutCertificatesIsNamed() throws IOException {
    var empty = Files.writeString(folder.resolve("empty.crt"), "");
    var garbage = Files.writeString(folder.resolve("garbage.crt"), "no certificate\n");
    for (var file : List.of(empty, garbage, folder.resolve("missing.crt"))) {
      var refused = list(url(), file);
      assertThat(refused.exitCode()).as(refused.err()).isEqualTo(ExitCodes.USAGE_OR_REJECTED);
      assertThat(refused.err()).contains("--ca-file", file.toString());
    }
  }

  @Test
  void aWorkerWorksThereOrSaysWhyNot() throws Exception {
    var refused = CommandCall.of("worker", "--service", url());
    assertThat(refused.exitCode()).isEqualTo(ExitCodes.USAGE_OR_REJECTED);
    assertThat(refused.out()).contains("signed by nobody who is trusted here", "--ca-file");
    var said = new ConcurrentLinkedQueue<String>();
    var agent =
        new WorkerAgent(
            new AgentSettings(
                URI.create(url()),
                Optional.of(ServiceTrust.only(certificate.authority())),
                Optional.empty(),
                "over tls",
                "sim",
                List.of("a2a3sim"),
                List.of(List.of(0, 63)),
                List.of(),
                1,
                Duration.ofSeconds(5)),
            said::add);
    var work =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    agent.work();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    Awaiting.until(
        "it is registered", () -> said.stream().anyMatch(line -> line.startsWith("registered")));
    agent.end();
    work.join();
    assertThat(said).contains("signed off");
  }

  @Test
  void browsersAreToldToStayWithTlsAndAnExchangedCertificateNeedsNoRestart() throws Exception {
    var own = folder.resolve("exchanged");
    var before = TestCertificate.make(own, "dns:localhost");
    try (var other = TestService.inMemory(before.settings())) {
      var old = Files.copy(before.authority(), folder.resolve("old.crt"));
      var url = "https://localhost:" + other.port();
      try (var client = HttpClient.newBuilder().sslContext(ServiceTrust.only(old)).build()) {
        var reply =
            client.send(
                HttpRequest.newBuilder(URI.create(url + "/api/v1/jobs")).build(),
                BodyHandlers.ofString());
        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(reply.headers().firstValue("Strict-Transport-Security")).isPresent();
      }
      var now = TestCertificate.make(own, "dns:localhost");
      Awaiting.until("the new one is used", () -> list(url, now.authority()).exitCode() == 0);
      assertThat(list(url, old).exitCode()).isEqualTo(ExitCodes.INFRASTRUCTURE);
    }
  }
}
