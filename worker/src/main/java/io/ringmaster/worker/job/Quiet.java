package io.ringmaster.worker.job;

/**
 * For a run that is looked at only when it is over: cancelled as {@code asked} is, and nobody
 * listens to anything but where it is then.
 */
record Quiet(RunControl asked) implements RunControl {

  @Override
  public boolean isCancelled() {
    return asked.isCancelled();
  }

  @Override
  public void stopping(int runIndex, String where) {
    asked.stopping(runIndex, where);
  }

  @Override
  public long mostOutputBytes() {
    return 0;
  }
}
