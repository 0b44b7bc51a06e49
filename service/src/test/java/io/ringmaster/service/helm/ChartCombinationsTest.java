package io.ringmaster.service.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.Helm;
import io.ringmaster.service.cli.Main;
import io.ringmaster.service.config.RingmasterProperties;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.support.SpringApplicationJsonEnvironmentPostProcessor;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every combination of what can be switched on, rendered, and read as the service reads it. */
class ChartCombinationsTest {

  private static final Path CHART = Path.of("..", "helm", "ringmaster");
  private static final JsonMapper JSON = new JsonMapper();

  record Combination(boolean tokens, boolean oidc, boolean tls, boolean s3, boolean pools) {}

  static Stream<Combination> combinations() {
    return IntStream.range(0, 32)
        .mapToObj(
            bits ->
                new Combination(
                    (bits & 1) != 0,
                    (bits & 2) != 0,
                    (bits & 4) != 0,
                    (bits & 8) != 0,
                    (bits & 16) != 0))
        .filter(one -> one.tokens() || one.oidc());
  }

  private static Map<String, String> values(Combination which) {
    var values = new LinkedHashMap<String, String>();
    values.put("database.url", "jdbc:postgresql://db:6432/ringmaster");
    values.put("database.existingSecret", "db");
    values.put("workers.existingTokenSecret", "worker");
    values.put("networkPolicy.enabled", "true");
    values.put("quotas.queuedJobs", "100");
    values.put("quotas.owners.ann@example\\.org.devices", "8");
    if (which.tokens()) {
      values.put("login.existingSecret", "login");
    }
    if (which.oidc()) {
      values.put("login.oidc.issuer", "https://id.example.org/realms/lab");
      values.put("login.oidc.audiences[0]", "ringmaster");
      values.put("login.oidc.rolesClaim", "realm_access.roles");
      values.put("login.oidc.roles.operator[0]", "sre");
      values.put("login.oidc.roles.operator[1]", "admins");
    }
    if (which.tls()) {
      values.put("tls.existingSecret", "web");
    }
    if (which.s3()) {
      values.put("artifacts.s3.bucket", "results");
      values.put("artifacts.s3.endpoint", "https://minio.lab:9000");
      values.put("artifacts.s3.existingSecret", "bucket-key");
      values.put("artifacts.s3.caSecret", "lab-ca");
    }
    if (which.pools()) {
      values.put("workers.pools[0].name", "small");
      values.put("workers.pools[0].devices", "0-63");
      values.put("workers.pools[1].name", "wide");
      values.put("workers.pools[1].replicas", "1");
      values.put("workers.pools[1].slots", "1");
    }
    return values;
  }

  private static List<JsonNode> render(Map<String, String> values) {
    var command = new Helm(CHART).template().withName("rel").withKubeVersion("1.31.0");
    values.forEach(command::set);
    return StreamSupport.stream(new Yaml().loadAll(command.call()).spliterator(), false)
        .filter(Objects::nonNull)
        .<JsonNode>map(JSON::valueToTree)
        .toList();
  }

  private static List<JsonNode> kind(List<JsonNode> all, String kind) {
    return all.stream().filter(one -> one.at("/kind").asString().equals(kind)).toList();
  }

