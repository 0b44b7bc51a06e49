package io.ringmaster.worker.agent;

import io.ringmaster.api.client.model.Lease;
import io.ringmaster.worker.job.Exploration;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunRecorder;
import io.ringmaster.worker.source.SourceFile;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A run that this process executes under a lease. */
final class LeasedRun extends RunRecorder {

  private final Lease lease;
  private volatile boolean stopped;
  private volatile boolean dropped;
  private volatile long stoppedAtNanos;
  private final List<DeviceProbe.Failure> broken = new CopyOnWriteArrayList<>();
  private int sent;

  LeasedRun(Lease lease) {
    this.lease = lease;
  }

  Lease lease() {
    return lease;
  }

  /** What is to be executed. */
  JobSpec spec() {
    var limits = lease.getLimits();
    Integer schedules = lease.getSchedules();
    return new JobSpec(
            SourceFile.of(lease.getScriptName(), lease.getScript()),
            lease.getPlatform(),
            List.of(lease.getDevices()),
            lease.getArguments(),
            new JobSpec.Limits(
                Duration.ofSeconds(limits.getWallSeconds()),
                limits.getScriptSteps(),
                limits.getKernelSteps(),
                limits.getMemoryBytes()),
            lease.getSeed())
        .underTexts(Objects.requireNonNullElse(lease.getConditions(), List.of()))
        .exploring(
            new Exploration(
                Objects.requireNonNullElse(lease.getScheduleSeed(), lease.getSeed()),
                schedules == null ? 0 : schedules,
                Boolean.TRUE.equals(lease.getCacheLines())));
  }

  /** The run is to end as soon as it notices. */
  void stop() {
    if (!stopped) {
      stoppedAtNanos = System.nanoTime();
      stopped = true;
    }
  }

  /** Nobody wants its result any more. */
  void drop() {
    dropped = true;
    stop();
  }

  boolean isDropped() {
    return dropped;
  }

  /** How long it has not heard the order to stop. */
  Duration deafFor() {
    return stopped ? Duration.ofNanos(System.nanoTime() - stoppedAtNanos) : Duration.ZERO;
  }

  @Override
  public boolean isCancelled() {
    return stopped;
  }

  @Override
  public void devicesBroken(List<Integer> devices, String why) {
    broken.add(new DeviceProbe.Failure(devices, DeviceProbe.shortened(why)));
  }

  /** What was found out about its devices; nobody is to use them. */
  Optional<DeviceProbe.Failure> broken() {
    return broken.stream().findFirst();
  }

  /** How much of the log the service has. */
  int sent() {
    return sent;
  }

  void sent(int characters) {
    sent = characters;
  }
}
