package io.ringmaster.worker.script;

import java.util.List;

/**
 * Something about a script's checks that its author should know, and that changes no verdict.
 *
 * @param brief the same in a few words, for the sentence of a green run
 * @param line of the script: a launch, or a comparison
 * @param test node id of the case; empty outside of one, and for what several cases share
 * @param tests node ids of all cases whose own verdict it qualifies
 */
public record Remark(
    Kind kind,
    String message,
    String brief,
    String hint,
    int line,
    String test,
    List<String> tests) {

  public Remark {
    tests = List.copyOf(tests);
  }

  /** What it is about. */
  public enum Kind {
    /** A kernel's output, or a part of it, that no check looks at. */
    UNCOMPARED_OUTPUT,
    /** A part of an output that holds the golden because the script put it there. */
    PREFILLED_OUTPUT,
    /** Inputs in which all ranks get the same, so that a wrong share doesn't show. */
    ALIKE_INPUTS,
    /** A comparison of something coarser than what the kernel wrote. */
    COARSE_COMPARISON
  }
}
