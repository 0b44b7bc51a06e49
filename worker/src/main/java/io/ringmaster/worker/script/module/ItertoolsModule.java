package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.builtin.Sequences;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code itertools}: the finite ones. */
final class ItertoolsModule {

  static final ModuleValue MODULE =
      new ModuleValue(
          "itertools",
          Map.of(
              "product",
                  NativeFunction.of("product", "*iterables, repeat=", ItertoolsModule::product),
              "chain", new Chain(),
              "permutations",
                  NativeFunction.of("permutations", "iterable, r=", (a, c) -> chosen(a, c, true)),
              "combinations",
                  NativeFunction.of("combinations", "iterable, r", (a, c) -> chosen(a, c, false)),
              "accumulate",
                  NativeFunction.of("accumulate", "iterable", ItertoolsModule::accumulate)));

  private ItertoolsModule() {}

  private static Value stream(List<Value> items) {
    return new IteratorValue("itertools", items.iterator());
  }

  private static Value product(Bound a, Call call) {
    Budget budget = call.interp().session().budget();
    List<List<Value>> sources = new ArrayList<>();
    for (long round = 0; round < a.integer("repeat", 1); round++) {
      budget.step();
      for (Value iterable : a.rest()) {
        sources.add(Iteration.toList(iterable, call.interp()));
      }
    }
    List<List<Value>> rows = List.of(List.of());
    for (List<Value> source : sources) {
      List<List<Value>> longer = new ArrayList<>();
      for (List<Value> row : rows) {
        for (Value item : source) {
          budget.step();
          budget.objects((row.size() + 1) * Sequences.ELEMENT_BYTES);
          List<Value> next = new ArrayList<>(row);
          next.add(item);
          longer.add(next);
        }
      }
      rows = longer;
    }
    return stream(rows.stream().<Value>map(TupleValue::new).toList());
  }

  private static Value chained(List<Value> iterables, Call call) {
    List<Value> all = new ArrayList<>();
    iterables.forEach(iterable -> all.addAll(Iteration.toList(iterable, call.interp())));
    return stream(all);
  }

  /** {@code chain(a, b)} and {@code chain.from_iterable(rows)}. */
  private record Chain() implements NativeObject {
    @Override
    public String typeName() {
      return "type";
    }

    @Override
    public Value call(Arguments arguments, Call call) {
      return chained(arguments.positional(), call);
    }

    @Override
    public Optional<Value> attribute(String name) {
      return name.equals("from_iterable")
          ? Optional.of(
              NativeFunction.of(
                  "from_iterable",
                  "iterable",
                  (a, c) -> chained(Iteration.toList(a.get("iterable"), c.interp()), c)))
          : Optional.empty();
    }

    @Override
    public Collection<String> attributeNames() {
      return List.of("from_iterable");
    }

    @Override
    public String repr(Interp interp) {
      return "<class 'itertools.chain'>";
    }
  }

  private static Value accumulate(Bound a, Call call) {
    List<Value> sums = new ArrayList<>();
    for (Value item : Iteration.toList(a.get("iterable"), call.interp())) {
      sums.add(
          sums.isEmpty() ? item : call.interp().binary(BinaryOperator.ADD, sums.getLast(), item));
    }
    return stream(sums);
  }

  private static Value chosen(Bound a, Call call, boolean ordered) {
    List<Value> items = Iteration.toList(a.get("iterable"), call.interp());
    List<Value> rows = new ArrayList<>();
    int size = (int) Math.clamp(a.integer("r", items.size()), 0, items.size() + 1L);
    if (size <= items.size()) {
      choose(items, size, ordered, new ArrayList<>(), rows, call.interp().session().budget());
    }
    return stream(rows);
  }

  private static void choose(
      List<Value> items,
      int size,
      boolean ordered,
      List<Integer> picked,
      List<Value> rows,
      Budget budget) {
    budget.step();
    if (picked.size() == size) {
      budget.objects(size * Sequences.ELEMENT_BYTES);
      rows.add(new TupleValue(picked.stream().map(items::get).toList()));
      return;
    }
    int from = ordered || picked.isEmpty() ? 0 : picked.getLast() + 1;
    for (int i = from; i < items.size(); i++) {
      if (!picked.contains(i)) {
        picked.add(i);
        choose(items, size, ordered, picked, rows, budget);
        picked.removeLast();
      }
    }
  }
}
