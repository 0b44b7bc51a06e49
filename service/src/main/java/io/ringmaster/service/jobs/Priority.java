package io.ringmaster.service.jobs;

import java.util.Arrays;

/** Which of two queued runs starts first. */
public enum Priority {
  LOW(0),
  NORMAL(1),
  HIGH(2);

  private final int rank;

  Priority(int rank) {
    this.rank = rank;
  }

  /** What the database keeps; higher starts first. */
  public int rank() {
    return rank;
  }

  static Priority ofRank(int rank) {
    return Arrays.stream(values()).filter(some -> some.rank == rank).findFirst().orElseThrow();
  }
}
