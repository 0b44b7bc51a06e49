package io.ringmaster.worker.frontend;

import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.tensor.DType;
import java.util.List;

/** A Python value that a kernel's text refers to by a name from outside. */
public sealed interface ClosureValue {

  record Int(long value) implements ClosureValue {}

  record Float(double value) implements ClosureValue {}

  record Bool(boolean value) implements ClosureValue {}

  record Text(String value) implements ClosureValue {}

  record None() implements ClosureValue {}

  /** A list or tuple of closure values. */
  record Sequence(List<ClosureValue> elements) implements ClosureValue {
    public Sequence {
      elements = List.copyOf(elements);
    }
  }

  /** {@code pl.FP32} bound to a name. */
  record Dtype(DType value) implements ClosureValue {}

  /** {@code pl.dynamic("NR")}; the name is the identity. */
  record DynamicDim(String name) implements ClosureValue {}

  /**
   * A module or an attribute path into one, fully qualified: {@code
   * pypto.language.FunctionType.InCore}.
   */
  record Path(String qualifiedName) implements ClosureValue {}

  /** A decorated free function ({@code @pl.function}, {@code @pl.jit...}, {@code @pl.inline}). */
  record Kernel(Stmt.FunctionDef definition, ClosureScope scope) implements ClosureValue {}

  /**
   * A type that was written outside: {@code XT = pl.Tensor[[R, C], DT]}.
   *
   * @param head {@code pl.Tensor}
   * @param index what stands in the brackets
   */
  record Annotation(String head, ClosureValue index) implements ClosureValue {}

  /** Anything a kernel can't use, with Python's name of its type for the message. */
  record Unsupported(String typeName) implements ClosureValue {}
}
