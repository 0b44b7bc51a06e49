package io.ringmaster.worker.codegen;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Gives every variable and dynamic dimension of a function its register. */
final class Registers {

  private final Map<String, Integer> scalars = new HashMap<>();
  private final Map<String, Integer> references = new HashMap<>();
  private final Map<String, Integer> dims = new LinkedHashMap<>();
  private final Set<Integer> owned = new HashSet<>();
  private final Set<Integer> passedOn = new HashSet<>();
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

  /** Notes that nothing else ever refers to the tile of a variable. */
  void own(String name) {
    owned.add(references.computeIfAbsent(name, key -> refs++));
  }

  boolean isOwned(int slot) {
    return owned.contains(slot);
  }

  /** Notes that the tile of a variable is only stored, once, see {@link PassedOn}. */
  void passOn(String name) {
    passedOn.add(references.computeIfAbsent(name, key -> refs++));
  }

  boolean isPassedOn(int slot) {
    return passedOn.contains(slot);
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
