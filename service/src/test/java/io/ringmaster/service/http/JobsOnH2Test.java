package io.ringmaster.service.http;

import io.ringmaster.service.testing.TestService;

class JobsOnH2Test extends JobsContract {

  JobsOnH2Test() {
    super(TestService.inMemory());
  }
}
