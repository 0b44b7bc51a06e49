package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes module functions of tensor methods: {@code torch.sum(input, ..., out=)}. */
final class Functions {

  /**
   * Functions whose result shares the input's memory, or that take no {@code out=} for another
   * reason.
   */
  private static final Set<String> WITHOUT_OUT =
      Set.of(
          "adjoint",
          "broadcast_to",
          "chunk",
          "clone",
          "count_nonzero",
          "detach",
          "diagonal",
          "diag_embed",
          "flatten",
          "flip",
          "fliplr",
          "flipud",
          "is_floating_point",
          "log_softmax",
          "masked_fill",
          "masked_scatter",
          "movedim",
          "moveaxis",
          "narrow",
          "numel",
          "permute",
          "ravel",
          "relu",
          "repeat_interleave",
          "reshape",
          "roll",
          "rot90",
          "select",
          "softmax",
          "split",
          "squeeze",
          "swapaxes",
          "swapdims",
          "t",
          "tensor_split",
          "tile",
          "transpose",
          "unbind",
          "unflatten",
          "unique",
          "unique_consecutive",
          "unsqueeze");

  /** Functions that take a plain number as their first argument, too. */
  private static final Map<String, ElementOp> WITH_NUMBER =
      Map.of(
          "pow", ElementOp.POW,
          "remainder", ElementOp.REMAINDER,
          "bitwise_and", ElementOp.BITWISE_AND,
          "bitwise_or", ElementOp.BITWISE_OR,
          "bitwise_xor", ElementOp.BITWISE_XOR,
          "bitwise_left_shift", ElementOp.SHIFT_LEFT,
          "bitwise_right_shift", ElementOp.SHIFT_RIGHT);

  private Functions() {}

  /** The module function that a method stands for. */
  static Value ofMethod(String name) {
    return NativeFunction.of(name, "*rest, **named", (a, c) -> called(name, a, c));
  }

  private static Value called(String name, Bound a, Call c) {
    List<Value> rest = new ArrayList<>(a.rest());
    Map<String, Value> named = new LinkedHashMap<>(a.named());
    Value input = named.remove("input");
    if (input == null) {
      if (rest.isEmpty()) {
        throw Errors.type(name + "() missing 1 required positional argument: \"input\"");
      }
      input = rest.removeFirst();
    } else if (name.equals("searchsorted")) {
      named.put("input", input);
      input = rest.isEmpty() ? input : rest.removeFirst();
    }
    Value out = WITHOUT_OUT.contains(name) ? null : named.remove("out");
    Value result;
    if (input instanceof TensorValue self) {
      Bound arguments = new Bound(name, Map.of(), rest, named);
      result = InPlace.call(TensorMethods.TABLE, name, self, arguments, c);
    } else {
      result = ofNumber(name, input, rest, c);
    }
    return out == null || out instanceof Value.None ? result : stored(name, result, out, c);
  }

  private static Value ofNumber(String name, Value input, List<Value> rest, Call c) {
    ElementOp op = WITH_NUMBER.get(name);
    if (op == null || rest.size() != 1 || !(rest.getFirst() instanceof TensorValue other)) {
      throw Errors.type(
          name + "(): argument 'input' (position 1) must be Tensor, not " + Types.nameOf(input));
    }
    return Arithmetic.apply(op, Operand.require(input, name), Operand.of(other), c.interp());
  }

  /** A function with {@code out=}: computes first, stores then. */
  static NativeFunction.Body withOut(NativeFunction.Body body) {
    return (a, c) -> {
      Value result = body.apply(a, c);
      return a.has("out") ? stored(a.function(), result, a.get("out"), c) : result;
    };
  }

  private static Value stored(String name, Value result, Value out, Call c) {
    if (result instanceof TensorValue tensor && out instanceof TensorValue target) {
      return store(name, tensor, target, c.interp());
    }
    if (result instanceof TupleValue results
        && (out instanceof TupleValue || Types.nameOf(out).equals("list"))) {
      List<Value> targets = Iteration.toList(out, c.interp());
      for (int i = 0; i < results.items().size(); i++) {
        if (targets.size() != results.items().size()
            || !(targets.get(i) instanceof TensorValue target)) {
          throw Errors.type(
              name
                  + "(): argument 'out' must be a tuple of "
                  + results.items().size()
                  + " Tensors");
        }
        store(name, (TensorValue) results.items().get(i), target, c.interp());
      }
      return new TupleValue(targets, results.typeName(), results.fields());
    }
    throw Errors.type(name + "(): argument 'out' must be Tensor, not " + Types.nameOf(out));
  }

  /** Into {@code out}: its type must be able to hold the result's, its shape must be the same. */
  private static TensorValue store(
      String name, TensorValue result, TensorValue out, Interp interp) {
    if (!Arrays.equals(result.data().shape(), out.data().shape())) {
      throw Errors.runtime(
          name
              + "(): out has shape "
              + Tensors.shown(out.data().shape())
              + ", but the result has shape "
              + Tensors.shown(result.data().shape())
              + "; an out tensor is not resized here");
    }
    DType type = result.data().dtype();
    if (!Dtypes.canCast(type, out.data().dtype())) {
      throw Errors.runtime(
          name
              + "(): result type "
              + Dtypes.scalarName(type)
              + " can't be cast to the desired output type "
              + Dtypes.scalarName(out.data().dtype()));
    }
    interp.session().budget().elements(out.data().elements());
    Origin origin = result.origin();
    out.overwrite(origin, () -> Change.replacing(result.data(), origin, interp));
    Tensors.fill(out.data(), result.data());
    return out;
  }
}
