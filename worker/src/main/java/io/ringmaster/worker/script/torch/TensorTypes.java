package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.builtin.TypeObject;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The types of torch: asked by {@code isinstance}, called as the old constructors. */
final class TensorTypes {

  private static final Map<String, DType> TYPED =
      Map.of(
          "FloatTensor", DType.FP32,
          "DoubleTensor", DType.FP64,
          "HalfTensor", DType.FP16,
          "BFloat16Tensor", DType.BF16,
          "ByteTensor", DType.UINT8,
          "CharTensor", DType.INT8,
          "ShortTensor", DType.INT16,
          "IntTensor", DType.INT32,
          "LongTensor", DType.INT64,
          "BoolTensor", DType.BOOL);

  private TensorTypes() {}

  static void define(Map<String, Value> members) {
    members.put(
        "Tensor",
        TypeObject.of(
            "torch.Tensor",
            "*data",
            (a, c) -> made(a, DType.FP32, c),
            TensorValue.class::isInstance));
    TYPED.forEach(
        (name, type) ->
            members.put(
                name,
                TypeObject.of(
                    "torch." + name,
                    "*data",
                    (a, c) -> made(a, type, c),
                    value ->
                        value instanceof TensorValue tensor && tensor.data().dtype() == type)));
    members.put("dtype", TypeObject.inert("torch.dtype", DtypeValue.class::isInstance));
    members.put(
        "Size",
        TypeObject.of(
            "torch.Size",
            "sizes=",
            (a, c) ->
                Tensors.size(
                    a.has("sizes")
                        ? Tensors.shape(List.of(a.get("sizes")), c.interp())
                        : new long[0]),
            value -> value instanceof TupleValue tuple && tuple.typeName().equals("torch.Size")));
  }

  /** {@code torch.FloatTensor}. */
  static String nameOf(DType type) {
    for (Map.Entry<String, DType> entry : TYPED.entrySet()) {
      if (entry.getValue() == type) {
        return "torch." + entry.getKey();
      }
    }
    return "torch." + Dtypes.nameOf(type);
  }

  /** From a list of values, or zeros of a shape. */
  private static Value made(Bound a, DType type, Call c) {
    boolean values =
        a.rest().size() == 1
            && (a.rest().getFirst() instanceof ListValue
                || a.rest().getFirst() instanceof TupleValue
                || a.rest().getFirst() instanceof TensorValue);
    return values
        ? Tensors.ofData(a.rest().getFirst(), Optional.of(type), c.interp())
        : Tensors.zeros(type, Tensors.shape(a.rest(), c.interp()), c.interp());
  }
}
