package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.BlockedRank;
import io.ringmaster.worker.fabric.Finding;
import java.util.List;
import java.util.Optional;

/**
 * How a run ended.
 *
 * @param sentence why it ended, for people
 * @param at where in the kernels it was when its time was over, and after how many steps; empty for
 *     every other end, and when no rank was at work
 * @param findings what the engine itself found; a fault comes first
 * @param blocked ranks that weren't done when the run ended, ascending
 * @param virtualNanos the latest rank's virtual clock
 * @param wallNanos what this machine took, planning and compiling included
 * @param instructions executed instructions over all ranks
 * @param costModel name of the cost model behind the virtual times
 * @param raised what host work threw, which ended the run
 */
public record RunOutcome(
    Status status,
    String sentence,
    String at,
    List<Finding> findings,
    List<BlockedRank> blocked,
    Operations operations,
    int dispatches,
    long virtualNanos,
    long wallNanos,
    long instructions,
    String costModel,
    Optional<RuntimeException> raised) {

  public RunOutcome {
    findings = List.copyOf(findings);
    blocked = List.copyOf(blocked);
  }

  /** How it ended. */
  public enum Status {
    /** Every dispatch finished. */
    FINISHED,
    /**
     * A rank did something that can't be carried out; the first finding says what. Or host work
     * threw something.
     */
    FAULT,
    /** Ranks wait and nobody can release them. */
    DEADLOCK,
    /** The wall-time limit. */
    TIMED_OUT,
    CANCELLED,
    /** The instruction or memory limit. */
    RESOURCE
  }

  /** Executed communication operations over all ranks. */
  public record Operations(
      long notifies, long waits, long puts, long gets, long remoteLoads, long remoteStores) {}

  public boolean isFinished() {
    return status == Status.FINISHED;
  }
}
