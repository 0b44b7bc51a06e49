package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.ops.OpTable;
import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.Nearest;
import io.ringmaster.worker.frontend.values.PythonArithmetic;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.ScalarTyping;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.UnaryOp;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.SyntaxChildren;
import io.ringmaster.worker.tensor.DType;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Turns expressions of a kernel into values; what closures alone decide is folded by Python's
 * rules.
 */
final class ExpressionBuilder {

  private final FunctionContext context;
  private final ProgramSignatures functions;
  private final Resolver resolver;
  private final CallBuilder calls;
  private final SubscriptBuilder subscripts;
  private final Supplier<ExpressionBuilder> annotations;
  private final boolean python;

  ExpressionBuilder(
      FunctionContext context, ClosureScope closure, OpTable table, ProgramSignatures functions) {
    this(context, closure, table, functions, Optional.empty());
  }

  /** {@code free} are the functions that bare names call; empty where there are none. */
  ExpressionBuilder(
      FunctionContext context,
      ClosureScope closure,
      OpTable table,
      ProgramSignatures functions,
      Optional<JitCallees> free) {
    this(context, closure, table, functions, free, false);
  }

  private ExpressionBuilder(
      FunctionContext context,
      ClosureScope closure,
      OpTable table,
      ProgramSignatures functions,
      Optional<JitCallees> free,
      boolean python) {
    this.context = context;
    this.python = python;
    this.annotations = () -> new ExpressionBuilder(context, closure, table, functions, free, true);
    this.functions = functions;
    this.resolver = new Resolver(closure, name -> context.names().isLocal(name));
    this.calls = new CallBuilder(context, resolver, this, table, functions, free);
    this.subscripts = new SubscriptBuilder(context, this, table);
  }

  /**
   * Reads what stands in annotations. Python has evaluated them when the function was defined, so
   * they may hold any expression of values outside.
   */
  ExpressionBuilder inAnnotations() {
    return annotations.get();
  }

  FunctionContext context() {
    return context;
  }

  Resolver resolver() {
    return resolver;
  }

  SubscriptBuilder subscripts() {
    return subscripts;
  }

  /** The value, with operations named by temporaries. */
  Value evaluate(io.ringmaster.worker.source.Expr expr) {
    Value value = evaluateWhole(expr);
    return value instanceof Value.Dsl(Expr dsl) ? new Value.Dsl(named(dsl)) : value;
  }

  private Expr named(Expr dsl) {
    if (dsl instanceof Expr.Op op && op.type() instanceof io.ringmaster.worker.ir.Type.None) {
      throw Refusal.of(
          op.code().printedName() + " has no result to use here",
          "write it as a statement of its own",
          op.span());
    }
    if (dsl instanceof Expr.Op op && op.code() == io.ringmaster.worker.ir.OpCode.ALLOC_WINDOW) {
      throw Refusal.of(
          "pld.alloc_window_buffer must appear as the RHS of a simple assignment (its result must"
              + " be bound to a named variable)",
          "buf = pld.alloc_window_buffer(...) first, then pld.window(buf, ...)",
          op.span());
    }
    if (dsl instanceof Expr.Op op && op.code().isCollective() && context.level() == Level.HOST) {
      throw Refusal.of(
          op.code().printedName()
              + " must be a direct assignment, expression statement, or return value before it can"
              + " be dispatched",
          "assign its result to a name first",
          op.span());
    }
    return context.operand(dsl);
  }

  /** The value; an operation or call stays whole, for the right side of a statement. */
  Value evaluateWhole(io.ringmaster.worker.source.Expr expr) {
    Optional<ClosureValue> known = python ? valueOutside(expr) : Optional.empty();
    return known.isPresent() ? outside(known.get(), "what stands here", expr.span()) : read(expr);
  }

