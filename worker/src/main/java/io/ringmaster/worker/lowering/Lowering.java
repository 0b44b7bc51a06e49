package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.IrProblem;
import io.ringmaster.worker.ir.IrVerifier;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.stop.StopOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the passes in order and checks the IR that they leave. Where that is malformed, or a pass
 * fails, the IR between them says whose fault it is.
 */
public final class Lowering {

  /**
   * Tests check after each pass, as each is to leave IR that can be read. Elsewhere the last IR is
   * checked alone: to check each stage takes half as long as all passes together (0.7 of 1.2 ms for
   * step 16 of the ladder), and finds nothing that the last one doesn't lead to.
   */
  private static final boolean AFTER_EACH = Lowering.class.desiredAssertionStatus();

  private static final String FRONT_END = "frontend";

  private Lowering() {}

  /**
   * Lowers a program. Every mistake of the user is found before any is thrown.
   *
   * @throws io.ringmaster.worker.source.DiagnosticException for a mistake of the user
   * @throws LoweringFault when a pass, or the front end, built malformed IR
   */
  public static Lowered run(Program program, LoweringContext context) {
    return run(program, context, Passes.ALL);
  }

  /** As {@link #run(Program, LoweringContext)} with other passes. */
  public static Lowered run(Program program, LoweringContext wanted, List<Pass> passes) {
    LoweringContext context = wanted.anew();
    List<Lowered.Stage> stages = new ArrayList<>();
    stages.add(new Lowered.Stage(FRONT_END, program, 0));
    Program current = program;
    for (Pass pass : passes) {
      StopOrder.look();
      long start = System.nanoTime();
      try {
        current = pass.apply(current, context);
      } catch (DiagnosticException | StopOrder.Stopped told) {
        throw told;
      } catch (RuntimeException fault) {
        checkEach(stages);
        throw fault;
      }
      stages.add(new Lowered.Stage(pass.name(), current, System.nanoTime() - start));
    }
    if (AFTER_EACH || !IrVerifier.verify(current).isEmpty()) {
      checkEach(stages);
    }
    context.mistakes().throwAll();
    return new Lowered(current, stages);
  }

  /** Throws for the first stage that is malformed. */
  private static void checkEach(List<Lowered.Stage> stages) {
    for (Lowered.Stage stage : stages) {
      List<IrProblem> problems = IrVerifier.verify(stage.program());
      if (!problems.isEmpty()) {
        throw new LoweringFault(
            stage.name().equals(FRONT_END) ? "the front end" : stage.name(), problems);
      }
    }
  }
}
