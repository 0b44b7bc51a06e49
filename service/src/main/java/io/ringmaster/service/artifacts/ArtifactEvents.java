package io.ringmaster.service.artifacts;

import java.time.Duration;

/** What happens at places outside the database. */
public final class ArtifactEvents {

  private ArtifactEvents() {}

  /** What is asked of a place. */
  public enum Operation {
    PUT,
    GET,
    DELETE,
    LIST
  }

  /**
   * A place answered, or couldn't.
   *
   * @param usable false when it couldn't
   */
  public record Used(Operation operation, boolean usable, Duration time) {}
}