  /** What only Python can evaluate, of values outside alone. */
  Optional<ClosureValue> valueOutside(io.ringmaster.worker.source.Expr expr) {
    boolean python =
        switch (expr) {
          case io.ringmaster.worker.source.Expr.Attribute attribute ->
              resolver.resolve(attribute).isEmpty();
          case io.ringmaster.worker.source.Expr.Call call ->
              resolver.path(call.function()).isEmpty();
          case io.ringmaster.worker.source.Expr.Subscript subscript ->
              resolver.path(subscript.value()).isEmpty();
          case io.ringmaster.worker.source.Expr.Conditional _,
              io.ringmaster.worker.source.Expr.Comprehension _ ->
              true;
          case io.ringmaster.worker.source.Expr other -> false;
        };
    return python && isOutside(expr) ? resolver.closure().evaluate(expr) : Optional.empty();
  }

  /** Whether an expression mentions no name of the kernel's own; ends where one isn't known. */
  private boolean isOutside(io.ringmaster.worker.source.Expr expr) {
    if (expr instanceof io.ringmaster.worker.source.Expr.Name(String id, _)) {
      if (resolver.closure().unknown().contains(id)) {
        throw Refusal.silent();
      }
      return !resolver.isLocal().test(id);
    }
    return SyntaxChildren.of(expr).stream().allMatch(this::isOutside);
  }

  private Value read(io.ringmaster.worker.source.Expr expr) {
    return switch (expr) {
      case io.ringmaster.worker.source.Expr.Name name -> name(name);
      case io.ringmaster.worker.source.Expr.IntLiteral(BigInteger value, Span span) ->
          constant(new ClosureValue.Int(fits(value, span)));
      case io.ringmaster.worker.source.Expr.FloatLiteral(double value, _) ->
          constant(new ClosureValue.Float(value));
      case io.ringmaster.worker.source.Expr.BoolLiteral(boolean value, _) ->
          constant(new ClosureValue.Bool(value));
      case io.ringmaster.worker.source.Expr.StringLiteral(String value, _) ->
          constant(new ClosureValue.Text(value));
      case io.ringmaster.worker.source.Expr.NoneLiteral _ -> constant(new ClosureValue.None());
      case io.ringmaster.worker.source.Expr.TupleDisplay(var elements, _) -> items(elements);
      case io.ringmaster.worker.source.Expr.ListDisplay(var elements, _) -> items(elements);
      case io.ringmaster.worker.source.Expr.Unary unary -> unary(unary);
      case io.ringmaster.worker.source.Expr.Binary binary -> binary(binary);
      case io.ringmaster.worker.source.Expr.BoolOperation operation -> logic(operation);
      case io.ringmaster.worker.source.Expr.Comparison comparison -> compare(comparison);
      case io.ringmaster.worker.source.Expr.Attribute attribute -> attribute(attribute);
      case io.ringmaster.worker.source.Expr.Call call -> calls.build(call);
      case io.ringmaster.worker.source.Expr.Subscript subscript -> subscripts.read(subscript);
      case io.ringmaster.worker.source.Expr.BytesLiteral bytes ->
          throw Refusal.of(
              "Unsupported constant type: bytes", "kernels know numbers only", bytes.span());
      case io.ringmaster.worker.source.Expr.EllipsisLiteral dots ->
          throw Refusal.of(
              "Unsupported constant type: ellipsis", "write the indices one by one", dots.span());
      case io.ringmaster.worker.source.Expr.Walrus walrus -> {
        Refusal refusal = beside(List.of(walrus.value()), unsupported(walrus));
        context.names().poison(walrus.target().id());
        throw refusal;
      }
      case io.ringmaster.worker.source.Expr.FormattedString _,
          io.ringmaster.worker.source.Expr.SetDisplay _,
          io.ringmaster.worker.source.Expr.DictDisplay _,
          io.ringmaster.worker.source.Expr.Conditional _,
          io.ringmaster.worker.source.Expr.Lambda _,
          io.ringmaster.worker.source.Expr.Comprehension _,
          io.ringmaster.worker.source.Expr.Starred _,
          io.ringmaster.worker.source.Expr.Slice _,
          io.ringmaster.worker.source.Expr.Suspension _ ->
          throw beside(readable(expr), unsupported(expr));
    };
  }

