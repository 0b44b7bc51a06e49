package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code torch.nn.functional}: what goldens of model kernels are written with. */
final class Functional {

  static final ModuleValue MODULE = new ModuleValue("torch.nn.functional", members());

  private Functional() {}

  private static Map<String, Value> members() {
    Map<String, Value> members = new LinkedHashMap<>();
    for (String name : List.of("relu", "sigmoid", "tanh")) {
      members.put(name, Functions.ofMethod(name));
    }
    Activations.define(members);
    Losses.define(members);
    Activations.add(
        members, "softmax", "input, dim=, _stacklevel=, dtype=", (a, c) -> softmax(a, c, 1, false));
    Activations.add(
        members,
        "softmin",
        "input, dim=, _stacklevel=, dtype=",
        (a, c) -> softmax(a, c, -1, false));
    Activations.add(
        members,
        "log_softmax",
        "input, dim=, _stacklevel=, dtype=",
        (a, c) -> softmax(a, c, 1, true));
    Activations.add(members, "pad", "input, pad, mode=, value=", Padding::pad);
    Activations.add(members, "linear", "input, weight, bias=", Functional::linear);
    Activations.add(members, "one_hot", "tensor, num_classes=", Functional::oneHot);
    Activations.add(
        members,
        "embedding",
        "input, weight, padding_idx=",
        (a, c) ->
            embedding(TensorMethods.tensor(a, "input"), TensorMethods.tensor(a, "weight"), c));
    Activations.add(members, "normalize", "input, p=, dim=, eps=", Functional::normalize);
    Activations.add(
        members,
        "layer_norm",
        "input, normalized_shape, weight=, bias=, eps=",
        (a, c) -> normed(a, c, true));
    Activations.add(
        members,
        "rms_norm",
        "input, normalized_shape, weight=, eps=",
        (a, c) -> normed(a, c, false));
    Activations.add(members, "dropout", "input, p=, training=, inplace=", Functional::dropout);
    Activations.add(
        members,
        "scaled_dot_product_attention",
        "query, key, value, attn_mask=, dropout_p=, is_causal=, *, scale=, enable_gqa=",
        Functional::attention);
    return members;
  }

  private static Value softmax(Bound a, Call c, int sign, boolean logarithm) {
    TensorValue input = TensorMethods.tensor(a, "input");
    if (!a.has("dim")) {
      throw Errors.type(a.function() + "(): name the dimension, for example dim=-1");
    }
    DType type = a.has("dtype") ? Dtypes.of(a.get("dtype")) : Softmax.floating(input, a.function());
    TensorValue signed = sign < 0 ? Arithmetic.negate(input, c.interp()) : input;
    return Softmax.softmax(signed, a.integer("dim"), type, logarithm, c.interp());
  }

  /** {@code input @ weight.T + bias}. */
  private static Value linear(Bound a, Call c) {
    TensorValue input = TensorMethods.tensor(a, "input");
    TensorValue weight = TensorMethods.tensor(a, "weight");
    int rank = weight.data().rank();
    if (rank < 1 || rank > 2) {
      throw Errors.runtime(
          "linear(): weight must have 1 or 2 dimensions, but has shape "
              + Tensors.shown(weight.data().shape()));
    }
    TensorValue across = rank == 2 ? weight.view(Views.transpose(weight.data(), 0, 1)) : weight;
    TensorValue product = MatMul.matmul(input, across, c.interp());
    if (!a.has("bias")) {
      return product;
    }
    TensorValue bias = TensorMethods.tensor(a, "bias");
    return Arithmetic.apply(ElementOp.ADD, Operand.of(product), Operand.of(bias), c.interp());
  }

