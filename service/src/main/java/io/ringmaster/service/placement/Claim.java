package io.ringmaster.service.placement;

import io.ringmaster.service.jobs.Job;
import io.ringmaster.service.jobs.Run;
import java.time.Instant;

/**
 * The right to execute a run. It is good for one attempt: what an earlier attempt reports is
 * refused.
 *
 * @param job the job as it was when the run was claimed
 * @param run with the devices that it was given
 * @param leaseId known to the worker that executes this attempt, and to nobody else
 * @param startedAt from here the run limit counts
 * @param probe whether the devices are to be tried out first: something died on them
 */
public record Claim(
    Job job, Run run, int attempt, String leaseId, Instant startedAt, boolean probe) {}