  private static Refusal unsupported(io.ringmaster.worker.source.Expr expr) {
    return Refusal.of(
        "Unsupported expression type: " + PythonNames.of(expr),
        PythonNames.adviceFor(expr),
        expr.span());
  }

  /** What to say of an expression that kernels don't have, after its parts have been read. */
  private Refusal beside(List<io.ringmaster.worker.source.Expr> parts, Refusal refusal) {
    new SideBySide(context.messages()).attempt(() -> evaluateAll(parts));
    return refusal;
  }

  /** The parts that would stand in what has to be written instead. */
  private static List<io.ringmaster.worker.source.Expr> readable(
      io.ringmaster.worker.source.Expr expr) {
    return switch (expr) {
      case io.ringmaster.worker.source.Expr.SetDisplay _,
          io.ringmaster.worker.source.Expr.DictDisplay _,
          io.ringmaster.worker.source.Expr.Conditional _,
          io.ringmaster.worker.source.Expr.Starred _ ->
          SyntaxChildren.of(expr);
      case io.ringmaster.worker.source.Expr other -> List.of();
    };
  }

  private static long fits(BigInteger value, Span span) {
    if (value.bitLength() > 63) {
      throw Refusal.of(
          "the integer " + value + " doesn't fit into 64 bits",
          "the largest is 9223372036854775807",
          span);
    }
    return value.longValue();
  }

  private static Value constant(ClosureValue value) {
    return new Value.Constant(value);
  }

  private Value items(List<io.ringmaster.worker.source.Expr> elements) {
    return new Value.Items(evaluateAll(elements));
  }

  /**
   * The values of operands that stand side by side. Each is read, whatever is wrong with the ones
   * before it, so that everything wrong with a call is said at once.
   */
  List<Value> evaluateAll(List<io.ringmaster.worker.source.Expr> operands) {
    return SideBySide.each(context.messages(), operands, this::evaluate);
  }

  /** A part of a call; where it is refused, the operands are read all the same. */
  <T> T besideOperands(List<io.ringmaster.worker.source.Expr> operands, Supplier<T> part) {
    SideBySide reading = new SideBySide(context.messages());
    Optional<T> read = reading.read(part);
    if (reading.failed()) {
      evaluateAll(operands);
    }
    reading.requireAll();
    return read.orElseThrow();
  }

  /** Everything that a call gives: its arguments and the values of its keywords. */
  static List<io.ringmaster.worker.source.Expr> operands(
      io.ringmaster.worker.source.Expr.Call call) {
    List<io.ringmaster.worker.source.Expr> operands = new ArrayList<>(call.arguments());
    call.keywords().forEach(keyword -> operands.add(keyword.value()));
    return operands;
  }

  private Value name(io.ringmaster.worker.source.Expr.Name name) {
    if (context.names().aliases().of(name.id()).isEmpty()) {
      if (context.names().isInDoubt(name.id())) {
        throw Refusal.silent();
      }
      throw Refusal.of(
          "Variable '"
              + name.id()
              + "' has different types on the ways that lead here: Cannot reassign '"
              + name.id()
              + "' with a different type in a branch or a loop",
          "use another name",
          name.span());
    }
    Optional<NameScope.Variable> variable = context.names().findSource(name.id());
    if (variable.isPresent()) {
      return local(name, variable.get());
    }
    Optional<ClosureValue> outside = resolver.resolve(name);
    if (outside.isPresent()) {
      return outside(outside.get(), "'" + name.id() + "'", name.span());
    }
    if (context.assignedNames().contains(name.id())) {
      throw Refusal.of(
          "Variable '" + name.id() + "' is used before definition",
          "assign it on every way that leads here",
          name.span());
    }
    if (name.id().equals("__debug__")) {
      return constant(new ClosureValue.Bool(true));
    }
    throw Refusal.of("Undefined variable '" + name.id() + "'", undefined(name.id()), name.span());
  }

