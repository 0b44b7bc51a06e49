package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.torch.TensorValue;
import io.ringmaster.worker.script.torch.Tensors;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.NpyReader;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * {@code ringmaster}: what a script can ask of this service and of nothing else. {@code npy(text)}
 * makes a tensor of a {@code .npy} file in Base64, for data that comes along with a job; {@code
 * golden(values, like, name)} brings expected values to the type of a tensor, if it can hold them.
 */
final class RingmasterModule {

  static final ModuleValue MODULE =
      new ModuleValue(
          "ringmaster",
          Map.of(
              "npy", NativeFunction.of("npy", "text", npy()),
              "golden", NativeFunction.of("golden", "values, like, name", golden())));

  private RingmasterModule() {}

  private static NativeFunction.Body golden() {
    return (arguments, call) -> {
      if (!(arguments.get("values") instanceof TensorValue values)
          || !(arguments.get("like") instanceof TensorValue like)) {
        throw Errors.type("golden() takes two tensors and a name");
      }
      List<Long> shape = shape(values);
      if (!shape.equals(shape(like))) {
        String name = arguments.string("name");
        throw Errors.refuse(
            name + " has shape " + shape + ", and what it is held against has " + shape(like),
            "give a golden of shape " + shape(like) + ", for example by expand() or reshape()",
            call.span());
      }
      return Tensors.exactly(values, like.data().dtype(), arguments.string("name"), call.interp());
    };
  }

  private static List<Long> shape(TensorValue tensor) {
    return Arrays.stream(tensor.data().shape()).boxed().toList();
  }

  private static NativeFunction.Body npy() {
    return (arguments, call) -> {
      HostTensor tensor;
      try {
        tensor = NpyReader.read(Base64.getDecoder().decode(arguments.string("text")));
      } catch (IllegalArgumentException e) {
        throw Errors.value("npy(): " + e.getMessage());
      }
      return Tensors.holding(tensor, call.interp());
    };
  }
}
