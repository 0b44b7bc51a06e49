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
            "",
            (t, a, c) ->
                t.data().isContiguous() ? t : Tensors.copy(t, t.data().dtype(), c.interp()))
        .add("clone", "", (t, a, c) -> Tensors.copy(t, t.data().dtype(), c.interp()))
        .add("detach", "", (t, a, c) -> t)
        .add("cpu", "", (t, a, c) -> t)
        .add("to", "*targets, dtype=, device=, copy=", ContentMethods::to)
        .add("type", "dtype", (t, a, c) -> converted(t, Dtypes.of(a.get("dtype")), c.interp()))
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
      DType type = Dtypes.NAMES.getOrDefault(name, DType.FP32);
      table.add(name, "", (t, a, c) -> converted(t, type, c.interp()));
    }
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
    inPlace(table, "add_", ElementOp.ADD);
    inPlace(table, "sub_", ElementOp.SUB);
    inPlace(table, "mul_", ElementOp.MUL);
    inPlace(table, "div_", ElementOp.TRUE_DIVIDE);
    table
        .add("fill_", "value", (t, a, c) -> filled(t, a.get("value"), c.interp()))
        .add("zero_", "", (t, a, c) -> filled(t, Value.of(0), c.interp()))
        .add("copy_", "src", ContentMethods::copyInto)
        .add("normal_", "mean=, std=, *, generator=", TorchRandom::fillNormal)
        .add("uniform_", "from=, to=, *, generator=", TorchRandom::fillUniform)
        .add(
            "clamp_",
            "min=, max=",
            (t, a, c) -> replaced(t, (TensorValue) ArithmeticMethods.clamp(t, a, c)))
        .add("requires_grad_", "", (t, a, c) -> t);
  }

  private static void inPlace(MethodTable<TensorValue> table, String name, ElementOp op) {
    table.add(
        name,
        "other",
        (t, a, c) -> Arithmetic.inPlace(op, t, Operand.require(a.get("other"), name), c.interp()));
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
    t.overwrite(operand.origin());
    Tensors.fill(t.data(), operand.data());
    return t;
  }

  private static Value copyInto(TensorValue t, Bound a, Call c) {
    return replaced(
        t,
        Tensors.copy(
            TensorMethods.tensor(a, "src"),
            TensorMethods.tensor(a, "src").data().dtype(),
            c.interp()));
  }

  private static Value replaced(TensorValue t, TensorValue by) {
    long[] shape = Arithmetic.commonShape(t.data(), by.data());
    if (!java.util.Arrays.equals(shape, t.data().shape())) {
      throw Errors.runtime(
          "output with shape "
              + Tensors.shown(t.data().shape())
              + " doesn't match the broadcast shape "
              + Tensors.shown(shape));
    }
    Origin origin = by.origin();
    t.overwrite(origin);
    Tensors.fill(t.data(), by.data());
    return t;
  }
}
