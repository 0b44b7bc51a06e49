package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.builtin.Attributes;
import io.ringmaster.worker.script.builtin.Comparisons;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.builtin.Operators;
import io.ringmaster.worker.script.builtin.Sequences;
import io.ringmaster.worker.script.builtin.StrFormat;
import io.ringmaster.worker.script.builtin.Subscripts;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.Nearest;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Parameters;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Evaluates expressions. */
final class Expressions {

  private final Interpreter interp;
  private final Budget budget;

  Expressions(Interpreter interp) {
    this.interp = interp;
    this.budget = interp.session().budget();
  }

  Value eval(Expr expression, Scope scope) {
    budget.step();
    return switch (expression) {
      case Expr.Name name -> name(name, scope);
      case Expr.IntLiteral literal -> new Value.Int(budget.checked(literal.value()));
      case Expr.FloatLiteral literal -> Value.of(literal.value());
      case Expr.StringLiteral literal -> Value.of(literal.value());
      case Expr.BytesLiteral literal ->
          throw Errors.refuse("bytes are not available in scripts", "use a str", literal.span());
      case Expr.BoolLiteral literal -> Value.of(literal.value());
      case Expr.NoneLiteral literal -> Value.NONE;
      case Expr.EllipsisLiteral literal -> Value.ELLIPSIS;
      case Expr.FormattedString string -> Value.of(formatted(string.parts(), scope));
      case Expr.Attribute attribute -> attribute(attribute, scope);
      case Expr.Call call -> call(call, scope);
      case Expr.Subscript subscript -> subscript(subscript, scope);
      case Expr.Slice slice ->
          new Value.Slice(
              bound(slice.lower(), scope), bound(slice.upper(), scope), bound(slice.step(), scope));
      case Expr.TupleDisplay tuple -> new TupleValue(elements(tuple.elements(), scope));
      case Expr.ListDisplay list -> new ListValue(elements(list.elements(), scope));
      case Expr.SetDisplay set -> {
        SetValue result = new SetValue(false);
        elements(set.elements(), scope).forEach(result::add);
        yield result;
      }
      case Expr.DictDisplay dict -> dict(dict, scope);
      case Expr.Unary unary -> unary(unary, scope);
      case Expr.Binary binary -> binary(binary, scope);
      case Expr.BoolOperation operation -> logic(operation, scope);
      case Expr.Comparison comparison -> comparison(comparison, scope);
      case Expr.Conditional choice ->
          interp.truth(eval(choice.condition(), scope))
              ? eval(choice.whenTrue(), scope)
              : eval(choice.whenFalse(), scope);
      case Expr.Lambda lambda ->
          new FunctionValue(
              "<lambda>",
              lambda.parameters(),
              defaults(lambda.parameters(), scope),
              new FunctionValue.Result(lambda.body()),
              scope);
      case Expr.Comprehension comprehension -> comprehension(comprehension, scope);
      case Expr.Starred starred ->
          throw Errors.refuse("can't use starred expression here", "", starred.span());
      case Expr.Walrus walrus -> {
        Value value = eval(walrus.value(), scope);
        scope.bindOutside(walrus.target().id(), value);
        yield value;
      }
      case Expr.Suspension suspension ->
          throw Errors.refuse(
              "'" + suspension.keyword() + "' is not available in scripts", "", suspension.span());
    };
  }

  private Value name(Expr.Name name, Scope scope) {
    budget.moveTo(name.span());
    Optional<Value> found = scope.find(name.id());
    if (found.isPresent()) {
      return found.get();
    }
    Value builtin = interp.builtins().get(name.id());
    if (builtin != null) {
      return builtin;
    }
    String hint = Nearest.hint(name.id(), scope.values().keySet());
    throw Errors.of(
        Exceptions.NAME_ERROR,
        "name '"
            + name.id()
            + "' is not defined"
            + (hint.startsWith("did") ? ". D" + hint.substring(1) : ""));
  }

  private Value bound(Optional<Expr> expression, Scope scope) {
    return expression.isEmpty() ? Value.NONE : eval(expression.get(), scope);
  }

  private Value attribute(Expr.Attribute attribute, Scope scope) {
    Value value = eval(attribute.value(), scope);
    budget.moveTo(attribute.span());
    return Attributes.get(value, attribute.name(), interp, attribute.nameSpan());
  }

