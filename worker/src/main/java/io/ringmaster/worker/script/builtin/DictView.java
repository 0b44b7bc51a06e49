package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.CompareOperator;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What {@code dict.keys()}, {@code .values()} and {@code .items()} return: what the dict holds when
 * it is asked for. Keys and items compare and combine as sets do; values are a collection like any
 * other.
 *
 * @param shown what the view has of an entry
 */
record DictView(String typeName, DictValue dict, Function<DictValue.Entry, Value> shown)
    implements NativeObject {

  private static final MethodTable<DictView> SET_METHODS =
      new MethodTable<DictView>()
          .add(
              "isdisjoint",
              "other",
              (view, a, c) ->
                  Value.of(
                      Iteration.toList(a.get("other"), c.interp()).stream()
                          .noneMatch(view.among(c.interp()))));

  @Override
  public Iterator<Value> iterate(Interp interp) {
    List<Value> keys = new ArrayList<>();
    dict.entries().forEach(entry -> keys.add(entry.key()));
    interp.session().budget().objects(keys.size() * Sequences.ELEMENT_BYTES);
    return Iteration.mapped(
        Iteration.steady(keys, dict::size, "dictionary"),
        key ->
            shown.apply(
                new DictValue.Entry(
                    key,
                    dict.get(key)
                        .orElseThrow(
                            () -> Errors.runtime("dictionary keys changed during iteration")))));
  }

  private List<Value> items() {
    List<Value> items = new ArrayList<>();
    dict.entries().forEach(entry -> items.add(shown.apply(entry)));
    return items;
  }

  @Override
  public long length() {
    return dict.size();
  }

  @Override
  public boolean truth(Interp interp) {
    return dict.size() > 0;
  }

  @Override
  public Optional<Value> attribute(String name) {
    return isSet() ? SET_METHODS.bind(this, name) : Optional.empty();
  }

  @Override
  public Collection<String> attributeNames() {
    return isSet() ? SET_METHODS.names() : List.of();
  }

  @Override
  public boolean contains(Value value, Interp interp) {
    for (Value item : items()) {
      if (interp.equal(item, value)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Optional<Value> compare(CompareOperator operator, Value other, Interp interp) {
    boolean comparable =
        isSet() && (other instanceof SetValue || (other instanceof DictView view && view.isSet()));
    if (!comparable) {
      return Optional.empty();
    }
    List<Value> others = Iteration.toList(other, interp);
    int order = Integer.compare(dict.size(), others.size());
    return switch (operator) {
      case EQ -> Optional.of(Value.of(order == 0 && isWithin(other, interp)));
      case NE -> Optional.of(Value.of(order != 0 || !isWithin(other, interp)));
      case LE -> Optional.of(Value.of(order <= 0 && isWithin(other, interp)));
      case LT -> Optional.of(Value.of(order < 0 && isWithin(other, interp)));
      case GE -> Optional.of(Value.of(order >= 0 && holds(others, interp)));
      case GT -> Optional.of(Value.of(order > 0 && holds(others, interp)));
      case IS, IS_NOT, IN, NOT_IN -> Optional.empty();
    };
  }

  @Override
  public Optional<Value> binary(
      BinaryOperator operator, Value other, boolean reflected, Interp interp) {
    boolean ofSets =
        operator == BinaryOperator.BIT_AND
            || operator == BinaryOperator.BIT_OR
            || operator == BinaryOperator.BIT_XOR
            || operator == BinaryOperator.SUBTRACT;
    if (!isSet() || !ofSets) {
      return Optional.empty();
    }
    SetValue own = set(items());
    SetValue theirs = set(Iteration.toList(other, interp));
    return Optional.of(
        reflected
            ? Operators.binary(operator, theirs, own, interp)
            : Operators.binary(operator, own, theirs, interp));
  }

  private boolean isSet() {
    return !typeName.equals("dict_values");
  }

  private boolean isWithin(Value other, Interp interp) {
    Predicate<Value> among =
        other instanceof DictView view ? view.among(interp) : ((SetValue) other)::contains;
    return items().stream().allMatch(among);
  }

  private boolean holds(List<Value> others, Interp interp) {
    return others.stream().allMatch(among(interp));
  }

  /** Tells what is in this view. The values of items need no hash, only their keys. */
  private Predicate<Value> among(Interp interp) {
    if (!typeName.equals("dict_items")) {
      return set(items())::contains;
    }
    return item ->
        item instanceof TupleValue pair
            && pair.items().size() == 2
            && dict.get(pair.items().get(0))
                .filter(value -> interp.equal(value, pair.items().get(1)))
                .isPresent();
  }

  private static SetValue set(List<Value> items) {
    SetValue set = new SetValue(false);
    items.forEach(set::add);
    return set;
  }

  @Override
  public String repr(Interp interp) {
    return typeName + "(" + interp.repr(new ListValue(items())) + ")";
  }
}
