package io.ringmaster.service.placement;

import io.ringmaster.service.config.Quotas.Quota;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What owners have during a pass: what they had before it, what it gives them, and what it keeps
 * for runs of theirs. Runs of one owner do not overtake each other where a quota is what they wait
 * for, so that one's own small runs can't delay a wide one for ever.
 */
final class QuotaUse {

  private final Fleet fleet;
  private final Policy policy;
  private final Map<String, Standing> owners = new HashMap<>();

  QuotaUse(Fleet fleet, Policy policy) {
    this.fleet = fleet;
    this.policy = policy;
  }

  /** One owner. */
  private static final class Standing {
    private final Quota quota;
    private final Set<String> jobs;
    private int devices;
    private int shared;
    private boolean refused;
    private Optional<String> waitsForDevices = Optional.empty();
    private Optional<String> waitsForShared = Optional.empty();

    Standing(Quota quota, Fleet.OwnerUse use) {
      this.quota = quota;
      this.jobs = new HashSet<>(use.jobs());
      this.devices = use.devices();
      this.shared = use.sharedDevices();
    }

    boolean hasNoDevice() {
      return waitsForDevices.isPresent() || devices >= quota.devices();
    }

    boolean hasNoShared() {
      return waitsForShared.isPresent() || shared >= quota.sharedDevices();
    }

    boolean hasNoJob() {
      return jobs.size() >= quota.runningJobs();
    }
  }

  /**
   * Owners of whom only some runs may still start.
   *
   * @param none owners of whom nothing may
   * @param jobsOnly owners of whom only runs of the jobs in {@code ofJobs} may
   * @param privateOnly owners of whom only runs on the platforms in {@code platforms} may
   */
  record Full(
      Set<String> none,
      Set<String> jobsOnly,
      Set<String> ofJobs,
      Set<String> privateOnly,
      Set<String> platforms) {

    private static final Full NOBODY = new Full(Set.of(), Set.of(), Set.of(), Set.of(), Set.of());

    Full {
      if (!privateOnly.isEmpty() && platforms.isEmpty()) {
        none = new HashSet<>(none);
        none.addAll(privateOnly);
        privateOnly = Set.of();
      }
    }
  }

  /** Whether a run of that owner was refused for the same reason; then once is enough. */
  boolean isKnown(QueuedRun run) {
    var own = owners.get(run.owner());
    return own != null
        && own.refused
        && (own.hasNoDevice()
            || (isShared(run) && own.hasNoShared())
            || (own.hasNoJob() && !own.jobs.contains(run.jobId())));
  }

  /** Whose runs need not be looked at any more, since one of theirs was refused already. */
  Full full() {
    if (!policy.quotas().areForRunning()) {
      return Full.NOBODY;
    }
    var none = new HashSet<String>();
    var jobsOnly = new HashSet<String>();
    var ofJobs = new HashSet<String>();
    var privateOnly = new HashSet<String>();
    owners.forEach(
        (owner, standing) -> {
          if (!standing.refused) {
            return;
          }
          if (standing.hasNoDevice()) {
            none.add(owner);
            return;
          }
          if (standing.hasNoJob()) {
            jobsOnly.add(owner);
            ofJobs.addAll(standing.jobs);
          }
          if (standing.hasNoShared()) {
            privateOnly.add(owner);
          }
        });
    return new Full(none, jobsOnly, ofJobs, privateOnly, fleet.privatePlatforms());
  }

  private Standing standing(String owner) {
    return owners.computeIfAbsent(
        owner,
        name ->
            new Standing(
                policy.quotas().of(name),
                fleet.owners().getOrDefault(name, Fleet.OwnerUse.NOTHING)));
  }

  /**
   * Why a run's owner may not have it now; empty when nothing is in its way.
   *
   * @param run in the order of the queue
   */
  Optional<String> refusal(QueuedRun run) {
    if (!policy.quotas().areForRunning()) {
      return Optional.empty();
    }
    var own = standing(run.owner());
    var why = refusal(run, own);
    own.refused |= why.isPresent();
    return why;
  }

  private Optional<String> refusal(QueuedRun run, Standing own) {
    var quota = own.quota;
    int ranks = run.devices().ranks();
    if (own.waitsForDevices.isPresent()) {
      return Optional.of(behind(run, own.waitsForDevices.get()));
    }
    if (isShared(run) && own.waitsForShared.isPresent()) {
      return Optional.of(behind(run, own.waitsForShared.get()));
    }
    if (own.hasNoJob() && !own.jobs.contains(run.jobId())) {
      return Optional.of(
          "%s has %,d running %s, and the quota is %,d."
              .formatted(
                  run.owner(),
                  own.jobs.size(),
                  own.jobs.size() == 1 ? "job" : "jobs",
                  quota.runningJobs()));
    }
    if (ranks > quota.devices() - own.devices) {
      own.waitsForDevices = Optional.of(run.id());
      return Optional.of(devices(run, own.devices, "devices", quota.devices()));
    }
    if (isShared(run) && ranks > quota.sharedDevices() - own.shared) {
      own.waitsForShared = Optional.of(run.id());
      return Optional.of(devices(run, own.shared, "shared devices", quota.sharedDevices()));
    }
    return Optional.empty();
  }

  private boolean isShared(QueuedRun run) {
    return !fleet.privatePlatforms().contains(run.platform());
  }

  private static String behind(QueuedRun run, String first) {
    return "%s's quota is used up, and %s of the same owner comes before this one."
        .formatted(run.owner(), first);
  }

  private static String devices(QueuedRun run, int used, String what, int limit) {
    int ranks = run.devices().ranks();
    return "%s has %,d %s in use or kept, this run asks for %,d, and the quota is %,d."
        .formatted(run.owner(), used, what, ranks, limit);
  }

  /** A run has started, or devices are kept for it. */
  void take(QueuedRun run) {
    if (!policy.quotas().areForRunning()) {
      return;
    }
    var own = standing(run.owner());
    own.jobs.add(run.jobId());
    own.devices += run.devices().ranks();
    if (isShared(run)) {
      own.shared += run.devices().ranks();
    }
  }
}
