package io.ringmaster.service.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.HandWorker;
import io.ringmaster.service.testing.TestService;
import io.ringmaster.worker.job.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A service with tokens: who gets in, and what each role may do and see. */
@TestInstance(Lifecycle.PER_CLASS)
class LoginTest {

  private static final String JOBS = "/api/v1/jobs";

  private final List<String> lines = new ArrayList<>(List.of("# who is let in", ""));
  private final String ann = token("ann", Role.SUBMITTER);
  private final String bob = token("bob", Role.SUBMITTER);
  private final String viewer = token("eve", Role.VIEWER);
  private final String operator = token("olga", Role.OPERATOR);
  private final String worker = token("w1", Role.WORKER);

  private TestService service;
  private Api api;

  private String token(String name, Role role) {
    var secret = Token.random();
    lines.add(new Token(name, role, Token.digestOf(secret)).line());
    return secret;
  }

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    var file = Files.write(folder.resolve("tokens"), lines);
    service = TestService.inMemory("--ringmaster.security.tokens-file=" + file);
    api = service.api();
  }

  @AfterAll
  void stop() {
    service.close();
  }

  private String token(String who) {
    return switch (who) {
      case "ann" -> ann;
      case "viewer" -> viewer;
      case "operator" -> operator;
      case "worker" -> worker;
      default -> "rm_unknown";
    };
  }

  @Test
  void withoutATokenOnlyHealthAndTheContractAreOpen() {
    var refused = api.get(JOBS).expect(401);
    assertThat(refused.get("code")).isEqualTo("UNAUTHENTICATED");
    assertThat(refused.header("WWW-Authenticate")).contains("Bearer");
    assertThat(refused.get("traceId")).isNotEmpty();
    api.postJson(JOBS, Api.job("x = 1", "")).expect(401);
    api.get("/actuator/prometheus").expect(401);
    assertThat(api.get("/actuator/health/readiness").expect(200).text()).contains("UP");
    api.get("/openapi.yaml").expect(200);
    api.get("/docs").expect(200);
    var basic = api.get(JOBS, "Authorization", "Basic dTpw").expect(401);
    assertThat(basic.header("WWW-Authenticate")).contains("Bearer");
    assertThat(basic.get("detail"))
        .isEqualTo(
            "The header Authorization speaks Basic; wanted is a bearer token. Send the header"
                + " Authorization: Bearer TOKEN.");
    assertThat(api.get(JOBS, "Authorization", "rm_bare").expect(401).get("detail"))
        .contains("names no scheme")
        .doesNotContain("rm_bare");
    assertThat(api.as("rm_guessed").get(JOBS).expect(401).get("detail")).contains("not known");
  }

  @ParameterizedTest
  @CsvSource({
    "viewer, 200, 403, 403",
    "ann, 200, 202, 403",
    "operator, 200, 202, 400",
    "worker, 403, 403, 400",
    "nobody, 401, 401, 401"
  })
  void aRoleDecidesWhatSomebodyMayDo(String who, int list, int submit, int register) {
    var one = api.as(token(who));
    one.get(JOBS).expect(list);
    one.postJson(JOBS, Api.job("x = 1", "")).expect(submit);
    one.postJson(
            "/api/v1/workers",
            """
            {"name": "x", "pool": "p", "platforms": ["none"], "devices": [[0, 1]], "version": "1"}
            """)
        .expect(register);
  }

  /** A21. */
  @Test
  void aStrangersJobIsNotThere() {
    var id = api.as(ann).postJson(JOBS + "?wait=30", Api.job("x = 7", "")).expect(200).get("id");
    var path = JOBS + "/" + id;
    for (var what :
        List.of(
            "",
            "/report",
            "/source",
            "/runs/1/log",
            "/runs/1/checks",
            "/runs/1/bundle",
            "/events",
            "/checks.csv",
            "/metrics",
            "/comparison?label=a:b")) {
      api.as(ann).get(path + what).expect(200);
      api.as(bob).get(path + what).expect(404);
      api.as(viewer).get(path + what).expect(200);
    }
    api.as(bob).post(path + "/cancel").expect(404);
    api.as(bob).post(path + "/rerun").expect(404);
    api.as(bob).get("/api/v1/ir-diff?left=" + id + "&right=" + id).expect(404);
    api.as(bob)
        .postJson("/api/v1/baselines/bobs/approve", "{\"jobId\": \"" + id + "\"}")
        .expect(404);
    api.as(bob).delete(path).expect(404);
    assertThat(api.as(bob).get(JOBS).expect(200).text()).doesNotContain(id);
    assertThat(api.as(bob).get("/api/v1/golden-results").expect(200).text()).doesNotContain(id);
    assertThat(api.as(ann).get("/api/v1/golden-results").expect(200).text()).contains(id);
    api.as(operator).delete(path).expect(204);
  }

  @Test
  void onlyOperatorsTakeThingsOutOfUse() {
    var drain = "{\"action\": \"DRAIN\"}";
    var device = "/api/v1/devices/embedded:77";
    for (var who : List.of(ann, viewer, worker)) {
      api.as(who).patchJson(device, drain).expect(403);
      api.as(who).patchJson("/api/v1/workers/worker_x", drain).expect(403);
      api.as(who).putJson("/api/v1/maintenance", "{\"enabled\": false}").expect(403);
    }
    var changed = api.as(operator).patchJson(device, drain).expect(200);
    assertThat(changed.get("changedBy")).isEqualTo("olga");
    api.as(operator).patchJson(device, "{\"action\": \"RELEASE\"}").expect(200);
    api.as(operator).putJson("/api/v1/maintenance", "{\"enabled\": false}").expect(200);
    for (var path : List.of("/pools", "/devices", "/maintenance")) {
      api.as(viewer).get("/api/v1" + path).expect(200);
      api.as(worker).get("/api/v1" + path).expect(403);
    }
  }

  @Test
  void aBaselineIsReadByAllAndChangedByItsOwner() {
    var team = "/api/v1/baselines/team";
    var anns = api.as(ann).postJson(JOBS + "?wait=30", Api.job("x = 1", "")).expect(200).get("id");
    var bobs = api.as(bob).postJson(JOBS + "?wait=30", Api.job("x = 1", "")).expect(200).get("id");
    var approval = "{\"jobId\": \"%s\"}";
    assertThat(
            api.as(ann)
                .postJson(team + "/approve", approval.formatted(anns))
                .expect(200)
                .get("owner"))
        .isEqualTo("ann");
    for (var reader : List.of(ann, bob, viewer, operator)) {
      api.as(reader).get(team).expect(200);
      api.as(reader).get(team + "/history").expect(200);
    }
    assertThat(
            api.as(bob)
                .get(JOBS + "/" + bobs + "/comparison?baseline=team")
                .expect(200)
                .get("kind"))
        .isEqualTo("SAME");
    var refused =
        api.as(bob)
            .postJson(team + "/approve", approval.formatted(bobs), "If-Match", "*")
            .expect(403);
    assertThat(refused.get("detail")).contains("belongs to ann");
    api.as(bob).putJson(team, "{}").expect(403);
    api.as(bob).delete(team).expect(403);
    api.as(viewer).putJson(team, "{}").expect(403);
    api.as(operator).putJson(team, "{}").expect(200);
    api.as(operator).delete(team).expect(204);
  }

  @Test
  void anIdempotencyKeyBelongsToItsOwner() {
    var first =
        api.as(ann).postJson(JOBS, Api.job("x = 8", ""), "Idempotency-Key", "k1").expect(202);
    var second =
        api.as(bob).postJson(JOBS, Api.job("x = 9", ""), "Idempotency-Key", "k1").expect(202);
    assertThat(first.get("id")).isNotEqualTo(second.get("id"));
  }

  /** Runs belong to those who submitted them; the worker that executes them is none of these. */
  @Test
  void aWorkerHandsInResultsForJobsOfOthers() {
    var hand =
        HandWorker.register(api.as(worker), "w1", "far", "[\"a5sim\"]", "[[0, 7]]", "[[0, 7]]");
    var body =
        """
        {"script": "x = 1", "platform": "a5sim", "pool": "far", "devices": [%d]}
        """;
    api.as(ann).postJson(JOBS, body.formatted(0)).expect(202);
    api.as(ann).postJson(JOBS, body.formatted(1)).expect(202);
    var finished = hand.lease();
    hand.tell(finished, "heartbeat", "{\"attempt\": 1, \"phase\": \"RUNNING\"}").expect(200);
    hand.tell(finished, "events", "{\"attempt\": 1, \"logOffset\": 0, \"log\": \"hello\"}")
        .expect(204);
    var done = JOBS + "/" + finished.get("jobId").asString();
    assertThat(api.as(ann).get(done + "/runs/1/log").expect(200).text()).isEqualTo("hello");
    hand.finish(finished, Verdict.PASSED);
    var failed = hand.lease();
    hand.finish(failed, Verdict.INFRA);
    hand.signOff();

    assertThat(api.as(ann).get(done).expect(200).get("verdict")).isEqualTo("PASSED");
    assertThat(
            api.as(ann).get(JOBS + "/" + failed.get("jobId").asString()).expect(200).get("state"))
        .isEqualTo("QUEUED");
  }

  @Test
  void noSecretIsInTheDatabaseOrTheMetrics() {
    var owners = service.jdbc().sql("select distinct owner from job").query(String.class).list();
    assertThat(owners).allMatch(owner -> List.of("ann", "bob", "olga").contains(owner));
    assertThat(api.as(viewer).get("/actuator/prometheus").expect(200).text())
        .doesNotContain("rm_", Token.digestOf(ann));
  }

  @Test
  void openToOtherMachinesWithoutTokensItDoesNotStart() {
    assertThatThrownBy(() -> TestService.inMemory("--server.address=0.0.0.0").close())
        .rootCause()
        .hasMessageContaining("0.0.0.0 would let in everybody")
        .hasMessageContaining("ringmaster.security.oidc.issuer");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ann submitter", "ann boss 0123456789abcdef", "# nobody"})
  void aFileThatIsNoFileOfTokensIsNamed(String text, @TempDir Path folder) throws IOException {
    var file = Files.writeString(folder.resolve("bad"), text + "\n");
    assertThatThrownBy(() -> Tokens.read(file))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("ringmaster token");
  }
}
