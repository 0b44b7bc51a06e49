package io.ringmaster.service.http;

import io.ringmaster.service.testing.RealPostgres;
import io.ringmaster.service.testing.TestService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

@TestInstance(Lifecycle.PER_CLASS)
class FeaturesOnPostgresTest
    implements MatrixTests, ComparisonTests, BaselineTests, EventTests, RetentionTests {

  private final RealPostgres postgres = RealPostgres.start();
  private final TestService service =
      TestService.on(
          postgres,
          "--ringmaster.events.heartbeat=200ms",
          "--ringmaster.retention.outputs=2d",
          "--ringmaster.retention.keep-for-verdict.passed=10d",
          "--ringmaster.retention.keep-for=30d");

  @Override
  public TestService service() {
    return service;
  }

  @AfterAll
  void stop() {
    service.close();
    postgres.close();
  }
}
