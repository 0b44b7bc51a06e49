package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.script.module.UnknownValue;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Parameters;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.source.SyntaxChildren;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToLongFunction;

/**
 * Reads programs that lean on values nobody knows: on parameters of the functions that build them,
 * on what a statement would have bound that was left out. A name that stands for an extent gets
 * numbers, several in turn, a parameter with a default the default; what leans on any other says
 * nothing. Only what is wrong whatever the numbers are is told.
 */
final class GuessedPrograms {

  /** The numbers of a reading, by how many names were given one before. */
  private static final List<IntToLongFunction> READINGS =
      List.of(
          _ -> 2, _ -> 3, _ -> 64, n -> 2L << Math.min(4 * n, 8), n -> 512L >> Math.min(4 * n, 8));

  private final Interpreter interp;
  private final Definitions definitions;
  private final List<Stmt> body;
  private final ProblemLines problems;
  private final Set<String> extents = new HashSet<>();

  /** What was read with its real values has been said. */
  private final Set<Stmt> reached;

  private Set<String> expected = Set.of();

  /** What is heard, and the numbers given, in the reading that goes on. */
  private Map<Said, Diagnostic> heard = new LinkedHashMap<>();

  private final Map<String, Integer> given = new HashMap<>();
  private IntToLongFunction numbers = READINGS.getFirst();

  private record Said(String message, Span span) {}

  /**
   * A statement of the module that wasn't executed, or that made sure what another had put in
   * doubt.
   *
   * @param names what it would have bound or changed; what it made sure
   */
  record Unsure(Stmt statement, Why why, Set<String> names) {

    /** The same, of which only the names are known. */
    Unsure unread() {
      return why == Why.LEANS ? new Unsure(statement, Why.LEFT_OUT, names) : this;
    }
  }

  /** What there is to say of a statement. */
  enum Why {
    LEFT_OUT,
    /** A definition that only leans on names in doubt. */
    LEANS,
    MADE_SURE
  }

  GuessedPrograms(
      Interpreter interp, Definitions definitions, List<Stmt> body, DiagnosticException problems) {
    this.interp = interp;
    this.definitions = definitions;
    this.body = body;
    this.reached = definitions.reached();
    this.problems = new ProblemLines(problems, body);
    int before;
    do {
      before = extents.size();
      body.forEach(statement -> findExtents(statement, false));
    } while (extents.size() > before);
  }

  /** What every reading says. */
  List<Diagnostic> read(List<Unsure> unsure, Scope module, Set<String> expectedToFail) {
    expected = expectedToFail;
    List<Map<Said, Diagnostic>> all = new ArrayList<>();
    for (IntToLongFunction reading : READINGS) {
      numbers = reading;
      heard = new LinkedHashMap<>();
      given.clear();
      readModule(unsure, module);
      all.add(heard);
      if (heard.isEmpty()) {
        return List.of();
      }
    }
    return all.getFirst().entrySet().stream()
        .filter(said -> all.stream().allMatch(other -> other.containsKey(said.getKey())))
        .map(Map.Entry::getValue)
        .toList();
  }

  private void readModule(List<Unsure> unsure, Scope module) {
    Scope scope = inside(module);
    for (Unsure one : unsure) {
      switch (one.why()) {
        case MADE_SURE -> scope.values().keySet().removeAll(one.names());
        case LEANS -> define(one.statement(), scope);
        case LEFT_OUT -> {
          one.names().forEach(name -> bindUnknown(name, scope));
          readBranches(one.statement(), scope);
        }
      }
    }
    readUncalled(
        unsure.stream().filter(one -> one.why() == Why.LEANS).map(Unsure::statement).toList(),
        scope);
    readFactories(body, scope, Integer.MAX_VALUE);
  }

  /** Reads a block: the body of a function, the branch of a condition. */
  private void readBlock(List<Stmt> block, Scope scope, int end) {
    Set<Integer> touched = problems.touched(block, end);
    for (int i = 0; i < block.size(); i++) {
      Stmt statement = block.get(i);
      if (!touched.contains(i) && new Harmless(definitions, scope).isDefinition(statement)) {
        define(statement, scope);
      } else {
        Names.ofBlock(List.of(statement)).locals().forEach(name -> bindUnknown(name, scope));
        readBranches(statement, scope);
      }
    }
    readUncalled(block, scope);
    readFactories(block, scope, end);
  }

  private void readBranches(Stmt statement, Scope scope) {
    switch (statement) {
      case Stmt.If branch -> {
        readBlock(branch.body(), inside(scope), Integer.MAX_VALUE);
        readBlock(branch.orElse(), inside(scope), Integer.MAX_VALUE);
      }
      case Stmt.For loop -> readBlock(loop.body(), inside(scope), Integer.MAX_VALUE);
      case Stmt.While loop -> readBlock(loop.body(), inside(scope), Integer.MAX_VALUE);
      default -> {}
    }
  }

  private void readFactories(List<Stmt> block, Scope scope, int end) {
    for (int i = 0; i < block.size(); i++) {
      int last = ProblemLines.lastLine(block, i, end);
      switch (block.get(i)) {
        case Stmt.FunctionDef def when mayBeFactory(def, scope) -> readFactory(def, scope, last);
        case Stmt.ClassDef def
            when !expected.contains(def.name())
                && def.decorators().stream().noneMatch(d -> definitions.isOfKernels(d, scope)) ->
            readFactories(def.body(), scope, last);
        default -> {}
      }
    }
  }

