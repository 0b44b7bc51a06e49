package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.IrProblem;
import java.util.List;
import java.util.stream.Collectors;

/** A pass built IR that isn't well formed. Never the user's fault. */
public final class LoweringFault extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String pass;
  private final transient List<IrProblem> problems;

  LoweringFault(String pass, List<IrProblem> problems) {
    super(
        "after "
            + pass
            + " the program isn't well formed: "
            + problems.stream().map(IrProblem::toString).collect(Collectors.joining("; ")));
    this.pass = pass;
    this.problems = List.copyOf(problems);
  }

  /** Name of the guilty pass, or "the front end" for the input. */
  public String pass() {
    return pass;
  }

  public List<IrProblem> problems() {
    return problems;
  }
}