  private static JsonNode named(List<JsonNode> all, String kind, String name) {
    return kind(all, kind).stream()
        .filter(one -> one.at("/metadata/name").asString().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " " + name));
  }

  /** What a service would make of the environment of its container. */
  private static RingmasterProperties read(JsonNode container) {
    var environment = new HashMap<String, Object>();
    container
        .get("env")
        .forEach(
            one -> environment.put(one.get("name").asString(), one.path("value").asString("")));
    environment.put("RINGMASTER_DATA", "/tmp");
    var spring = new StandardEnvironment();
    spring
        .getPropertySources()
        .replace(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, environment));
    new SpringApplicationJsonEnvironmentPostProcessor()
        .postProcessEnvironment(spring, new SpringApplication());
    return Binder.get(spring).bindOrCreate("ringmaster", RingmasterProperties.class);
  }

  private static List<String> mounts(JsonNode deployment) {
    var paths = new ArrayList<String>();
    deployment
        .at("/spec/template/spec/containers/0/volumeMounts")
        .forEach(mount -> paths.add(mount.get("mountPath").asString()));
    return paths;
  }

  @ParameterizedTest
  @MethodSource("combinations")
  void isReadAsItIsMeant(Combination which) {
    var all = render(values(which));
    var deployment = named(all, "Deployment", "rel-service");
    var container = deployment.at("/spec/template/spec/containers/0");
    var settings = read(container);

    assertThat(settings.security().tokensFile())
        .isEqualTo(which.tokens() ? Path.of("/etc/ringmaster/login/tokens") : null);
    var oidc = settings.security().oidc();
    assertThat(oidc.issuer())
        .isEqualTo(which.oidc() ? URI.create("https://id.example.org/realms/lab") : null);
    if (which.oidc()) {
      assertThat(oidc.audiences()).containsExactly("ringmaster");
      assertThat(oidc.rolesClaim()).isEqualTo("realm_access.roles");
      assertThat(oidc.roles()).containsEntry("operator", List.of("sre", "admins"));
    }
    var s3 = settings.artifacts().s3();
    assertThat(s3.bucket()).isEqualTo(which.s3() ? "results" : null);
    if (which.s3()) {
      assertThat(s3.endpoint()).isEqualTo(URI.create("https://minio.lab:9000"));
      assertThat(s3.secretKeyFile()).isEqualTo(Path.of("/etc/ringmaster/bucket/secret-key"));
      assertThat(s3.caFile()).isEqualTo(Path.of("/etc/ringmaster/bucket-ca/ca.crt"));
      assertThat(s3.isPathStyle()).isTrue();
      assertThat(mounts(deployment))
          .contains("/etc/ringmaster/bucket", "/etc/ringmaster/bucket-ca");
    }
    assertThat(settings.quotas().of("anybody").queuedJobs()).isEqualTo(100);
    assertThat(settings.quotas().of("ann@example.org").devices()).isEqualTo(8);
    assertThat(container.at("/readinessProbe/httpGet/scheme").asString())
        .isEqualTo(which.tls() ? "HTTPS" : "HTTP");
    assertThat(mounts(deployment).contains("/etc/ringmaster/tls")).isEqualTo(which.tls());

    var workers =
        which.pools() ? List.of("rel-worker-small", "rel-worker-wide") : List.of("rel-worker");
    for (var name : workers) {
      worker(named(all, "Deployment", name), which);
    }
    assertThat(kind(all, "Deployment")).hasSize(1 + workers.size());
    assertThat(kind(all, "PodDisruptionBudget")).hasSize(2); // one of the pools has one process
    network(all, which);
    selectorsAreApart(all);
  }

  private static void worker(JsonNode deployment, Combination which) {
    var arguments = new ArrayList<String>();
    deployment
        .at("/spec/template/spec/containers/0/args")
        .forEach(argument -> arguments.add(argument.asString()));
    var line = arguments.toArray(String[]::new);
    assertThat(Main.commandLine(line).parseArgs(line).subcommand()).isNotNull();
    assertThat(arguments)
        .contains("--service=" + (which.tls() ? "https" : "http") + "://rel-service:8080");
    assertThat(arguments.contains("--ca-file=/etc/ringmaster/tls/ca.crt")).isEqualTo(which.tls());
    if (which.pools()) {
      boolean small = deployment.at("/metadata/name").asString().endsWith("small");
      assertThat(arguments)
          .contains(
              small ? "--pool=small" : "--pool=wide",
              small ? "--devices=0-63" : "--devices=0-65535",
              small ? "--slots=2" : "--slots=1");
    }
  }

  private static void network(List<JsonNode> all, Combination which) {
    var service = named(all, "NetworkPolicy", "rel-service");
    var ports = new ArrayList<Integer>();
    service.at("/spec/egress/1/ports").forEach(port -> ports.add(port.get("port").asInt()));
    assertThat(ports.contains(6432)).isTrue();
    assertThat(ports.contains(9000)).isEqualTo(which.s3());
    assertThat(ports.contains(443)).isEqualTo(which.oidc());
    assertThat(named(all, "NetworkPolicy", "rel-worker").at("/spec/ingress").isMissingNode())
        .isTrue();
  }

  /** No deployment takes pods of another for its own. */
  private static void selectorsAreApart(List<JsonNode> all) {
    var deployments = kind(all, "Deployment");
    for (var one : deployments) {
      for (var other : deployments) {
        var labels = other.at("/spec/template/metadata/labels");
        boolean matches =
            one.at("/spec/selector/matchLabels").properties().stream()
                .allMatch(label -> label.getValue().equals(labels.path(label.getKey())));
        assertThat(matches).isEqualTo(one.equals(other));
      }
    }
  }

  @Test
  void theConnectionToTheDatabaseIsVerifiedWithItsAuthority() {
    var values = values(new Combination(true, false, false, false, false));
    values.put("database.caSecret", "db-ca");
    var service = named(render(values), "Deployment", "rel-service");
    assertThat(service.toString())
        .contains("ringmaster?sslmode=verify-full&sslrootcert=/etc/ringmaster/database/ca.crt");
    assertThat(mounts(service)).contains("/etc/ringmaster/database");
    values.put("database.url", "jdbc:postgresql://db/ringmaster?sslmode=require");
    assertThatThrownBy(() -> render(values)).hasMessageContaining("leave one of them out");
  }

  @Test
  void poolsOfOneNameAreRefused() {
    var values = values(new Combination(true, false, false, false, true));
    values.put("workers.pools[1].name", "small");
    assertThatThrownBy(() -> render(values)).hasMessageContaining("two of them are called small");
  }

  @Test
  void whoMayAskCanBeNarrowed() {
    var values = values(new Combination(true, false, true, false, false));
    assertThat(
            named(render(values), "NetworkPolicy", "rel-service").at("/spec/ingress/0").has("from"))
        .isFalse();
    values.put("networkPolicy.clients[0].namespaceSelector.matchLabels.team", "kernels");
    var from = named(render(values), "NetworkPolicy", "rel-service").at("/spec/ingress/0/from");
    assertThat(from).hasSize(2);
    assertThat(from.toString()).contains("kernels", "\"ringmaster/role\":\"worker\"");
  }

  @Test
  void prometheusTrustsTheSameAuthority() {
    var values = values(new Combination(true, false, true, false, false));
    values.put("serviceMonitor.enabled", "true");
    values.put("serviceMonitor.existingTokenSecret", "viewer");
    var endpoint = named(render(values), "ServiceMonitor", "rel-service").at("/spec/endpoints/0");
    assertThat(endpoint.at("/scheme").asString()).isEqualTo("https");
    assertThat(endpoint.at("/tlsConfig/ca/secret/name").asString()).isEqualTo("web");
    assertThat(endpoint.at("/tlsConfig/serverName").asString()).isEqualTo("rel-service");
  }

  /** M13: an upgrade meets the same selectors, and no secret is made anew since none is made. */
  @Test
  void anUpgradeChangesNoSelectorAndTheChartMakesNoSecret() {
    var values = values(new Combination(true, true, true, true, true));
    var before = render(values);
    values.put("image.tag", "9.9.9");
    values.put("service.replicas", "5");
    var after = render(values);
    assertThat(kind(after, "Secret")).isEmpty();
    for (var one : kind(before, "Deployment")) {
      var again = named(after, "Deployment", one.at("/metadata/name").asString());
      assertThat(again.at("/spec/selector")).isEqualTo(one.at("/spec/selector"));
      assertThat(one.at("/spec/selector").toString()).doesNotContain("0.1.0");
    }
  }
}
