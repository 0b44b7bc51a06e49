package io.ringmaster.worker.job;

import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.tensor.DType;
import java.util.List;

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
   */
  public record Golden(String argument, Expected expected, double rtol, double atol) {}

  /** Where expected values come from. */
  public sealed interface Expected {}

  /** An expression over the inputs. */
  public record Formula(String expression) implements Expected {}
}
