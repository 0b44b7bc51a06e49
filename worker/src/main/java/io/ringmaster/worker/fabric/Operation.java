package io.ringmaster.worker.fabric;

/** What touched a window. */
public enum Operation {
  LOAD,
  STORE,
  READ,
  WRITE,
  REMOTE_LOAD,
  REMOTE_STORE,
  PUT,
  GET,
  NOTIFY,
  WAIT
}
