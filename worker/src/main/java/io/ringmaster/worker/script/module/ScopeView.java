package io.ringmaster.worker.script.module;

import io.ringmaster.worker.frontend.ClosureScope;
import io.ringmaster.worker.frontend.ClosureValue;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The script's names as a kernel sees them. */
public record ScopeView(Scope scope, Interp interp) implements ClosureScope {

  @Override
  public Optional<ClosureValue> lookup(String name) {
    return scope.find(name).map(ScopeView::convert);
  }

  @Override
  public Optional<ClosureValue> evaluate(Expr expression) {
    try {
      return Optional.of(convert(interp.evaluate(expression, scope)));
    } catch (PyError raised) {
      throw Refusal.of(
          String.valueOf(raised.getMessage()),
          "Python evaluates annotations when the function is defined",
          expression.span());
    }
  }

  @Override
  public Set<String> unknown() {
    return scope.namesOf(UnknownValue.class::isInstance);
  }

  /** A script value as a closure value. */
  static ClosureValue convert(Value value) {
    return switch (value) {
      case Value.Int number when number.value().bitLength() <= 63 ->
          new ClosureValue.Int(Convert.fit(number.value(), "closure value"));
      case Value.Float number -> new ClosureValue.Float(number.value());
      case Value.Bool bool -> new ClosureValue.Bool(bool.value());
      case Value.Str text -> new ClosureValue.Text(text.value());
      case Value.None none -> new ClosureValue.None();
      case ListValue list -> sequence(list.items());
      case TupleValue tuple -> sequence(tuple.items());
      case PathValue path ->
          path.dtype()
              .<ClosureValue>map(ClosureValue.Dtype::new)
              .orElse(new ClosureValue.Path(path.qualifiedName()));
      case DynamicDimValue dim -> new ClosureValue.DynamicDim(dim.name());
      case KernelValue kernel -> kernel.closure();
      case TypeValue type -> new ClosureValue.Annotation(type.name(), convert(type.index()));
      case InstanceValue member when member.countsAs().isPresent() ->
          convert(member.countsAs().get());
      case UnknownValue _ -> throw Refusal.silent();
      case ModuleValue module -> new ClosureValue.Path(module.name());
      default -> new ClosureValue.Unsupported(Types.nameOf(value));
    };
  }

  private static ClosureValue sequence(List<Value> items) {
    return new ClosureValue.Sequence(items.stream().map(ScopeView::convert).toList());
  }
}
