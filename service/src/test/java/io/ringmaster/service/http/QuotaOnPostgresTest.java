package io.ringmaster.service.http;

import io.ringmaster.service.testing.RealPostgres;
import io.ringmaster.service.testing.TestService;
import org.junit.jupiter.api.AfterAll;

class QuotaOnPostgresTest extends QuotaContract {

  private final RealPostgres postgres;

  QuotaOnPostgresTest() {
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
