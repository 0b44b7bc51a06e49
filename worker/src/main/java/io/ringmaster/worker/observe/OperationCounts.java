package io.ringmaster.worker.observe;

/** How many operations of each kind a run executed, over all ranks. */
public record OperationCounts(
    long notifies, long waits, long puts, long gets, long remoteLoads, long remoteStores) {}