  private static Value oneHot(Bound a, Call c) {
    TensorValue t = TensorMethods.tensor(a, "tensor");
    HostTensor data = t.data();
    Positions.requireLong("one_hot", data);
    Elements in = Elements.of(data.buffer(), DType.INT64);
    long[] most = {-1};
    StridedLoop.over(data.shape(), (p, at) -> most[0] = Math.max(most[0], in.getLong(at[0])), data);
    long classes = a.integer("num_classes", -1);
    if (classes == -1) {
      classes = most[0] + 1;
    }
    if (classes <= 0) {
      throw Errors.runtime("one_hot: Can not infer total number of classes from empty tensor.");
    }
    long[] shape = Arrays.copyOf(data.shape(), data.rank() + 1);
    shape[data.rank()] = classes;
    TensorValue result = Tensors.derived(DType.INT64, shape, t.origin(), c.interp());
    Elements out = Elements.of(result.data().buffer(), DType.INT64);
    long width = classes;
    StridedLoop.over(
        data.shape(),
        (p, at) -> {
          long value = in.getLong(at[0]);
          if (value < 0 || value >= width) {
            throw Errors.runtime(
                "one_hot: class values must be non-negative and smaller than num_classes "
                    + width
                    + ", but got "
                    + value);
          }
          out.setLong(p * width + value, 1);
        },
        data);
    return result;
  }

  /** Rows of the weights; the result has the shape of the indices and the width of a row. */
  static Value embedding(TensorValue index, TensorValue weight, Call c) {
    if (weight.data().rank() != 2) {
      throw Errors.runtime(
          "embedding(): 'weight' must be 2-D, but has shape "
              + Tensors.shown(weight.data().shape()));
    }
    TensorValue flat = Views.reshape(index, new long[] {-1}, c.interp());
    Positions.requireVector("embedding", flat.data());
    TensorValue rows = SelectionMethods.selected("embedding", weight, 0, flat, c.interp());
    long[] shape = Arrays.copyOf(index.data().shape(), index.data().rank() + 1);
    shape[index.data().rank()] = weight.data().shape()[1];
    return Views.reshape(rows, shape, c.interp());
  }

  private static Value normalize(Bound a, Call c) {
    TensorValue input = TensorMethods.tensor(a, "input");
    DType type = Softmax.floating(input, "normalize");
    double eps = a.number("eps", 1e-12);
    Value dim = a.find("dim").orElse(Value.of(1));
    int[] axes = Softmax.axes(input, dim, c);
    TensorValue norm = Softmax.norm(input, a.number("p", 2), axes, true, DType.FP64, c.interp());
    Wide floor = Wide.of(norm, c.interp()).map(v -> v < eps ? eps : v);
    return Wide.of(input, c.interp()).over(floor).as(type);
  }

  /** Layer norm, or root-mean-square norm, over the last dimensions. */
  private static Value normed(Bound a, Call c, boolean centred) {
    Interp interp = c.interp();
    TensorValue input = TensorMethods.tensor(a, "input");
    DType type = Softmax.floating(input, a.function());
    long[] shape = Tensors.shape(List.of(a.get("normalized_shape")), interp);
    long[] own = input.data().shape();
    int first = own.length - shape.length;
    if (first < 0 || !Arrays.equals(Arrays.copyOfRange(own, first, own.length), shape)) {
      throw Errors.runtime(
          a.function()
              + ": Given normalized_shape="
              + Tensors.shown(shape)
              + ", expected input with shape [*, "
              + Tensors.shown(shape).substring(1)
              + ", but got input of size"
              + Tensors.shown(own));
    }
    int[] axes = java.util.stream.IntStream.range(first, own.length).toArray();
    double eps = a.number("eps", centred ? 1e-5 : NumberLimits.epsilon(type));
    Wide wide = Wide.of(input, interp);
    if (own.length > 0 && input.data().elements() > 0) {
      wide = centred ? wide.minus(wide.mean(axes, true)) : wide;
      Wide scale = wide.squared().mean(axes, true).map(v -> 1 / Math.sqrt(v + eps));
      wide = wide.times(scale);
    }
    if (a.has("weight")) {
      wide = wide.times(Wide.of(fitting(a, "weight", shape), interp));
    }
    if (centred && a.has("bias")) {
      wide = wide.plus(Wide.of(fitting(a, "bias", shape), interp));
    }
    return wide.as(type);
  }

