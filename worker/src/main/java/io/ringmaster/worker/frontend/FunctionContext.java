package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.ops.OpContext;
import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.Symbols;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** One function while its body is read: its names, the block being filled, its temporaries. */
final class FunctionContext implements OpContext {

  private static final int MOST_STATEMENTS = 50_000;

  private final Level level;
  private final String functionName;
  private final Messages messages;
  private final NameScope names = new NameScope();
  private final Deque<List<Stmt>> blocks = new ArrayDeque<>();
  private final Set<String> reserved;
  private final BodyForm form;
  private final Set<String> temporaries = new HashSet<>();
  private final Map<String, Integer> counters = new HashMap<>();
  private String base = "value";
  private int statements;
  private boolean anyUse;
  private Span statementCall = Span.NONE;
  private Optional<Expr.Var> blockIndex = Optional.empty();
  private Optional<Lane> lane = Optional.empty();

  /** {@code reserved} are the names of the source text, which temporaries must not take. */
  FunctionContext(Level level, String functionName, Messages messages, Set<String> reserved) {
    this(level, functionName, messages, reserved, BodyForm.CLASS);
  }

  FunctionContext(
      Level level, String functionName, Messages messages, Set<String> reserved, BodyForm form) {
    this.level = level;
    this.functionName = functionName;
    this.messages = messages;
    this.reserved = Set.copyOf(reserved);
    this.form = form;
    blocks.push(new ArrayList<>());
  }

  @Override
  public Level level() {
    return level;
  }

  @Override
  public String functionName() {
    return functionName;
  }

  @Override
  public Symbols symbols() {
    return names;
  }

  @Override
  public void warn(String message, String hint, Span span) {
    messages.warning(message, hint, span);
  }

  @Override
  public void note(Refusal refusal) {
    messages.add(refusal);
  }

  BodyForm form() {
    return form;
  }

  /** The number of the block that runs here; empty outside of {@code pl.spmd}. */
  Optional<Expr.Var> blockIndex() {
    return blockIndex;
  }

  /** The vector lane that runs here, and the axis along which tiles are split between lanes. */
  record Lane(String variable, int lanes, Optional<Integer> axis) {

    /** The number of lanes of a loop whose head was refused. */
    static final int UNKNOWN = 0;
  }

  /** Set while the body of {@code pl.split_aiv} is read. */
  Optional<Lane> lane() {
    return lane;
  }

  void setLane(Optional<Lane> inside) {
    lane = inside;
  }

  void setBlockIndex(Expr.Var variable) {
    blockIndex = Optional.of(variable);
  }

  NameScope names() {
    return names;
  }

  Messages messages() {
    return messages;
  }

  /** Names that the source of this function assigns somewhere. */
  Set<String> assignedNames() {
    return reserved;
  }

  /** Sets what temporaries of the statement that follows are named after. */
  void nameTemporariesAfter(String newBase) {
    base = newBase;
  }

  String temporaryBase() {
    return base;
  }

  /**
   * Counts a statement that is read, once for each copy that pl.unroll makes of it.
   *
   * @throws DiagnosticException when there are more than any kernel has
   */
  void countStatement(Span span) {
    if (++statements > MOST_STATEMENTS) {
      throw new DiagnosticException(
          Diagnostic.error(
              "function '"
                  + functionName
                  + "' has more than "
                  + MOST_STATEMENTS
                  + " statements, copies made by pl.unroll included, which is the limit",
              "use pl.range, or split the function",
              span));
    }
  }

  void emit(Stmt statement) {
    blocks.element().add(statement);
  }

  /** The call that follows is a statement of its own: nobody asks for its result. */
  void expectStatement(Span call) {
    statementCall = call;
  }

  boolean isStatement(Span call) {
    return statementCall.equals(call);
  }

  /** Leaves a gap for a statement that was refused. */
  void leaveGap(io.ringmaster.worker.source.Stmt statement) {
    emit(anyUse ? Gap.ofAnyUse(statement, names) : Gap.of(statement, names));
    anyUse = false;
  }

  /** The statement that is refused may have been meant to use a window that it doesn't name. */
  void expectAnyUse() {
    anyUse = true;
  }

  int emitted() {
    return blocks.element().size();
  }

  /** Opens a block; statements go there until {@link #closeBlock()}. */
  void openBlock() {
    blocks.push(new ArrayList<>());
  }

  List<Stmt> closeBlock() {
    return List.copyOf(blocks.pop());
  }