  private boolean mayBeFactory(Stmt.FunctionDef def, Scope scope) {
    return !expected.contains(def.name())
        && !def.isAsync()
        && def.decorators().stream().noneMatch(d -> definitions.isOfKernels(d, scope))
        && !ExpectedErrors.isExpecting(def)
        && holdsDefinitions(def);
  }

  private static boolean holdsDefinitions(Stmt statement) {
    return SyntaxChildren.statementsOf(statement).stream()
        .anyMatch(
            inner ->
                switch (inner) {
                  case Stmt.ClassDef def -> !def.decorators().isEmpty();
                  case Stmt.FunctionDef def -> !def.decorators().isEmpty() || holdsDefinitions(def);
                  default -> holdsDefinitions(inner);
                });
  }

  private void readFactory(Stmt.FunctionDef def, Scope around, int last) {
    Scope scope = inside(around);
    Names.ofFunction(def.parameters(), def.body())
        .locals()
        .forEach(name -> scope.bind(name, new UnknownValue(name)));
    def.parameters().positional().forEach(parameter -> bindParameter(parameter, scope, around));
    def.parameters().keywordOnly().forEach(parameter -> bindParameter(parameter, scope, around));
    readBlock(def.body(), scope, last);
  }

  private void bindParameter(Parameters.Parameter parameter, Scope scope, Scope around) {
    bindUnknown(parameter.name(), scope);
    parameter
        .defaultValue()
        .filter(value -> new Harmless(definitions, around).isConstant(value))
        .ifPresent(
            value ->
                attempt(() -> scope.bind(parameter.name(), interp.eval(value, around)), false));
  }

  /** A value nobody knows, or a number where only a number makes sense. */
  private void bindUnknown(String name, Scope scope) {
    if (extents.contains(name)) {
      int number = given.computeIfAbsent(name, _ -> given.size());
      scope.bind(name, new Value.Int(BigInteger.valueOf(numbers.applyAsLong(number))));
    } else {
      scope.bind(name, new UnknownValue(name));
    }
  }

  private void define(Stmt statement, Scope scope) {
    Set<String> names = Names.ofBlock(List.of(statement)).locals();
    boolean isLeftOut =
        reached.contains(statement)
            || (statement instanceof Stmt.ClassDef def && expected.contains(def.name()));
    // Imports that never run, as those for annotations, may lack what they name.
    boolean isSaid = !(statement instanceof Stmt.Import || statement instanceof Stmt.ImportFrom);
    if (isLeftOut || !attempt(() -> interp.statements().block(List.of(statement), scope), isSaid)) {
      names.forEach(name -> bindUnknown(name, scope));
    }
  }

  /** Does something, and keeps what is wrong with it; false when something is. */
  private boolean attempt(Runnable work, boolean isSaid) {
    List<Diagnostic> warnings = interp.session().warnings();
    int before = warnings.size();
    try {
      work.run();
      return true;
    } catch (PyError error) {
      error.refusal().filter(_ -> isSaid).ifPresent(refusal -> hear(refusal.diagnostics()));
      return false;
    } catch (DiagnosticException refusal) {
      if (isSaid) {
        hear(refusal.diagnostics());
      }
      return false;
    } catch (Refusal _) {
      // It leans on a value that nobody knows.
      return false;
    } finally {
      warnings.subList(before, warnings.size()).clear();
    }
  }

  private void hear(List<Diagnostic> all) {
    all.forEach(one -> heard.putIfAbsent(new Said(one.message(), one.span()), one));
  }

  private void readUncalled(List<Stmt> block, Scope scope) {
    hear(
        UncalledFunctions.problems(
            block,
            scope,
            def -> !expected.contains(def.name()) && !reached.contains(def),
            heard.values()));
  }

  private static Scope inside(Scope around) {
    return new Scope(Scope.Kind.FUNCTION, around, Scope.Names.NONE);
  }

  /** Notes the names that stand for extents of tensors and for numbers of rounds. */
  private void findExtents(Stmt statement, boolean isKernel) {
    boolean inKernel = isKernel;
    switch (statement) {
      case Stmt.FunctionDef def -> {
        inKernel |= !def.decorators().isEmpty();
        def.parameters().positional().forEach(p -> p.annotation().ifPresent(this::findInShapes));
        def.returns().ifPresent(this::findInShapes);
      }
      case Stmt.ClassDef def -> inKernel |= !def.decorators().isEmpty();
      case Stmt.Assign assign when !isKernel -> {
        if (assign.targets().stream()
            .anyMatch(target -> target instanceof Expr.Name(var id, _) && extents.contains(id))) {
          findInExtent(assign.value());
        }
      }
      default -> {}
    }
    for (Stmt inner : SyntaxChildren.statementsOf(statement)) {
      findExtents(inner, inKernel);
    }
  }

  private void findInShapes(Expr annotation) {
    if (annotation instanceof Expr.ListDisplay shape) {
      shape.elements().forEach(this::findInExtent);
    }
    SyntaxChildren.of(annotation).forEach(this::findInShapes);
  }

  private void findInExtent(Expr extent) {
    switch (extent) {
      case Expr.Name name -> extents.add(name.id());
      case Expr.Binary binary -> {
        findInExtent(binary.left());
        findInExtent(binary.right());
      }
      case Expr.Unary unary -> findInExtent(unary.operand());
      default -> {}
    }
  }
}
