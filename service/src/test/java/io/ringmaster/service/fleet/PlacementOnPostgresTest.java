package io.ringmaster.service.fleet;

import io.ringmaster.service.testing.RealPostgres;
import io.ringmaster.service.testing.TestService;
import org.junit.jupiter.api.AfterAll;

class PlacementOnPostgresTest extends PlacementContract {

  private final RealPostgres postgres;

  PlacementOnPostgresTest() {
    var server = RealPostgres.start();
    super(TestService.on(server, OPTIONS));
    postgres = server;
  }

  /** Methods of the class run before those of its parent: the service goes first all the same. */
  @AfterAll
  void stopPostgres() {
    stop();
    postgres.close();
  }
}
