package io.ringmaster.service.http;

import io.ringmaster.service.testing.RealPostgres;
import io.ringmaster.service.testing.TestService;
import org.junit.jupiter.api.AfterAll;

class JobsOnPostgresTest extends JobsContract {

  private final RealPostgres postgres;

  JobsOnPostgresTest() {
    var server = RealPostgres.start();
    super(TestService.on(server));
    postgres = server;
  }

  /** Methods of the class run before those of its parent: the service goes first all the same. */
  @AfterAll
  void stopPostgres() {
    stop();
    postgres.close();
  }
}
