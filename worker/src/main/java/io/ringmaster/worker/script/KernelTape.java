package io.ringmaster.worker.script;

import io.ringmaster.worker.ir.Draft;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.script.check.Output;
import io.ringmaster.worker.script.check.ProgramText;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what kernels do while a script runs, so that the script can be read again with other
 * values in the place of what they wrote, and without running them.
 */
final class KernelTape implements KernelRuntime {

  /** An output that is larger isn't kept. */
  static final long MOST_EACH = 8L << 20;

  /** All that is kept of outputs. */
  private static final long MOST_KEPT = 64L << 20;

  /** All that is kept of inputs. */
  private static final long MOST_GIVEN = 32L << 20;

  private final KernelRuntime runtime;
  private final List<Part> parts = new ArrayList<>(List.of(new Part("")));
  private long keptBytes;
  private long givenBytes;

  KernelTape(KernelRuntime runtime) {
    this.runtime = runtime;
  }

  /**
   * What happened between two starts of cases, in order.
   *
   * @param test the case; empty for what is around the cases
   */
  record Part(String test, List<Compilation> compilations, List<Launch> launches) {
    Part(String test) {
      this(test, new ArrayList<>(), new ArrayList<>());
    }
  }

  /** A compiled program, or why there is none. */
  record Compilation(Optional<Compiled> program, Optional<DiagnosticException> refusal) {}

  /**
   * A launch.
   *
   * @param program what was launched
   * @param outputs for each argument the range of what was written; null for inputs
   * @param kept for each argument what was written; null for inputs, and where it is too large
   * @param nans for each argument the elements that are NaN; empty for inputs, and what is kept
   * @param names for each argument its parameter's name
   * @param ended what it threw
   * @param overflown true when it has left infinities although it was given none
   * @param rehearsal what it takes to run it again with other inputs; empty where that isn't known
   */
  record Launch(
      ProgramText program,
      List<String> names,
      List<@Nullable Spread> outputs,
      List<@Nullable Kept> kept,
      List<BitSet> nans,
      List<HostCall> calls,
      Optional<RuntimeException> ended,
      boolean overflown,
      Optional<Rehearsal> rehearsal) {

    /** True when some output is too large to be kept; what is read again lacks it. */
    boolean isTooLarge() {
      return IntStream.range(0, outputs.size()).anyMatch(this::isTooLarge);
    }

    private boolean isTooLarge(int argument) {
      return outputs.get(argument) != null && kept.get(argument) == null;
    }

    /** Names of the outputs that are too large to be kept. */
    Stream<String> tooLarge() {
      return IntStream.range(0, outputs.size()).filter(this::isTooLarge).mapToObj(names::get);
    }

    /** True when some output can't hold more than what was written, or less. */
    boolean lacksRoom() {
      return outputs.stream().anyMatch(spread -> spread != null && !spread.hasRoom());
    }
  }

  /** A sub-worker's call: numbers, arguments of the launch, and other tensors. */
  record HostCall(String name, List<Object> arguments) {}

  /** A view of an argument of the launch. */
  record ArgumentView(
      int argument, DType dtype, List<Long> shape, List<Long> strides, long offset) {
    HostTensor of(List<HostTensor> arguments) {
      return new HostTensor(
          arguments.get(argument).buffer(), dtype, numbers(shape), numbers(strides), offset);
    }
  }

  /** A tensor that the program made itself. */
  record OwnTensor(Spread spread, List<Long> shape) {
    HostTensor with(Spread.Other other, long salt, int program) {
      HostTensor tensor = HostTensor.zeros(spread.dtype(), numbers(shape));
      spread.fill(tensor, other, salt, program);
      return tensor;
    }
  }

  private static long[] numbers(List<Long> list) {
    return list.stream().mapToLong(Long::longValue).toArray();
  }

  private static List<Long> list(long[] numbers) {
    return Arrays.stream(numbers).boxed().toList();
  }

  /** What is on the tape; the first part is what came before any case. */
  List<Part> parts() {
    return parts;
  }

