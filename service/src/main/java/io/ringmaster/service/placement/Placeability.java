package io.ringmaster.service.placement;

import io.ringmaster.service.config.Quotas;
import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.DeviceRequest;
import io.ringmaster.service.jobs.JobEvents;
import io.ringmaster.service.jobs.Requester;
import io.ringmaster.service.problems.QuotaFault;
import java.util.Optional;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;

/** Says at submission what could never be executed, so that it doesn't wait for ever. */
@Service
public class Placeability {

  private final FleetReader fleet;
  private final ApplicationEventPublisher events;
  private final Requester requester;
  private final Quotas quotas;

  Placeability(
      FleetReader fleet,
      ApplicationEventPublisher events,
      Requester requester,
      RingmasterProperties properties) {
    this.fleet = fleet;
    this.requester = requester;
    this.quotas = properties.quotas();
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

  /** The quota of the requester that a run of so many devices would exceed all by itself. */
  public Optional<QuotaFault> beyondQuota(String platform, int devices) {
    var owner = requester.name();
    var quota = quotas.of(owner);
    boolean shared = !fleet.privatePlatforms().contains(platform);
    Optional<QuotaFault> fault =
        devices > quota.devices()
            ? Optional.of(new QuotaFault("devices", owner, quota.devices(), 0))
            : shared && devices > quota.sharedDevices()
                ? Optional.of(new QuotaFault("shared-devices", owner, quota.sharedDevices(), 0))
                : Optional.empty();
    fault.ifPresent(some -> events.publishEvent(new JobEvents.QuotaExceeded(some.name())));
    return fault;
  }
}
