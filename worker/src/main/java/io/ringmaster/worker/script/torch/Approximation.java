package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.TensorComparison;
import io.ringmaster.worker.script.builtin.Numbers;
import io.ringmaster.worker.script.builtin.SourceText;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import java.util.Optional;

/**
 * Tensors under {@code pytest.approx}: every element is held against the expected one, or all
 * against one number.
 *
 * @param relative tolerance as a part of the expected value
 * @param absolute tolerance as a difference; the larger of the two counts
 * @param tolerance where the tolerances stem from
 */
public record Approximation(
    double relative, double absolute, boolean nanIsEqual, Origin tolerance) {

  /** True for a comparison that is one of tensors. */
  public static boolean concerns(Value expected, Value actual) {
    return expected instanceof TensorValue || actual instanceof TensorValue;
  }

  /**
   * Compares two values of which one is a tensor; a list stands for a tensor, too.
   *
   * @throws io.ringmaster.worker.script.value.PyError TypeError for what is no tensor
   */
  public Value.Bool compare(Value expected, Value actual, Interp interp) {
    TensorValue wanted = tensor(expected, interp);
    TensorValue given = tensor(actual, interp);
    Span here = interp.session().budget().here();
    Call call = new Call(interp, here, Optional.empty());
    String name = SourceText.of(interp.session(), here);
    boolean single = Numbers.isNumber(expected) || Numbers.isNumber(actual);
    if (!single && !Arrays.equals(given.data().shape(), wanted.data().shape())) {
      return TorchChecks.shapesDiffer("comparison", name, given, wanted, call);
    }
    interp.session().budget().elements(given.data().elements() + wanted.data().elements());
    TensorComparison comparison =
        TensorComparison.within(
            given.data(),
            wanted.data(),
            value -> Math.max(absolute, relative * Math.abs(value)),
            nanIsEqual);
    return TorchChecks.recorded(
        "comparison", name, given, wanted, comparison, relative, absolute, tolerance, call);
  }

  private static TensorValue tensor(Value value, Interp interp) {
    if (!(value instanceof TensorValue tensor)) {
      return Tensors.ofData(value, Optional.of(DType.FP64), interp);
    }
    if (tensor.data().dtype() == DType.BF16) {
      // pytest looks at tensors as numpy's, which has no such type.
      throw Errors.type("Got unsupported ScalarType BFloat16: compare tensor.float()");
    }
    return tensor;
  }
}
