package io.ringmaster.service.artifacts;

import io.ringmaster.service.problems.ProblemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Whether the places of artifacts can be used. Readiness doesn't ask this: a service without its
 * bucket still takes jobs, shows the queue and says what is wrong with the rest.
 */
@Component("artifacts")
class ArtifactsHealth implements HealthIndicator {

  private static final Logger LOG = LoggerFactory.getLogger(ArtifactsHealth.class);

  private final ArtifactStore artifacts;

  ArtifactsHealth(ArtifactStore artifacts) {
    this.artifacts = artifacts;
  }

  @Override
  public Health health() {
    for (var place : artifacts.places()) {
      try {
        place.check();
      } catch (ProblemException e) {
        return Health.down().withDetail("place", place.place()).build();
      }
    }
    return Health.up().build();
  }

  /** Who starts a service hears at once what is wrong, and the service need not wait for it. */
  @EventListener(ApplicationReadyEvent.class)
  void started() {
    if (!artifacts.places().isEmpty()) {
      var _ = Thread.ofVirtual().name("artifacts-check").start(this::say);
    }
  }

  private void say() {
    for (var place : artifacts.places()) {
      try {
        place.check();
        LOG.info("Artifacts: {}", place.place());
      } catch (ProblemException e) {
        LOG.warn("Artifacts: {}", e.detail());
      }
    }
  }
}
