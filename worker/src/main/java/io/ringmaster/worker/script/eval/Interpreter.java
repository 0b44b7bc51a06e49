package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.builtin.Attributes;
import io.ringmaster.worker.script.builtin.Builtins;
import io.ringmaster.worker.script.builtin.Comparisons;
import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.builtin.Operators;
import io.ringmaster.worker.script.builtin.Renderer;
import io.ringmaster.worker.script.builtin.SourceText;
import io.ringmaster.worker.script.module.Modules;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.Session;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Module;
import io.ringmaster.worker.source.Span;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/** Runs one script from top to bottom. */
public final class Interpreter implements Interp {

  private final Session session;
  private final Modules modules;
  private final Map<String, Value> builtins;
  private final Expressions expressions;
  private final Statements statements;
  private final Calls calls;
  private final Renderer renderer;
  private final Scope module;
  private Scope current;

  public Interpreter(Session session, Modules modules) {
    this(session, modules, "__main__");
  }

  /**
   * Makes an interpreter.
   *
   * @param name what the script finds in {@code __name__}
   */
  public Interpreter(Session session, Modules modules, String name) {
    this.session = session;
    this.modules = modules;
    this.builtins = new HashMap<>(Builtins.table());
    builtins.put("__name__", Value.of(name));
    builtins.put("__file__", Value.of(session.source().name()));
    builtins.put("__doc__", Value.NONE);
    this.module = new Scope(Scope.Kind.MODULE, null, Scope.Names.NONE);
    this.current = module;
    this.expressions = new Expressions(this);
    this.statements = new Statements(this);
    this.calls = new Calls(this);
    this.renderer = new Renderer(this);
  }

  /** Gives a name of the module a value before it runs. */
  public void define(String name, Value value) {
    module.bind(name, value);
  }

  /** Runs the module's statements; what the script raises comes out. */
  public void run(Module script) {
    module.bind("__doc__", FunctionValue.docstring(script.body()));
    statements.module(script.body(), module);
  }

  /**
   * Problems that were seen before the script runs, with what is wrong with its programs.
   *
   * @param isWhole false where something of the script couldn't be read
   */
  public DiagnosticException refused(DiagnosticException problems, Module script, boolean isWhole) {
    return statements.refused(problems, script.body(), module, isWhole);
  }

  /** Names that need no definition in the script. */
  public static boolean isBuiltin(String name) {
    return Builtins.table().containsKey(name)
        || name.equals("__name__")
        || name.equals("__file__")
        || name.equals("__doc__")
        || name.equals("super");
  }

  @Override
  public Session session() {
    return session;
  }

  Modules modules() {
    return modules;
  }

  Map<String, Value> builtins() {
    return builtins;
  }

  @Override
  public Value evaluate(Expr expression, Scope names) {
    return expressions.eval(expression, names);
  }

  Expressions expressions() {
    return expressions;
  }

  Statements statements() {
    return statements;
  }

  Value eval(Expr expression, Scope scope) {
    return expressions.eval(expression, scope);
  }

  /** Calls a value from a call expression. */
  Value invoke(Value callee, Arguments arguments, Span at, Optional<Expr.Call> site, Scope scope) {
    Scope before = current;
    current = scope;
    try {
      return calls.call(callee, arguments, new Call(this, at, site));
    } finally {
      current = before;
    }
  }

  @Override
  public Value call(Value callee, Arguments arguments, Span at) {
    return calls.call(callee, arguments, new Call(this, at, Optional.empty()));
  }

  @Override
  public Iterator<Value> iterate(Value value) {
    return Iteration.over(value, this);
  }

  @Override
  public boolean truth(Value value) {
    return Operators.truthValue(value, this).value();
  }

  @Override
  public Value binary(Expr.BinaryOperator operator, Value left, Value right) {
    return Operators.binary(operator, left, right, this);
  }

  @Override
  public Value compare(Expr.CompareOperator operator, Value left, Value right) {
    return Comparisons.compare(operator, left, right, this);
  }

  @Override
  public boolean equal(Value left, Value right) {
    return Comparisons.equal(left, right, this, 0);
  }

  @Override
  public String str(Value value) {
    return renderer.str(value);
  }

  @Override
  public String repr(Value value) {
    return renderer.repr(value);
  }

  @Override
  public Value attribute(Value value, String name) {
    return Attributes.get(value, name, this, session.budget().here());
  }

  @Override
  public Optional<PyError> handling() {
    return statements.handling();
  }

  @Override
  public Optional<Value> module(String wanted) {
    return modules.find(wanted);
  }

  @Override
  public Map<String, Value> moduleNames() {
    return module.values();
  }

  @Override
  public String describe(Call call, int position) {
    if (call.site().isEmpty() || position >= call.site().get().arguments().size()) {
      return "";
    }
    return describe(call.site().get().arguments().get(position));
  }

  /** {@code y[r]} becomes {@code y[2]} when r is 2; anything else stays as written. */
  private String describe(Expr expression) {
    if (expression instanceof Expr.Subscript subscript
        && subscript.index() instanceof Expr.Name index) {
      Optional<Value> value = valueOf(index.id());
      if (value.isPresent() && value.get() instanceof Value.Int number) {
        return describe(subscript.value()) + "[" + number.value() + "]";
      }
    }
    return SourceText.of(session, expression.span());
  }

  private Optional<Value> valueOf(String name) {
    return Optional.ofNullable(current.values().get(name));
  }
}
