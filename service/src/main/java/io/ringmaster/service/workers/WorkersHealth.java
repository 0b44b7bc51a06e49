package io.ringmaster.service.workers;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** Down once every worker is lost to a run that does not stop: then only a restart helps. */
@Component("workers")
class WorkersHealth implements HealthIndicator {

  private final EmbeddedWorkers workers;

  WorkersHealth(EmbeddedWorkers workers) {
    this.workers = workers;
  }

  @Override
  public Health health() {
    var health = workers.areLost() ? Health.down() : Health.up();
    return health.withDetails(workers.states()).build();
  }
}