  private String undefined(String name) {
    if (functions.find(name).isPresent()) {
      return "functions of the program are called as self." + name + "(...)";
    }
    return PythonBuiltins.hint(name)
        .orElseGet(
            () ->
                Nearest.hint(
                    name,
                    new TreeSet<>(context.names().names()),
                    "define it, or for a size known at run time: "
                        + name
                        + " = pl.dynamic(\""
                        + name
                        + "\")"));
  }

  private Value local(io.ringmaster.worker.source.Expr.Name name, NameScope.Variable variable) {
    if (name.id().equals("self")) {
      throw Refusal.of(
          "'self' is not a value of a kernel",
          "it only calls the functions of the program: self.kernel(x, y)",
          name.span());
    }
    if (variable.poisoned()) {
      throw Refusal.silent();
    }
    if (variable.constant().isPresent()) {
      return variable.constant().get() instanceof ClosureValue.DynamicDim(String dim)
          ? new Value.Dsl(new Expr.Dim(dim, name.span()))
          : constant(variable.constant().get());
    }
    if (!variable.surely()) {
      throw Refusal.of(
          "Variable '"
              + name.id()
              + "' is used outside its defining scope: it is assigned on only some of the ways"
              + " that lead here",
          "assign it before the if or the loop as well",
          name.span());
    }
    String current = context.names().current(name.id());
    context.names().aliases().read(current);
    if (variable.type() instanceof io.ringmaster.worker.ir.Type.Tuple) {
      return new Value.Items(
          context.names().parts(current).stream().map(part -> part(part, name.span())).toList());
    }
    return new Value.Dsl(new Expr.Var(current, variable.type(), name.span()));
  }

  private Value part(String variable, Span span) {
    NameScope.Variable known = context.names().find(variable).orElseThrow();
    return new Value.Dsl(new Expr.Var(variable, known.type(), span));
  }

  private static Value outside(ClosureValue value, String name, Span span) {
    return switch (value) {
      case ClosureValue.DynamicDim(String dim) -> new Value.Dsl(new Expr.Dim(dim, span));
      case ClosureValue.Unsupported(String typeName) ->
          throw Refusal.of(
              "Unsupported closure variable type: " + name + " is a " + typeName,
              "a kernel can use int, float, bool, lists of those, dtypes, enums and pl.dynamic",
              span);
      case ClosureValue.Int _,
          ClosureValue.Float _,
          ClosureValue.Bool _,
          ClosureValue.Text _,
          ClosureValue.None _,
          ClosureValue.Sequence _,
          ClosureValue.Dtype _,
          ClosureValue.Path _,
          ClosureValue.Kernel _,
          ClosureValue.Annotation _ ->
          constant(value);
    };
  }

  private Value attribute(io.ringmaster.worker.source.Expr.Attribute attribute) {
    Optional<ClosureValue> value = resolver.resolve(attribute);
    if (value.isPresent()) {
      return constant(value.get());
    }
    Optional<String> path = resolver.path(attribute.value());
    if (path.isPresent()) {
      return constant(new ClosureValue.Path(path.get() + "." + attribute.name()));
    }
    Optional<Value> known = metadata(attribute);
    if (known.isPresent()) {
      return known.get();
    }
    if (Poisoned.isRootOf(attribute, context.names())) {
      throw Refusal.silent();
    }
    throw Refusal.of(
        "Standalone attribute access not supported: '." + attribute.name() + "'",
        attribute.name().equals("shape")
            ? "name the size in the factory, or use pl.tensor.dim(t, axis)"
            : "attributes are for operations, enums and dtypes",
        attribute.span());
  }

