package io.ringmaster.worker.frontend;

import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.source.SyntaxChildren;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The functions of a program: every signature, and the effects of those already read. */
final class ProgramSignatures {

  private final Map<String, FunctionSignature> signatures = new LinkedHashMap<>();
  private final Map<String, Effects> effects = new HashMap<>();
  private final Set<String> resultsUnknown = new HashSet<>();
  private final Set<String> unread = new HashSet<>();
  private final Set<String> undecorated = new HashSet<>();
  private final Set<String> takeBlock = new HashSet<>();
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

  /** Says which function is being read now; returns which one was. */
  int reading(FunctionSignature signature) {
    int before = current;
    current = signature.order();
    return before;
  }

  /** Goes back to the function that was being read before. */
  void readingAgain(int before) {
    current = before;
  }

  /** Marks a function whose last parameter, not in the text, is the number of its block. */
  void setTakesBlock(String name) {
    takeBlock.add(name);
  }

  boolean takesBlock(FunctionSignature signature) {
    return takeBlock.contains(signature.name());
  }

  /** True for functions that stand above the one being read. */
  boolean isAbove(FunctionSignature callee) {
    return callee.order() < current;
  }

  boolean isCurrent(FunctionSignature callee) {
    return callee.order() == current;
  }

  /** Notes names under which functions may stand that couldn't be read. */
  void addUnread(Set<String> names) {
    unread.addAll(names);
  }

  /** Notes a method that isn't a function of the program, because nothing says that it is. */
  void addUndecorated(String name) {
    undecorated.add(name);
  }

  boolean isUndecorated(String name) {
    return undecorated.contains(name);
  }

  /** Notes a function of which nobody knows what it returns: a return of it was refused perhaps. */
  void setResultsUnknown(String name) {
    resultsUnknown.add(name);
  }

  boolean areResultsUnknown(String name) {
    return resultsUnknown.contains(name);
  }

  /** True when something of the program couldn't be read. */
  boolean hasUnread() {
    return !unread.isEmpty()
        || signatures.values().stream().anyMatch(f -> hasUnread(f.definition()));
  }

  private static boolean hasUnread(Stmt statement) {
    return statement instanceof Stmt.Unread
        || SyntaxChildren.statementsOf(statement).stream().anyMatch(ProgramSignatures::hasUnread);
  }

  boolean mayBeUnread(String name) {
    return unread.contains(name);
  }

  void setEffects(String name, Effects known) {
    effects.put(name, known);
  }

  Optional<Effects> effects(String name) {
    return Optional.ofNullable(effects.get(name));
  }
}
