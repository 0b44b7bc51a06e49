package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code functools}: reduce, partial, and caches that cache nothing. */
final class FunctoolsModule {

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
              "cache", NativeFunction.of("cache", "function", (a, c) -> a.get("function")),
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
                              ? a.get("maxsize")
                              : identity())));

  private FunctoolsModule() {}

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

  private static Value identity() {
    return NativeFunction.of("decorator", "function", (a, c) -> a.get("function"));
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
