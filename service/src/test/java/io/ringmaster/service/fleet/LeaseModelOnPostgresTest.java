package io.ringmaster.service.fleet;

import io.ringmaster.service.testing.MovedTime;
import io.ringmaster.service.testing.RealPostgres;
import io.ringmaster.service.testing.TestService;
import org.junit.jupiter.api.AfterAll;

class LeaseModelOnPostgresTest extends LeaseModelContract {

  private final RealPostgres postgres;

  LeaseModelOnPostgresTest() {
    var server = RealPostgres.start();
    super(TestService.onWith(server, MovedTime.class, OPTIONS), 2_000);
    postgres = server;
  }

  /** Methods of the class run before those of its parent: the service goes first all the same. */
  @AfterAll
  void stopPostgres() {
    stop();
    postgres.close();
  }
}
