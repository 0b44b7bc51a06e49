package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.RandomSource;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import java.util.Collection;
import java.util.LinkedHashMap;
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

  private static final String OPTIONS =
      "dtype=, device=, generator=, requires_grad=, layout=, pin_memory=";

  static final ModuleValue MODULE = new ModuleValue("torch.random", seeds());

  private TorchRandom() {}

  /** The default generator, one for each run. */
  private record Default(Generator generator) {}

  /** {@code torch.Generator()}. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Generator(RandomSource source, long[] seed) implements NativeObject {

    private static Generator of(long seed) {
      return new Generator(new RandomSource(seed), new long[] {seed});
    }

    private Generator seeded(long with) {
      source.seed(with);
      seed[0] = with;
      return this;
    }

    private static final MethodTable<Generator> METHODS =
        new MethodTable<Generator>()
            .add("manual_seed", "seed", (g, a, c) -> g.seeded(seedOf(a)))
            .add("initial_seed", "", (g, a, c) -> Value.of(g.seed()[0]));

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

  private static long seedOf(Bound a) {
    if (a.get("seed") instanceof Value.Int number) {
      return number.value().longValue();
    }
    return a.integer("seed");
  }

  private static Map<String, Value> seeds() {
    Map<String, Value> members = new LinkedHashMap<>();
    add(members, "manual_seed", "seed", (a, c) -> standard(c).seeded(seedOf(a)));
    add(members, "initial_seed", "", (a, c) -> Value.of(standard(c).seed()[0]));
    return members;
  }

  static void define(Map<String, Value> members) {
    members.putAll(seeds());
    members.put("random", MODULE);
    add(members, "Generator", "device=", (a, c) -> Generator.of(c.interp().session().seed()));
    String sized = "*rest, size=, " + OPTIONS;
    add(members, "rand", sized, (a, c) -> real(a, c, TorchRandom::uniform));
    add(members, "randn", sized, (a, c) -> real(a, c, TorchRandom::normal));
    String like = "input, *, memory_format=, " + OPTIONS;
    add(members, "rand_like", like, (a, c) -> realLike(a, c, TorchRandom::uniform));
    add(members, "randn_like", like, (a, c) -> realLike(a, c, TorchRandom::normal));
    add(members, "randint", "low=, high=, size=, *, " + OPTIONS, TorchRandom::randint);
    add(
        members,
        "randint_like",
        "input, low, high=, *, memory_format=, " + OPTIONS,
        TorchRandom::randintLike);
    add(members, "randperm", "n, *, " + OPTIONS, TorchRandom::randperm);
    add(members, "normal", "mean, std=, size=, *, " + OPTIONS, TorchRandom::normalOf);
    add(members, "bernoulli", "input, *, generator=", TorchRandom::bernoulli);
  }

  private static void add(
      Map<String, Value> members, String name, String parameters, NativeFunction.Body body) {
    members.put(name, NativeFunction.of(name, parameters, body));
  }

  static RandomSource source(Bound a, Call c) {
    if (a.has("generator")) {
      if (a.get("generator") instanceof Generator generator) {
        return generator.source();
      }
      throw Errors.type("generator must be a torch.Generator");
    }
    return defaultSource(c);
  }

  private static RandomSource defaultSource(Call c) {
    return standard(c).source();
  }

  private static Generator standard(Call c) {
    return c.interp()
        .session()
        .shared(Default.class, session -> new Default(Generator.of(session.seed())))
        .generator();
  }

  /** Makes a stream of deviates of a type from a source. */
  private interface Stream {
    DoubleSupplier of(RandomSource source, DType type);
  }

  /** Multiples of the type's resolution in [0, 1), so that no value is rounded up to 1. */
  private static DoubleSupplier uniform(RandomSource source, DType type) {
    double steps = 2 / NumberLimits.epsilon(type);
    return () -> Math.floor(source.nextDouble() * steps) / steps;
  }

  private static DoubleSupplier normal(RandomSource source, DType type) {
    return source::nextNormal;
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
    return filled(Tensors.zeros(type, shape, c.interp()), stream.of(source(a, c), type));
  }

  private static Value realLike(Bound a, Call c, Stream stream) {
    TensorValue like = TensorMethods.tensor(a, "input");
    DType type = floatType(a, like.data().dtype());
    TensorValue result = Tensors.zeros(type, like.data().shape(), c.interp());
    return filled(result, stream.of(source(a, c), type));
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

  /** {@code random_}: whole numbers in a range, or in all that the type counts exactly. */
  static Value fillWhole(TensorValue t, Bound a, Call c) {
    DType type = t.data().dtype();
    long most =
        switch (type) {
          case FP64 -> 1L << 53;
          case FP32 -> 1L << 24;
          case FP16 -> 1L << 11;
          case BF16, UINT8 -> 1L << 8;
          case BOOL -> 2;
          case INT8 -> 1L << 7;
          case INT16 -> 1L << 15;
          case INT32 -> 1L << 31;
          default -> Long.MAX_VALUE;
        };
    long low = a.has("to") ? a.integer("from") : 0;
    long high = a.has("to") ? a.integer("to") : a.integer("from", most);
    TensorValue fresh = integers(type, t.data().shape(), low, high, a, c);
    t.overwrite(fresh.origin(), () -> Change.replacing(fresh.data(), fresh.origin(), c.interp()));
    Tensors.fill(t.data(), fresh.data());
    return t;
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
    boolean single = !a.has("size") || !a.has("high") || !a.has("low");
    Value size = a.has("size") ? a.get("size") : a.get("high");
    long low = single ? 0 : a.integer("low");
    long high = a.has("low") && single ? a.integer("low") : a.integer("high");
    DType type = a.has("dtype") ? Dtypes.of(a.get("dtype")) : DType.INT64;
    long[] shape = Tensors.shape(java.util.List.of(size), c.interp());
    return integers(type, shape, low, high, a, c);
  }

  private static Value randintLike(Bound a, Call c) {
    TensorValue like = TensorMethods.tensor(a, "input");
    long low = a.has("high") ? a.integer("low") : 0;
    long high = a.has("high") ? a.integer("high") : a.integer("low");
    DType type = a.has("dtype") ? Dtypes.of(a.get("dtype")) : like.data().dtype();
    return integers(type, like.data().shape(), low, high, a, c);
  }

  private static TensorValue integers(
      DType type, long[] shape, long low, long high, Bound a, Call c) {
    if (low >= high) {
      throw Errors.runtime(
          "random_ expects 'from' to be less than 'to', but got from=" + low + " >= to=" + high);
    }
    RandomSource source = source(a, c);
    return filledWhole(
        Tensors.zeros(type, shape, c.interp()), () -> low + source.below(high - low));
  }

  /** Normal deviates with a mean and a deviation, each a number or a tensor. */
  private static Value normalOf(Bound a, Call c) {
    Operand mean = Operand.require(a.get("mean"), "normal");
    Operand deviation = Operand.require(a.find("std").orElse(Value.of(1.0)), "normal");
    long[] shape =
        a.has("size")
            ? Tensors.shape(java.util.List.of(a.get("size")), c.interp())
            : Arithmetic.commonShape(mean.data(), deviation.data());
    TensorValue deviates =
        filled(Tensors.zeros(DType.FP32, shape, c.interp()), source(a, c)::nextNormal);
    TensorValue scaled =
        Arithmetic.apply(ElementOp.MUL, Operand.of(deviates), deviation, c.interp());
    return Arithmetic.apply(ElementOp.ADD, Operand.of(scaled), mean, c.interp());
  }

  private static Value bernoulli(Bound a, Call c) {
    TensorValue chances = TensorMethods.tensor(a, "input");
    DType type = Softmax.floating(chances, "bernoulli");
    RandomSource source = source(a, c);
    return Arithmetic.map(
        chances,
        type,
        p -> {
          if (!(p >= 0 && p <= 1)) {
            throw Errors.runtime("bernoulli expects probabilities in [0, 1], but got " + p);
          }
          return source.nextDouble() < p ? 1 : 0;
        },
        v -> v,
        c.interp());
  }

  private static Value randperm(Bound a, Call c) {
    long n = a.integer("n");
    if (n < 0) {
      throw Errors.runtime("n must be non-negative, got " + n);
    }
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
    t.overwrite(fresh.origin(), () -> Change.replacing(fresh.data(), fresh.origin(), c.interp()));
    Tensors.fill(t.data(), fresh.data());
    return t;
  }
}
