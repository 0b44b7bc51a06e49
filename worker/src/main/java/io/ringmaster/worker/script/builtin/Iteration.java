package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Walking over values; every element counts as a step. */
public final class Iteration {

  private Iteration() {}

  public static Iterator<Value> over(Value value, Interp interp) {
    Budget budget = interp.session().budget();
    Iterator<Value> items =
        switch (value) {
          case ListValue list -> indexed(list);
          case TupleValue tuple -> tuple.items().iterator();
          case Value.Str text ->
              text.value()
                  .codePoints()
                  .<Value>mapToObj(p -> Value.of(Character.toString(p)))
                  .iterator();
          case Value.Range range -> indices(range);
          case DictValue dict -> keys(dict, budget);
          case SetValue set -> steady(copy(set, budget), set::size, "Set");
          case IteratorValue iterator -> iterator.items();
          case NativeObject object -> object.iterate(interp);
          case ClassValue type when type.enumMembers().isPresent() ->
              type.enumMembers().get().iterator();
          default -> ofInstance(value, interp);
        };
    return counted(items, budget);
  }

  /** All elements, counted against the memory limit. */
  public static List<Value> toList(Value value, Interp interp) {
    Budget budget = interp.session().budget();
    List<Value> all = new ArrayList<>();
    Iterator<Value> items = over(value, interp);
    while (items.hasNext()) {
      budget.objects(Sequences.ELEMENT_BYTES);
      all.add(items.next());
    }
    return all;
  }

  /** An iterator whose elements are made from another's. */
  public static Iterator<Value> mapped(Iterator<Value> items, Function<Value, Value> change) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return items.hasNext();
      }

      @Override
      public Value next() {
        return change.apply(items.next());
      }
    };
  }

  private static Iterator<Value> counted(Iterator<Value> items, Budget budget) {
    return mapped(
        items,
        item -> {
          budget.step();
          return item;
        });
  }

  /** Sees elements that are appended while it walks, as Python does. */
  private static Iterator<Value> indexed(ListValue list) {
    return new Iterator<>() {
      private int at;

      @Override
      public boolean hasNext() {
        return at < list.items().size();
      }

      @Override
      public Value next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return list.items().get(at++);
      }
    };
  }

  private static Iterator<Value> indices(Value.Range range) {
    return new Iterator<>() {
      private final long size = range.size();
      private long at;

      @Override
      public boolean hasNext() {
        return at < size;
      }

      @Override
      public Value next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return Value.of(range.at(at++));
      }
    };
  }

  private static Iterator<Value> keys(DictValue dict, Budget budget) {
    budget.objects(dict.size() * Sequences.ELEMENT_BYTES);
    List<Value> keys = new ArrayList<>();
    dict.entries().forEach(entry -> keys.add(entry.key()));
    return steady(keys, dict::size, "dictionary");
  }

  /**
   * Goes through what a container has now, and refuses to go on, or to end, once its size is
   * another.
   */
  static Iterator<Value> steady(List<Value> items, IntSupplier size, String kind) {
    int before = size.getAsInt();
    Iterator<Value> rest = items.iterator();
    return new Iterator<>() {
      private boolean ended;

      @Override
      public boolean hasNext() {
        if (!ended && size.getAsInt() != before) {
          ended = true;
          throw Errors.changedSize(kind);
        }
        ended |= !rest.hasNext();
        return !ended;
      }

      @Override
      public Value next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return rest.next();
      }
    };
  }

  private static List<Value> copy(SetValue set, Budget budget) {
    budget.objects(set.size() * Sequences.ELEMENT_BYTES);
    List<Value> items = new ArrayList<>();
    set.items().forEach(items::add);
    return items;
  }

  private static Iterator<Value> ofInstance(Value value, Interp interp) {
    Optional<Value> iterate = Operators.special(value, "__iter__");
    if (iterate.isEmpty()) {
      return byPlaces(value, interp);
    }
    Value iterator =
        interp.call(iterate.get(), Arguments.of(value), interp.session().budget().here());
    Optional<Value> next = Operators.special(iterator, "__next__");
    return next.isPresent()
        ? new UntilRaised(
            () -> interp.call(next.get(), Arguments.of(iterator), interp.session().budget().here()),
            Exceptions.STOP_ITERATION)
        : over(iterator, interp);
  }

  /** What has {@code __getitem__} alone is asked for 0, 1, 2 and so on. */
  private static Iterator<Value> byPlaces(Value value, Interp interp) {
    Value item =
        Operators.special(value, "__getitem__")
            .orElseThrow(() -> Errors.type("'" + Types.nameOf(value) + "' object is not iterable"));
    Iterator<Value> places = indices(new Value.Range(0, Long.MAX_VALUE, 1));
    return new UntilRaised(
        () ->
            interp.call(item, Arguments.of(value, places.next()), interp.session().budget().here()),
        Exceptions.INDEX_ERROR);
  }

  /** {@code iter(function, sentinel)}: calls it until it gives the sentinel. */
  static Iterator<Value> until(Value function, Value sentinel, Call call) {
    Interp interp = call.interp();
    Supplier<Value> next =
        () -> {
          Value value = interp.call(function, Arguments.of(), call.span());
          if (interp.equal(value, sentinel)) {
            throw new PyError(Exceptions.make(Exceptions.STOP_ITERATION, List.of()));
          }
          return value;
        };
    return counted(new UntilRaised(next, Exceptions.STOP_ITERATION), interp.session().budget());
  }

  /** Asks for one item after the other until an exception says that there are no more. */
  private static final class UntilRaised implements Iterator<Value> {
    private final Supplier<Value> following;
    private final ClassValue end;
    private Optional<Value> ahead = Optional.empty();
    private boolean ended;

    UntilRaised(Supplier<Value> following, ClassValue end) {
      this.following = following;
      this.end = end;
    }

    @Override
    public boolean hasNext() {
      if (ahead.isEmpty() && !ended) {
        try {
          ahead = Optional.of(following.get());
        } catch (PyError error) {
          if (!error.is(end)) {
            throw error;
          }
          ended = true;
        }
      }
      return ahead.isPresent();
    }

    @Override
    public Value next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      Value item = ahead.orElseThrow();
      ahead = Optional.empty();
      return item;
    }
  }
}