  private static TensorValue fitting(Bound a, String name, long[] shape) {
    TensorValue tensor = TensorMethods.tensor(a, name);
    if (!Arrays.equals(tensor.data().shape(), shape)) {
      throw Errors.runtime(
          a.function()
              + ": Expected "
              + name
              + " to be of same shape as normalized_shape, but got "
              + name
              + " of shape "
              + Tensors.shown(tensor.data().shape())
              + " and normalized_shape = "
              + Tensors.shown(shape));
    }
    return tensor;
  }

  private static Value dropout(Bound a, Call c) {
    if (a.flag("training", true) && a.number("p", 0.5) != 0) {
      throw Errors.refuse(
          "dropout(training=True) is not available: a golden must not be random",
          "pass training=False, or leave the call out",
          c.span());
    }
    return TensorMethods.tensor(a, "input");
  }

  private static Value attention(Bound a, Call c) {
    Interp interp = c.interp();
    TensorValue query = TensorMethods.tensor(a, "query");
    TensorValue key = TensorMethods.tensor(a, "key");
    TensorValue value = TensorMethods.tensor(a, "value");
    if (a.number("dropout_p", 0) != 0 || a.flag("enable_gqa", false)) {
      throw Errors.refuse(
          "scaled_dot_product_attention with dropout_p or enable_gqa is not available",
          "leave dropout out; repeat the key heads with repeat_interleave",
          c.span());
    }
    DType type = Softmax.floating(query, a.function());
    int rank = query.data().rank();
    if (rank < 2 || key.data().rank() < 2 || value.data().rank() < 2) {
      throw Errors.runtime(
          a.function()
              + ": query, key and value must have at least 2 dimensions, but have shapes "
              + Tensors.shown(query.data().shape())
              + ", "
              + Tensors.shown(key.data().shape())
              + " and "
              + Tensors.shown(value.data().shape()));
    }
    long width = query.data().shape()[rank - 1];
    double scale = a.number("scale", 1 / Math.sqrt((double) width));
    int last = key.data().rank() - 1;
    TensorValue across = key.view(Views.transpose(key.data(), last - 1, last));
    Wide scores =
        new Wide(
                MatMul.matmul(
                    Wide.of(query, interp).value(), Wide.of(across, interp).value(), interp),
                interp)
            .map(v -> v * scale);
    if (a.has("attn_mask")) {
      scores = scores.plus(bias(TensorMethods.tensor(a, "attn_mask"), interp));
    }
    if (a.flag("is_causal", false)) {
      scores = scores.plus(causal(scores.value().data(), interp));
    }
    TensorValue weights = Softmax.softmax(scores.value(), -1, DType.FP64, false, interp);
    TensorValue result = MatMul.matmul(weights, Wide.of(value, interp).value(), interp);
    return ContentMethods.converted(result, type, interp);
  }

  /** What a mask adds to the scores: minus infinity where it is false. */
  private static Wide bias(TensorValue mask, Interp interp) {
    Wide wide = Wide.of(mask, interp);
    return mask.data().dtype() == DType.BOOL
        ? wide.map(v -> v != 0 ? 0 : Double.NEGATIVE_INFINITY)
        : wide;
  }

  private static Wide causal(HostTensor scores, Interp interp) {
    int rank = scores.rank();
    long rows = scores.shape()[rank - 2];
    long columns = scores.shape()[rank - 1];
    TensorValue mask = Tensors.zeros(DType.FP64, new long[] {rows, columns}, interp);
    Elements out = Elements.of(mask.data().buffer(), DType.FP64);
    for (long row = 0; row < rows; row++) {
      for (long column = row + 1; column < columns; column++) {
        StopOrder.look(column);
        out.setDouble(row * columns + column, Double.NEGATIVE_INFINITY);
      }
    }
    return new Wide(mask, interp);
  }
}
