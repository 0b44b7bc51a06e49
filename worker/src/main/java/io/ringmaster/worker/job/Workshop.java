package io.ringmaster.worker.job;

import io.ringmaster.worker.engine.Engine;
import io.ringmaster.worker.engine.Executables;
import io.ringmaster.worker.fabric.SpareMemory;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.lowering.Lowered;
import io.ringmaster.worker.lowering.Platform;
import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.SourceFile;
import java.util.function.Supplier;

/**
 * What the runs of one process leave for those that come after: memory, what a text reads as, and
 * what a program compiles to. Nothing that a run has computed is among it: a job that was seen
 * before is evaluated, simulated and verified as one that is new.
 */
final class Workshop {

  /**
   * Characters of scripts whose syntax trees are kept; a tree takes some fifty bytes a character.
   */
  private static final long MOST_READ = 512 << 10;

  /** Characters of scripts whose programs are kept, at each platform and number of ranks. */
  private static final long MOST_COMPILED = 256 << 10;

  private final Supplier<Accelerators> accelerators;
  private final SpareMemory spare = new SpareMemory();
  private final Executables executables = new Executables();
  private final Memo<SourceFile, PythonParser.Reading> readings = new Memo<>(MOST_READ);
  private final Memo<Wanted, Lowered> programs = new Memo<>(MOST_COMPILED);

  /** A program and what it is compiled for; lines and columns belong to the program. */
  private record Wanted(Program program, Platform platform, int ranks) {}

  /**
   * An empty one.
   *
   * @param accelerators what there is to compute with; asked only when somebody wants to know
   */
  Workshop(Supplier<Accelerators> accelerators) {
    this.accelerators = accelerators;
  }

  /** What platform opencl has to compute with. */
  Accelerators accelerators() {
    return accelerators.get();
  }

  /** An engine for one run. */
  Engine engine() {
    return new Engine(spare, executables);
  }

  /**
   * What a text reads as.
   *
   * @throws io.ringmaster.worker.source.DiagnosticException when it can't be read at all
   */
  PythonParser.Reading read(SourceFile source) {
    return readings.get(source, source.text().length(), () -> PythonParser.read(source));
  }

  /**
   * A program, lowered.
   *
   * @param source where it stands
   */
  Lowered lowered(
      Program program, Platform platform, int ranks, SourceFile source, Supplier<Lowered> lower) {
    return programs.get(new Wanted(program, platform, ranks), source.text().length(), lower);
  }

  /** How often what was needed was there already. */
  JobRunner.Reuse reuse() {
    return new JobRunner.Reuse(
        readings.hits(), readings.misses(), programs.hits(), programs.misses());
  }
}
