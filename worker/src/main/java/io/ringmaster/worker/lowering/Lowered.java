package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Program;
import java.util.List;

/**
 * A lowered program with the way it came.
 *
 * @param stages the program after each pass, the input first under the name {@code frontend}
 */
public record Lowered(Program program, List<Stage> stages) {

  public Lowered {
    stages = List.copyOf(stages);
  }

  /**
   * The program after a pass.
   *
   * @param nanos wall time of the pass; 0 for the input
   */
  public record Stage(String name, Program program, long nanos) {}
}