  /** Numbers the programs that were launched; those that do the same have the same number. */
  Map<ProgramText, Integer> programs() {
    Map<ProgramText, Integer> numbers = new LinkedHashMap<>();
    parts.stream()
        .flatMap(part -> part.launches().stream())
        .forEach(launch -> numbers.putIfAbsent(launch.program(), numbers.size()));
    return numbers;
  }

  /** All launches in order, those of the cases after one another. */
  List<Launch> launches() {
    return parts.stream().flatMap(part -> part.launches().stream()).toList();
  }

  /** Where an output stands on the tape, and what was written into it. */
  record Written(OtherValues.Place place, Kept kept) {}

  /**
   * What is kept of the outputs of the script's launches; those that are too large are left out.
   */
  Map<Output, Written> written(List<io.ringmaster.worker.script.check.Launch> made) {
    Map<Output, Written> written = new LinkedHashMap<>();
    List<Launch> taped = launches();
    for (int i = 0; i < Math.min(made.size(), taped.size()); i++) {
      List<Output> outputs = made.get(i).outputs();
      int number = 0;
      for (int argument = 0; argument < taped.get(i).kept().size(); argument++) {
        if (taped.get(i).outputs().get(argument) != null && number < outputs.size()) {
          Output output = outputs.get(number++);
          Kept kept = taped.get(i).kept().get(argument);
          if (kept != null) {
            written.put(output, new Written(new OtherValues.Place(i, argument), kept));
          }
        }
      }
    }
    return written;
  }

  /** True when sub-workers were called, which see more than what the kernels left. */
  boolean hasCalls() {
    return launches().stream().anyMatch(launch -> !launch.calls().isEmpty());
  }

  /** Bytes that each reading puts back into the outputs. */
  long keptBytes() {
    return keptBytes;
  }

  /** Bytes that a reading of some cases puts back. */
  long keptBytes(Predicate<String> cases) {
    return parts.stream()
        .filter(part -> part.test().isEmpty() || cases.test(part.test()))
        .flatMap(part -> part.launches().stream())
        .flatMap(launch -> launch.kept().stream())
        .filter(Objects::nonNull)
        .mapToLong(kept -> kept.elements() * kept.content().dtype().bytes())
        .sum();
  }

  @Override
  public Compiled compile(Program program, String platform, List<Integer> deviceIds, Span where) {
    List<Compilation> compilations = parts.getLast().compilations();
    try {
      Compiled compiled = runtime.compile(program, platform, deviceIds, where);
      compilations.add(new Compilation(Optional.of(compiled), Optional.empty()));
      return new Taped(compiled, new ProgramText(program));
    } catch (DiagnosticException refusal) {
      compilations.add(new Compilation(Optional.empty(), Optional.of(refusal)));
      throw refusal;
    }
  }

  @Override
  public List<Diagnostic> mistakes(Draft draft) {
    return runtime.mistakes(draft);
  }

  @Override
  public <T> T reading(Supplier<T> read) {
    return runtime.reading(read);
  }

  @Override
  public void reads(Supplier<Span> here, boolean again) {
    runtime.reads(here, again);
  }

