package io.ringmaster.service.http;

import io.ringmaster.service.testing.RealPostgres;
import io.ringmaster.service.testing.TestService;
import org.junit.jupiter.api.AfterAll;

class JobsOnPostgresTest extends JobsContract {

  private final RealPostgres postgres;

  JobsOnPostgresTest() {
    this(RealPostgres.start());
  }

  private JobsOnPostgresTest(RealPostgres postgres) {
    super(TestService.on(postgres));
    this.postgres = postgres;
  }

  @AfterAll
  void stopPostgres() {
    postgres.close();
  }
}
