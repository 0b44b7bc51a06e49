package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.module.DynamicDimValue;
import io.ringmaster.worker.script.module.KernelValue;
import io.ringmaster.worker.script.module.PathValue;
import io.ringmaster.worker.script.module.ProgramValue;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import java.util.List;
import java.util.Set;

/** Knows which statements of a scope can be executed without running or launching anything. */
record Harmless(Definitions definitions, Scope scope) {

  /** Functions of Python that give the same for the same numbers and change nothing. */
  private static final Set<String> ARITHMETIC =
      Set.of("len", "min", "max", "abs", "sum", "int", "float", "bool", "round");

  /** True for a statement that binds names and runs no line of the script. */
  boolean isDefinition(Stmt statement) {
    return switch (statement) {
      case Stmt.ClassDef def ->
          !def.decorators().isEmpty()
              && def.decorators().stream().allMatch(d -> definitions.isOfKernels(d, scope));
      case Stmt.FunctionDef def ->
          def.decorators().stream().allMatch(d -> definitions.isOfKernels(d, scope))
              && def.parameters().positional().stream()
                  .allMatch(p -> p.defaultValue().filter(v -> !isConstant(v)).isEmpty())
              && def.parameters().keywordOnly().stream()
                  .allMatch(p -> p.defaultValue().filter(v -> !isConstant(v)).isEmpty());
      case Stmt.Assign assign ->
          assign.targets().stream().allMatch(Harmless::isName) && isConstant(assign.value());
      case Stmt.AnnotatedAssign assign ->
          isName(assign.target()) && assign.value().filter(v -> !isConstant(v)).isEmpty();
      case Stmt.Import _, Stmt.ImportFrom _, Stmt.Pass _ -> true;
      case Stmt.ExprStmt expression -> expression.value() instanceof Expr.StringLiteral;
      default -> false;
    };
  }

  private static boolean isName(Expr target) {
    return switch (target) {
      case Expr.Name _ -> true;
      case Expr.TupleDisplay tuple -> tuple.elements().stream().allMatch(Harmless::isName);
      default -> false;
    };
  }

  /** True for what can be computed without running a line of the script or a kernel. */
  boolean isConstant(Expr value) {
    return switch (value) {
      case Expr.Name name -> isPlain(name) || !scope.find(name.id()).isPresent();
      case Expr.Attribute attribute -> isOfLibrary(attribute);
      case Expr.Call call -> isHarmless(call.function()) && all(Children.of(call), call.function());
      case Expr.Lambda _, Expr.Comprehension _, Expr.Walrus _, Expr.Suspension _ -> false;
      default -> all(Children.of(value), value);
    };
  }

  private boolean all(List<Expr> parts, Expr except) {
    return parts.stream().allMatch(part -> part.equals(except) || isConstant(part));
  }

  private boolean isPlain(Expr.Name name) {
    return scope
        .find(name.id())
        .filter(
            value ->
                isFixed(value)
                    || (value instanceof ListValue list
                        && list.items().stream().allMatch(Harmless::isFixed)))
        .isPresent();
  }

  private boolean isOfLibrary(Expr.Attribute attribute) {
    Expr first = attribute;
    while (first instanceof Expr.Attribute inner) {
      first = inner.value();
    }
    return first instanceof Expr.Name name
        && scope
            .find(name.id())
            .filter(value -> value instanceof PathValue || value instanceof ModuleValue)
            .isPresent();
  }

  private boolean isHarmless(Expr callee) {
    return switch (callee) {
      case Expr.Name name -> ARITHMETIC.contains(name.id()) && !scope.find(name.id()).isPresent();
      case Expr.Attribute attribute ->
          attribute.name().equals("dynamic")
              && isOfLibrary(attribute)
              && attribute.value() instanceof Expr.Name name
              && scope.find(name.id()).filter(PathValue.class::isInstance).isPresent();
      default -> false;
    };
  }

  /** True for values that nothing changes once they are there. */
  static boolean isFixed(Value value) {
    return switch (value) {
      case Value.None _, Value.Bool _, Value.Int _, Value.Float _, Value.Str _ -> true;
      case PathValue _, ModuleValue _, NativeFunction _, DynamicDimValue _ -> true;
      case ProgramValue _, KernelValue _, FunctionValue _ -> true;
      case TupleValue tuple -> tuple.items().stream().allMatch(Harmless::isFixed);
      default -> false;
    };
  }
}
