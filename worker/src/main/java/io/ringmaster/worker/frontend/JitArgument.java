package io.ringmaster.worker.frontend;

import io.ringmaster.worker.tensor.DType;
import java.util.List;

/** What a driver gives a parameter of the function it compiles. */
public sealed interface JitArgument {

  /** A sample tensor: its shape and element type count. */
  record Sample(List<Long> shape, DType dtype) implements JitArgument {
    public Sample {
      shape = List.copyOf(shape);
    }
  }

  /** A number, which the program is compiled for. */
  record Number(ClosureValue value) implements JitArgument {}

  /** Nothing: the annotation has to say all. */
  record Missing() implements JitArgument {}
}
