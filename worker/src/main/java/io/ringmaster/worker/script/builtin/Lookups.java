package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Notes what a script looks up by a kernel's value: a golden that is chosen that way, or a row that
 * need only be one of several, is tried with the others in its place.
 */
final class Lookups {

  /** Entries of a container that are noted. */
  private static final int MOST_ENTRIES = 8;

  /** Numbers of an entry that are noted. */
  private static final int MOST_NUMBERS = 1 << 16;

  private Lookups() {}

  /** A number in a text that something is looked up by. */
  private static final Pattern NUMBER =
      Pattern.compile("[-+]?\\d{1,18}(?:\\.\\d{1,18})?(?:[eE][-+]?\\d{1,3})?");

  /** A value is about to be looked up. */
  static void note(Value container, Value key, Interp interp) {
    CheckBook checks = interp.session().checks();
    if (isText(key)) {
      checks
          .lookups()
          .text(
              checks.running(),
              interp.session().budget().here().line(),
              key instanceof Value.Str text ? text.value() : interp.repr(key),
              () -> entries(container));
    }
    if (checks.needsNoFacts()
        || checks.lookups().isFull(checks.running())
        || !Comparisons.originOf(key).fromKernel()) {
      return;
    }
    checks.lookups().note(checks.running(), entries(container));
  }

  /** A text doesn't remember what it was made of. */
  private static boolean isText(Value key) {
    return key instanceof Value.Str
        || (key instanceof TupleValue tuple
            && tuple.items().stream().anyMatch(Value.Str.class::isInstance));
  }

  private static List<double[]> entries(Value container) {
    List<double[]> entries = new ArrayList<>();
    Iterator<Value> items = values(container).iterator();
    for (int i = 0; i < 2 * MOST_ENTRIES && items.hasNext(); i++) {
      List<Double> numbers = new ArrayList<>();
      if (isNumbers(items.next(), numbers) && !numbers.isEmpty()) {
        entries.add(numbers.stream().mapToDouble(Double::doubleValue).toArray());
      }
    }
    return entries;
  }

  private static List<Value> values(Value container) {
    List<Value> all = new ArrayList<>();
    switch (container) {
      case DictValue dict -> {
        for (DictValue.Entry entry : dict.entries()) {
          if (all.size() >= 2 * MOST_ENTRIES) {
            break;
          }
          all.add(entry.key());
          all.add(entry.value());
        }
      }
      case SetValue set -> {
        for (Value item : set.items()) {
          if (all.size() >= MOST_ENTRIES) {
            break;
          }
          all.add(item);
        }
      }
      case ListValue list -> all.addAll(first(list.items()));
      case TupleValue tuple -> all.addAll(first(tuple.items()));
      default -> {}
    }
    return all;
  }

  private static List<Value> first(List<Value> items) {
    return items.subList(0, Math.min(MOST_ENTRIES, items.size()));
  }

  /** Adds the numbers that a value holds; false when it holds something else, or too many. */
  private static boolean isNumbers(Value value, List<Double> numbers) {
    return switch (value) {
      case ListValue list -> areNumbers(list.items(), numbers);
      case TupleValue tuple -> areNumbers(tuple.items(), numbers);
      case NativeObject object -> {
        Optional<double[]> own = object.numbers(MOST_NUMBERS - numbers.size());
        own.ifPresent(
            all -> {
              for (double number : all) {
                numbers.add(number);
              }
            });
        yield own.isPresent();
      }
      case Value.Str text -> {
        Matcher number = NUMBER.matcher(text.value());
        boolean found = numbers.size() < MOST_NUMBERS && number.find();
        if (found) {
          numbers.add(Double.parseDouble(number.group()));
        }
        yield found;
      }
      default -> {
        boolean number = Numbers.isNumber(value) && numbers.size() < MOST_NUMBERS;
        if (number) {
          numbers.add(Numbers.real(value));
        }
        yield number;
      }
    };
  }

  private static boolean areNumbers(List<Value> items, List<Double> numbers) {
    for (Value item : items) {
      if (!isNumbers(item, numbers)) {
        return false;
      }
    }
    return true;
  }
}
