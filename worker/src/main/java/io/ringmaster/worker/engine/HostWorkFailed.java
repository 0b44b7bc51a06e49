package io.ringmaster.worker.engine;

/** Host work threw something: the run ends, and it comes out with the outcome. */
final class HostWorkFailed extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String function;
  private final RuntimeException thrown;

  HostWorkFailed(String function, RuntimeException thrown) {
    super(thrown);
    this.function = function;
    this.thrown = thrown;
  }

  String function() {
    return function;
  }

  RuntimeException thrown() {
    return thrown;
  }
}
