package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.frontend.JitBuilder;
import io.ringmaster.worker.script.LimitExceeded;
import io.ringmaster.worker.script.module.DynamicDimValue;
import io.ringmaster.worker.script.module.KernelValue;
import io.ringmaster.worker.script.module.PathValue;
import io.ringmaster.worker.script.module.ProgramValue;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.DiagnosticList;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.source.SyntaxChildren;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds what else is wrong with a script that was refused: reads the definitions of its module
 * level, and nothing that calls or launches. A name is in doubt when a statement that would have
 * bound or changed it was left out; a definition that leans on such a name is left out too, so that
 * no error is the consequence of another.
 */
final class FurtherPrograms {

  /** Functions of Python that give the same for the same numbers and change nothing. */
  private static final Set<String> ARITHMETIC =
      Set.of("len", "min", "max", "abs", "sum", "int", "float", "bool", "round");

  private final Interpreter interp;
  private final Definitions definitions;
  private final Scope scope;
  private final List<Stmt> body;
  private final Set<Diagnostic> found;
  private final Set<String> doubted = new HashSet<>();
  private final Set<String> globals;
  private final Map<String, Set<String>> mentioned = new HashMap<>();

  private FurtherPrograms(
      Interpreter interp,
      Definitions definitions,
      Scope scope,
      List<Stmt> body,
      DiagnosticException first) {
    this.interp = interp;
    this.definitions = definitions;
    this.scope = scope;
    this.body = body;
    this.globals = StaticChecker.globalsDeclared(body);
    this.found = new LinkedHashSet<>(first.diagnostics());
    for (Stmt statement : body) {
      Optional<String> name = defined(statement);
      if (name.isPresent()) {
        mentioned.computeIfAbsent(name.get(), _ -> new HashSet<>()).addAll(Mentions.of(statement));
      }
    }
  }

  /** A refusal of the statement at {@code index}, with what is wrong with the programs below it. */
  static DiagnosticException after(
      int index,
      DiagnosticException refusal,
      List<Stmt> body,
      Interpreter interp,
      Definitions definitions,
      Scope scope) {
    var further = new FurtherPrograms(interp, definitions, scope, body, refusal);
    further.leaveOut(body.get(index));
    further.read(index + 1, Set.of());
    return further.together(refusal);
  }

  /** Problems seen before anything ran, with what is wrong with the programs of the script. */
  static DiagnosticException beside(
      DiagnosticException problems,
      List<Stmt> body,
      Interpreter interp,
      Definitions definitions,
      Scope scope) {
    var further = new FurtherPrograms(interp, definitions, scope, body, problems);
    further.read(0, further.touched(problems));
    return further.together(problems);
  }

  private DiagnosticException together(DiagnosticException first) {
    if (found.size() == first.diagnostics().size()) {
      return first;
    }
    List<Diagnostic> all = new ArrayList<>(found);
    all.sort(
        Comparator.comparingInt((Diagnostic d) -> d.span().line())
            .thenComparingInt(d -> d.span().column()));
    return new DiagnosticException(all);
  }

  /** The statements, by position, in which problems lie. */
  private Set<Integer> touched(DiagnosticException problems) {
    Set<Integer> touched = new HashSet<>();
    List<Span> unread = new ArrayList<>();
    body.forEach(statement -> unread(statement, unread));
    for (Diagnostic problem : problems.diagnostics()) {
      int line = problem.span().line();
      if (unread.stream().anyMatch(span -> span.line() <= line && line <= span.endLine())) {
        continue;
      }
      int at = 0;
      while (at + 1 < body.size() && firstLine(body.get(at + 1)) <= line) {
        at++;
      }
      touched.add(at);
      // Several statements may share a line.
      while (at > 0 && firstLine(body.get(at - 1)) == line) {
        at--;
        touched.add(at);
      }
    }
    return touched;
  }

  /** The places of statements that couldn't be read: they are left out where they stand. */
  private static void unread(Stmt statement, List<Span> places) {
    if (statement instanceof Stmt.Unread unread) {
      places.add(unread.span());
    }
    SyntaxChildren.statementsOf(statement).forEach(inner -> unread(inner, places));
  }

  private static int firstLine(Stmt statement) {
    List<Expr> decorators =
        switch (statement) {
          case Stmt.FunctionDef def -> def.decorators();
          case Stmt.ClassDef def -> def.decorators();
          default -> List.of();
        };
    return decorators.stream()
        .mapToInt(decorator -> decorator.span().line())
        .reduce(statement.span().line(), Math::min);
  }

  private void read(int from, Set<Integer> leftOut) {
    try {
      for (int i = from; i < body.size() && found.size() < DiagnosticList.MOST_KEPT; i++) {
        Stmt statement = body.get(i);
        if (leftOut.contains(i) || !isDefinition(statement) || isInDoubt(statement)) {
          leaveOut(statement);
        } else {
          define(statement);
        }
      }
      readUncalled();
    } catch (LimitExceeded | StackOverflowError | OutOfMemoryError enough) {
      // What was found up to here is said; the script is refused whatever stands below.
      return;
    }
  }

