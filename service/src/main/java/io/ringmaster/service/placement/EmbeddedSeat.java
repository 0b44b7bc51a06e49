package io.ringmaster.service.placement;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.platforms.PlatformCatalog;
import java.util.Optional;
import java.util.Set;
import org.springframework.stereotype.Component;

/** The workers inside this process, as one seat of the fleet. */
@Component
public final class EmbeddedSeat {

  private final Seat seat;
  private final int slots;
  private volatile boolean lost;

  EmbeddedSeat(RingmasterProperties properties, PlatformCatalog platforms) {
    var settings = properties.workers();
    var devices = DeviceText.ranges(settings.devices(), "ringmaster.workers.devices");
    this.seat =
        new Seat(
            "embedded",
            "embedded",
            settings.pool(),
            Set.copyOf(platforms.embedded()),
            devices,
            settings.groups().isEmpty()
                ? java.util.List.of()
                : DeviceText.groups(settings.groups(), devices, "ringmaster.workers.groups"),
            false,
            0);
    this.slots = settings.embedded();
  }

  /** The seat; it wants nothing until somebody asks for it. */
  public Seat seat() {
    return seat;
  }

  /** The same, unless this process has no workers. */
  public Optional<Seat> ifPresent() {
    return slots > 0 ? Optional.of(seat) : Optional.empty();
  }

  /** Whether none of the workers can take a run any more, because of runs that do not stop. */
  public void setLost(boolean value) {
    lost = value;
  }

  boolean isLost() {
    return lost;
  }

  /** How many runs at once. */
  int slots() {
    return slots;
  }
}
