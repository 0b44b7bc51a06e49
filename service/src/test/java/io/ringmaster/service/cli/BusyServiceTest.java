package io.ringmaster.service.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.LossyProxy;
import io.ringmaster.service.testing.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands against a service that is busy, or away for a moment. */
class BusyServiceTest {

  private static final String BUSY = "the service answers 429; asking again in";
  private static final String AWAY = "the service answers 503; asking again in";

  private final TestService service =
      TestService.inMemory("--ringmaster.quotas.queued-jobs=1", "--ringmaster.workers.embedded=1");
  private final LossyProxy proxy = new LossyProxy(service.port());
  private final Api api = service.api();

  @TempDir private Path folder;

  @AfterEach
  void stop() {
    proxy.close();
    service.close();
  }

  private CommandCall.Outcome call(String... arguments) {
    return CommandCall.of(
        Stream.concat(Arrays.stream(arguments), Stream.of("--service", proxy.address().toString()))
            .toArray(String[]::new));
  }

  private String script() throws IOException {
    return Files.writeString(folder.resolve("kernel.py"), "x = 1\n").toString();
  }

  /** The service has heard each time, and only its answers were lost: the key makes it one job. */
  @Test
  void whatWasHeardAndRefusedAllTheSameIsOneJob() throws IOException {
    proxy.refuse(2, 503, Map.of("Retry-After", "1"), true);
    long begin = System.nanoTime();
    var outcome = call("submit", script(), "-d", "0,1", "--wait");
    assertThat(outcome.exitCode()).as(outcome.err()).isZero();
    assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.SECONDS.toNanos(2));
    assertThat(outcome.err().lines().filter(line -> line.startsWith(AWAY))).hasSize(2);
    assertThat(api.get("/api/v1/jobs").expect(200).json().get("jobs")).hasSize(1);
  }

  @Test
  void whoWaitsGoesOnWaitingThroughRefusals() {
    var id = api.submit("x = 1\n", "");
    proxy.refuse(2, 429, Map.of("Retry-After", "0"), false);
    var watched = call("watch", id);
    assertThat(watched.exitCode()).as(watched.err()).isZero();
    assertThat(watched.err().lines().filter(line -> line.startsWith(BUSY))).hasSize(2);
  }

  @Test
  void aRefusalThatNamesNoTimeIsTriedAfterASecond() {
    proxy.refuse(1, 503, Map.of(), false);
    var listed = call("list");
    assertThat(listed.exitCode()).as(listed.err()).isZero();
    assertThat(listed.err()).containsPattern(AWAY + " 1\\.[0-9] s");
  }

  @Test
  void aDateIsATimeToo() {
    var id = api.submit("x = 1\n", "");
    proxy.refuse(1, 503, Map.of("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"), false);
    assertThat(call("get", id).err()).contains(AWAY + " 0.0 s");
  }

  @Test
  void nobodyWaitsLongerThanAllowed() {
    proxy.refuse(2, 429, Map.of("Retry-After", "3600"), false);
    var refused = call("list", "--retry-for", "60");
    assertThat(refused.exitCode()).isEqualTo(ExitCodes.USAGE_OR_REJECTED);
    assertThat(refused.err())
        .contains("it says to ask again in 3600 s; --retry-for is 60 s")
        .doesNotContain(BUSY);
    assertThat(proxy.refusalsLeft()).isEqualTo(1);
  }

  @Test
  void theServicesOwnRefusalIsShownWhenTimeIsUp() throws IOException {
    var held = api.submit("# hold\n", "");
    Awaiting.until("it runs", () -> !service.runner().holding().isEmpty());
    api.submit("x = 2\n", "");
    var refused = call("submit", script(), "-d", "0,1", "--retry-for", "1");
    assertThat(refused.err())
        .contains("queued job", "it says to ask again in 10 s; --retry-for is 1 s");
    api.post("/api/v1/jobs/" + held + "/cancel");
  }

  /** A new job each time: nobody knows whether the first was made. */
  @Test
  void whatCanNotBeAskedTwiceIsAskedOnce() {
    var id = api.submit("x = 1\n", "");
    proxy.refuse(1, 503, Map.of("Retry-After", "0"), true);
    var refused = call("rerun", id);
    assertThat(refused.exitCode()).isEqualTo(ExitCodes.INFRASTRUCTURE);
    assertThat(refused.err()).doesNotContain(AWAY);
  }

  @Test
  void theLimitIsChecked() {
    assertThat(call("list", "--retry-for", "-1").err())
        .contains("--retry-for: -1 isn't in 0..86400 seconds");
  }
}
