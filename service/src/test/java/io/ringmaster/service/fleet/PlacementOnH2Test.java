package io.ringmaster.service.fleet;

import io.ringmaster.service.testing.TestService;

class PlacementOnH2Test extends PlacementContract {

  PlacementOnH2Test() {
    super(TestService.inMemory(OPTIONS));
  }
}