  @Override
  public void caseStarts(String test) {
    parts.add(new Part(test));
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
  public long nanosLeft() {
    return runtime.nanosLeft();
  }

  @Override
  public void casesEnd() {
    parts.add(new Part(""));
    runtime.casesEnd();
  }

  @Override
  public void compared(DType type, double maxUlps) {
    runtime.compared(type, maxUlps);
  }

  private final class Taped implements Compiled {

    private final Compiled program;
    private final ProgramText text;

    Taped(Compiled program, ProgramText text) {
      this.program = program;
      this.text = text;
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
      return new Taped(program.keepingWindows(), text);
    }

    @Override
    public void run(List<HostTensor> arguments, Span where) {
      taped(arguments, List.of(), () -> program.run(arguments, where));
    }

    @Override
    public void run(List<HostTensor> arguments, HostFunctions functions, Span where) {
      List<HostCall> calls = new ArrayList<>();
      var listening =
          new HostFunctions() {
            @Override
            public Set<String> names() {
              return functions.names();
            }

            @Override
            public void call(String name, List<Object> given) {
              calls.add(
                  new HostCall(
                      name, given.stream().map(value -> onTape(value, arguments)).toList()));
              functions.call(name, given);
            }
          };
      taped(arguments, calls, () -> program.run(arguments, listening, where));
    }

    private void taped(List<HostTensor> arguments, List<HostCall> calls, Runnable launch) {
      Part part = parts.getLast();
      int place = part.launches().size();
      Optional<Rehearsal> rehearsal =
          Rehearsal.of(program, text.dealt(), arguments, MOST_GIVEN - givenBytes);
      givenBytes += rehearsal.map(Rehearsal::bytes).orElse(0L);
      try {
        launch.run();
        part.launches().add(place, launched(arguments, calls, Optional.empty(), rehearsal));
      } catch (RuntimeException end) {
        part.launches().add(place, launched(arguments, calls, Optional.of(end), Optional.empty()));
        throw end;
      }
    }

    private Launch launched(
        List<HostTensor> arguments,
        List<HostCall> calls,
        Optional<RuntimeException> end,
        Optional<Rehearsal> rehearsal) {
      List<@Nullable Spread> outputs = outputs(arguments);
      List<@Nullable Kept> kept = new ArrayList<>();
      List<BitSet> nans = new ArrayList<>();
      for (int i = 0; i < arguments.size(); i++) {
        HostTensor tensor = arguments.get(i);
        long bytes = tensor.elements() * tensor.dtype().bytes();
        if (outputs.get(i) != null && bytes <= MOST_EACH && keptBytes + bytes <= MOST_KEPT) {
          keptBytes += bytes;
          kept.add(Kept.of(tensor));
          nans.add(new BitSet());
        } else {
          kept.add(null);
          nans.add(outputs.get(i) == null ? new BitSet() : Kept.places(tensor, Double::isNaN));
        }
      }
      List<String> names =
          entry().params().stream().limit(arguments.size()).map(Function.Param::name).toList();
      Optional<Rehearsal> again = calls.isEmpty() ? rehearsal : Optional.empty();
      return new Launch(
          text, names, outputs, kept, nans, calls, end, isOverflown(arguments, kept), again);
    }

    private boolean isOverflown(List<HostTensor> arguments, List<@Nullable Kept> kept) {
      if (kept.stream().allMatch(one -> one == null || isFinite(one.content()))) {
        return false;
      }
      for (int i = 0; i < arguments.size(); i++) {
        boolean only =
            i < entry().params().size()
                && entry().params().get(i).direction() == Function.Direction.OUT;
        // What it was given there is gone where it has written over it.
        boolean same = i < kept.size() && kept.get(i) == null;
        if (!only && !(same && isFinite(arguments.get(i)))) {
          return false;
        }
      }
      return true;
    }

    private static boolean isFinite(HostTensor tensor) {
      return Kept.places(tensor, Double::isInfinite).isEmpty();
    }

    private List<@Nullable Spread> outputs(List<HostTensor> arguments) {
      List<@Nullable Spread> outputs = new ArrayList<>();
      for (int i = 0; i < arguments.size(); i++) {
        boolean written =
            i < entry().params().size() && entry().params().get(i).direction().isWritten();
        outputs.add(written ? Spread.of(arguments.get(i)) : null);
      }
      return outputs;
    }
  }

  private static Object onTape(Object value, List<HostTensor> arguments) {
    if (!(value instanceof HostTensor tensor)) {
      return value;
    }
    for (int i = 0; i < arguments.size(); i++) {
      if (arguments.get(i).buffer() == tensor.buffer()) {
        return new ArgumentView(
            i, tensor.dtype(), list(tensor.shape()), list(tensor.strides()), tensor.offset());
      }
    }
    return new OwnTensor(Spread.of(tensor), list(tensor.shape()));
  }
}
