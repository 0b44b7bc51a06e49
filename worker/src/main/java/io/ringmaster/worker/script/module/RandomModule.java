package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Builtins;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.builtin.Sequences;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.RandomSource;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.Sizes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code random}: our own generator, the same numbers for the same seed at every run (not those
 * that CPython gives for it). Without a seed it starts from the job's.
 */
final class RandomModule {

  private static final MethodTable<RandomSource> METHODS =
      new MethodTable<RandomSource>()
          .add("seed", "a=, version=", RandomModule::seed)
          .add("random", "", (r, a, c) -> Value.of(r.nextDouble()))
          .add("uniform", "a, b", RandomModule::uniform)
          .add("gauss", "mu=, sigma=", RandomModule::gauss)
          .add("normalvariate", "mu=, sigma=", RandomModule::gauss)
          .add("randint", "a, b", RandomModule::randint)
          .add("randrange", "start, stop=, step=", RandomModule::randrange)
          .add("getrandbits", "k", (r, a, c) -> Value.of(r.nextLong() >>> (64 - bits(a))))
          .add("choice", "seq", RandomModule::choice)
          .add("choices", "population, weights=, *, cum_weights=, k=", RandomModule::choices)
          .add("sample", "population, k", RandomModule::sample)
          .add("shuffle", "x", RandomModule::shuffle);

  static final ModuleValue MODULE = new ModuleValue("random", members());

  private RandomModule() {}

  /** {@code random.Random(seed)}. */
  private record Generator(RandomSource source) implements NativeObject {
    @Override
    public String typeName() {
      return "Random";
    }

    @Override
    public Optional<Value> attribute(String name) {
      return METHODS.bind(source, name);
    }

    @Override
    public Collection<String> attributeNames() {
      return METHODS.names();
    }

    @Override
    public String repr(Interp interp) {
      return "<random.Random object>";
    }
  }

  /** The module's own generator, one for each run. */
  private record Shared(RandomSource source) {}

  private static Map<String, Value> members() {
    Map<String, Value> members = new LinkedHashMap<>();
    for (String name : METHODS.names()) {
      // The module's functions use the run's generator, which only the call knows.
      members.put(
          name,
          NativeFunction.of(
              name,
              "*values, **named",
              (a, c) -> {
                Value method = METHODS.bind(shared(c), name).orElseThrow();
                return c.interp()
                    .call(
                        method,
                        new io.ringmaster.worker.script.value.Arguments(a.rest(), a.named()),
                        c.span());
              }));
    }
    members.put(
        "Random",
        NativeFunction.of(
            "Random", "seed=", (a, c) -> new Generator(new RandomSource(seedOf(a, "seed", c)))));
    return members;
  }

  private static RandomSource shared(Call call) {
    return call.interp()
        .session()
        .shared(Shared.class, session -> new Shared(new RandomSource(session.seed())))
        .source();
  }

  private static long seedOf(Bound a, String name, Call call) {
    if (!a.has(name)) {
      return call.interp().session().seed();
    }
    return switch (a.get(name)) {
      case Value.Int number -> number.value().longValue();
      case Value.Str text -> text.value().hashCode();
      case Value.Float number -> Double.doubleToLongBits(number.value());
      default -> throw Errors.type("seed must be an int, float or str");
    };
  }

  private static Value seed(RandomSource random, Bound a, Call call) {
    random.seed(seedOf(a, "a", call));
    return Value.NONE;
  }

  private static Value uniform(RandomSource random, Bound a, Call call) {
    double from = a.number("a");
    return Value.of(from + (a.number("b") - from) * random.nextDouble());
  }

  private static Value gauss(RandomSource random, Bound a, Call call) {
    return Value.of(a.number("mu", 0) + a.number("sigma", 1) * random.nextNormal());
  }

  private static Value randint(RandomSource random, Bound a, Call call) {
    return Value.of(between(random, a.integer("a"), Sizes.plus(a.integer("b"), 1), 1));
  }

