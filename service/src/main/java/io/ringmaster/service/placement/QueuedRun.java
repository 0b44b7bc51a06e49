package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.DeviceRequest;
import java.time.Duration;
import java.util.Optional;

/**
 * A run that waits, with what placement has to know of it.
 *
 * @param owner whose quota it counts in
 * @param priority higher ones come first
 * @param pool the one it insists on
 * @param wall how long it may take
 * @param kind equal for runs that ask for the same: where one can't start, the others can't
 * @param probe whether it broke its worker before, so that devices are tried out for it first
 */
public record QueuedRun(
    String id,
    String jobId,
    String owner,
    int priority,
    String platform,
    Optional<String> pool,
    DeviceRequest devices,
    Duration wall,
    String kind,
    boolean probe) {}
