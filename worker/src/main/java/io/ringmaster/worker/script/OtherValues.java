package io.ringmaster.worker.script;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.script.check.ProgramText;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Kernels that do nothing but leave other values in their outputs: those of a tape, at the second
 * reading of a script. A check that comes out the same then has not looked at the outputs.
 */
final class OtherValues implements KernelRuntime {

  private final List<KernelTape.Part> parts;
  private final Map<ProgramText, Integer> programs;
  private final Spread.Other other;
  private final @Nullable Map<Place, Mutation> moved;
  private final Set<String> played = new HashSet<>();
  private int before;
  private int part;
  private int compilations;
  private int launches;
  private long salt;

  OtherValues(KernelTape tape, Spread.Other other) {
    this.parts = tape.parts();
    this.programs = tape.programs();
    this.other = other;
    this.moved = null;
  }

  /** Leaves in the outputs what the kernels wrote, but for a mutation at some places. */
  OtherValues(KernelTape tape, Map<Place, Mutation> moved) {
    this.parts = tape.parts();
    this.programs = tape.programs();
    this.other = Spread.Other.ZERO;
    this.moved = moved;
  }

  /** Leaves in all outputs what the kernels wrote with the same change. */
  static OtherValues changed(KernelTape tape, Mutation change) {
    Map<Place, Mutation> moved = new HashMap<>();
    List<KernelTape.Launch> launches = tape.launches();
    for (int launch = 0; launch < launches.size(); launch++) {
      for (int i = 0; i < launches.get(launch).kept().size(); i++) {
        if (launches.get(launch).kept().get(i) != null) {
          moved.put(new Place(launch, i), change);
        }
      }
    }
    return new OtherValues(tape, moved);
  }

  /**
   * An output.
   *
   * @param launch number of the launch in the script
   * @param argument number of the argument
   */
  record Place(int launch, int argument) {}

  @Override
  public Compiled compile(Program program, String platform, List<Integer> deviceIds, Span where) {
    KernelTape.Compilation taped = next(now().compilations(), compilations++);
    if (taped.refusal().isPresent()) {
      throw taped.refusal().get();
    }
    return new Silent(taped.program().orElseThrow());
  }

  @Override
  public void caseStarts(String test) {
    turnTo(test);
  }

  @Override
  public void casesEnd() {
    turnTo("");
  }

  /** True when a case has compiled and launched as often as it did when it was taped. */
  boolean hasPlayed(String test) {
    return played.contains(test);
  }

  /** The cases before it may be left out this time. */
  private void turnTo(String test) {
    do {
      nextPart();
    } while (!now().test().equals(test));
  }

  private void nextPart() {
    if (compilations == now().compilations().size() && launches == now().launches().size()) {
      played.add(now().test());
    }
    before += now().launches().size();
    part++;
    compilations = 0;
    launches = 0;
    salt = (long) part << 32;
  }

  private KernelTape.Part now() {
    return next(parts, part);
  }

  private static <T> T next(List<T> taped, int place) {
    if (place >= taped.size()) {
      throw new RunStopped("the script went another way");
    }
    return taped.get(place);
  }

  private final class Silent implements Compiled {

    private final Compiled program;

    Silent(Compiled program) {
      this.program = program;
    }

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
      return this;
    }

    @Override
    public void run(List<HostTensor> arguments, Span where) {
      fill(arguments, next(now().launches(), launches++));
    }

    @Override
    public void run(List<HostTensor> arguments, HostFunctions functions, Span where) {
      KernelTape.Launch launch = next(now().launches(), launches++);
      int program = programs.getOrDefault(launch.program(), 0);
      for (KernelTape.HostCall call : launch.calls()) {
        fill(arguments, launch);
        functions.call(
            call.name(),
            call.arguments().stream().map(value -> given(value, arguments, program)).toList());
      }
      fill(arguments, launch);
      if (launch.ended().isPresent()) {
        throw launch.ended().get();
      }
    }

    private Object given(Object value, List<HostTensor> arguments, int program) {
      return switch (value) {
        case KernelTape.ArgumentView view -> view.of(arguments);
        case KernelTape.OwnTensor own -> own.with(other, salt++, program);
        default -> value;
      };
    }

    private void fill(List<HostTensor> arguments, KernelTape.Launch launch) {
      if (arguments.size() != launch.outputs().size()) {
        throw new RunStopped("the script went another way");
      }
      int program = programs.getOrDefault(launch.program(), 0);
      for (int i = 0; i < arguments.size(); i++) {
        @Nullable Spread spread = launch.outputs().get(i);
        if (spread != null) {
          HostTensor output = arguments.get(i);
          Kept kept = launch.kept().get(i);
          if (moved == null || kept == null) {
            spread.fill(output, other, salt++, program);
          } else {
            Mutation mutation = moved.get(new Place(before + launches - 1, i));
            kept.restore(output);
            if (mutation != null) {
              mutation.apply(output, kept);
            }
          }
          output.buffer().promised().add(0, output.buffer().byteSize());
          output.buffer().written().add(0, output.buffer().byteSize());
        }
      }
    }
  }
}
