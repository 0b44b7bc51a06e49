package io.ringmaster.service.placement;

/** Why a run is still in the queue; the names are the contract's. */
public enum WaitReason {
  NO_FREE_DEVICE,
  NO_FREE_GROUP,
  BEHIND_RESERVATION,
  NO_WORKER,
  POOL_DRAINING,
  QUOTA
}