  /** Reads the free functions that no call of this run has reached. */
  private void readUncalled() {
    Set<String> expected = reached(ExpectedErrors.in(body));
    for (Stmt statement : body) {
      if (statement instanceof Stmt.FunctionDef def
          && scope.values().get(def.name()) instanceof KernelValue kernel
          && kernel.closure().definition().equals(def)
          && !expected.contains(def.name())
          && !doubted.contains(def.name())
          && !isInDoubt(def)) {
        Set<Span> places = found.stream().map(Diagnostic::span).collect(Collectors.toSet());
        JitBuilder.withoutCall(kernel.closure()).stream()
            .filter(diagnostic -> !places.contains(diagnostic.span()))
            .forEach(found::add);
      }
    }
  }

  private void define(Stmt statement) {
    try {
      interp.statements().block(List.of(statement), scope);
      doubted.removeAll(Names.ofBlock(List.of(statement)).locals());
    } catch (PyError error) {
      error.refusal().ifPresent(refusal -> found.addAll(refusal.diagnostics()));
      leaveOut(statement);
    } catch (DiagnosticException refusal) {
      found.addAll(refusal.diagnostics());
      leaveOut(statement);
    }
  }

  /** From here on nobody knows what the statement would have bound or changed. */
  private void leaveOut(Stmt statement) {
    doubted.addAll(Names.ofBlock(List.of(statement)).locals());
    if (statement instanceof Stmt.FunctionDef || statement instanceof Stmt.ClassDef) {
      return;
    }
    doubted.addAll(globals);
    for (String name : reached(Mentions.of(statement))) {
      Value value = scope.values().get(name);
      if (value != null && !isFixed(value)) {
        doubted.add(name);
      }
    }
  }

  private boolean isInDoubt(Stmt statement) {
    return reached(Mentions.of(statement)).stream().anyMatch(doubted::contains);
  }

  /** Names, and those that the module's definitions of these names mention. */
  private Set<String> reached(Set<String> names) {
    Set<String> all = new HashSet<>(names);
    Deque<String> open = new ArrayDeque<>(names);
    while (!open.isEmpty()) {
      interp.session().budget().step();
      for (String next : mentioned.getOrDefault(open.pop(), Set.of())) {
        if (all.add(next)) {
          open.push(next);
        }
      }
    }
    return all;
  }

  private static Optional<String> defined(Stmt statement) {
    return switch (statement) {
      case Stmt.FunctionDef def -> Optional.of(def.name());
      case Stmt.ClassDef def -> Optional.of(def.name());
      default -> Optional.empty();
    };
  }

  private boolean isDefinition(Stmt statement) {
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
          assign.targets().stream().allMatch(FurtherPrograms::isName) && isConstant(assign.value());
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
      case Expr.TupleDisplay tuple -> tuple.elements().stream().allMatch(FurtherPrograms::isName);
      default -> false;
    };
  }

  /** True for what can be computed without running a line of the script or a kernel. */
  private boolean isConstant(Expr value) {
    return switch (value) {
      case Expr.Name name -> isPlain(name) || !scope.values().containsKey(name.id());
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
    return Optional.ofNullable(scope.values().get(name.id()))
        .filter(
            value ->
                isFixed(value)
                    || (value instanceof ListValue list
                        && list.items().stream().allMatch(FurtherPrograms::isFixed)))
        .isPresent();
  }

  private boolean isOfLibrary(Expr.Attribute attribute) {
    Expr first = attribute;
    while (first instanceof Expr.Attribute inner) {
      first = inner.value();
    }
    return first instanceof Expr.Name name
        && (scope.values().get(name.id()) instanceof PathValue
            || scope.values().get(name.id()) instanceof ModuleValue);
  }

  private boolean isHarmless(Expr callee) {
    return switch (callee) {
      case Expr.Name name ->
          ARITHMETIC.contains(name.id()) && !scope.values().containsKey(name.id());
      case Expr.Attribute attribute ->
          attribute.name().equals("dynamic")
              && isOfLibrary(attribute)
              && attribute.value() instanceof Expr.Name name
              && scope.values().get(name.id()) instanceof PathValue;
      default -> false;
    };
  }

  /** True for values that nothing changes once they are there. */
  private static boolean isFixed(Value value) {
    return switch (value) {
      case Value.None _, Value.Bool _, Value.Int _, Value.Float _, Value.Str _ -> true;
      case PathValue _, ModuleValue _, NativeFunction _, DynamicDimValue _ -> true;
      case ProgramValue _, KernelValue _, FunctionValue _ -> true;
      case TupleValue tuple -> tuple.items().stream().allMatch(FurtherPrograms::isFixed);
      default -> false;
    };
  }
}
