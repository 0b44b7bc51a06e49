package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** The methods of list, tuple, dict and set. */
final class ContainerMethods {

  static final MethodTable<ListValue> LIST =
      new MethodTable<ListValue>()
          .add("append", "item", ContainerMethods::append)
          .add("extend", "items", ContainerMethods::extend)
          .add("insert", "index, item", ContainerMethods::insert)
          .add("pop", "index=", ContainerMethods::pop)
          .add("remove", "item", ContainerMethods::remove)
          .add("clear", "", (list, a, c) -> none(() -> list.items().clear()))
          .add("copy", "", (list, a, c) -> copied(list.items(), c.interp()))
          .add(
              "reverse",
              "",
              (list, a, c) -> none(() -> java.util.Collections.reverse(list.items())))
          .add("sort", "*, key=, reverse=", ContainerMethods::sort)
          .add("index", "item", (list, a, c) -> index(list.items(), a, c, "list"))
          .add("count", "item", (list, a, c) -> count(list.items(), a, c));

  static final MethodTable<TupleValue> TUPLE =
      new MethodTable<TupleValue>()
          .add("index", "item", (tuple, a, c) -> index(tuple.items(), a, c, "tuple"))
          .add("count", "item", (tuple, a, c) -> count(tuple.items(), a, c));

  static final MethodTable<DictValue> DICT =
      new MethodTable<DictValue>()
          .add("get", "key, default=", ContainerMethods::lookUp)
          .add("keys", "", (d, a, c) -> new DictView("dict_keys", d, DictValue.Entry::key))
          .add("values", "", (d, a, c) -> new DictView("dict_values", d, DictValue.Entry::value))
          .add(
              "items",
              "",
              (d, a, c) -> new DictView("dict_items", d, e -> TupleValue.of(e.key(), e.value())))
          .add("pop", "key, default=", ContainerMethods::popKey)
          .add("popitem", "", (d, a, c) -> popLast(d))
          .add("setdefault", "key, default=", ContainerMethods::setDefault)
          .add("update", "other=, **named", ContainerMethods::update)
          .add("clear", "", (d, a, c) -> none(d::clear))
          .add("copy", "", (d, a, c) -> copy(d, c.interp()));

  static final MethodTable<SetValue> SET =
      new MethodTable<SetValue>()
          .add("add", "item", (s, a, c) -> none(() -> s.add(a.get("item"))))
          .add("discard", "item", (s, a, c) -> none(() -> s.remove(a.get("item"))))
          .add("remove", "item", ContainerMethods::removeItem)
          .add("pop", "", (s, a, c) -> popAny(s))
          .add("clear", "", (s, a, c) -> none(s::clear))
          .add("copy", "", (s, a, c) -> union(s, List.of(), c))
          .add("update", "*others", ContainerMethods::updateSet)
          .add("union", "*others", (s, a, c) -> union(s, a.rest(), c))
          .add("intersection", "other", (s, a, c) -> filtered(s, a, c, true))
          .add("difference", "other", (s, a, c) -> filtered(s, a, c, false))
          .add("issubset", "other", (s, a, c) -> within(s, asSet(a.get("other"), c)))
          .add("issuperset", "other", (s, a, c) -> within(asSet(a.get("other"), c), s))
          .add("isdisjoint", "other", (s, a, c) -> Value.of(disjoint(s, asSet(a.get("other"), c))));

  private ContainerMethods() {}

  private static Value popAny(SetValue set) {
    for (Value item : set.items()) {
      set.remove(item);
      return item;
    }
    throw Errors.of(
        io.ringmaster.worker.script.value.Exceptions.KEY_ERROR, "pop from an empty set");
  }

  private static Value none(Runnable action) {
    action.run();
    return Value.NONE;
  }

  private static Value otherwise(Bound a) {
    return a.find("default").orElse(Value.NONE);
  }

  private static Value append(ListValue list, Bound a, Call call) {
    call.interp().session().budget().objects(Sequences.ELEMENT_BYTES);
    list.items().add(a.get("item"));
    return Value.NONE;
  }

  private static Value extend(ListValue list, Bound a, Call call) {
    list.items().addAll(Iteration.toList(a.get("items"), call.interp()));
    return Value.NONE;
  }

  private static Value insert(ListValue list, Bound a, Call call) {
    int size = list.items().size();
    long index = a.integer("index");
    long at = Math.clamp(index < 0 ? index + size : index, 0, size);
    call.interp().session().budget().work(size / 64);
    call.interp().session().budget().objects(Sequences.ELEMENT_BYTES);
    list.items().add((int) at, a.get("item"));
    return Value.NONE;
  }

  private static Value pop(ListValue list, Bound a, Call call) {
    if (list.items().isEmpty()) {
      throw Errors.index("pop from empty list");
    }
    call.interp().session().budget().work(list.items().size() / 64);
    Value index = a.find("index").orElse(Value.of(-1));
    return list.items().remove(Sequences.position(index, list.items().size(), "pop"));
  }

  private static Value remove(ListValue list, Bound a, Call call) {
    for (int i = 0; i < list.items().size(); i++) {
      if (call.interp().equal(list.items().get(i), a.get("item"))) {
        // Comparing may have shortened the list.
        if (i < list.items().size()) {
          list.items().remove(i);
        }
        return Value.NONE;
      }
    }
    throw Errors.value("list.remove(x): x not in list");
  }

  private static Value sort(ListValue list, Bound a, Call call) {
    // As in Python, the list is empty while it is being sorted, so that changes to it show.
    List<Value> items = new ArrayList<>(list.items());
    list.items().clear();
    List<Value> sorted = items;
    boolean changed;
    try {
      sorted =
          Sorting.sorted(
              items, a.find("key"), a.flag("reverse", false), call.interp(), call.span());
    } finally {
      changed = !list.items().isEmpty();
      list.items().clear();
      list.items().addAll(sorted);
    }
    if (changed) {
      throw Errors.value("list modified during sort");
    }
    return Value.NONE;
  }

