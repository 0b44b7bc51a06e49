package io.ringmaster.service.baselines;

import java.util.List;
import java.util.Optional;

/** How runs differ from earlier ones, run by run. */
record Comparison(Kind kind, List<RunPair> runs) {

  /** The least remarkable first: the most remarkable of a job's runs speaks for it. */
  enum Kind {
    SAME,
    NEW,
    FIXED,
    CHANGED
  }

  /** A run and what it is compared with; one of the two may be missing. */
  record RunPair(
      Kind kind, Optional<RunNumbers> now, Optional<RunNumbers> before, List<Change> changes) {

    String title() {
      return now.or(() -> before).map(RunNumbers::title).orElse("");
    }
  }

  /**
   * One number or word that isn't what it was.
   *
   * @param what its name in the numbers
   * @param where the check or the collective; empty for the whole run
   */
  record Change(String what, String where, String before, String now, String message) {}
}
