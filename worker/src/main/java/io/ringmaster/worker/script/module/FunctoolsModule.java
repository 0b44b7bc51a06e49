package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Descriptor;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.CompareOperator;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code functools}: reduce, partial, and caches that cache nothing. */
final class FunctoolsModule {

  /** A comparison and its method. */
  private record Order(CompareOperator operator, String method) {}

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
              // Leaving results out of a cache changes no result: scripts have no side doors.
              "cache", NativeFunction.of("cache", "function", (a, c) -> cached(a.get("function"))),
              "cached_property",
                  NativeFunction.of(
                      "cached_property", "function", (a, c) -> property(a.get("function"))),
              "total_ordering", NativeFunction.of("total_ordering", "cls", (a, c) -> ordered(a)),
              "wraps",
                  NativeFunction.of(
                      "wraps",
                      "wrapped, assigned=, updated=",
                      (a, c) -> wrapping(a.get("wrapped"))),
              "lru_cache",
                  NativeFunction.of(
                      "lru_cache",
                      "maxsize=, typed=",
                      (a, c) ->
                          a.has("maxsize") && !(a.get("maxsize") instanceof Value.Int)
                              ? cached(a.get("maxsize"))
                              : caching())));

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

  private static Value caching() {
    return NativeFunction.of("decorator", "function", (a, c) -> cached(a.get("function")));
  }

  /** The function itself; its {@code cache_clear} has nothing to forget. */
  private static Value cached(Value given) {
    if (given instanceof FunctionValue function) {
      function
          .attributes()
          .put("cache_clear", NativeFunction.of("cache_clear", "", (a, c) -> Value.NONE));
    }
    return given;
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
    return NativeFunction.of(
        "partial",
        "*values, **named",
        (b, c) -> {
          List<Value> values = new ArrayList<>(a.rest());
          values.addAll(b.rest());
          Map<String, Value> named = new LinkedHashMap<>(a.named());
          named.putAll(b.named());
          return c.interp().call(a.get("function"), new Arguments(values, named), c.span());
        });
  }
}
