package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Descriptor;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.CompareOperator;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code functools}: the part that isn't written in the language of scripts. */
final class FunctoolsModule {

  /** A comparison and its method. */
  private record Order(CompareOperator operator, String method) {}

  /** Levels of tuples that are looked through; keys have no more. */
  private static final int DEEPEST = 100;

  /** In the order in which Python looks for the one that the others are made from. */
  private static final List<Order> ORDERS =
      List.of(
          new Order(CompareOperator.LT, "__lt__"),
          new Order(CompareOperator.LE, "__le__"),
          new Order(CompareOperator.GT, "__gt__"),
          new Order(CompareOperator.GE, "__ge__"));

  static final ModuleValue MODULE =
      new ModuleValue(
          "functools",
          Map.of(
              "reduce",
                  NativeFunction.of(
                      "reduce", "function, iterable, initial=", FunctoolsModule::reduce),
              "partial",
                  NativeFunction.of(
                      "partial", "function, *values, **named", FunctoolsModule::partial),
              "_plain",
                  NativeFunction.of(
                      "_plain",
                      "values, named",
                      (a, c) ->
                          Value.of(isPlain(a.get("values"), 0) && isPlain(a.get("named"), 0))),
              "cached_property",
                  NativeFunction.of(
                      "cached_property", "function", (a, c) -> property(a.get("function"))),
              "total_ordering", NativeFunction.of("total_ordering", "cls", (a, c) -> ordered(a)),
              "wraps",
                  NativeFunction.of(
                      "wraps",
                      "wrapped, assigned=, updated=",
                      (a, c) -> wrapping(a.get("wrapped")))));

  private FunctoolsModule() {}

  /** The other comparisons from {@code __lt__} or its opposite, and {@code __eq__}. */
  private static Value ordered(Bound a) {
    if (!(a.get("cls") instanceof ClassValue type)) {
      throw Errors.type("total_ordering() needs a class");
    }
    CompareOperator known =
        ORDERS.stream()
            .filter(order -> type.member(order.method()).isPresent())
            .map(Order::operator)
            .findFirst()
            .orElseThrow(
                () -> Errors.value("must define at least one ordering operation: < > <= >="));
    for (Order order : ORDERS) {
      if (type.member(order.method()).isEmpty()) {
        type.members()
            .put(
                order.method(),
                new Descriptor(
                    Descriptor.Kind.NATIVE,
                    NativeFunction.of(
                        order.method(),
                        "self, other",
                        (b, c) -> compared(known, order.operator(), b, c))));
      }
    }
    return type;
  }

  private static Value compared(CompareOperator known, CompareOperator wanted, Bound a, Call call) {
    Value self = a.get("self");
    Value other = a.get("other");
    if (call.interp().equal(self, other)) {
      return Value.of(wanted == CompareOperator.LE || wanted == CompareOperator.GE);
    }
    boolean less = known == CompareOperator.LT || known == CompareOperator.LE;
    boolean wantsLess = wanted == CompareOperator.LT || wanted == CompareOperator.LE;
    boolean holds = call.interp().truth(call.interp().compare(known, self, other));
    return Value.of(holds == (less == wantsLess));
  }

  /** Keeps what the function returns among the object's attributes, under the function's name. */
  private static Value property(Value function) {
    if (!(function instanceof FunctionValue written)) {
      throw Errors.type("cached_property() needs a function");
    }
    return new Descriptor(
        Descriptor.Kind.PROPERTY,
        NativeFunction.of(
            written.name(),
            "self",
            (a, c) -> {
              Value self = a.get("self");
              Value known =
                  self instanceof InstanceValue object
                      ? object.attributes().get(written.name())
                      : null;
              if (known != null) {
                return known;
              }
              Value made = c.interp().call(written, Arguments.of(self), c.span());
              if (self instanceof InstanceValue object) {
                c.interp().session().budget().objects(128);
                object.attributes().put(written.name(), made);
              }
              return made;
            }));
  }

  private static Value wrapping(Value wrapped) {
    return NativeFunction.of(
        "decorator",
        "function",
        (a, c) ->
            a.get("function") instanceof FunctionValue function
                    && wrapped instanceof FunctionValue inner
                ? function.wrapping(inner)
                : a.get("function"));
  }

  /**
   * True for values that a cache may tell apart as the keys of a dict. Numbers that stem from a
   * tensor aren't: an equal number that stems from elsewhere would be taken for them.
   */
  private static boolean isPlain(Value value, int depth) {
    if (depth > DEEPEST) {
      // Such a value is no key of a dict either, which says so.
      return true;
    }
    return switch (value) {
      case Value.Int number -> !number.origin().fromTensor();
      case Value.Float number -> !number.origin().fromTensor();
      case Value.Bool truth -> truth.claim().isEmpty();
      case TupleValue tuple -> arePlain(tuple.items(), depth);
      case SetValue set -> arePlain(set.items(), depth);
      case DictValue named -> {
        List<Value> values = new ArrayList<>();
        named.entries().forEach(entry -> values.add(entry.value()));
        yield arePlain(values, depth);
      }
      case InstanceValue object when object.type().member(ClassValue.KEY).isPresent() ->
          arePlain(List.copyOf(object.attributes().values()), depth);
      default -> true;
    };
  }

  private static boolean arePlain(Iterable<Value> values, int depth) {
    for (Value value : values) {
      if (!isPlain(value, depth + 1)) {
        return false;
      }
    }
    return true;
  }

  private static Value reduce(Bound a, Call call) {
    Iterator<Value> items = call.interp().iterate(a.get("iterable"));
    if (a.find("initial").isEmpty() && !items.hasNext()) {
      throw Errors.type("reduce() of empty iterable with no initial value");
    }
    Value result = a.find("initial").isPresent() ? a.get("initial") : items.next();
    while (items.hasNext()) {
      result =
          call.interp().call(a.get("function"), Arguments.of(result, items.next()), call.span());
    }
    return result;
  }

  private static Value partial(Bound a, Call call) {
    return new Partial(a.get("function"), a.rest(), a.named());
  }

  /** A function with some of its arguments. */
  private record Partial(Value function, List<Value> values, Map<String, Value> named)
      implements NativeObject {

    @Override
    public String typeName() {
      return "functools.partial";
    }

    @Override
    public boolean isCallable() {
      return true;
    }

    @Override
    public Value call(Arguments arguments, Call call) {
      List<Value> all = new ArrayList<>(values);
      all.addAll(arguments.positional());
      Map<String, Value> names = new LinkedHashMap<>(named);
      names.putAll(arguments.named());
      return call.interp().call(function, new Arguments(all, names), call.span());
    }

    @Override
    public Optional<Value> attribute(String name) {
      return switch (name) {
        case "func" -> Optional.of(function);
        case "args" -> Optional.of(new TupleValue(values));
        case "keywords" -> {
          DictValue dict = new DictValue();
          named.forEach((key, value) -> dict.put(Value.of(key), value));
          yield Optional.of(dict);
        }
        default -> Optional.empty();
      };
    }

    @Override
    public String repr(Interp interp) {
      return "functools.partial(" + interp.repr(function) + ")";
    }
  }
}