  private Value subscript(Expr.Subscript subscript, Scope scope) {
    Value value = eval(subscript.value(), scope);
    Value index = index(subscript, scope);
    budget.moveTo(subscript.span());
    return Subscripts.item(value, index, interp);
  }

  private Value unary(Expr.Unary unary, Scope scope) {
    Value operand = eval(unary.operand(), scope);
    budget.moveTo(unary.span());
    return Operators.unary(unary.operator(), operand, interp);
  }

  private Value binary(Expr.Binary binary, Scope scope) {
    Value left = eval(binary.left(), scope);
    Value right = eval(binary.right(), scope);
    budget.moveTo(binary.span());
    return Operators.binary(binary.operator(), left, right, interp);
  }

  /** The last evaluated operand, with the claims of those before it joined to its own. */
  private Value logic(Expr.BoolOperation operation, Scope scope) {
    List<Claim.Term> claims = new ArrayList<>();
    Value value = Value.NONE;
    for (Expr operand : operation.operands()) {
      value = eval(operand, scope);
      Value.Bool truth = Operators.truthValue(value, interp);
      truth.claim().ifPresent(claim -> claims.add(new Claim.Term(claim, truth.inverted())));
      if (truth.value() != operation.isAnd()) {
        break;
      }
    }
    if (claims.isEmpty() || !(value instanceof Value.Bool || claims.size() > 1)) {
      return value;
    }
    boolean truth = interp.truth(value);
    return Value.of(truth, Claim.joined(claims, truth, operation.isAnd()));
  }

  private Value comparison(Expr.Comparison comparison, Scope scope) {
    Value left = eval(comparison.first(), scope);
    List<Claim.Term> claims = new ArrayList<>();
    Value result = Value.TRUE;
    for (int i = 0; i < comparison.operators().size(); i++) {
      Value right = eval(comparison.rest().get(i), scope);
      budget.moveTo(comparison.span());
      result = Comparisons.compare(comparison.operators().get(i), left, right, interp);
      if (comparison.operators().size() == 1) {
        return result;
      }
      Value.Bool truth = Operators.truthValue(result, interp);
      truth.claim().ifPresent(claim -> claims.add(new Claim.Term(claim, truth.inverted())));
      if (!truth.value()) {
        break;
      }
      left = right;
    }
    if (claims.isEmpty()) {
      return result;
    }
    boolean truth = interp.truth(result);
    return Value.of(truth, Claim.joined(claims, truth, true));
  }

  /** The entries of a dict, or of an object with {@code keys} and {@code __getitem__}. */
  private Iterable<DictValue.Entry> mapped(Value value) {
    if (value instanceof DictValue dict) {
      return dict.entries();
    }
    Optional<Value> keys = Operators.special(value, "keys");
    Optional<Value> get = Operators.special(value, "__getitem__");
    if (keys.isEmpty() || get.isEmpty()) {
      throw Errors.type("'" + Types.nameOf(value) + "' object is not a mapping");
    }
    List<DictValue.Entry> entries = new ArrayList<>();
    Iterator<Value> all =
        interp.iterate(interp.call(keys.get(), Arguments.of(value), budget.here()));
    while (all.hasNext()) {
      Value key = all.next();
      Value of = interp.call(get.get(), Arguments.of(value, key), budget.here());
      entries.add(new DictValue.Entry(key, of));
    }
    return entries;
  }

  private Value dict(Expr.DictDisplay display, Scope scope) {
    DictValue dict = new DictValue();
    for (Expr.DictEntry entry : display.entries()) {
      budget.objects(Sequences.ELEMENT_BYTES * 2);
      if (entry.key().isPresent()) {
        Value key = eval(entry.key().get(), scope);
        dict.put(key, eval(entry.value(), scope));
        continue;
      }
      mapped(eval(entry.value(), scope)).forEach(pair -> dict.put(pair.key(), pair.value()));
    }
    return dict;
  }

  /** The values of a display, which is kept, with {@code *values} spread. */
  private List<Value> elements(List<Expr> expressions, Scope scope) {
    budget.objects(expressions.size() * Sequences.ELEMENT_BYTES);
    return values(expressions, scope);
  }

  /**
   * The index of a subscript. A pair of numbers in it is forgotten at once, so that loops over the
   * elements of a tensor don't count as memory.
   */
  Value index(Expr.Subscript subscript, Scope scope) {
    return subscript.index() instanceof Expr.TupleDisplay tuple
        ? new TupleValue(values(tuple.elements(), scope))
        : eval(subscript.index(), scope);
  }