  @Override
  public Expr operand(Expr value) {
    return switch (value) {
      case Expr.Op op -> temporary(op, op.span());
      case Expr.Call call -> temporary(call, call.span());
      case Expr.IntConst _,
          Expr.FloatConst _,
          Expr.BoolConst _,
          Expr.Var _,
          Expr.Dim _,
          Expr.Binary _,
          Expr.Unary _,
          Expr.Convert _,
          Expr.TupleExpr _ ->
          value;
    };
  }

  @Override
  public Expr either(Expr condition, Expr whenTrue, Expr whenFalse, Span span) {
    String name = freshName(base);
    temporaries.add(name);
    Expr.Var variable = new Expr.Var(name, whenFalse.type(), span);
    emit(
        new Stmt.If(
            condition,
            List.of(new Stmt.Assign(variable, whenTrue, span)),
            List.of(new Stmt.Assign(variable, whenFalse, span)),
            span));
    names.define(name, whenFalse.type());
    return variable;
  }

  @Override
  public Expr freeze(Expr scalar) {
    return isFixed(scalar) ? scalar : temporary(scalar, scalar.span());
  }

  /** An extent that is the same wherever this function is called: constants and dynamic dims. */
  Optional<Expr> fixed(Expr extent) {
    OptionalLong known = Extent.of(extent, names).constant();
    if (known.isPresent()) {
      return Optional.of(new Expr.IntConst(known.getAsLong(), DType.INDEX, extent.span()));
    }
    return isOfDims(extent) ? Optional.of(extent) : Optional.empty();
  }

  /** True for constants, dynamic dims and arithmetic of those. */
  static boolean isOfDims(Expr extent) {
    return switch (extent) {
      case Expr.IntConst _, Expr.Dim _ -> true;
      case Expr.Binary binary -> isOfDims(binary.left()) && isOfDims(binary.right());
      case Expr.Unary unary -> isOfDims(unary.operand());
      case Expr.Convert convert -> isOfDims(convert.operand());
      case Expr other -> false;
    };
  }

  private boolean isFixed(Expr expr) {
    return switch (expr) {
      case Expr.IntConst _, Expr.FloatConst _, Expr.BoolConst _, Expr.Dim _ -> true;
      case Expr.Var variable -> temporaries.contains(variable.name());
      case Expr.Binary binary -> isFixed(binary.left()) && isFixed(binary.right());
      case Expr.Unary unary -> isFixed(unary.operand());
      case Expr.Convert convert -> isFixed(convert.operand());
      case Expr.TupleExpr tuple -> tuple.elements().stream().allMatch(this::isFixed);
      case Expr.Op _, Expr.Call _ -> false;
    };
  }

  private Expr.Var temporary(Expr value, Span span) {
    String name = freshName(baseFor(value));
    temporaries.add(name);
    Expr.Var variable = new Expr.Var(name, value.type(), span);
    emit(new Stmt.Assign(variable, value, span));
    names.define(name, value.type(), quantity(name, value));
    return variable;
  }

  /** Views are named after what they view, the rest after the statement's target. */
  private String baseFor(Expr value) {
    if (value instanceof Expr.Op op) {
      if (op.code() == OpCode.WORLD_SIZE) {
        return "world_size";
      }
      if (op.code() == OpCode.SLICE && op.operands().getFirst() instanceof Expr.Var viewed) {
        return viewed.name();
      }
    }
    return base;
  }

  /** A name that nothing else in the function has. */
  String freshName(String wanted) {
    String name;
    do {
      int number = counters.merge(wanted, 1, Integer::sum) - 1;
      name = wanted + "_t" + number;
    } while (reserved.contains(name) || names.find(name).isPresent());
    return name;
  }

  /** What is known about the value that {@code name} gets. */
  Extent quantity(String name, Expr value) {
    if (value instanceof Expr.Op op) {
      return switch (op.code()) {
        case WORLD_SIZE -> Extent.symbol("world_size", OptionalLong.of(1));
        case NRANKS -> names.fresh(name, OptionalLong.of(1));
        case RANK -> names.fresh(name, OptionalLong.of(0));
        case ALLOC_WINDOW -> Extent.of(op.operands().getFirst(), names);
        case OpCode other -> names.fresh(name, OptionalLong.empty());
      };
    }
    if (value.type() instanceof Type.Scalar(var dtype) && dtype.isInteger()) {
      return value instanceof Expr.Call
          ? names.fresh(name, OptionalLong.empty())
          : Extent.of(value, names);
    }
    return names.fresh(name, OptionalLong.empty());
  }
}
