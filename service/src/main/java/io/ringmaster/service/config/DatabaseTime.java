package io.ringmaster.service.config;

import java.time.OffsetDateTime;

/** The time by which signs of life are judged: the clocks of two machines differ. */
@FunctionalInterface
public interface DatabaseTime {

  /** The time now, as all processes that share the database see it. */
  OffsetDateTime now();
}
