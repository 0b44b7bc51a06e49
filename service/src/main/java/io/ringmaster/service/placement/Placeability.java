package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.DeviceRequest;
import java.util.Optional;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;

/** Says at submission what could never be executed, so that it doesn't wait for ever. */
@Service
public class Placeability {

  private final FleetReader fleet;
  private final ApplicationEventPublisher events;

  Placeability(FleetReader fleet, ApplicationEventPublisher events) {
    this.fleet = fleet;
    this.events = events;
  }

  /**
   * Why a run can't be.
   *
   * @param isPool whether the pool that it asks for is what is wrong
   */
  public record Refusal(boolean isPool, String sentence) {}

  /**
   * Holds a request against the workers that live; devices that are held, draining or in quarantine
   * count, since they come back. Without any worker that offers the platform nothing can be said.
   */
  public Optional<Refusal> refusal(String platform, Optional<String> pool, DeviceRequest request) {
    var offering =
        fleet.seats().stream().filter(seat -> seat.platforms().contains(platform)).toList();
    var refusal = Capacity.refusal(offering, platform, pool, request);
    refusal.ifPresent(_ -> events.publishEvent(new PlacementEvents.Refused()));
    boolean isPool =
        pool.isPresent() && offering.stream().noneMatch(seat -> seat.pool().equals(pool.get()));
    return refusal.map(sentence -> new Refusal(isPool, sentence));
  }
}
