package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.Sizes;
import java.util.List;

/** {@code torch.nn.functional.pad}; widths are given in pairs, from the last dimension on. */
final class Padding {

  private Padding() {}

  static Value pad(Bound a, Call c) {
    TensorValue input = TensorMethods.tensor(a, "input");
    List<Value> given = TensorMethods.asList(a.get("pad"), c);
    long[] widths = given.stream().mapToLong(v -> Convert.integer(v, "pad")).toArray();
    int rank = input.data().rank();
    if (widths.length % 2 != 0 || widths.length / 2 > rank) {
      throw Errors.runtime(
          "pad: Padding length must be divisible by 2 and at most twice the number of dimensions"
              + " of the input, but got "
              + widths.length
              + " for shape "
              + Tensors.shown(input.data().shape()));
    }
    String mode = a.string("mode", "constant");
    TensorValue result = input;
    for (int pair = 0; pair < widths.length / 2; pair++) {
      int axis = rank - 1 - pair;
      result = padded(result, axis, widths[2 * pair], widths[2 * pair + 1], mode, a, c);
    }
    return result == input ? Tensors.copy(input, input.data().dtype(), c.interp()) : result;
  }

  private static TensorValue padded(
      TensorValue t, int axis, long before, long after, String mode, Bound a, Call c) {
    HostTensor data = t.data();
    long extent = data.shape()[axis];
    long total = Sizes.plus(Sizes.plus(extent, before), after);
    if (total < 0) {
      throw Errors.runtime(
          "pad: The input size "
              + extent
              + ", plus negative padding "
              + before
              + " and "
              + after
              + ", resulted in a negative output size at dimension "
              + axis
              + " of "
              + Tensors.shown(data.shape()));
    }
    long[] shape = data.shape().clone();
    shape[axis] = total;
    DType type = data.dtype();
    TensorValue result = Tensors.derived(type, shape, t.origin(), c.interp());
    if (mode.equals("constant")) {
      if (a.has("value")) {
        Operand value = Operand.require(a.get("value"), "pad");
        result.storage().mix(value.origin());
        Tensors.fill(result.data(), value.data());
      }
      long from = Math.max(0, -before);
      long count = Math.max(0, extent - from - Math.max(0, -after));
      Tensors.fill(
          Views.narrow(result.data(), axis, Math.max(0, before), count, 1),
          Views.narrow(data, axis, from, count, 1));
      return result;
    }
    for (long i = 0; i < total; i++) {
      long from = source(i - before, extent, mode, c);
      Tensors.fill(Views.select(result.data(), axis, i), Views.select(data, axis, from));
    }
    return result;
  }

  private static long source(long position, long extent, String mode, Call c) {
    long from =
        switch (mode) {
          case "replicate" -> Math.clamp(position, 0, extent - 1);
          case "circular" -> Math.floorMod(position, extent);
          case "reflect" ->
              position < 0
                  ? -position
                  : position >= extent ? 2 * (extent - 1) - position : position;
          default ->
              throw Errors.refuse(
                  "pad(mode='" + mode + "') is not available",
                  "known: constant, reflect, replicate, circular",
                  c.span());
        };
    if (from < 0 || from >= extent) {
      throw Errors.runtime(
          "pad: Padding size should be less than the corresponding input dimension of size "
              + extent);
    }
    return from;
  }
}
