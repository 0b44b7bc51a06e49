package io.ringmaster.service.config;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How much of the service one owner may have at a time, prefix {@code ringmaster.quotas}. Without
 * settings there are no limits.
 *
 * @param queuedJobs jobs that wait; one more is refused
 * @param runningJobs jobs of which a run is executed; others wait
 * @param devices devices of running runs, simulated ones included; runs wait that ask for more
 * @param sharedDevices of these, the ones that runs of others may wait for
 * @param owners other numbers for some owners; what is not set there is as for everybody
 */
public record Quotas(
    @DefaultValue(NONE) int queuedJobs,
    @DefaultValue(NONE) int runningJobs,
    @DefaultValue(NONE) int devices,
    @DefaultValue(NONE) int sharedDevices,
    @DefaultValue Map<String, Own> owners) {

  private static final String NONE = "2147483647";

  /** No limits for anybody. */
  public static final Quotas UNLIMITED =
      new Quotas(Quota.UNLIMITED, Quota.UNLIMITED, Quota.UNLIMITED, Quota.UNLIMITED, Map.of());

  public Quotas {
    owners = Map.copyOf(owners);
    require("queued-jobs", queuedJobs);
    require("running-jobs", runningJobs);
    require("devices", devices);
    require("shared-devices", sharedDevices);
    owners.forEach((name, own) -> own.requireAll("owners[" + name + "]."));
  }

  /** What is different for one owner. */
  public record Own(
      @Nullable Integer queuedJobs,
      @Nullable Integer runningJobs,
      @Nullable Integer devices,
      @Nullable Integer sharedDevices) {

    private void requireAll(String prefix) {
      require(prefix + "queued-jobs", or(queuedJobs, 1));
      require(prefix + "running-jobs", or(runningJobs, 1));
      require(prefix + "devices", or(devices, 1));
      require(prefix + "shared-devices", or(sharedDevices, 1));
    }
  }

  /** The limits of one owner; {@link #UNLIMITED} stands for none. */
  public record Quota(int queuedJobs, int runningJobs, int devices, int sharedDevices) {

    public static final int UNLIMITED = Integer.MAX_VALUE;
  }

  private static int or(@Nullable Integer own, int all) {
    return own == null ? all : own;
  }

  private static void require(String name, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException(
          "ringmaster.quotas.%s is %d; it must be at least 1. Without it there is no limit."
              .formatted(name, limit));
    }
  }

  /** The limits of one owner. */
  public Quota of(String owner) {
    return Optional.ofNullable(owners.get(owner))
        .map(
            own ->
                new Quota(
                    or(own.queuedJobs, queuedJobs),
                    or(own.runningJobs, runningJobs),
                    or(own.devices, devices),
                    or(own.sharedDevices, sharedDevices)))
        .orElseGet(() -> new Quota(queuedJobs, runningJobs, devices, sharedDevices));
  }

  /** Whether what runs of an owner use now can keep others of the same owner waiting. */
  public boolean areForRunning() {
    return !owners.isEmpty()
        || runningJobs != Quota.UNLIMITED
        || devices != Quota.UNLIMITED
        || sharedDevices != Quota.UNLIMITED;
  }
}
