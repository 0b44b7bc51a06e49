package io.ringmaster.service.fleet;

import io.ringmaster.service.testing.MovedTime;
import io.ringmaster.service.testing.TestService;

class LeaseModelOnH2Test extends LeaseModelContract {

  LeaseModelOnH2Test() {
    super(TestService.inMemoryWith(MovedTime.class, OPTIONS), 10_000);
  }
}
