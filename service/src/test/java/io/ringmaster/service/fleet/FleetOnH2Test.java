package io.ringmaster.service.fleet;

import io.ringmaster.service.testing.TestService;

class FleetOnH2Test extends FleetContract {

  FleetOnH2Test() {
    super(TestService.inMemory(OPTIONS));
  }
}
