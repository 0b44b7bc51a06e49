package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.ops.Arg;
import io.ringmaster.worker.frontend.ops.LikelyResult;
import io.ringmaster.worker.frontend.ops.OpTable;
import io.ringmaster.worker.frontend.ops.Signature.Named;
import io.ringmaster.worker.frontend.values.PathNames;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.ScalarTyping;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.BinaryOp;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.Attribute;
import io.ringmaster.worker.source.Expr.Call;
import io.ringmaster.worker.source.Expr.Keyword;
import io.ringmaster.worker.source.Expr.Name;
import io.ringmaster.worker.source.Expr.StringLiteral;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Calls in expressions: operations, functions of the program, and a few forms with own rules. */
final class CallBuilder {

  private static final Set<String> LOOPS =
      Set.of(
          "pl.range",
          "pl.parallel",
          "pl.unroll",
          "pl.pipeline",
          "pl.spmd",
          "pl.split_aiv",
          "pl.while_");

  private final FunctionContext context;
  private final Resolver resolver;
  private final ExpressionBuilder expressions;
  private final OpTable table;
  private final FunctionCallBuilder functions;
  private final Optional<JitCallBuilder> free;

  CallBuilder(
      FunctionContext context,
      Resolver resolver,
      ExpressionBuilder expressions,
      OpTable table,
      ProgramSignatures signatures,
      Optional<JitCallees> callees) {
    this.context = context;
    this.resolver = resolver;
    this.expressions = expressions;
    this.table = table;
    this.functions = new FunctionCallBuilder(context, expressions, signatures);
    this.free =
        callees.map(known -> new JitCallBuilder(context, resolver, expressions, functions, known));
  }

  Value build(Call call) {
    if (Poisoned.isRootOf(call.function(), context.names())) {
      expressions.evaluateAll(ExpressionBuilder.operands(call));
      throw Refusal.silent();
    }
    if (call.function() instanceof Attribute(Name(String id, _), String method, _, _)
        && id.equals("self")) {
      Optional<Value> inline = free.flatMap(known -> known.method(method, call));
      if (inline.isPresent()) {
        return inline.get();
      }
      if (context.form().jit() && !functions.knows(method)) {
        throw Refusal.of(
            "Unsupported function call: 'self." + method + "'",
            "a free function has no self: call " + method + "(...)",
            call.span());
      }
      return new Value.Dsl(functions.build(method, call));
    }
    if (call.function() instanceof Attribute attribute && attribute.name().equals("get_byte")) {
      return byteSize(attribute, call);
    }
    if (free.isPresent() && call.function() instanceof Name name) {
      Optional<Value> called = free.get().build(name, call);
      if (called.isPresent()) {
        return called.get();
      }
    }
    Optional<String> path = resolver.path(call.function());
    if (path.isEmpty()) {
      if (call.function() instanceof Name(String id, _) && id.equals("print")) {
        // What it would print is of no interest.
        throw unsupported(call);
      }
      throw refuseBesideOperands(call, unsupported(call));
    }
    return switch (path.get()) {
      case "pl.min" -> extreme(BinaryOp.MIN, call);
      case "pl.max" -> extreme(BinaryOp.MAX, call);
      case "pl.const" -> constant(call);
      case "pl.dynamic" -> dynamic(call);
      case "pl.no_dep" -> noDependence(call);
      case "pl.aiv_shard" -> shard(call);
      case "pl.submit", "pl.spmd_submit" ->
          throw Refusal.of(
              path.get() + " must be a statement of its own, assigned to its results and its task",
              "y, tid = " + path.get() + "(kernel, x, y)",
              call.span());
      case "pl.system.task_dummy" ->
          // Tasks of a rank run in program order, so there is nothing to wait for.
          new Value.Dsl(new Expr.IntConst(0, DType.TASK_ID, call.span()));
      case "pl.tile.get_block_idx", "pl.get_block_idx" -> blockIndex(call);
      case "pl.yield_" ->
          throw Refusal.of(
              "pl.yield_ must be the last statement of its region, assigned to the carried names",
              "r1, r2 = pl.yield_(v1, v2)",
              call.span());
      default -> operation(path.get(), call);
    };
  }

