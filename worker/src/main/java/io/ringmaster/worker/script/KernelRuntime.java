package io.ringmaster.worker.script;

import io.ringmaster.worker.frontend.RefusedProgram;
import io.ringmaster.worker.ir.Draft;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** What a script's {@code ir.compile(...)} and {@code compiled(...)} call into. */
public interface KernelRuntime {

  /**
   * Lowers a program for a platform and devices.
   *
   * @param platform {@code a2a3sim}, ...; an unknown one is refused with the known ones listed
   * @param deviceIds distinct, non-negative; rank r runs on the r-th
   * @param where the call in the script, for messages
   * @throws io.ringmaster.worker.source.DiagnosticException when the program breaks a rule
   */
  Compiled compile(Program program, String platform, List<Integer> deviceIds, Span where);

  /**
   * Rules of the platform that a program breaks, of which parts may be missing. A program that was
   * compiled, or refused by {@link #compile}, breaks none that hasn't been said.
   */
  default List<Diagnostic> mistakes(Draft draft) {
    return List.of();
  }

  /**
   * Reads a program. One that is refused is held against the rules of the platform as well, so that
   * all that is wrong with it is said at once.
   */
  default <T> T reading(Supplier<T> read) {
    try {
      return read.get();
    } catch (RefusedProgram refused) {
      List<Diagnostic> all = new ArrayList<>(refused.diagnostics());
      for (Diagnostic mistake : mistakes(refused.draft())) {
        // Some rules are known on both sides, in other words.
        if (refused.diagnostics().stream().noneMatch(said -> isBeside(said, mistake))) {
          all.add(mistake);
        }
      }
      throw new DiagnosticException(
          all.stream()
              .sorted(
                  Comparator.<Diagnostic>comparingInt(d -> d.span().line())
                      .thenComparingInt(d -> d.span().column()))
              .toList());
    }
  }

  private static boolean isBeside(Diagnostic one, Diagnostic other) {
    return one.span().line() == other.span().line();
  }

  /**
   * The script is read from now on.
   *
   * @param here where it is; any thread may ask
   * @param again whether it was read before, and this only shows whether its checks can fail
   */
  default void reads(Supplier<Span> here, boolean again) {}

  /**
   * The next case of a test file begins; what is found from now on is its.
   *
   * @param test its node id
   */
  default void caseStarts(String test) {}

  /** A case may take so long, or less: what the command line asks for. */
  default void limitCases(Duration limit) {}

  /**
   * Asked by a thread that was told to stop while a case ran: true when only the time of this case
   * is used up. Then the order is taken back, and what has to be done after the case may be done.
   */
  default boolean endsOnlyThisCase() {
    return false;
  }

  /** How long the script may go on from now, in nanoseconds. */
  default long nanosLeft() {
    return Long.MAX_VALUE;
  }

  /** The last case has ended; what is found from now on is nobody's. */
  default void casesEnd() {}

  /**
   * The script has compared a kernel's output, of this type.
   *
   * @param maxUlps largest difference, in steps of the type
   */
  default void compared(DType type, double maxUlps) {}

  /** A lowered program, ready to run on its devices. */
  interface Compiled {

    /** The HOST function's parameters, in order. */
    io.ringmaster.worker.ir.Function entry();

    /** How many ranks it was compiled for. */
    int ranks();

    /**
     * Runs the program once; outputs are written into {@code arguments} (one tensor per parameter,
     * in order). Returns normally when the kernel finished, whatever findings it left; throws
     * {@link RunStopped} when it could not finish.
     */
    void run(List<HostTensor> arguments, Span where);

    /**
     * Runs the program on other arguments, as if it hadn't been: nothing of it is noted, found or
     * counted.
     *
     * @param steps kernel instructions that it may take
     * @return the instructions that it took; empty when it didn't come to an end, or can't be run
     *     that way
     */
    default OptionalLong rehearse(List<HostTensor> arguments, long steps) {
      return OptionalLong.empty();
    }

    /** The same program, whose windows keep what they hold from one run to the next. */
    Compiled keepingWindows();

    /** The same for a program with sub-workers, which are called when their tensors are ready. */
    default void run(List<HostTensor> arguments, HostFunctions functions, Span where) {
      run(arguments, where);
    }
  }

  /** The kernel did not finish: deadlock, a fault, a limit, cancellation. The script ends here. */
  final class RunStopped extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public RunStopped(String message) {
      super(message);
    }
  }
}
