package io.ringmaster.worker.codegen;

/** How many communication operations were executed. */
public final class OperationCounts {

  long notifies;
  long waits;
  long puts;
  long gets;
  long remoteLoads;
  long remoteStores;

  public long notifies() {
    return notifies;
  }

  public long waits() {
    return waits;
  }

  public long puts() {
    return puts;
  }

  public long gets() {
    return gets;
  }

  public long remoteLoads() {
    return remoteLoads;
  }

  public long remoteStores() {
    return remoteStores;
  }
}
