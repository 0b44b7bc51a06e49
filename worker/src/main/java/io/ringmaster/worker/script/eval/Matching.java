package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.builtin.Attributes;
import io.ringmaster.worker.script.builtin.Builtins;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.builtin.Subscripts;
import io.ringmaster.worker.script.builtin.TypeObject;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Expr.CompareOperator;
import io.ringmaster.worker.source.Pattern;
import io.ringmaster.worker.source.Stmt;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Finds the case of a {@code match} that takes a value, and names the value's parts. */
final class Matching {

  /** Built-in types whose only positional pattern stands for the object itself. */
  private static final Set<String> THEMSELVES =
      Set.of("bool", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple");

  private final Interpreter interp;

  Matching(Interpreter interp) {
    this.interp = interp;
  }

  /** The block of the first case that fits; empty when none does. */
  List<Stmt> chosen(Stmt.Match match, Scope scope) {
    Value subject = interp.eval(match.subject(), scope);
    for (Stmt.Case one : match.cases()) {
      interp.session().budget().step();
      interp.session().budget().moveTo(one.pattern().span());
      Map<String, Value> names = new LinkedHashMap<>();
      if (fits(one.pattern(), subject, scope, names)) {
        names.forEach(scope::bind);
        if (one.guard().isEmpty() || interp.truth(interp.eval(one.guard().get(), scope))) {
          return one.body();
        }
      }
    }
    return List.of();
  }

  private boolean fits(Pattern pattern, Value value, Scope scope, Map<String, Value> names) {
    return switch (pattern) {
      case Pattern.Capture(var name, _) -> {
        name.ifPresent(n -> names.put(n, value));
        yield true;
      }
      case Pattern.Constant(var constant, _) -> equals(value, constant, scope);
      case Pattern.Sequence sequence -> sequence(sequence, value, scope, names);
      // A sequence takes care of its starred name itself.
      case Pattern.Rest _ -> false;
      case Pattern.Mapping mapping -> mapping(mapping, value, scope, names);
      case Pattern.OfClass type -> ofClass(type, value, scope, names);
      case Pattern.Either either -> {
        for (Pattern one : either.alternatives()) {
          Map<String, Value> own = new LinkedHashMap<>();
          if (fits(one, value, scope, own)) {
            names.putAll(own);
            yield true;
          }
        }
        yield false;
      }
      case Pattern.As as -> {
        boolean fits = fits(as.pattern(), value, scope, names);
        names.put(as.name(), value);
        yield fits;
      }
    };
  }

  /** {@code None}, {@code True} and {@code False} are only themselves, all else is compared. */
  private boolean equals(Value value, Expr constant, Scope scope) {
    boolean itself = constant instanceof Expr.NoneLiteral || constant instanceof Expr.BoolLiteral;
    Value wanted = interp.eval(constant, scope);
    return interp.truth(
        interp.compare(itself ? CompareOperator.IS : CompareOperator.EQ, value, wanted));
  }

  private boolean sequence(
      Pattern.Sequence pattern, Value value, Scope scope, Map<String, Value> names) {
    boolean isSequence =
        value instanceof ListValue
            || value instanceof TupleValue
            || value instanceof Value.Range
            || isMarked(value, ClassValue.SEQUENCE);
    if (!isSequence) {
      return false;
    }
    List<Value> items = Iteration.toList(value, interp);
    List<Pattern> parts = pattern.elements();
    int rest = 0;
    while (rest < parts.size() && !(parts.get(rest) instanceof Pattern.Rest)) {
      rest++;
    }
    boolean open = rest < parts.size();
    int needed = open ? parts.size() - 1 : parts.size();
    if (open ? items.size() < needed : items.size() != needed) {
      return false;
    }
    int behind = items.size() - needed;
    for (int i = 0; i < parts.size(); i++) {
      switch (parts.get(i)) {
        case Pattern.Rest(var name, _) -> {
          List<Value> taken = items.subList(i, i + behind);
          name.ifPresent(n -> names.put(n, ListValue.of(taken)));
        }
        case Pattern part -> {
          if (!fits(part, items.get(i < rest ? i : i - 1 + behind), scope, names)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private static boolean isMarked(Value value, String mark) {
    return value instanceof InstanceValue one && one.type().member(mark).isPresent();
  }

  private boolean mapping(
      Pattern.Mapping pattern, Value value, Scope scope, Map<String, Value> names) {
    if (!(value instanceof DictValue) && !isMarked(value, ClassValue.MAPPING)) {
      return false;
    }
    DictValue seen = new DictValue();
    for (Pattern.Entry entry : pattern.entries()) {
      Value key = interp.eval(entry.key(), scope);
      if (seen.contains(key)) {
        throw Errors.value("mapping pattern checks duplicate key (" + interp.repr(key) + ")");
      }
      seen.put(key, Value.NONE);
      if (!interp.truth(interp.compare(CompareOperator.IN, key, value))
          || !fits(entry.pattern(), Subscripts.item(value, key, interp), scope, names)) {
        return false;
      }
    }
    if (pattern.rest().isPresent()) {
      DictValue rest = new DictValue();
      for (Value key : Iteration.toList(value, interp)) {
        if (!seen.contains(key)) {
          rest.put(key, Subscripts.item(value, key, interp));
        }
      }
      names.put(pattern.rest().get(), rest);
    }
    return true;
  }

  private boolean ofClass(
      Pattern.OfClass pattern, Value value, Scope scope, Map<String, Value> names) {
    Value type = interp.eval(pattern.type(), scope);
    if (!(type instanceof TypeObject) && !(type instanceof ClassValue)) {
      throw Errors.type("called match pattern must be a class");
    }
    if (!Builtins.isInstance(value, type)) {
      return false;
    }
    List<Pattern> positional = pattern.positional();
    if (type instanceof TypeObject known
        && THEMSELVES.contains(known.name())
        && positional.size() == 1) {
      return fits(positional.getFirst(), value, scope, names)
          && named(pattern, value, scope, names);
    }
    List<String> order = positional.isEmpty() ? List.of() : order(type);
    if (positional.size() > order.size()) {
      throw Errors.type(
          nameOf(type)
              + "() accepts "
              + order.size()
              + " positional sub-pattern"
              + (order.size() == 1 ? "" : "s")
              + " ("
              + positional.size()
              + " given)");
    }
    Set<String> given = new HashSet<>(order.subList(0, positional.size()));
    for (Pattern.Named named : pattern.named()) {
      if (!given.add(named.name())) {
        throw Errors.type(
            nameOf(type) + "() got multiple sub-patterns for attribute '" + named.name() + "'");
      }
    }
    for (int i = 0; i < positional.size(); i++) {
      if (!attribute(order.get(i), positional.get(i), value, scope, names)) {
        return false;
      }
    }
    return named(pattern, value, scope, names);
  }

  private boolean named(
      Pattern.OfClass pattern, Value value, Scope scope, Map<String, Value> names) {
    for (Pattern.Named named : pattern.named()) {
      if (!attribute(named.name(), named.pattern(), value, scope, names)) {
        return false;
      }
    }
    return true;
  }

  private boolean attribute(
      String name, Pattern pattern, Value value, Scope scope, Map<String, Value> names) {
    try {
      Optional<Value> found = Attributes.find(value, name, interp, pattern.span());
      return found.isPresent() && fits(pattern, found.get(), scope, names);
    } catch (PyError error) {
      if (error.is(Exceptions.ATTRIBUTE_ERROR)) {
        return false;
      }
      throw error;
    }
  }

  private static String nameOf(Value type) {
    return switch (type) {
      case ClassValue known -> known.name();
      case TypeObject known -> known.name();
      default -> "type";
    };
  }

  /** The attributes that the positional patterns of a class stand for. */
  private static List<String> order(Value type) {
    Optional<Value> names =
        type instanceof ClassValue known
            ? known.member(ClassValue.MATCH_ARGS).or(() -> known.member("_fields"))
            : Optional.empty();
    if (names.isEmpty()) {
      return List.of();
    }
    if (!(names.get() instanceof TupleValue tuple)) {
      throw Errors.type(nameOf(type) + ".__match_args__ must be a tuple");
    }
    return tuple.items().stream()
        .map(
            name -> {
              if (name instanceof Value.Str text) {
                return text.value();
              }
              throw Errors.type("__match_args__ elements must be strings");
            })
        .toList();
  }
}
