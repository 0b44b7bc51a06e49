package io.ringmaster.service.workers;

import io.ringmaster.service.config.RingmasterProperties;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** Down once every worker is lost to a run that does not stop: then only a restart helps. */
@Component("workers")
class WorkersHealth implements HealthIndicator {

  private final EmbeddedWorkers workers;
  private final int wanted;

  WorkersHealth(EmbeddedWorkers workers, RingmasterProperties properties) {
    this.workers = workers;
    this.wanted = properties.workers().embedded();
  }

  @Override
  public Health health() {
    var states = workers.states();
    boolean lost =
        wanted > 0
            && workers.isRunning()
            && states.get("idle") + states.get("busy") == 0
            && states.get("abandoned") > 0;
    return (lost ? Health.down() : Health.up()).withDetails(states).build();
  }
}
