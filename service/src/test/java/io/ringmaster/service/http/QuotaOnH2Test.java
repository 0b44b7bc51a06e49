package io.ringmaster.service.http;

import io.ringmaster.service.testing.TestService;

class QuotaOnH2Test extends QuotaContract {

  QuotaOnH2Test() {
    super(TestService.inMemory(OPTIONS));
  }
}
