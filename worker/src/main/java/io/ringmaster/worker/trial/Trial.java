package io.ringmaster.worker.trial;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.engine.Engine;
import io.ringmaster.worker.engine.HostWork;
import io.ringmaster.worker.engine.Limits;
import io.ringmaster.worker.engine.RunOutcome;
import io.ringmaster.worker.engine.RunRequest;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.lowering.Lowering;
import io.ringmaster.worker.lowering.LoweringContext;
import io.ringmaster.worker.lowering.Platform;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * One collective by one algorithm with so many ranks and bytes: a compiled program that may be run
 * any number of times. FP32; belongs to one thread.
 */
public final class Trial {

  /** Rows are whole blocks of 32 bytes, as transfers want them. */
  private static final long ELEMENTS = 8;

  /** Inputs up to this size get other numbers on each rank; larger ones share one row. */
  private static final long OWN_INPUTS = 64L << 20;

  private final Algorithm algorithm;
  private final int ranks;
  private final long row;
  private final HardwareProfile profile;
  private final boolean values;
  private final TrialText text;
  private final Program program;
  private final List<Integer> devices;
  private final Engine engine = new Engine();
  private final List<HostTensor> arguments;

  /**
   * Compiles a trial.
   *
   * @param bytes what one rank puts in; rounded up to whole rows of 32 bytes
   * @param values false for timing only
   * @throws DiagnosticException when the platform can't do it
   */
  public Trial(
      Algorithm algorithm, int ranks, long bytes, HardwareProfile profile, boolean values) {
    if (ranks < 2) {
      throw new IllegalArgumentException("a collective needs 2 ranks or more, not " + ranks);
    }
    this.algorithm = algorithm;
    this.ranks = ranks;
    this.profile = profile;
    this.values = values && !algorithm.collective().equals("barrier");
    this.row = row(algorithm, ranks, bytes);
    this.devices = IntStream.range(0, ranks).boxed().toList();
    this.text = new TrialText(algorithm, ranks, row, this.values);
    Platform platform = Platform.named(profile.platform()).orElseThrow();
    this.program =
        Lowering.run(IrParser.parse(text.program()), LoweringContext.of(platform, ranks)).program();
    this.arguments = this.values ? List.of(input(), output()) : List.of();
  }

  private static long row(Algorithm algorithm, int ranks, long bytes) {
    long elements = Math.max(1, Math.ceilDiv(bytes, (long) Float.BYTES));
    return switch (algorithm.collective()) {
      case "barrier" -> 0;
      case "reduce_scatter", "all_to_all" -> Math.ceilDiv(elements, ranks * ELEMENTS) * ELEMENTS;
      default -> {
        long unit = algorithm.isSegmented() ? ranks * ELEMENTS : ELEMENTS;
        yield Math.ceilDiv(elements, unit) * unit;
      }
    };
  }

  public Algorithm algorithm() {
    return algorithm;
  }

  public int ranks() {
    return ranks;
  }

  /** What one rank really puts in. */
  public long bytes() {
    return row * text.inputRows() * Float.BYTES;
  }

  /** The program as it is compiled from. */
  public String program() {
    return text.program();
  }

  private HostTensor input() {
    long elements = row * text.inputRows();
    boolean own = elements * Float.BYTES <= OWN_INPUTS / ranks;
    HostTensor numbers =
        own
            ? HostTensor.zeros(DType.FP32, ranks, text.inputRows(), row)
            : HostTensor.zeros(DType.FP32, 1, text.inputRows(), row);
    var memory = numbers.buffer().segment();
    for (long i = 0; i < numbers.elements(); i++) {
      memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (int) (i % 61) + 1);
    }
    long[] strides = numbers.strides().clone();
    strides[0] = own ? strides[0] : 0;
    long[] shape = {ranks, text.inputRows(), row};
    return new HostTensor(numbers.buffer(), DType.FP32, shape, strides, 0);
  }

  private HostTensor output() {
    return HostTensor.zeros(DType.FP32, ranks, 1, TrialText.SAMPLE);
  }

  /** Runs it once. */
  public RunOutcome run(List<FabricListener> listeners, Limits limits, List<Condition> conditions) {
    return engine.run(
        new RunRequest(
            program,
            profile,
            devices,
            arguments,
            0,
            limits,
            listeners,
            () -> false,
            HostWork.NONE,
            conditions,
            !values,
            Optional.empty()));
  }

  /** True when the sample that each rank handed back is what the collective promises. */
  public boolean isRight() {
    if (!values) {
      return true;
    }
    HostTensor x = arguments.getFirst();
    HostTensor y = arguments.getLast();
    for (int rank = 0; rank < ranks; rank++) {
      for (long i = 0; i < TrialText.SAMPLE; i++) {
        if (at(y, rank, 0, i) != expected(x, rank, i)) {
          return false;
        }
      }
    }
    return true;
  }

  private float expected(HostTensor x, int rank, long column) {
    return switch (algorithm.collective()) {
      case "broadcast" -> at(x, 0, 0, column);
      case "allreduce" -> sum(x, 0, column);
      case "reduce_scatter" -> sum(x, rank, column);
      case "allgather" -> at(x, ranks - 1, 0, column);
      default -> at(x, ranks - 1, rank, column);
    };
  }

  /** Exact in any order: small whole numbers. */
  private float sum(HostTensor x, long inputRow, long column) {
    float sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
      sum += at(x, rank, inputRow, column);
    }
    return sum;
  }

  private static float at(HostTensor tensor, long rank, long row, long column) {
    long[] strides = tensor.strides();
    return tensor
        .buffer()
        .segment()
        .getAtIndex(
            ValueLayout.JAVA_FLOAT, rank * strides[0] + row * strides[1] + column * strides[2]);
  }
}