  /** Values, with {@code *values} spread. */
  private List<Value> values(List<Expr> expressions, Scope scope) {
    List<Value> values = new ArrayList<>(expressions.size());
    for (Expr expression : expressions) {
      if (expression instanceof Expr.Starred starred) {
        values.addAll(Iteration.toList(eval(starred.value(), scope), interp));
      } else {
        values.add(eval(expression, scope));
      }
    }
    return values;
  }

  private Value call(Expr.Call call, Scope scope) {
    if (call.function() instanceof Expr.Name name && name.id().equals("super")) {
      return SuperObject.find(scope);
    }
    Value callee = eval(call.function(), scope);
    List<Value> positional = values(call.arguments(), scope);
    Map<String, Value> named = call.keywords().isEmpty() ? Map.of() : named(call, scope);
    budget.moveTo(call.span());
    return interp.invoke(
        callee, new Arguments(positional, named), call.span(), Optional.of(call), scope);
  }

  private Map<String, Value> named(Expr.Call call, Scope scope) {
    Map<String, Value> named = new LinkedHashMap<>();
    for (Expr.Keyword keyword : call.keywords()) {
      Value value = eval(keyword.value(), scope);
      if (keyword.name().isPresent()) {
        put(named, keyword.name().get(), value);
        continue;
      }
      for (DictValue.Entry entry : mapped(value)) {
        budget.objects(Sequences.ELEMENT_BYTES * 2);
        if (!(entry.key() instanceof Value.Str text)) {
          throw Errors.type("keywords must be strings");
        }
        put(named, text.value(), entry.value());
      }
    }
    return named;
  }

  private static void put(Map<String, Value> named, String name, Value value) {
    if (named.put(name, value) != null) {
      throw Errors.type("got multiple values for keyword argument '" + name + "'");
    }
  }

  Map<String, Value> defaults(Parameters parameters, Scope scope) {
    Map<String, Value> defaults = new LinkedHashMap<>();
    List<Parameters.Parameter> all = new ArrayList<>(parameters.positional());
    all.addAll(parameters.keywordOnly());
    for (Parameters.Parameter parameter : all) {
      if (parameter.defaultValue().isPresent()) {
        defaults.put(parameter.name(), eval(parameter.defaultValue().get(), scope));
      }
    }
    return defaults;
  }

  private String formatted(List<Expr.FormatPart> parts, Scope scope) {
    StringBuilder out = new StringBuilder();
    for (Expr.FormatPart part : parts) {
      switch (part) {
        case Expr.TextPart text -> out.append(text.text());
        case Expr.FieldPart field -> out.append(field(field, scope));
      }
      budget.room(out.length());
    }
    budget.objects(out.length());
    return out.toString();
  }

  private String field(Expr.FieldPart field, Scope scope) {
    Value value = eval(field.value(), scope);
    String spec = formatted(field.spec(), scope);
    boolean debug = !field.debugText().isEmpty();
    String conversion =
        debug && field.conversion().isEmpty() && spec.isEmpty() ? "r" : field.conversion();
    return field.debugText() + StrFormat.converted(value, conversion, spec, interp);
  }

  private Value comprehension(Expr.Comprehension comprehension, Scope scope) {
    // Python evaluates the first iterable at once, in the scope around.
    Value first = eval(comprehension.clauses().getFirst().iterable(), scope);
    Scope inner = new Scope(Scope.Kind.COMPREHENSION, scope, Scope.Names.NONE);
    Iterator<Value> items =
        new ComprehensionIterator(comprehension, interp.iterate(first), inner, interp);
    return switch (comprehension.kind()) {
      case GENERATOR -> new IteratorValue("generator", items);
      case LIST -> {
        List<Value> list = new ArrayList<>();
        while (items.hasNext()) {
          budget.objects(Sequences.ELEMENT_BYTES);
          list.add(items.next());
        }
        yield new ListValue(list);
      }
      case SET -> {
        SetValue set = new SetValue(false);
        while (items.hasNext()) {
          budget.objects(Sequences.ELEMENT_BYTES);
          set.add(items.next());
        }
        yield set;
      }
      case DICT -> {
        DictValue dict = new DictValue();
        while (items.hasNext()) {
          budget.objects(Sequences.ELEMENT_BYTES * 2);
          TupleValue pair = (TupleValue) items.next();
          dict.put(pair.items().get(0), pair.items().get(1));
        }
        yield dict;
      }
    };
  }
}
