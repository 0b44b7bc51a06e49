package io.ringmaster.worker.script;

import io.ringmaster.worker.ir.Draft;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.time.Duration;
import java.util.List;

/** A runtime whose refusals a script can catch, so that a test can ask for them. */
record CatchableRuntime(KernelRuntime runtime) implements KernelRuntime {

  @Override
  public Compiled compile(Program program, String platform, List<Integer> deviceIds, Span where) {
    return new CatchableProgram(
        KernelErrors.catchable(() -> runtime.compile(program, platform, deviceIds, where)));
  }

  @Override
  public List<Diagnostic> mistakes(Draft draft) {
    return runtime.mistakes(draft);
  }

  @Override
  public void caseStarts(String test) {
    runtime.caseStarts(test);
  }

  @Override
  public void limitCases(Duration limit) {
    runtime.limitCases(limit);
  }

  @Override
  public boolean endsOnlyThisCase() {
    return runtime.endsOnlyThisCase();
  }

  @Override
  public void casesEnd() {
    runtime.casesEnd();
  }

  @Override
  public void compared(DType type, double maxUlps) {
    runtime.compared(type, maxUlps);
  }

  private record CatchableProgram(Compiled program) implements Compiled {

    @Override
    public int ranks() {
      return program.ranks();
    }

    @Override
    public Function entry() {
      return program.entry();
    }

    @Override
    public Compiled keepingWindows() {
      return new CatchableProgram(program.keepingWindows());
    }

    @Override
    public void run(List<HostTensor> arguments, HostFunctions functions, Span where) {
      KernelErrors.catchable(
          () -> {
            program.run(arguments, functions, where);
            return true;
          });
    }

    @Override
    public void run(List<HostTensor> arguments, Span where) {
      KernelErrors.catchable(
          () -> {
            program.run(arguments, where);
            return true;
          });
    }
  }
}