  /** {@code t.shape} and {@code t.dtype}, which free functions may ask for. */
  private Optional<Value> metadata(io.ringmaster.worker.source.Expr.Attribute attribute) {
    boolean shape = attribute.name().equals("shape");
    if (!context.form().jit() || !(shape || attribute.name().equals("dtype"))) {
      return Optional.empty();
    }
    if (!(evaluate(attribute.value()) instanceof Value.Dsl(Expr expr))) {
      return Optional.empty();
    }
    return switch (expr.type()) {
      case io.ringmaster.worker.ir.Type.Tensor(var extents, DType dtype, _, _) ->
          Optional.of(
              shape
                  ? new Value.Items(extents.stream().map(this::extent).toList())
                  : constant(new ClosureValue.Dtype(dtype)));
      case io.ringmaster.worker.ir.Type.Tile(var extents, DType dtype, _, _) ->
          Optional.of(
              shape
                  ? new Value.Items(
                      extents.stream().map(e -> constant(new ClosureValue.Int(e))).toList())
                  : constant(new ClosureValue.Dtype(dtype)));
      case io.ringmaster.worker.ir.Type other -> Optional.empty();
    };
  }

  private Value extent(Expr extent) {
    var known = Extent.of(extent, context.symbols()).constant();
    return known.isPresent()
        ? constant(new ClosureValue.Int(known.getAsLong()))
        : new Value.Dsl(extent);
  }

  private Value unary(io.ringmaster.worker.source.Expr.Unary unary) {
    Value operand = evaluate(unary.operand());
    if (operand instanceof Value.Constant(ClosureValue value)) {
      return constant(PythonArithmetic.unary(unary.operator(), value, unary.span()));
    }
    Expr dsl = scalar(operand, unary.operand().span());
    return new Value.Dsl(
        switch (unary.operator()) {
          case NOT -> ScalarTyping.not(dsl, unary.span());
          case NEGATE -> ScalarTyping.unary(UnaryOp.NEGATE, dsl, unary.span());
          case INVERT -> ScalarTyping.unary(UnaryOp.INVERT, dsl, unary.span());
          case PLUS ->
              throw Refusal.of(
                  "Unsupported unary operator: +", "leave the sign away", unary.span());
        });
  }

  private Value binary(io.ringmaster.worker.source.Expr.Binary binary) {
    if (ScalarTyping.isUnsupported(binary.operator())
        && (isOfTheRun(binary.left()) || isOfTheRun(binary.right()))) {
      // Whatever else is wrong with its sides, only what is known beforehand has this operator.
      throw beside(
          List.of(binary.left(), binary.right()),
          ScalarTyping.unsupported(binary.operator(), binary.span()));
    }
    List<Value> sides = evaluateAll(List.of(binary.left(), binary.right()));
    Value left = sides.get(0);
    Value right = sides.get(1);
    if (left instanceof Value.Constant(ClosureValue a)
        && right instanceof Value.Constant(ClosureValue b)) {
      return constant(PythonArithmetic.binary(binary.operator(), a, b, binary.span()));
    }
    Expr result =
        ScalarTyping.binary(
            binary.operator(),
            scalar(left, binary.left().span()),
            scalar(right, binary.right().span()),
            context.level() != Level.HOST,
            binary.span());
    warnOfTruncation(binary.operator(), result);
    return new Value.Dsl(result);
  }

  /** True for an expression with a name that only gets its value when the program runs. */
  private boolean isOfTheRun(io.ringmaster.worker.source.Expr expr) {
    if (expr instanceof io.ringmaster.worker.source.Expr.Name(String id, _)) {
      return context.names().isLocal(id)
          && context.names().findSource(id).filter(v -> v.constant().isPresent()).isEmpty();
    }
    // The shape and the dtype of a value may be known beforehand.
    return !(expr instanceof io.ringmaster.worker.source.Expr.Attribute)
        && SyntaxChildren.of(expr).stream().anyMatch(this::isOfTheRun);
  }