  private static Value randrange(RandomSource random, Bound a, Call call) {
    boolean single = !a.has("stop");
    return Value.of(
        between(
            random,
            single ? 0 : a.integer("start"),
            single ? a.integer("start") : a.integer("stop"),
            a.integer("step", 1)));
  }

  private static long between(RandomSource random, long from, long to, long step) {
    if (step == 0) {
      throw Errors.value("zero step for randrange()");
    }
    Value.Range range = new Value.Range(from, to, step);
    if (range.size() <= 0) {
      throw Errors.value("empty range in randrange(" + from + ", " + to + ")");
    }
    return range.at(random.below(range.size()));
  }

  private static long bits(Bound a) {
    long bits = a.integer("k");
    if (bits < 1 || bits > 63) {
      throw Errors.value("number of bits must be between 1 and 63");
    }
    return bits;
  }

  private static Value choice(RandomSource random, Bound a, Call call) {
    Value sequence = a.get("seq");
    long size = Builtins.length(sequence, call.interp());
    if (size == 0) {
      throw Errors.index("Cannot choose from an empty sequence");
    }
    return io.ringmaster.worker.script.builtin.Subscripts.item(
        sequence, Value.of(random.below(size)), call.interp());
  }

  private static Value choices(RandomSource random, Bound a, Call call) {
    List<Value> items = Iteration.toList(a.get("population"), call.interp());
    long count = a.integer("k", 1);
    call.interp().session().budget().objects(count * Sequences.ELEMENT_BYTES);
    if (items.isEmpty() && count > 0) {
      throw Errors.index("Cannot choose from an empty population");
    }
    List<Value> chosen = new ArrayList<>();
    double[] bounds = bounds(a, items.size(), call.interp());
    for (long i = 0; i < count; i++) {
      chosen.add(
          items.get(
              bounds.length == 0
                  ? (int) random.below(items.size())
                  : above(bounds, random.nextDouble() * bounds[bounds.length - 1])));
    }
    return new ListValue(chosen);
  }

  /** The sums of the weights up to each element; nothing where none are given. */
  private static double[] bounds(Bound a, int size, Interp interp) {
    if (a.has("weights") && a.has("cum_weights")) {
      throw Errors.type("Cannot specify both weights and cumulative weights");
    }
    boolean single = a.has("weights");
    if (!single && !a.has("cum_weights")) {
      return new double[0];
    }
    List<Value> weights = Iteration.toList(a.get(single ? "weights" : "cum_weights"), interp);
    if (weights.size() != size) {
      throw Errors.value("The number of weights does not match the population");
    }
    double[] bounds = new double[size];
    double sum = 0;
    for (int i = 0; i < size; i++) {
      double weight = Convert.number(weights.get(i), "weight");
      sum = single ? sum + weight : weight;
      bounds[i] = sum;
    }
    if (!(sum > 0) || Double.isInfinite(sum)) {
      throw Errors.value("Total of weights must be greater than zero and finite");
    }
    return bounds;
  }

  /** The first element whose sum is above a value. */
  private static int above(double[] bounds, double value) {
    int at = 0;
    while (at < bounds.length - 1 && bounds[at] <= value) {
      at++;
    }
    return at;
  }

  private static Value sample(RandomSource random, Bound a, Call call) {
    List<Value> items = Iteration.toList(a.get("population"), call.interp());
    long count = a.integer("k");
    if (count < 0 || count > items.size()) {
      throw Errors.value("Sample larger than population or is negative");
    }
    shuffle(random, items);
    return ListValue.of(items.subList(0, (int) count));
  }

  private static Value shuffle(RandomSource random, Bound a, Call call) {
    if (!(a.get("x") instanceof ListValue list)) {
      throw Errors.type("shuffle() argument must be a list");
    }
    call.interp().session().budget().work(list.items().size());
    shuffle(random, list.items());
    return Value.NONE;
  }

  private static void shuffle(RandomSource random, List<Value> items) {
    for (int i = items.size() - 1; i > 0; i--) {
      java.util.Collections.swap(items, i, (int) random.below(i + 1L));
    }
  }
}
