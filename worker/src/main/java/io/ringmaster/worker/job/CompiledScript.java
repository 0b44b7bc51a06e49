package io.ringmaster.worker.job;

import java.util.List;

/**
 * A script's program after each stage of compilation, as text.
 *
 * @param report verdict and diagnostics; REJECTED when there is no program, or how the script ended
 *     before there was one
 * @param stages {@code frontend}, one for each pass by its name, and {@code lowered} for the result
 */
public record CompiledScript(JobReport report, List<Stage> stages) {

  /** The stage as the front end read it. */
  public static final String FRONTEND = "frontend";

  /** The stage that runs. */
  public static final String LOWERED = "lowered";

  public CompiledScript {
    stages = List.copyOf(stages);
  }

  /** The program after a stage. */
  public record Stage(String name, String text) {}

  public boolean isRejected() {
    return stages.isEmpty();
  }

  /**
   * The text of a stage.
   *
   * @throws IllegalArgumentException naming the stages there are
   */
  public String text(String stage) {
    return stages.stream()
        .filter(s -> s.name().equals(stage))
        .map(Stage::text)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no stage '"
                        + stage
                        + "'; there are "
                        + String.join(", ", stages.stream().map(Stage::name).toList())));
  }
}
