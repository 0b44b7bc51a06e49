package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.IrProblem;
import io.ringmaster.worker.ir.IrVerifier;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.stop.StopOrder;
import java.util.ArrayList;
import java.util.List;

/** Runs the passes in order and checks the IR after each of them. */
public final class Lowering {

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
    check("the front end", program);
    List<Lowered.Stage> stages = new ArrayList<>();
    stages.add(new Lowered.Stage("frontend", program, 0));
    Program current = program;
    for (Pass pass : passes) {
      StopOrder.look();
      long start = System.nanoTime();
      current = pass.apply(current, context);
      long nanos = System.nanoTime() - start;
      check(pass.name(), current);
      stages.add(new Lowered.Stage(pass.name(), current, nanos));
    }
    context.mistakes().throwAll();
    return new Lowered(current, stages);
  }

  private static void check(String pass, Program program) {
    List<IrProblem> problems = IrVerifier.verify(program);
    if (!problems.isEmpty()) {
      throw new LoweringFault(pass, problems);
    }
  }
}
