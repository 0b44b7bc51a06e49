package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.List;

/** Tensor methods that convert, copy and overwrite elements. */
final class ContentMethods {

  private ContentMethods() {}

  static void define(MethodTable<TensorValue> table) {
    table
        .add(
            "contiguous",
            "memory_format=",
            (t, a, c) ->
                t.data().isContiguous() ? t : Tensors.copy(t, t.data().dtype(), c.interp()))
        .add(
            "clone",
            "*, memory_format=",
            (t, a, c) -> Tensors.copy(t, t.data().dtype(), c.interp()))
        .add("detach", "", (t, a, c) -> t)
        .add("cpu", "", (t, a, c) -> t)
        .add(
            "to",
            "*targets, dtype=, device=, non_blocking=, copy=, memory_format=",
            ContentMethods::to)
        .add(
            "type",
            "dtype=",
            (t, a, c) ->
                a.has("dtype")
                    ? converted(t, Dtypes.of(a.get("dtype")), c.interp())
                    : Value.of(TensorTypes.nameOf(t.data().dtype())))
        .add("pin_memory", "", (t, a, c) -> t)
        .add("is_pinned", "", (t, a, c) -> Value.FALSE)
        .add("is_complex", "", (t, a, c) -> Value.FALSE)
        .add("is_signed", "", (t, a, c) -> Value.of(isSigned(t.data().dtype())))
        .add(
            "is_same_size",
            "other",
            (t, a, c) ->
                Value.of(
                    java.util.Arrays.equals(
                        t.data().shape(), TensorMethods.tensor(a, "other").data().shape())))
        .add("detach_", "", (t, a, c) -> t)
        .add(
            "type_as",
            "other",
            (t, a, c) -> converted(t, TensorMethods.tensor(a, "other").data().dtype(), c.interp()))
        .add("item", "", (t, a, c) -> t.item(c.interp()))
        .add("tolist", "", (t, a, c) -> toList(t, t.data(), t.origin(), c.interp()))
        .add("share_memory_", "", ContentMethods::share)
        .add("is_shared", "", (t, a, c) -> Value.of(t.storage().isShared()));
    for (String name :
        List.of("float", "double", "half", "bfloat16", "int", "long", "short", "bool")) {
      conversion(table, name, Dtypes.NAMES.getOrDefault(name, DType.FP32));
    }
    conversion(table, "byte", DType.UINT8);
    conversion(table, "char", DType.INT8);
  }

  private static void conversion(MethodTable<TensorValue> table, String name, DType type) {
    table.add(name, "memory_format=", (t, a, c) -> converted(t, type, c.interp()));
  }

  private static boolean isSigned(DType type) {
    return type.isFloat() || type.kind() == DType.Kind.SIGNED;
  }

  private static Value to(TensorValue t, Bound a, Call c) {
    List<Value> targets = new ArrayList<>(a.rest());
    a.find("dtype").ifPresent(targets::add);
    a.find("device").ifPresent(targets::add);
    TensorValue result = t;
    for (Value target : targets) {
      switch (target) {
        case DtypeValue type -> result = converted(result, type.type(), c.interp());
        case TensorValue other -> result = converted(result, other.data().dtype(), c.interp());
        case Value.Str device when device.value().equals("cpu") -> {}
        case DeviceValue device -> {}
        case Value.None none -> {}
        default ->
            throw Errors.refuse(
                "to("
                    + c.interp().repr(target)
                    + ") is not available: tensors of a script live on the CPU",
                "pass host tensors to the compiled program; it moves them",
                c.span());
      }
    }
    return result == t && a.flag("copy", false)
        ? Tensors.copy(t, t.data().dtype(), c.interp())
        : result;
  }

  static TensorValue converted(TensorValue t, DType type, Interp interp) {
    return type == t.data().dtype() ? t : Tensors.copy(t, type, interp).with(t.lineage());
  }

  private static Value toList(TensorValue t, HostTensor part, Origin origin, Interp interp) {
    t.isTakenOut(interp);
    if (part.rank() == 0) {
      interp.session().budget().objects(64);
      return t.element(part.offset(), origin.withoutPair());
    }
    List<Value> items = new ArrayList<>();
    for (long i = 0; i < part.shape()[0]; i++) {
      interp.session().budget().step();
      items.add(toList(t, part.row(i), origin, interp));
    }
    return new ListValue(items);
  }

  private static Value share(TensorValue t, Bound a, Call c) {
    t.storage().share(c.interp().session().budget().steps());
    return t;
  }

  static void defineInPlace(MethodTable<TensorValue> table) {
    table
        .add("fill_", "value", (t, a, c) -> filled(t, a.get("value"), c.interp()))
        .add("zero_", "", (t, a, c) -> filled(t, Value.of(0), c.interp()))
        .add("copy_", "src, non_blocking=", ContentMethods::copyInto)
        .add("random_", "from=, to=, *, generator=", TorchRandom::fillWhole)
        .add("normal_", "mean=, std=, *, generator=", TorchRandom::fillNormal)
        .add("uniform_", "from=, to=, *, generator=", TorchRandom::fillUniform)
        .add("requires_grad_", "requires_grad=", (t, a, c) -> t);
  }

  static Value filled(TensorValue t, Value value, Interp interp) {
    Operand operand = Operand.require(value, "fill_");
    if (operand.data().rank() > 0) {
      throw Errors.runtime(
          "fill_ only supports 0-dimension value tensor but got tensor with "
              + operand.data().rank()
              + " dimensions.");
    }
    interp.session().budget().elements(t.data().elements());
    t.overwrite(operand.origin(), () -> Change.replacing(operand.data(), operand.origin(), interp));
    Tensors.fill(t.data(), operand.data());
    return t;
  }

  private static Value copyInto(TensorValue t, Bound a, Call c) {
    return replaced(
        t,
        Tensors.copy(
            TensorMethods.tensor(a, "src"),
            TensorMethods.tensor(a, "src").data().dtype(),
            c.interp()),
        c.interp());
  }

  private static Value replaced(TensorValue t, TensorValue by, Interp interp) {
    long[] shape = Arithmetic.commonShape(t.data(), by.data());
    if (!java.util.Arrays.equals(shape, t.data().shape())) {
      throw Errors.runtime(
          "output with shape "
              + Tensors.shown(t.data().shape())
              + " doesn't match the broadcast shape "
              + Tensors.shown(shape));
    }
    Origin origin = by.origin();
    t.overwrite(origin, () -> Change.replacing(by.data(), origin, interp));
    Tensors.fill(t.data(), by.data());
    return t;
  }
}
