package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.RandomSource;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Random tensors from our own generator: the same seed gives the same values at every run and on
 * every machine, but not those that torch gives for it. Goldens are computed from the inputs, so no
 * check depends on the difference.
 */
final class TorchRandom {

  private TorchRandom() {}

  /** The default generator, one for each run. */
  private record Default(RandomSource source) {}

  /** {@code torch.Generator()}. */
  private record Generator(RandomSource source) implements NativeObject {

    private static final MethodTable<Generator> METHODS =
        new MethodTable<Generator>()
            .add(
                "manual_seed",
                "seed",
                (g, a, c) -> {
                  g.source().seed(seed(a));
                  return g;
                })
            .add("initial_seed", "", (g, a, c) -> Value.of(g.source().state()));

    @Override
    public String typeName() {
      return "Generator";
    }

    @Override
    public Optional<Value> attribute(String name) {
      return METHODS.bind(this, name);
    }

    @Override
    public Collection<String> attributeNames() {
      return METHODS.names();
    }

    @Override
    public String repr(Interp interp) {
      return "<torch.Generator>";
    }
  }

  private static long seed(Bound a) {
    if (a.get("seed") instanceof Value.Int number) {
      return number.value().longValue();
    }
    return a.integer("seed");
  }

  static void define(Map<String, Value> members) {
    String like = "*, dtype=, device=, generator=, requires_grad=";
    add(members, "manual_seed", "seed", TorchRandom::manualSeed);
    add(
        members,
        "Generator",
        "device=",
        (a, c) -> new Generator(new RandomSource(c.interp().session().seed())));
    add(
        members,
        "rand",
        "*size, dtype=, device=, generator=, requires_grad=, size=",
        (a, c) -> real(a, c, s -> s::nextDouble));
    add(
        members,
        "randn",
        "*size, dtype=, device=, generator=, requires_grad=, size=",
        (a, c) -> real(a, c, s -> s::nextNormal));
    add(members, "rand_like", "input, " + like, (a, c) -> realLike(a, c, s -> s::nextDouble));
    add(members, "randn_like", "input, " + like, (a, c) -> realLike(a, c, s -> s::nextNormal));
    add(
        members,
        "randint",
        "low, high=, size=, *, dtype=, device=, generator=",
        TorchRandom::randint);
    add(members, "randperm", "n, *, dtype=, device=, generator=", TorchRandom::randperm);
  }

  private static void add(
      Map<String, Value> members, String name, String parameters, NativeFunction.Body body) {
    members.put(name, NativeFunction.of(name, parameters, body));
  }

  private static RandomSource source(Bound a, Call c) {
    if (a.has("generator")) {
      if (a.get("generator") instanceof Generator generator) {
        return generator.source();
      }
      throw Errors.type("generator must be a torch.Generator");
    }
    return defaultSource(c);
  }

  private static RandomSource defaultSource(Call c) {
    return c.interp()
        .session()
        .shared(Default.class, session -> new Default(new RandomSource(session.seed())))
        .source();
  }

  private static Value manualSeed(Bound a, Call c) {
    defaultSource(c).seed(seed(a));
    return Value.NONE;
  }

  /** Makes a stream of deviates from a source. */
  private interface Stream {
    DoubleSupplier of(RandomSource source);
  }

  private static DType floatType(Bound a, DType otherwise) {
    DType type = a.has("dtype") ? Dtypes.of(a.get("dtype")) : otherwise;
    if (!type.isFloat()) {
      throw Errors.runtime(
          "\"" + a.function() + "\" not implemented for '" + Dtypes.scalarName(type) + "'");
    }
    return type;
  }

  private static Value real(Bound a, Call c, Stream stream) {
    long[] shape =
        a.has("size")
            ? Tensors.shape(java.util.List.of(a.get("size")), c.interp())
            : Tensors.shape(a.rest(), c.interp());
    DType type = floatType(a, DType.FP32);
    return filled(Tensors.zeros(type, shape, c.interp()), stream.of(source(a, c)));
  }

  private static Value realLike(Bound a, Call c, Stream stream) {
    TensorValue like = TensorMethods.tensor(a, "input");
    DType type = floatType(a, like.data().dtype());
    TensorValue result = Tensors.zeros(type, like.data().shape(), c.interp());
    return filled(result, stream.of(source(a, c)));
  }

  private static TensorValue filled(TensorValue fresh, DoubleSupplier stream) {
    Elements out = Elements.of(fresh.data().buffer(), fresh.data().dtype());
    long count = fresh.data().elements();
    for (long i = 0; i < count; i++) {
      StopOrder.look(i);
      out.setDouble(i, stream.getAsDouble());
    }
    return fresh;
  }

  private static TensorValue filledWhole(TensorValue fresh, LongSupplier stream) {
    Elements out = Elements.of(fresh.data().buffer(), fresh.data().dtype());
    long count = fresh.data().elements();
    for (long i = 0; i < count; i++) {
      StopOrder.look(i);
      out.setLong(i, stream.getAsLong());
    }
    return fresh;
  }

  /** {@code randint(high, size)} or {@code randint(low, high, size)}. */
  private static Value randint(Bound a, Call c) {
    Value second = a.get("high");
    boolean short2 = !a.has("size");
    long low = short2 ? 0 : a.integer("low");
    long high = short2 ? a.integer("low") : a.integer("high");
    Value size = short2 ? second : a.get("size");
    if (low >= high) {
      throw Errors.runtime(
          "random_ expects 'from' to be less than 'to', but got from=" + low + " >= to=" + high);
    }
    DType type = a.has("dtype") ? Dtypes.of(a.get("dtype")) : DType.INT64;
    RandomSource source = source(a, c);
    TensorValue result =
        Tensors.zeros(type, Tensors.shape(java.util.List.of(size), c.interp()), c.interp());
    return filledWhole(result, () -> low + source.below(high - low));
  }

  private static Value randperm(Bound a, Call c) {
    long n = a.integer("n");
    DType type = a.has("dtype") ? Dtypes.of(a.get("dtype")) : DType.INT64;
    RandomSource source = source(a, c);
    TensorValue result = Tensors.zeros(type, new long[] {n}, c.interp());
    Elements out = Elements.of(result.data().buffer(), type);
    for (long i = 0; i < n; i++) {
      StopOrder.look(i);
      out.setLong(i, i);
    }
    for (long i = n - 1; i > 0; i--) {
      StopOrder.look(i);
      long other = source.below(i + 1);
      long kept = out.getLong(i);
      out.setLong(i, out.getLong(other));
      out.setLong(other, kept);
    }
    return result;
  }

  static Value fillNormal(TensorValue t, Bound a, Call c) {
    RandomSource source = source(a, c);
    double mean = a.number("mean", 0);
    double deviation = a.number("std", 1);
    return refilled(t, () -> mean + deviation * source.nextNormal(), c);
  }

  static Value fillUniform(TensorValue t, Bound a, Call c) {
    RandomSource source = source(a, c);
    double from = a.number("from", 0);
    double to = a.number("to", 1);
    return refilled(t, () -> from + (to - from) * source.nextDouble(), c);
  }

  private static Value refilled(TensorValue t, DoubleSupplier stream, Call c) {
    TensorValue fresh =
        filled(Tensors.zeros(t.data().dtype(), t.data().shape(), c.interp()), stream);
    t.overwrite(fresh.origin());
    Tensors.fill(t.data(), fresh.data());
    return t;
  }
}
