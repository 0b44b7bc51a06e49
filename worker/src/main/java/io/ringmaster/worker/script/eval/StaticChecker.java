package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.builtin.Attributes;
import io.ringmaster.worker.script.module.Modules;
import io.ringmaster.worker.script.module.PathValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.Nearest;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.DiagnosticList;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Module;
import io.ringmaster.worker.source.Parameters;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.source.SyntaxChildren;
import io.ringmaster.worker.stop.StopOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Looks through a whole script before anything runs: every import must be known, every name must be
 * bound somewhere, no construct may be one that the evaluator refuses. The bodies of kernels are
 * left to the front end.
 */
public final class StaticChecker {

  private static final String NO_ASYNC =
      "write it without async and await: a call returns when its kernels have ended";

  /** Built-ins of Python that scripts don't have: they reach outside or into the machinery. */
  private static final Set<String> WITHHELD =
      Set.of(
          "open",
          "exec",
          "eval",
          "compile",
          "__import__",
          "globals",
          "locals",
          "dir",
          "input",
          "breakpoint",
          "memoryview",
          "bytes",
          "bytearray",
          "id",
          "help",
          "complex",
          "delattr",
          "ascii",
          "aiter",
          "anext");

  private final Modules modules;
  private final List<Diagnostic> problems = new ArrayList<>();
  private final Map<String, Value> imported = new HashMap<>();
  private final Set<String> rebound = new HashSet<>();
  private final Set<String> unread = new HashSet<>();
  private int guards;

  private StaticChecker(Modules modules) {
    this.modules = modules;
  }

  /**
   * Checks a script.
   *
   * @throws DiagnosticException with every problem found, in source order
   */
  public static void check(Module module, Modules modules) {
    StaticChecker checker = new StaticChecker(modules);
    Set<String> names = new HashSet<>(Names.ofBlock(module.body()).locals());
    names.addAll(globalsDeclared(module.body()));
    checker.collectImports(module.body());
    module.body().forEach(checker::collectUnread);
    checker.block(module.body(), new Level(Optional.empty(), names));
    if (!checker.problems.isEmpty()) {
      checker.problems.sort(
          java.util.Comparator.comparingInt((Diagnostic d) -> d.span().line())
              .thenComparingInt(d -> d.span().column()));
      throw new DiagnosticException(checker.problems);
    }
  }

  /** The names visible at a place. */
  private record Level(Optional<Level> around, Set<String> names) {
    boolean knows(String name) {
      return names.contains(name) || around.filter(level -> level.knows(name)).isPresent();
    }

    Set<String> all() {
      Set<String> all = new HashSet<>(names);
      around.ifPresent(level -> all.addAll(level.all()));
      return all;
    }

    Level inside(Set<String> more) {
      return new Level(Optional.of(this), more);
    }
  }

