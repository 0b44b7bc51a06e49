package io.ringmaster.service.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import io.ringmaster.service.cli.Main;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The chart, rendered by Helm's own engine. */
class ChartTest {

  private static final Path CHART = Path.of("..", "helm", "ringmaster");
  private static final JsonMapper JSON = new JsonMapper();
  private static final Map<String, String> NEEDED =
      Map.of(
          "database.url", "jdbc:postgresql://db:5432/ringmaster",
          "database.existingSecret", "db",
          "login.existingSecret", "login",
          "workers.existingTokenSecret", "worker");

  private static TemplateCommand template(Map<String, String> values) {
    var command = new Helm(CHART).template().withName("rel").withKubeVersion("1.31.0");
    values.forEach(command::set);
    return command;
  }

  private static List<JsonNode> render(Map<String, String> more) {
    var command = template(NEEDED);
    more.forEach(command::set);
    return documents(command.call());
  }

  private static List<JsonNode> documents(String yaml) {
    return StreamSupport.stream(new Yaml().loadAll(yaml).spliterator(), false)
        .filter(java.util.Objects::nonNull)
        .<JsonNode>map(JSON::valueToTree)
        .toList();
  }

  private static JsonNode find(List<JsonNode> all, String kind, String name) {
    return all.stream()
        .filter(one -> one.at("/kind").asString().equals(kind))
        .filter(one -> one.at("/metadata/name").asString().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " " + name + " in " + all));
  }

  private static JsonNode container(JsonNode deployment) {
    return deployment.at("/spec/template/spec/containers/0");
  }

  private static Stream<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).map(JsonNode::asString);
  }

  private static String env(JsonNode container, String name) {
    return StreamSupport.stream(container.get("env").spliterator(), false)
        .filter(one -> one.get("name").asString().equals(name))
        .map(one -> one.path("value").asString(""))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + name));
  }

  @Test
  void lintFindsNothing() {
    var result = new Helm(CHART).lint().call();
    assertThat(result.isFailed()).as(String.join("\n", result.getMessages())).isFalse();
  }

  @Test
  void theServiceListensForTheClusterAndOnlyWithALogin() {
    var service = container(find(render(Map.of()), "Deployment", "rel-service"));
    assertThat(texts(service.get("args"))).containsExactly("serve");
    assertThat(env(service, "SERVER_ADDRESS")).isEqualTo("0.0.0.0");
    assertThat(env(service, "RINGMASTER_SECURITY_TOKENSFILE"))
        .isEqualTo("/etc/ringmaster/login/tokens");
    assertThat(env(service, "SPRING_DATASOURCE_URL"))
        .isEqualTo("jdbc:postgresql://db:5432/ringmaster");
    assertThat(service.at("/readinessProbe/httpGet/path").asString())
        .isEqualTo("/actuator/health/readiness");
  }

  /** What the chart passes to the worker is what the command line takes. */
  @Test
  void theWorkersArgumentsAreThoseOfTheCommand() {
    var all = render(Map.of("workers.slots", "3", "workers.graceSeconds", "90"));
    var deployment = find(all, "Deployment", "rel-worker");
    var arguments = texts(container(deployment).get("args")).toArray(String[]::new);
    assertThat(arguments)
        .contains("--service=http://rel-service:8080", "--slots=3", "--grace=90", "--pool=sim");
    assertThat(Main.commandLine(arguments).parseArgs(arguments).subcommand()).isNotNull();
    assertThat(deployment.at("/spec/template/spec/terminationGracePeriodSeconds").asInt())
        .isEqualTo(120);
    assertThat(find(all, "Service", "rel-service").at("/spec/ports/0/port").asInt())
        .isEqualTo(8080);
  }

  @Test
  void noPodHasRightsItDoesNotNeed() {
    var pods =
        render(Map.of()).stream()
            .filter(one -> one.at("/kind").asString().equals("Deployment"))
            .map(one -> one.at("/spec/template/spec"))
            .toList();
    assertThat(pods).hasSize(2);
    for (var pod : pods) {
      assertThat(pod.at("/automountServiceAccountToken").asBoolean(true)).isFalse();
      assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
      var container = pod.at("/containers/0/securityContext");
      assertThat(container.get("allowPrivilegeEscalation").asBoolean(true)).isFalse();
      assertThat(container.get("readOnlyRootFilesystem").asBoolean()).isTrue();
      assertThat(container.at("/capabilities/drop/0").asString()).isEqualTo("ALL");
    }
  }

  @Test
  void monitoringIsThereOnDemand() {
    assertThat(render(Map.of()).stream().map(one -> one.at("/kind").asString()))
        .doesNotContain("ServiceMonitor", "ConfigMap");
    var all =
        render(
            Map.of(
                "serviceMonitor.enabled", "true",
                "serviceMonitor.existingTokenSecret", "viewer",
                "dashboard.enabled", "true"));
    assertThat(find(all, "ServiceMonitor", "rel-service").at("/spec/endpoints/0/path").asString())
        .isEqualTo("/actuator/prometheus");
    var board = find(all, "ConfigMap", "rel-dashboard").at("/data/ringmaster.json").asString();
    assertThat(JSON.readTree(board).at("/title").asString()).isEqualTo("Ringmaster");
  }

  @Test
  void withoutWorkersThereAreNone() {
    assertThat(render(Map.of("workers.replicas", "0", "service.replicas", "1")))
        .extracting(one -> one.at("/kind").asString())
        .containsExactlyInAnyOrder("Service", "Deployment");
  }

  @ParameterizedTest
  @CsvSource({
    "database.url, '', database.url: the JDBC address",
    "database.url, mysql://db, does not match pattern",
    "login.existingSecret, '', login.existingSecret: the name of a Secret",
    "workers.existingTokenSecret, '', workers.existingTokenSecret: the name of a Secret",
    "workers.slots, 0, slots",
    "workers.devices, all, devices",
    "worker.replicas, 3, worker",
    "login.oidc.issuer, https://id.example.org, login.oidc.audiences: what aud",
    "login.oidc.issuer, http://id.example.org, issuer",
    "login.oidc.audiences[0], ringmaster, login.oidc.issuer: the address",
    "login.oidc.roles.boss[0], ann, boss",
    "artifacts.s3.bucket, results, artifacts.s3.existingSecret: the name of a Secret",
    "artifacts.s3.endpoint, https://minio, artifacts.s3.bucket: the name of the bucket",
    "artifacts.s3.endpoint, minio:9000, endpoint",
    "quotas.devices, -1, devices",
    "quotas.owners.ann.jobs, 3, jobs",
    "workers.pools[0].slots, 2, name",
    "workers.pools[0].name, Big_Pool, name"
  })
  void whatIsMissingOrWrongIsNamed(String name, String value, String says) {
    var command = template(NEEDED).set(name, value);
    assertThatThrownBy(command::call).hasMessageContaining(says);
  }
}
