package io.ringmaster.worker.script.value;

import io.ringmaster.worker.stop.StopOrder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes keys that are equal in Java exactly when the values are equal (and hashable) in Python. */
public final class Keys {

  private static final int MAX_NESTING = 100;
  private static final int MOST_PARTS = 1 << 20;

  private Keys() {}

  /** A value compared by identity. */
  private record Identity(Value value) {
    @Override
    @SuppressWarnings("ReferenceEquality") // Identity is what it stands for.
    public boolean equals(Object other) {
      return other instanceof Identity that && value == that.value;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(value);
    }
  }

  /** An object whose class hashes and compares by methods of the script. */
  private record Own(InstanceValue value, int hash, Interp interp) {
    @Override
    @SuppressWarnings("ReferenceEquality") // Python takes an object as equal to itself.
    public boolean equals(Object other) {
      return other instanceof Own that
          && (value == that.value || (hash == that.hash && interp.equal(value, that.value)));
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  private record Named(String kind, List<Object> parts) {}

  /** A tuple's key keeps the tuple, not the keys of its items, which may be far more. */
  private record Tuple(TupleValue value, int hash) {
    @Override
    public boolean equals(Object other) {
      if (!(other instanceof Tuple that)
          || hash != that.hash
          || value.items().size() != that.value.items().size()) {
        return false;
      }
      for (int i = 0; i < value.items().size(); i++) {
        if (!of(value.items().get(i)).equals(of(that.value.items().get(i)))) {
          return false;
        }
      }
      return true;
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /**
   * The key of a value.
   *
   * @throws PyError TypeError for a value that has no hash
   */
  public static Object of(Value value) {
    return of(value, new int[] {MOST_PARTS}, 0);
  }

  private static Object of(Value value, int[] left, int depth) {
    if (--left[0] < 0 || depth > MAX_NESTING) {
      throw Errors.of(
          Exceptions.RECURSION_ERROR,
          depth > MAX_NESTING
              ? "a key of more than " + MAX_NESTING + " nested values, which is the limit"
              : "a key of more than " + MOST_PARTS + " values, which is the limit");
    }
    StopOrder.look(left[0]);
    return switch (value) {
      case Value.Bool bool -> bool.value() ? BigInteger.ONE : BigInteger.ZERO;
      case Value.Int number -> number.value();
      case Value.Float number -> ofFloat(number.value());
      case Value.Str text -> text.value();
      case Value.None none -> none;
      case Value.Ellipsis ellipsis -> ellipsis;
      case Value.Range range ->
          new Named(
              "range", List.of(range.size(), range.start(), range.size() > 1 ? range.step() : 0));
      case TupleValue tuple -> {
        int hash = 1;
        for (Value item : tuple.items()) {
          hash = 31 * hash + of(item, left, depth + 1).hashCode();
        }
        yield new Tuple(tuple, hash);
      }
      case SetValue set when set.frozen() -> {
        List<Object> parts = new ArrayList<>();
        for (Value item : set.items()) {
          parts.add(of(item, left, depth + 1));
        }
        yield new Named("frozenset", List.of(java.util.Set.copyOf(parts)));
      }
      case ListValue list -> throw unhashable("list");
      case DictValue dict -> throw unhashable("dict");
      case SetValue set -> throw unhashable("set");
      case Value.Slice slice -> throw unhashable("slice");
      case NativeObject object -> object.key().orElse(new Identity(object));
      case IteratorValue other -> new Identity(other);
      case FunctionValue other -> new Identity(other);
      case MethodValue other -> new Identity(other);
      case NativeFunction other -> new Identity(other);
      case ClassValue other -> new Identity(other);
      case InstanceValue member when member.countsAs().isPresent() ->
          of(member.countsAs().get(), left, depth + 1);
      case InstanceValue instance -> ofObject(instance, left, depth);
      case ModuleValue other -> new Identity(other);
    };
  }

  /** By what the class says that stands nearest in the order in which members are looked up. */
  private static Object ofObject(InstanceValue instance, int[] left, int depth) {
    for (ClassValue at : instance.type().ancestry()) {
      Map<String, Value> members = at.members();
      Value hash = members.get("__hash__");
      if (hash instanceof Value.None) {
        throw unhashable(instance.type().name());
      }
      if (hash != null && instance.type().runner().isPresent()) {
        return own(instance, hash, instance.type().runner().get());
      }
      if (members.get(ClassValue.KEY) instanceof TupleValue names) {
        List<Object> parts = new ArrayList<>(List.of(new Identity(instance.type())));
        for (Value name : names.items()) {
          Value part = instance.attributes().getOrDefault(((Value.Str) name).value(), Value.NONE);
          parts.add(of(part, left, depth + 1));
        }
        return new Named("object", List.copyOf(parts));
      }
      if (members.containsKey("__eq__")) {
        // As in Python: what is equal by its content, which may change, has no hash.
        throw unhashable(instance.type().name());
      }
    }
    return new Identity(instance);
  }

  private static Own own(InstanceValue instance, Value method, Interp interp) {
    Value hash = interp.call(method, Arguments.of(instance), interp.session().budget().here());
    return switch (hash) {
      case Value.Int number -> new Own(instance, number.value().hashCode(), interp);
      case Value.Bool bool -> new Own(instance, bool.value() ? 1 : 0, interp);
      default -> throw Errors.type("__hash__ method should return an integer");
    };
  }

  private static Object ofFloat(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return value;
    }
    return value == Math.rint(value) ? new BigDecimal(value).toBigInteger() : (Object) value;
  }

  private static PyError unhashable(String type) {
    return Errors.type("unhashable type: '" + type + "'");
  }
}