  /** Names that functions bind in the module through {@code global}. */
  static Set<String> globalsDeclared(List<Stmt> body) {
    Set<String> names = new HashSet<>();
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.FunctionDef def -> names.addAll(globalsDeclared(def.body()));
        case Stmt.ClassDef def -> names.addAll(globalsDeclared(def.body()));
        case Stmt.Global global -> names.addAll(global.names());
        case Stmt.Unread unread -> names.addAll(unread.names());
        default -> blocks(statement).forEach(block -> names.addAll(globalsDeclared(block)));
      }
    }
    return names;
  }

  /** Notes which module-level names are modules and nothing else. */
  private void collectImports(List<Stmt> body) {
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.Import imports -> {
          for (Stmt.Alias alias : imports.names()) {
            String top = alias.name().split("\\.", 2)[0];
            String target = alias.asName().isPresent() ? alias.name() : top;
            modules.find(target).ifPresent(m -> imported.put(alias.asName().orElse(top), m));
          }
        }
        case Stmt.ImportFrom imports -> {
          for (Stmt.Alias alias : imports.names()) {
            if (imports.level() == 0) {
              modules
                  .find(imports.module() + "." + alias.name())
                  .ifPresent(m -> imported.put(alias.asName().orElse(alias.name()), m));
            }
          }
        }
        case Stmt.Assign assign ->
            assign.targets().forEach(target -> rebound.addAll(Names.ofTarget(target)));
        default -> blocks(statement).forEach(this::collectImports);
      }
    }
  }

  static List<List<Stmt>> blocks(Stmt statement) {
    return switch (statement) {
      case Stmt.If choice -> List.of(choice.body(), choice.orElse());
      case Stmt.For loop -> List.of(loop.body(), loop.orElse());
      case Stmt.While loop -> List.of(loop.body(), loop.orElse());
      case Stmt.With with -> List.of(with.body());
      case Stmt.Try attempt -> {
        List<List<Stmt>> all = new ArrayList<>();
        all.add(attempt.body());
        attempt.handlers().forEach(handler -> all.add(handler.body()));
        all.add(attempt.orElse());
        all.add(attempt.finalBody());
        yield all;
      }
      case Stmt.Match match -> match.cases().stream().map(Stmt.Case::body).toList();
      default -> List.of();
    };
  }

  private void block(List<Stmt> body, Level level) {
    body.forEach(statement -> statement(statement, level));
  }

  private void statement(Stmt statement, Level level) {
    StopOrder.look();
    switch (statement) {
      case Stmt.FunctionDef def -> function(def, level, level);
      case Stmt.ClassDef def -> type(def, level);
      case Stmt.Import imports when guards == 0 ->
          imports
              .names()
              .forEach(alias -> attempt(() -> modules.require(alias.name(), alias.span())));
      case Stmt.ImportFrom imports when guards == 0 || takesAll(imports) ->
          imports.names().forEach(alias -> attempt(() -> modules.imported(imports, alias)));
      case Stmt.Try attempt when GuardedImports.isGuard(attempt) -> guarded(attempt, level);
      case Stmt.Unsupported unsupported ->
          report(
              "'" + unsupported.keyword() + "' is not available in scripts",
              wayOut(unsupported),
              unsupported.span());
      case Stmt.If choice when isTypeCheckingOnly(choice) -> block(choice.orElse(), level);
      case Stmt.For loop when loop.isAsync() ->
          report("'async for' is not available in scripts", NO_ASYNC, loop.span());
      case Stmt.With with when with.isAsync() ->
          report("'async with' is not available in scripts", NO_ASYNC, with.span());
      default -> {
        Optional<Expr.Suspension> yield = Yields.of(statement);
        List<Expr> parts =
            yield.isPresent() ? Yields.around(statement, yield.get()) : expressions(statement);
        parts.forEach(expression -> expression(expression, level));
        blocks(statement).forEach(block -> block(block, level));
      }
    }
  }

  private static boolean takesAll(Stmt.ImportFrom imports) {
    return imports.names().stream().anyMatch(alias -> alias.name().equals("*"));
  }

  private void guarded(Stmt.Try attempt, Level level) {
    expressions(attempt).forEach(expression -> expression(expression, level));
    guards++;
    block(attempt.body(), level);
    guards--;
    attempt.handlers().forEach(handler -> block(handler.body(), level));
    block(attempt.orElse(), level);
    block(attempt.finalBody(), level);
  }

  /** {@code if TYPE_CHECKING:} never runs; it imports names for annotations. */
  private static boolean isTypeCheckingOnly(Stmt.If choice) {
    return switch (choice.condition()) {
      case Expr.Name name -> name.id().equals("TYPE_CHECKING");
      case Expr.Attribute attribute -> attribute.name().equals("TYPE_CHECKING");
      default -> false;
    };
  }

  static List<Expr> expressions(Stmt statement) {
    List<Expr> all = new ArrayList<>();
    switch (statement) {
      case Stmt.ExprStmt expression -> all.add(expression.value());
      case Stmt.Assign assign -> {
        all.add(assign.value());
        all.addAll(assign.targets());
      }
      case Stmt.AugmentedAssign assign -> {
        all.add(assign.target());
        all.add(assign.value());
      }
      case Stmt.AnnotatedAssign assign -> {
        all.add(assign.target());
        assign.value().ifPresent(all::add);
      }
      case Stmt.Return end -> end.value().ifPresent(all::add);
      case Stmt.If choice -> all.add(choice.condition());
      case Stmt.While loop -> all.add(loop.condition());
      case Stmt.For loop -> {
        all.add(loop.target());
        all.add(loop.iterable());
      }
      case Stmt.With with -> {
        for (Stmt.WithItem item : with.items()) {
          all.add(item.context());
          item.target().ifPresent(all::add);
        }
      }
      case Stmt.Assert check -> {
        all.add(check.condition());
        check.message().ifPresent(all::add);
      }
      case Stmt.Raise raise -> {
        raise.exception().ifPresent(all::add);
        raise.cause().ifPresent(all::add);
      }
      case Stmt.Try attempt ->
          attempt.handlers().forEach(handler -> handler.type().ifPresent(all::add));
      case Stmt.Match match -> all.addAll(SyntaxChildren.expressionsOf(match));
      case Stmt.Delete delete -> all.addAll(delete.targets());
      case Stmt.FunctionDef def -> all.addAll(def.decorators());
      case Stmt.ClassDef def -> all.addAll(def.decorators());
      case Stmt.Import imports -> {}
      case Stmt.ImportFrom imports -> {}
      case Stmt.Global global -> {}
      case Stmt.Nonlocal nonlocal -> {}
      case Stmt.Pass pass -> {}
      case Stmt.Break stop -> {}
      case Stmt.Continue next -> {}
      case Stmt.Unread unread -> {}
      case Stmt.Unsupported unsupported -> {}
    }
    return all;
  }

  /** What to write instead of a statement that scripts don't have. */
  static String wayOut(Stmt.Unsupported unsupported) {
    return switch (unsupported.keyword()) {
      case "type" -> "assign the type to a name";
      default -> "";
    };
  }

  /**
   * Checks a function.
   *
   * @param around what its decorators and default values see: in a class, the class's names too
   * @param level what its body sees
   */
  private void function(Stmt.FunctionDef def, Level around, Level level) {
    if (def.isAsync()) {
      report("'async def' is not available in scripts", NO_ASYNC, def.span());
      return;
    }
    if (def.decorators().stream().anyMatch(this::isKernelDecorator)) {
      return;
    }
    def.decorators().forEach(decorator -> expression(decorator, around));
    defaults(def.parameters(), around);
    block(def.body(), level.inside(Names.ofFunction(def.parameters(), def.body()).locals()));
  }

  private void defaults(Parameters parameters, Level level) {
    List<Parameters.Parameter> all = new ArrayList<>(parameters.positional());
    all.addAll(parameters.keywordOnly());
    all.forEach(p -> p.defaultValue().ifPresent(value -> expression(value, level)));
  }

  private void type(Stmt.ClassDef def, Level level) {
    if (def.decorators().stream().anyMatch(this::isKernelDecorator)) {
      return;
    }
    def.decorators().forEach(decorator -> expression(decorator, level));
    def.bases().forEach(base -> expression(base, level));
    Level body = level.inside(Names.ofBlock(def.body()).locals());
    for (Stmt statement : def.body()) {
      // The bodies of methods don't see the class body's names.
      if (statement instanceof Stmt.FunctionDef method) {
        function(method, body, level);
      } else {
        statement(statement, body);
      }
    }
  }

  /** True for decorators out of the kernel language: what is below them isn't the script's. */
  private boolean isKernelDecorator(Expr decorator) {
    Expr first = decorator instanceof Expr.Call call ? call.function() : decorator;
    while (first instanceof Expr.Attribute attribute) {
      first = attribute.value();
    }
    return first instanceof Expr.Name name && imported.get(name.id()) instanceof PathValue;
  }

  private void expression(Expr expression, Level level) {
    switch (expression) {
      case Expr.Name name -> name(name, level);
      case Expr.Attribute attribute -> attribute(attribute, level);
      case Expr.Lambda lambda -> {
        defaults(lambda.parameters(), level);
        Set<String> names = Names.ofFunction(lambda.parameters(), List.of()).locals();
        expression(lambda.body(), level.inside(names));
      }
      case Expr.Comprehension comprehension -> comprehension(comprehension, level);
      case Expr.Suspension suspension ->
          report(
              "'" + suspension.keyword() + "' is not available in scripts",
              suspension.keyword().equals("await")
                  ? NO_ASYNC
                  : "write 'yield value' as a statement of its own",
              suspension.span());
      case Expr.BytesLiteral literal ->
          report("bytes are not available in scripts", "use a str", literal.span());
      case Expr.Walrus walrus -> expression(walrus.value(), level);
      default -> Children.of(expression).forEach(child -> expression(child, level));
    }
  }

  private void comprehension(Expr.Comprehension comprehension, Level level) {
    Set<String> names = new HashSet<>();
    Level inner = level.inside(names);
    for (Expr.ForClause clause : comprehension.clauses()) {
      expression(clause.iterable(), inner);
      names.addAll(Names.ofTarget(clause.target()));
      clause.conditions().forEach(condition -> expression(condition, inner));
    }
    expression(comprehension.element(), inner);
    comprehension.value().ifPresent(value -> expression(value, inner));
  }

  private void name(Expr.Name name, Level level) {
    if (level.knows(name.id()) || Interpreter.isBuiltin(name.id()) || mayBeUnread(name.id())) {
      return;
    }
    if (WITHHELD.contains(name.id())) {
      report(
          "'" + name.id() + "' is not available in scripts",
          "scripts have no files, no reflection and no way to run other code",
          name.span());
      return;
    }
    // Nobody reads the hints of the rest, and finding the nearest of many names takes its time.
    Set<String> known =
        new HashSet<>(problems.size() < DiagnosticList.MOST_SHOWN ? level.all() : Set.of());
    known.addAll(io.ringmaster.worker.script.builtin.Builtins.table().keySet());
    report("name '" + name.id() + "' is not defined", Nearest.near(name.id(), known), name.span());
  }

  /**
   * True for a name that a statement may define that couldn't be read, run into another perhaps.
   */
  private boolean mayBeUnread(String name) {
    return unread.stream().anyMatch(word -> word.startsWith(name) || name.startsWith(word));
  }

  private void collectUnread(Stmt statement) {
    if (statement instanceof Stmt.Unread text) {
      unread.addAll(text.words().stream().filter(word -> word.length() > 2).toList());
    }
    SyntaxChildren.statementsOf(statement).forEach(this::collectUnread);
  }

  private void attribute(Expr.Attribute attribute, Level level) {
    expression(attribute.value(), level);
    if (Attributes.isForbidden(attribute.name())) {
      report(Attributes.forbidden(attribute.name(), attribute.nameSpan()));
      return;
    }
    Optional<ModuleValue> module = moduleNamed(attribute.value());
    if (module.isPresent() && !module.get().members().containsKey(attribute.name())) {
      report(
          Errors.refuse(
              "module '" + module.get().name() + "' has no attribute '" + attribute.name() + "'",
              module.get().hint(attribute.name()),
              attribute.nameSpan()));
    }
  }

  /** The module that an expression surely stands for. */
  private Optional<ModuleValue> moduleNamed(Expr expression) {
    return switch (expression) {
      case Expr.Name name when !rebound.contains(name.id()) ->
          imported.get(name.id()) instanceof ModuleValue module
              ? Optional.of(module)
              : Optional.empty();
      case Expr.Attribute attribute ->
          moduleNamed(attribute.value())
              .filter(outer -> outer.members().get(attribute.name()) instanceof ModuleValue)
              .map(outer -> (ModuleValue) outer.members().get(attribute.name()));
      default -> Optional.empty();
    };
  }

  private void attempt(Runnable check) {
    try {
      check.run();
    } catch (DiagnosticException refused) {
      report(refused);
    }
  }

  private void report(String message, String hint, Span at) {
    report(Errors.refuse(message, hint, at));
  }

  private void report(DiagnosticException refused) {
    if (problems.size() < DiagnosticList.MOST_KEPT) {
      problems.addAll(refused.diagnostics());
    }
  }
}
