package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.script.builtin.Numbers;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Optional;

/**
 * One side of an element-wise operation.
 *
 * @param rank 0 for a plain number, 1 for a tensor without dimensions, 2 for other tensors
 */
record Operand(HostTensor data, int rank, Origin origin) {

  static Operand of(TensorValue tensor) {
    return new Operand(tensor.data(), tensor.data().rank() == 0 ? 1 : 2, tensor.origin());
  }

  /** A tensor or a number; empty for anything else. */
  static Optional<Operand> find(Value value) {
    return switch (value) {
      case TensorValue tensor -> Optional.of(of(tensor));
      case Value.Bool bool -> Optional.of(number(DType.BOOL, bool.value() ? 1 : 0, 0, bool));
      case Value.Int whole ->
          Optional.of(number(DType.INT64, Convert.fit(whole.value(), "value"), 0, whole));
      case Value.Float real -> Optional.of(number(DType.FP64, 0, real.value(), real));
      default -> Optional.empty();
    };
  }

  static Operand require(Value value, String function) {
    return find(value)
        .orElseThrow(
            () ->
                Errors.type(
                    function
                        + "(): argument must be a Tensor or a number, not "
                        + Types.nameOf(value)));
  }

  private static Operand number(DType type, long whole, double real, Value from) {
    HostTensor data = HostTensor.zeros(type);
    Elements elements = Elements.of(data.buffer(), type);
    if (type == DType.FP64) {
      elements.setDouble(0, real);
    } else {
      elements.setLong(0, whole);
    }
    return new Operand(data, 0, Numbers.origin(from));
  }

  DType dtype() {
    return data.dtype();
  }

  /** Its type where it decides: a plain float counts as torch's default float type. */
  DType defaulted() {
    return rank == 0 && dtype() == DType.FP64 ? DType.FP32 : dtype();
  }
}