  private Value operation(String printed, Call call) {
    if (LOOPS.contains(printed)) {
      throw Refusal.of(
          printed + " is only for the head of a for loop",
          "for i in " + printed + "(...):",
          call.span());
    }
    if (printed.startsWith("builtin.") || printed.startsWith("pld.builtin.")) {
      throw Refusal.of(printed + " is internal-only", "call pld.tensor.* instead", call.span());
    }
    if (!table.knows(printed)) {
      if (!printed.startsWith("pl.") && !printed.startsWith("pld.")) {
        throw refuseBesideOperands(
            call,
            Refusal.of(
                "Unsupported operation call: '" + printed + "'",
                "a kernel calls pl.*, pld.* and self.*",
                call.span()));
      }
      return unknown(printed, call);
    }
    for (Keyword keyword : call.keywords()) {
      if (keyword.name().isEmpty()) {
        throw Refusal.of(
            "Unsupported expression type: Starred",
            "write the keywords one by one",
            keyword.span());
      }
    }
    List<io.ringmaster.worker.source.Expr> operands = ExpressionBuilder.operands(call);
    List<Value> values = expressions.evaluateAll(operands);
    List<Arg> positional = new ArrayList<>();
    List<Named> named = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      Arg arg = new Arg(values.get(i), operands.get(i).span());
      int keyword = i - call.arguments().size();
      if (keyword < 0) {
        positional.add(arg);
      } else {
        Keyword given = call.keywords().get(keyword);
        named.add(new Named(given.name().orElseThrow(), arg, given.span()));
      }
    }
    try {
      return new Value.Dsl(table.build(printed, positional, named, call.span(), context));
    } catch (Refusal refusal) {
      throw refusal.of(LikelyResult.of(printed, positional, named));
    }
  }

  /** An operation that isn't there: its operands are read all the same. */
  private Value unknown(String printed, Call call) {
    Refusal refusal = table.unknown(printed, call.function().span());
    context.messages().add(refusal);
    List<Arg> positional = new ArrayList<>();
    for (Value value : expressions.evaluateAll(ExpressionBuilder.operands(call))) {
      positional.add(new Arg(value, call.span()));
    }
    throw Refusal.silent().of(LikelyResult.of(printed, positional, List.of()));
  }

  /** The refusal of a call whose operands have been read all the same. */
  private Refusal refuseBesideOperands(Call call, Refusal refusal) {
    new SideBySide(context.messages())
        .attempt(() -> expressions.evaluateAll(ExpressionBuilder.operands(call)));
    return refusal;
  }

  private Refusal unsupported(Call call) {
    if (!(call.function() instanceof Name(String id, _))) {
      Optional<Name> root = root(call.function());
      if (root.isPresent() && context.names().isLocal(root.get().id())) {
        return Refusal.of(
            "Unsupported function call: what a kernel computes with has no methods",
            "operations are called as pl.add(x, y)",
            call.span());
      }
      // A name that stands for nothing at all.
      root.filter(name -> resolver.resolve(name).isEmpty()).ifPresent(expressions::evaluate);
      return Refusal.of(
          "Unsupported function call", "a kernel calls pl.*, pld.* and self.*", call.span());
    }
    String hint =
        (functions.knows(id) ? Optional.<String>empty() : PythonBuiltins.hint(id))
            .orElse("functions of the program are called as self." + id + "(...)");
    return Refusal.of("Unsupported function call: '" + id + "'", hint, call.span());
  }

  private static Optional<Name> root(io.ringmaster.worker.source.Expr expr) {
    return switch (expr) {
      case Name name -> Optional.of(name);
      case Attribute(var value, _, _, _) -> root(value);
      case io.ringmaster.worker.source.Expr other -> Optional.empty();
    };
  }

  private Value byteSize(Attribute attribute, Call call) {
    Optional<ClosureValue> dtype = resolver.resolve(attribute.value());
    if (dtype.isEmpty()
        && context.form().jit()
        && expressions.evaluate(attribute.value()) instanceof Value.Constant(ClosureValue known)) {
      dtype = Optional.of(known);
    }
    if (dtype.isPresent() && dtype.get() instanceof ClosureValue.Dtype(DType type)) {
      if (!call.arguments().isEmpty() || !call.keywords().isEmpty()) {
        throw Refusal.of("get_byte() takes no arguments", "pl.FP32.get_byte()", call.span());
      }
      return new Value.Constant(new ClosureValue.Int(type.bytes()));
    }
    if (dtype.isPresent() && dtype.get() instanceof ClosureValue.Path(String path)) {
      throw Refusal.of(
          "Unknown DataType '" + PathNames.printed(path) + "'",
          "e.g. pl.FP32, pl.INT32, pl.BF16",
          attribute.value().span());
    }
    throw unsupported(call);
  }

  private Value extreme(BinaryOp op, Call call) {
    if (call.arguments().size() != 2 || !call.keywords().isEmpty()) {
      throw Refusal.of(
          op.spelling() + " takes exactly 2 scalars", "nest calls for more", call.span());
    }
    List<Value> sides = expressions.evaluateAll(call.arguments());
    Value left = sides.get(0);
    Value right = sides.get(1);
    if (left instanceof Value.Constant(ClosureValue.Int(long a))
        && right instanceof Value.Constant(ClosureValue.Int(long b))) {
      return new Value.Constant(
          new ClosureValue.Int(op == BinaryOp.MIN ? Math.min(a, b) : Math.max(a, b)));
    }
    return new Value.Dsl(
        ScalarTyping.extreme(
            op,
            expressions.scalar(left, call.arguments().get(0).span()),
            expressions.scalar(right, call.arguments().get(1).span()),
            call.span()));
  }

  private Value constant(Call call) {
    if (call.arguments().size() != 2 || !call.keywords().isEmpty()) {
      throw Refusal.of(
          "pl.const requires exactly 2 arguments", "pl.const(-4, pl.INT32)", call.span());
    }
    List<Value> values = expressions.evaluateAll(call.arguments());
    Value value = values.get(0);
    boolean number =
        value instanceof Value.Constant(ClosureValue constant)
            && (constant instanceof ClosureValue.Int
                || constant instanceof ClosureValue.Float
                || constant instanceof ClosureValue.Bool);
    if (!number) {
      throw Refusal.of(
          "pl.const: the first argument must be a numeric literal",
          "pl.const(-4, pl.INT32)",
          call.arguments().get(0).span());
    }
    if (!(values.get(1) instanceof Value.Constant(ClosureValue.Dtype(DType dtype)))) {
      throw Refusal.of(
          "pl.const: the second argument must be a dtype",
          "pl.const(-4, pl.INT32)",
          call.arguments().get(1).span());
    }
    Expr literal = expressions.scalar(value, call.span());
    return new Value.Dsl(ScalarTyping.convert(literal, dtype, call.span()));
  }

  /** {@code pl.aiv_shard(t)}: the half of a matrix that the lane of a core works on. */
  private Value shard(Call call) {
    FunctionContext.Lane lane =
        context
            .lane()
            .filter(known -> known.axis().isPresent())
            .orElseThrow(
                () ->
                    Refusal.of(
                        "pl.aiv_shard stands outside of a pl.split_aiv loop that splits rows or"
                            + " columns",
                        "for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):",
                        call.span()));
    if (call.arguments().size() != 1
        || !call.keywords().isEmpty()
        || !(expressions.evaluate(call.arguments().getFirst()) instanceof Value.Dsl(Expr matrix))) {
      throw Refusal.of(
          "pl.aiv_shard takes one tile or tensor", "half = pl.aiv_shard(x)", call.span());
    }
    Span span = call.span();
    if (lane.lanes() == FunctionContext.Lane.UNKNOWN) {
      throw Refusal.silent();
    }
    List<Value> shape = new ArrayList<>();
    List<Value> offset = new ArrayList<>();
    List<Expr> extents = extents(matrix);
    for (int axis = 0; axis < extents.size(); axis++) {
      boolean split = axis == lane.axis().orElseThrow();
      Expr extent = extents.get(axis);
      if (split
          && !(extent instanceof Expr.IntConst(long size, _, _) && size % lane.lanes() == 0)) {
        throw Refusal.of(
            "pl.aiv_shard: extent " + axis + " can't be split between " + lane.lanes() + " lanes",
            "use an even constant extent",
            span);
      }
      long part = split ? ((Expr.IntConst) extent).value() / lane.lanes() : 0;
      Expr.Var number = new Expr.Var(lane.variable(), new Type.Scalar(DType.INDEX), span);
      Expr size = new Expr.IntConst(part, DType.INDEX, span);
      shape.add(new Value.Dsl(split ? size : extent));
      offset.add(
          new Value.Dsl(
              split
                  ? ScalarTyping.binary(
                      io.ringmaster.worker.source.Expr.BinaryOperator.MULTIPLY,
                      number,
                      size,
                      true,
                      span)
                  : new Expr.IntConst(0, DType.INDEX, span)));
    }
    List<Arg> arguments =
        List.of(
            new Arg(new Value.Dsl(matrix), span),
            new Arg(new Value.Items(shape), span),
            new Arg(new Value.Items(offset), span));
    return new Value.Dsl(table.build("pl.slice", arguments, List.of(), span, context));
  }

  private static List<Expr> extents(Expr matrix) {
    return switch (matrix.type()) {
      case Type.Tensor tensor -> tensor.shape();
      case Type.Tile tile ->
          tile.shape().stream()
              .<Expr>map(extent -> new Expr.IntConst(extent, DType.INDEX, matrix.span()))
              .toList();
      case Type other -> List.of();
    };
  }

  /** {@code pl.no_dep(t)}: {@code t}, without an edge of the task graph, which changes nothing. */
  private Value noDependence(Call call) {
    if (call.arguments().size() != 1 || !call.keywords().isEmpty()) {
      throw Refusal.of("pl.no_dep takes one tensor", "kernel(pl.no_dep(x), y)", call.span());
    }
    return expressions.evaluate(call.arguments().getFirst());
  }

  private Value blockIndex(Call call) {
    if (!call.arguments().isEmpty() || !call.keywords().isEmpty()) {
      throw Refusal.of(
          "pl.tile.get_block_idx() takes no arguments", "pl.tile.get_block_idx()", call.span());
    }
    Expr.Var block =
        context
            .blockIndex()
            .orElseThrow(
                () ->
                    Refusal.of(
                        "pl.tile.get_block_idx() stands outside of a pl.spmd block",
                        "call it in a pl.spmd block or in a JIT kernel that one calls",
                        call.span()));
    return new Value.Dsl(new Expr.Var(block.name(), block.type(), call.span()));
  }

  private static Value dynamic(Call call) {
    if (call.arguments().size() == 1
        && call.arguments().getFirst() instanceof StringLiteral(String name, _)) {
      return new Value.Dsl(new Expr.Dim(name, call.span()));
    }
    throw Refusal.of("pl.dynamic takes one string", "pl.dynamic(\"NR\")", call.span());
  }
}
