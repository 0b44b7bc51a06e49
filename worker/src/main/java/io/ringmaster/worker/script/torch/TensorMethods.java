package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The attributes and methods of tensors. */
final class TensorMethods {

  private static final List<String> PROPERTIES =
      List.of(
          "shape",
          "dtype",
          "ndim",
          "T",
          "mT",
          "device",
          "is_cuda",
          "requires_grad",
          "is_npu",
          "is_sparse",
          "is_leaf",
          "data",
          "grad",
          "layout",
          "itemsize",
          "nbytes");

  static final MethodTable<TensorValue> TABLE = new MethodTable<>();

  static {
    ShapeMethods.define(TABLE);
    ContentMethods.define(TABLE);
    ReductionMethods.define(TABLE);
    ArithmeticMethods.define(TABLE);
    ContentMethods.defineInPlace(TABLE);
    ElementFunctions.define(TABLE);
    Scans.define(TABLE);
    Softmax.define(TABLE);
    Ordering.define(TABLE);
    Scattering.define(TABLE);
    SelectionMethods.define(TABLE);
    Sets.define(TABLE);
    Multinomial.define(TABLE);
    LayoutMethods.define(TABLE);
    LinearAlgebra.define(TABLE);
    Grids.define(TABLE);
    TorchChecks.methods(TABLE);
    InPlace.define(TABLE);
  }

  private TensorMethods() {}

  static Optional<Value> attribute(TensorValue self, String name) {
    HostTensor data = self.data();
    return switch (name) {
      case "shape" -> Optional.of(self.size());
      case "dtype" -> Optional.of(new DtypeValue(data.dtype()));
      case "ndim" -> Optional.of(Value.of(data.rank()));
      case "T" -> Optional.of(self.view(reversed(data)));
      case "mT" -> Optional.of(self.view(Views.transpose(data, data.rank() - 2, data.rank() - 1)));
      case "device" -> Optional.of(new DeviceValue("cpu"));
      case "is_cuda", "is_npu", "is_sparse", "requires_grad" -> Optional.of(Value.FALSE);
      case "is_leaf" -> Optional.of(Value.TRUE);
      case "data" -> Optional.of(self);
      case "grad" -> Optional.of(Value.NONE);
      case "layout" -> Optional.ofNullable(TorchModule.TORCH.members().get("strided"));
      case "itemsize" -> Optional.of(Value.of(data.dtype().bytes()));
      case "nbytes" -> Optional.of(Value.of(data.elements() * data.dtype().bytes()));
      default -> TABLE.bind(self, name).or(() -> Unavailable.method(name));
    };
  }

  static Set<String> names() {
    Set<String> names = new TreeSet<>(TABLE.names());
    names.addAll(PROPERTIES);
    return names;
  }

  static HostTensor reversed(HostTensor data) {
    int[] order = new int[data.rank()];
    for (int i = 0; i < order.length; i++) {
      order[i] = order.length - 1 - i;
    }
    return Views.permute(data, order);
  }

  static TensorValue tensor(Bound a, String name) {
    if (a.get(name) instanceof TensorValue tensor) {
      return tensor;
    }
    throw Errors.type(
        a.function()
            + "(): argument '"
            + name
            + "' must be Tensor, not "
            + Types.nameOf(a.get(name)));
  }

  static List<Value> asList(Value value, Call c) {
    return value instanceof Value.Int ? List.of(value) : Iteration.toList(value, c.interp());
  }
}
