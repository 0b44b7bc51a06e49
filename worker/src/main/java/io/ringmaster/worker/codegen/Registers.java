package io.ringmaster.worker.codegen;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Gives every variable and dynamic dimension of a function its register. */
final class Registers {

  private final Map<String, Integer> scalars = new HashMap<>();
  private final Map<String, Integer> references = new HashMap<>();
  private final Map<String, Integer> dims = new LinkedHashMap<>();
  private int longs;
  private int refs;

  /** True for types that live in a scalar register. */
  static boolean isScalar(Type type) {
    return type instanceof Type.Scalar;
  }

  int of(Expr.Var variable) {
    return of(variable.name(), variable.type());
  }

  int of(String name, Type type) {
    return isScalar(type)
        ? scalars.computeIfAbsent(name, key -> longs++)
        : references.computeIfAbsent(name, key -> refs++);
  }

  int dim(String name) {
    return dims.computeIfAbsent(name, key -> longs++);
  }

  int newLong() {
    return longs++;
  }

  int newRef() {
    return refs++;
  }

  Map<String, Integer> dims() {
    return dims;
  }

  int longCount() {
    return longs;
  }

  int refCount() {
    return refs;
  }
}