  /**
   * Device division truncates toward zero, which surprises exactly where the dividend is negative.
   */
  private void warnOfTruncation(BinaryOperator operator, Expr result) {
    boolean modulo = operator == BinaryOperator.MODULO;
    if (!(modulo || operator == BinaryOperator.FLOOR_DIVIDE)
        || context.level() == Level.HOST
        || !(result instanceof Expr.Binary division)) {
      return;
    }
    if (Extent.of(division.left(), context.symbols()).canBeNegative()) {
      context.warn(
          "'"
              + TypeText.scalar(division)
              + "': the dividend can be negative, and device code truncates toward zero ("
              + (modulo ? "-1 % n is -1)" : "-1 // n is 0)"),
          modulo
              ? "add the divisor first, e.g. (my_rank + nranks - 1) % nranks"
              : "keep the dividend from going below zero: (x + n) // n - 1 is x // n for x >= -n",
          division.span());
    }
  }

  private Value logic(io.ringmaster.worker.source.Expr.BoolOperation operation) {
    List<Value> values = evaluateAll(operation.operands());
    Value result = values.getFirst();
    for (int i = 1; i < values.size(); i++) {
      if (result instanceof Value.Constant(ClosureValue value)) {
        boolean truth = PythonArithmetic.truth(value, operation.span());
        result = truth == operation.isAnd() ? values.get(i) : result;
        continue;
      }
      Expr left = scalar(result, operation.span());
      Expr right = scalar(values.get(i), operation.operands().get(i).span());
      result = new Value.Dsl(ScalarTyping.logic(operation.isAnd(), left, right, operation.span()));
    }
    return result;
  }

  private Value compare(io.ringmaster.worker.source.Expr.Comparison comparison) {
    if (comparison.operators().size() != 1) {
      throw beside(
          SyntaxChildren.of(comparison),
          Refusal.of(
              "Only simple comparisons supported", "write a <= b and b < c", comparison.span()));
    }
    List<Value> sides = evaluateAll(List.of(comparison.first(), comparison.rest().getFirst()));
    Value left = sides.get(0);
    Value right = sides.get(1);
    var operator = comparison.operators().getFirst();
    if (left instanceof Value.Constant(ClosureValue a)
        && right instanceof Value.Constant(ClosureValue b)) {
      return constant(
          new ClosureValue.Bool(PythonArithmetic.compare(operator, a, b, comparison.span())));
    }
    return new Value.Dsl(
        ScalarTyping.compare(
            operator,
            scalar(left, comparison.first().span()),
            scalar(right, comparison.rest().getFirst().span()),
            comparison.span()));
  }

  /** A value as an IR expression: constants become literals, INDEX and FP32. */
  Expr scalar(Value value, Span span) {
    return switch (value) {
      case Value.Dsl(Expr expr) -> expr;
      case Value.Constant(ClosureValue.Int(long number)) ->
          new Expr.IntConst(number, DType.INDEX, span);
      case Value.Constant(ClosureValue.Float(double number)) ->
          new Expr.FloatConst(number, DType.FP32, span);
      case Value.Constant(ClosureValue.Bool(boolean truth)) -> new Expr.BoolConst(truth, span);
      case Value.Constant(ClosureValue.DynamicDim(String dim)) -> new Expr.Dim(dim, span);
      case Value.Constant(ClosureValue.Text _) ->
          throw Refusal.of(
              "Unsupported constant type: str",
              "strings are for keywords of operations only",
              span);
      case Value.Constant(ClosureValue other) ->
          throw Refusal.of(
              "a " + PythonArithmetic.typeName(other) + " is not a value of a kernel",
              "kernels compute with numbers, tiles and tensors",
              span);
      case Value.Items _ ->
          throw Refusal.of(
              "a list is not a value of a kernel here", "write the values one by one", span);
    };
  }

  /** An integer scalar: a loop bound, an index. */
  Expr integer(io.ringmaster.worker.source.Expr expr, String what) {
    Expr scalar = scalar(evaluate(expr), expr.span());
    if (scalar.type() instanceof io.ringmaster.worker.ir.Type.Scalar(DType dtype)
        && dtype.isInteger()) {
      return scalar;
    }
    throw Refusal.of(
        what + " must be an integer scalar, got " + TypeText.of(scalar.type()),
        "compute it from literals, ranks, loop variables and INT32 scalars",
        expr.span());
  }
}
