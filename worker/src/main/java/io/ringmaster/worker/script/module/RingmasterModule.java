package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.torch.TensorValue;
import io.ringmaster.worker.script.torch.Tensors;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.NpyReader;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * {@code ringmaster}: what a script can ask of this service and of nothing else. {@code npy(text)}
 * makes a tensor of a {@code .npy} file in Base64, for data that comes along with a job; {@code
 * golden(values, like, name)} brings expected values to the type of a tensor, if it can hold them,
 * and {@code values(values, dtype, name)} to a type by its name; {@code extent(value)} is a value
 * that can be the size of a dimension. {@code devices()}, {@code program(value)}, {@code
 * fits(compiled, inputs, *tensors)} and {@code changes(compiled, place)} are the steps of a
 * declared job's call.
 */
final class RingmasterModule {

  static final ModuleValue MODULE =
      new ModuleValue(
          "ringmaster",
          Map.of(
              "npy", NativeFunction.of("npy", "text", npy()),
              "extent", NativeFunction.of("extent", "value", extent()),
              "devices", NativeFunction.of("devices", "", DeclaredCall::devices),
              "program", NativeFunction.of("program", "value", DeclaredCall::program),
              "values", NativeFunction.of("values", "values, dtype, name", values()),
              "fits", NativeFunction.of("fits", "compiled, inputs, *tensors", DeclaredCall::fits),
              "changes", NativeFunction.of("changes", "compiled, place", DeclaredCall::changes),
              "golden", NativeFunction.of("golden", "values, like, name", golden())));

  private RingmasterModule() {}

  private static NativeFunction.Body golden() {
    return (arguments, call) -> {
      if (!(arguments.get("values") instanceof TensorValue values)
          || !(arguments.get("like") instanceof TensorValue like)) {
        throw Errors.type("golden() takes two tensors and a name");
      }
      List<Long> shape = shape(values);
      Span place = expression(call);
      if (!shape.equals(shape(like))) {
        String name = arguments.string("name");
        throw Errors.refuse(
            name + " has shape " + shape + ", and what it is held against has " + shape(like),
            "give a golden of shape " + shape(like) + ", for example by expand() or reshape()",
            place);
      }
      try {
        return Tensors.exactly(
            values, like.data().dtype(), arguments.string("name"), call.interp());
      } catch (PyError wrong) {
        throw wrong.from(place);
      }
    };
  }

  /** The values as users wrote them, inside of the call that makes them a tensor. */
  private static Span expression(Call call) {
    return call.site()
        .flatMap(golden -> golden.arguments().stream().findFirst())
        .map(
            values ->
                values instanceof Expr.Call made && made.arguments().size() == 1
                    ? made.arguments().getFirst().span()
                    : values.span())
        .orElse(call.span());
  }

  private static NativeFunction.Body extent() {
    return (arguments, call) -> {
      Value value = arguments.get("value");
      if (value instanceof Value.Int whole && whole.value().signum() >= 0) {
        return value;
      }
      throw Errors.refuse(
          "an extent is a whole number of at least 0, not " + call.interp().repr(value),
          "nr is the number of devices of the run",
          call.place(0, "value"));
    };
  }

  private static NativeFunction.Body values() {
    return (arguments, call) -> {
      if (!(arguments.get("values") instanceof TensorValue values)) {
        throw Errors.type("values() takes a tensor");
      }
      DType dtype = DType.named(arguments.string("dtype")).orElseThrow();
      return Tensors.exactly(values, dtype, arguments.string("name"), call.interp());
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
