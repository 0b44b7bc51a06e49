package io.ringmaster.service.web;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Hands out the contract itself. */
@RestController
class ContractController {

  private final Contract contract;

  ContractController(Contract contract) {
    this.contract = contract;
  }

  @GetMapping("/openapi.yaml")
  ResponseEntity<String> contract() {
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_YAML).body(contract.text());
  }
}
