package io.ringmaster.service.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.RawHttp;
import io.ringmaster.service.testing.TestService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A service without a login: everybody on this machine, and no page of somewhere else. */
@TestInstance(Lifecycle.PER_CLASS)
class NoLoginTest {

  private static final String JOBS = "/api/v1/jobs";

  private final TestService service = TestService.inMemory();

  @AfterAll
  void stop() {
    service.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://evil.example", "null", "http://localhost.evil.example", "::"})
  void aPageOfAnotherSiteIsRefused(String origin) {
    var refused = service.api().postJson(JOBS, Api.job("x = 1", ""), "Origin", origin).expect(403);
    assertThat(refused.get("detail")).contains("no login").contains(origin);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080"})
  void aPageOfThisMachineIsNot(String origin) {
    service.api().get(JOBS, "Origin", origin).expect(200);
  }

  @Test
  void aNameThatPointsHereIsRefused() {
    var reply =
        new RawHttp(service.port())
            .send("GET " + JOBS + " HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    assertThat(reply.status()).isEqualTo(403);
    assertThat(reply.body()).contains("answers to localhost only");
  }
}