  private static Value index(List<Value> items, Bound a, Call call, String kind) {
    for (int i = 0; i < items.size(); i++) {
      if (call.interp().equal(items.get(i), a.get("item"))) {
        return Value.of(i);
      }
    }
    throw Errors.value(
        kind.equals("list")
            ? call.interp().repr(a.get("item")) + " is not in list"
            : "tuple.index(x): x not in tuple");
  }

  private static Value count(List<Value> items, Bound a, Call call) {
    long hits = 0;
    // By place: comparing may change the list.
    for (int i = 0; i < items.size(); i++) {
      hits += call.interp().equal(items.get(i), a.get("item")) ? 1 : 0;
    }
    return Value.of(hits);
  }

  private static Value copied(List<Value> items, Interp interp) {
    interp.session().budget().objects(items.size() * Sequences.ELEMENT_BYTES);
    return ListValue.of(items);
  }

  private static Value lookUp(DictValue dict, Bound a, Call call) {
    Lookups.note(dict, a.get("key"), call.interp());
    return dict.get(a.get("key")).orElseGet(() -> otherwise(a));
  }

  private static Value popKey(DictValue dict, Bound a, Call call) {
    Lookups.note(dict, a.get("key"), call.interp());
    Optional<Value> removed = dict.remove(a.get("key"));
    return removed.or(() -> a.find("default")).orElseThrow(() -> Subscripts.keyError(a.get("key")));
  }

  private static Value popLast(DictValue dict) {
    DictValue.Entry last =
        dict.removeLast()
            .orElseThrow(
                () ->
                    Errors.of(
                        io.ringmaster.worker.script.value.Exceptions.KEY_ERROR,
                        "popitem(): dictionary is empty"));
    return TupleValue.of(last.key(), last.value());
  }

  private static Value setDefault(DictValue dict, Bound a, Call call) {
    Value key = a.get("key");
    Optional<Value> present = dict.get(key);
    if (present.isPresent()) {
      return present.get();
    }
    call.interp().session().budget().objects(Sequences.ELEMENT_BYTES * 2);
    dict.put(key, otherwise(a));
    return otherwise(a);
  }

  private static Value update(DictValue dict, Bound a, Call call) {
    a.find("other").ifPresent(other -> fill(dict, other, call.interp()));
    a.named().forEach((name, value) -> dict.put(Value.of(name), value));
    return Value.NONE;
  }

  /** Puts the entries of another dict or mapping, or an iterable's pairs, into a dict. */
  static void fill(DictValue dict, Value from, Interp interp) {
    if (from instanceof DictValue other) {
      interp.session().budget().objects(other.size() * Sequences.ELEMENT_BYTES * 2);
      other.entries().forEach(entry -> dict.put(entry.key(), entry.value()));
      return;
    }
    if (from instanceof InstanceValue object && object.type().member("keys").isPresent()) {
      Value keys = Attributes.get(from, "keys", interp, interp.session().budget().here());
      Value all = interp.call(keys, Arguments.of(), interp.session().budget().here());
      for (Value key : Iteration.toList(all, interp)) {
        dict.put(key, Subscripts.item(from, key, interp));
      }
      return;
    }
    Iterator<Value> pairs = interp.iterate(from);
    while (pairs.hasNext()) {
      List<Value> pair = Iteration.toList(pairs.next(), interp);
      if (pair.size() != 2) {
        throw Errors.value(
            "dictionary update sequence element has length " + pair.size() + "; 2 is required");
      }
      dict.put(pair.get(0), pair.get(1));
    }
  }

  private static Value copy(DictValue dict, Interp interp) {
    DictValue copy = new DictValue();
    fill(copy, dict, interp);
    return copy;
  }

  private static Value removeItem(SetValue set, Bound a, Call call) {
    if (!set.remove(a.get("item"))) {
      throw Subscripts.keyError(a.get("item"));
    }
    return Value.NONE;
  }

  private static Value updateSet(SetValue set, Bound a, Call call) {
    for (Value other : a.rest()) {
      Iteration.toList(other, call.interp()).forEach(set::add);
    }
    return Value.NONE;
  }

  private static Value union(SetValue set, List<Value> others, Call call) {
    SetValue all = new SetValue(set.frozen());
    call.interp().session().budget().objects(set.size() * Sequences.ELEMENT_BYTES);
    set.items().forEach(all::add);
    for (Value other : others) {
      Iteration.toList(other, call.interp()).forEach(all::add);
    }
    return all;
  }

  private static SetValue asSet(Value value, Call call) {
    if (value instanceof SetValue set) {
      return set;
    }
    SetValue set = new SetValue(false);
    Iteration.toList(value, call.interp()).forEach(set::add);
    return set;
  }

  private static Value filtered(SetValue set, Bound a, Call call, boolean keepCommon) {
    SetValue other = asSet(a.get("other"), call);
    SetValue result = new SetValue(set.frozen());
    call.interp().session().budget().objects(set.size() * Sequences.ELEMENT_BYTES);
    set.items()
        .forEach(
            item -> {
              if (other.contains(item) == keepCommon) {
                result.add(item);
              }
            });
    return result;
  }

  private static Value within(SetValue inner, SetValue outer) {
    for (Value item : inner.items()) {
      if (!outer.contains(item)) {
        return Value.FALSE;
      }
    }
    return Value.TRUE;
  }

  private static boolean disjoint(SetValue a, SetValue b) {
    for (Value item : a.items()) {
      if (b.contains(item)) {
        return false;
      }
    }
    return true;
  }
}
