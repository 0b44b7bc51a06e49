package io.ringmaster.worker.frontend;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Functions that Python has everywhere and kernels don't, with what to write instead. */
final class PythonBuiltins {

  private static final Map<String, String> HINTS = new HashMap<>();

  static {
    put("use pl.min", "min");
    put("use pl.max", "max");
    put("loops are written for i in pl.range(...)", "range", "enumerate", "zip", "reversed");
    put("take the size from the factory that builds the program", "len");
    put("print in the driver", "print");
    put("use pl.abs on a tile", "abs");
    put("pl.cast(x, pl.INT32) makes a scalar or a tile a whole number", "int", "round");
    put("pl.cast(x, pl.FP32) makes a tile one of fractions", "float");
    put("compare the value, e.g. x != 0", "bool");
    put("add up in a pl.range loop, or pl.row_sum of a tile", "sum");
    put("multiply: x * x; a power of two is 1 << n", "pow");
    put("// and % give quotient and remainder", "divmod");
    put("combine conditions with and, or", "any", "all");
    put("functions of the program are called as self.f(...): there are no others", "super");
    put(
        "it is Python's, and kernels have pl.*, pld.* and self.* only",
        "bytes",
        "callable",
        "chr",
        "dict",
        "filter",
        "format",
        "frozenset",
        "getattr",
        "globals",
        "hasattr",
        "hash",
        "id",
        "input",
        "isinstance",
        "issubclass",
        "iter",
        "list",
        "locals",
        "map",
        "next",
        "object",
        "open",
        "ord",
        "repr",
        "set",
        "setattr",
        "slice",
        "sorted",
        "str",
        "tuple",
        "type",
        "vars");
  }

  private PythonBuiltins() {}

  private static void put(String hint, String... names) {
    for (String name : names) {
      HINTS.put(name, hint);
    }
  }

  /** What to write instead of one of them; empty for any other name. */
  static Optional<String> hint(String name) {
    return Optional.ofNullable(HINTS.get(name));
  }
}
