package io.ringmaster.worker.job;

import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.NpyReader;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * A job without a driver script: a program, what goes in, and what must come out.
 *
 * <p>Extents, the entry and goldens are expressions of the script language in which {@code nr} is
 * the number of devices; goldens also know the inputs by name, as they are before the call, and
 * {@code torch}.
 *
 * @param program the module that defines the program
 * @param entry names the program: {@code AllGather}, or {@code build_allgather(nr)}
 * @param inputs arguments of the call, before the outputs
 * @param outputs arguments that start as zeros, after the inputs
 */
public record Declaration(
    SourceFile program,
    String entry,
    List<Input> inputs,
    List<Output> outputs,
    List<Golden> goldens) {

  public Declaration {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    goldens = List.copyOf(goldens);
  }

  /** The element type of an argument; empty for a name or a file that isn't one. */
  Optional<DType> dtype(String argument) {
    return outputs.stream()
        .filter(output -> output.name().equals(argument))
        .map(Output::dtype)
        .findFirst()
        .or(
            () ->
                inputs.stream()
                    .filter(input -> input.name().equals(argument))
                    .findFirst()
                    .flatMap(input -> dtype(input.values())));
  }

  private static Optional<DType> dtype(Values values) {
    return switch (values) {
      case Arange arange -> Optional.of(arange.dtype());
      case Randn randn -> Optional.of(randn.dtype());
      case Full full -> Optional.of(full.dtype());
      case Npy(String base64) -> {
        try {
          yield Optional.of(NpyReader.read(Base64.getDecoder().decode(base64)).dtype());
        } catch (IllegalArgumentException e) {
          yield Optional.empty(); // Said where the file is read.
        }
      }
    };
  }

  /** A tensor that goes in. */
  public record Input(String name, Values values) {}

  /**
   * A tensor that comes out.
   *
   * @param shape extents, each an expression
   */
  public record Output(String name, DType dtype, List<String> shape) {

    public Output {
      shape = List.copyOf(shape);
    }
  }

  /** What an input holds. */
  public sealed interface Values {}

  /** {@code start}, {@code start + step}, … in row-major order. */
  public record Arange(DType dtype, List<String> shape, double start, double step)
      implements Values {

    public Arange {
      shape = List.copyOf(shape);
    }
  }

  /** Normally distributed numbers; the same for the same seed. */
  public record Randn(DType dtype, List<String> shape, long seed) implements Values {

    public Randn {
      shape = List.copyOf(shape);
    }
  }

  /** One number everywhere. */
  public record Full(DType dtype, List<String> shape, double value) implements Values {

    public Full {
      shape = List.copyOf(shape);
    }
  }

  /** The content of a {@code .npy} file, in Base64. */
  public record Npy(String base64) implements Values, Expected {}

  /**
   * What an output must be, within {@code |actual - expected| <= atol + rtol * |expected|}.
   *
   * @param argument the name of an output or of an input that the kernel changes
   * @param rtol when none is given, 1e-5, and 0 for whole numbers, which are right or wrong
   * @param atol when none is given, 1e-8, and 0 for whole numbers
   */
  public record Golden(
      String argument, Expected expected, Optional<Double> rtol, Optional<Double> atol) {

    /** With both tolerances. */
    public Golden(String argument, Expected expected, double rtol, double atol) {
      this(argument, expected, Optional.of(rtol), Optional.of(atol));
    }
  }

  /** Where expected values come from. */
  public sealed interface Expected {}

  /** An expression over the inputs. */
  public record Formula(String expression) implements Expected {}
}
