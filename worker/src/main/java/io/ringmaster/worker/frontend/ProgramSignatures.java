package io.ringmaster.worker.frontend;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The functions of a program: every signature, and the effects of those already read. */
final class ProgramSignatures {

  private final Map<String, FunctionSignature> signatures = new LinkedHashMap<>();
  private final Map<String, Effects> effects = new HashMap<>();
  private int current = -1;

  void add(FunctionSignature signature) {
    signatures.put(signature.name(), signature);
  }

  Optional<FunctionSignature> find(String name) {
    return Optional.ofNullable(signatures.get(name));
  }

  List<String> names() {
    return new ArrayList<>(signatures.keySet());
  }

  List<FunctionSignature> all() {
    return List.copyOf(signatures.values());
  }

  /** Says which function is being read now. */
  void reading(FunctionSignature signature) {
    current = signature.order();
  }

  /** True for functions that stand above the one being read. */
  boolean isAbove(FunctionSignature callee) {
    return callee.order() < current;
  }

  boolean isCurrent(FunctionSignature callee) {
    return callee.order() == current;
  }

  void setEffects(String name, Effects known) {
    effects.put(name, known);
  }

  Optional<Effects> effects(String name) {
    return Optional.ofNullable(effects.get(name));
  }
}
