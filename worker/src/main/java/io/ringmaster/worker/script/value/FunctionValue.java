package io.ringmaster.worker.script.value;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Parameters;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A function or lambda of the script with the scope it was made in. */
public final class FunctionValue implements Value {

  private final String name;
  private final Parameters parameters;
  private final Map<String, Value> defaults;
  private final Body body;
  private final Scope scope;
  private Optional<ClassValue> owner = Optional.empty();
  private Optional<FunctionValue> wrapped = Optional.empty();
  private final Map<String, Value> attributes = new LinkedHashMap<>();

  /** What a call evaluates. */
  public sealed interface Body {}

  /**
   * The statements of a {@code def}.
   *
   * @param at where the function is defined
   */
  public record Block(List<Stmt> statements, Span at) implements Body {}

  /** The expression of a {@code lambda}. */
  public record Result(Expr expression) implements Body {}

  public FunctionValue(
      String name, Parameters parameters, Map<String, Value> defaults, Body body, Scope scope) {
    this.name = name;
    this.parameters = parameters;
    this.defaults = Map.copyOf(defaults);
    this.body = body;
    this.scope = scope;
  }

  /** The same function standing for another, as {@code functools.wraps} makes it. */
  public FunctionValue wrapping(FunctionValue other) {
    FunctionValue copy = new FunctionValue(other.name, parameters, defaults, body, scope);
    copy.owner = owner;
    copy.wrapped = Optional.of(other);
    copy.attributes.putAll(other.attributes);
    copy.attributes.put("__wrapped__", other);
    return copy;
  }

  /** The text with which a module, class or function begins; None without one. */
  public static Value docstring(List<Stmt> body) {
    return !body.isEmpty()
            && body.getFirst() instanceof Stmt.ExprStmt(Expr.StringLiteral(String text, _), _)
        ? Value.of(text)
        : Value.NONE;
  }

  /** What it says of itself. */
  public Value documentation() {
    return switch (innermost().body) {
      case Block block -> docstring(block.statements());
      case Result _ -> Value.NONE;
    };
  }

  /** The function that this one stands for. */
  public Optional<FunctionValue> wrapped() {
    return wrapped;
  }

  /** The function that has the parameters which callers see. */
  public FunctionValue innermost() {
    return wrapped.map(FunctionValue::innermost).orElse(this);
  }

  /** What the script keeps at the function: {@code f.calls = 0}. */
  public Map<String, Value> attributes() {
    return attributes;
  }

  public String name() {
    return name;
  }

  public Parameters parameters() {
    return parameters;
  }

  public Map<String, Value> defaults() {
    return defaults;
  }

  public Body body() {
    return body;
  }

  public Scope scope() {
    return scope;
  }

  /** Where it is defined; unknown for a lambda. */
  public Span definedAt() {
    return switch (body) {
      case Block block -> block.at();
      case Result result -> Span.NONE;
    };
  }

  /** The class whose body defined it; {@code super()} starts there. */
  public Optional<ClassValue> owner() {
    return owner;
  }

  /** Called once, when the class statement ends. */
  public void ownedBy(ClassValue definingClass) {
    owner = Optional.of(definingClass);
  }
}
