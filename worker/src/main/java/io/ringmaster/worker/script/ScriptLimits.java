package io.ringmaster.worker.script;

/**
 * What a script may use.
 *
 * @param steps evaluator steps; work on tensors and big numbers counts as steps too
 * @param callDepth nested function calls
 * @param memoryBytes tensors alive at a time, and separately lists and texts made in all
 * @param logBytes printed text that is kept; beyond it the middle is dropped
 */
public record ScriptLimits(long steps, int callDepth, long memoryBytes, int logBytes) {

  /** Enough for any driver, little enough for a shared machine. */
  public static final ScriptLimits DEFAULT = new ScriptLimits(50_000_000, 1000, 2L << 30, 1 << 20);

  public ScriptLimits {
    if (steps <= 0 || callDepth <= 0 || memoryBytes <= 0 || logBytes <= 0) {
      throw new IllegalArgumentException("script limits must be positive");
    }
  }
}
