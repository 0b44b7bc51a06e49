package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Stmt.LoopKind;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.Call;
import io.ringmaster.worker.source.Expr.Keyword;
import io.ringmaster.worker.source.Expr.Name;
import io.ringmaster.worker.source.Expr.TupleDisplay;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/** Loops: {@code pl.range} and its relatives with or without carried values, and {@code while}. */
final class LoopBuilder {

  private final FunctionContext context;
  private final ExpressionBuilder expressions;
  private final StatementBuilder statements;
  private final AssignmentBuilder assignments;
  private final FrontendOptions options;
  private final Deque<String> open = new ArrayDeque<>();
  private int breaks;

  LoopBuilder(
      FunctionContext context,
      ExpressionBuilder expressions,
      StatementBuilder statements,
      AssignmentBuilder assignments,
      FrontendOptions options) {
    this.context = context;
    this.expressions = expressions;
    this.statements = statements;
    this.assignments = assignments;
    this.options = options;
  }

  /** Refuses {@code break} and {@code continue} where no loop can take them. */
  void requireLoop(String statement, Span span) {
    if (open.isEmpty()) {
      throw Refusal.of(
          "'" + statement + "' outside loop",
          "it ends or continues a pl.range or while loop",
          span);
    }
    String loop = open.element();
    if (!loop.equals("pl.range") && !loop.equals("while")) {
      throw Refusal.of(
          "'" + statement + "' not supported in " + loop, "use pl.range or while", span);
    }
    breaks++;
  }

  void forLoop(io.ringmaster.worker.source.Stmt.For loop) {
    SideBySide parts = new SideBySide(context.messages());
    parts.attempt(() -> refuseElse("for", loop.orElse(), loop.span()));
    try {
      byKind(loop);
    } catch (Refusal refusal) {
      // Only heads refuse; the body is read all the same, for what else is wrong with it.
      context.messages().add(refusal);
      readBodyOnly(loop);
    }
    statements.build(loop.orElse());
  }

  private static void refuseElse(
      String loop, List<io.ringmaster.worker.source.Stmt> orElse, Span span) {
    if (!orElse.isEmpty()) {
      throw Refusal.of(
          loop + " ... else is not supported", "move the else block after the loop", span);
    }
  }

  private void byKind(io.ringmaster.worker.source.Stmt.For loop) {
    Optional<String> path =
        loop.iterable() instanceof Call call
            ? expressions.resolver().path(call.function())
            : Optional.empty();
    switch (path.orElse("")) {
      case "pl.range" -> counted(loop, "pl.range", LoopKind.RANGE);
      case "pl.parallel" -> counted(loop, "pl.parallel", LoopKind.PARALLEL);
      case "pl.pipeline" -> counted(loop, "pl.pipeline", LoopKind.PIPELINE);
      case "pl.split_aiv" -> split(loop);
      case "pl.while_" ->
          CarriedWhile.plain(loop, expressions.resolver()).forEach(statements::build);
      case "pl.unroll" -> unrolled(loop);
      case "pl.spmd" -> blocks(loop);
      default ->
          throw Refusal.of(
              "For loop must use pl.range(), pl.parallel(), pl.unroll(), pl.pipeline() or"
                  + " pl.spmd()",
              "for i in pl.range(n):",
              loop.iterable().span());
    }
  }

  /**
   * Reads the body of a loop whose head was refused. The variable of a loop that counts is a number
   * whatever its bounds are. That of another one may be known in each iteration, as pl.unroll makes
   * it, or when the kernel runs: only what is wrong either way is said then.
   */
  private void readBodyOnly(io.ringmaster.worker.source.Stmt.For loop) {
    String path =
        loop.iterable() instanceof Call call
            ? expressions.resolver().path(call.function()).orElse("")
            : "";
    NameScope names = context.names();
    Optional<String> counter = counter(loop.target());
    context.leaveGap(loop);
    AssignedNames.target(loop.target(), names::poison);
    if (path.equals("pl.spmd") || path.equals("pl.split_aiv")) {
      statements.readAnywhere(loop.body());
      return;
    }
    if (counter.isPresent() && PLAIN.contains(path)) {
      names.define(counter.get(), new Type.Scalar(DType.INDEX));
      readBody(loop);
    } else if (counter.isPresent() && !context.messages().isTryingOut()) {
      NameScope.State before = names.state();
      List<Runnable> trials =
          List.of(
              () -> {
                names.defineConstant(counter.get(), 0);
                readBody(loop);
                names.restore(before);
              },
              () -> {
                names.define(counter.get(), new Type.Scalar(DType.INDEX));
                readBody(loop);
              });
      context.messages().common(trials);
    } else {
      readBody(loop);
    }
  }

  private void readBody(io.ringmaster.worker.source.Stmt.For loop) {
    open.push("pl.range");
    context.openBlock();
    readWithoutCarry(loop.body(), statements::build);
    List<Stmt> body = context.closeBlock();
    open.pop();
    context.names().restore(context.names().state().reached());
    Span span = loop.span();
    Expr.Var variable =
        new Expr.Var(counter(loop.target()).orElse(""), new Type.Scalar(DType.INDEX), span);
    Expr one = new Expr.IntConst(1, DType.INDEX, span);
    context.emit(
        new Stmt.For(variable, Gap.value(span), Gap.value(span), one, LoopKind.RANGE, body, span));
  }

  /** The name that counts a loop. */
  private static Optional<String> counter(io.ringmaster.worker.source.Expr target) {
    return switch (target) {
      case Name(String id, _) -> Optional.of(id);
      case TupleDisplay(var parts, _)
          when !parts.isEmpty() && parts.getFirst() instanceof Name(String id, _) ->
          Optional.of(id);
      case io.ringmaster.worker.source.Expr other -> Optional.empty();
    };
  }

  /** Reads a body without its {@code pl.cond} and {@code pl.yield_}, whose operands are read. */
  private void readWithoutCarry(
      List<io.ringmaster.worker.source.Stmt> body,
      Consumer<List<io.ringmaster.worker.source.Stmt>> reader) {
    List<io.ringmaster.worker.source.Stmt> rest = new ArrayList<>();
    List<io.ringmaster.worker.source.Expr> operands = new ArrayList<>();
    List<io.ringmaster.worker.source.Expr> targets = new ArrayList<>();
    for (io.ringmaster.worker.source.Stmt statement : body) {
      switch (statement) {
        case io.ringmaster.worker.source.Stmt.ExprStmt(Call call, _) when isCarry(call) ->
            operands.addAll(call.arguments());
        case io.ringmaster.worker.source.Stmt.Assign assign
            when assign.value() instanceof Call call && isCarry(call) -> {
          operands.addAll(call.arguments());
          targets.addAll(assign.targets());
        }
        case io.ringmaster.worker.source.Stmt other -> rest.add(other);
      }
    }
    reader.accept(rest);
    new SideBySide(context.messages()).attempt(() -> expressions.evaluateAll(operands));
    targets.forEach(target -> AssignedNames.target(target, context.names()::poison));
  }

  private boolean isCarry(Call call) {
    String path = expressions.resolver().path(call.function()).orElse("");
    return path.equals("pl.cond") || path.equals("pl.yield_");
  }

  /** Loops whose variable may share its name with something else. */
  private static final Set<String> PLAIN = Set.of("pl.range", "pl.parallel", "pl.pipeline");

  private record Bounds(Expr start, Expr stop, Expr step) {}

  private Bounds bounds(Call call, String name) {
    List<Expr> args =
        SideBySide.each(
            context.messages(),
            call.arguments(),
            argument -> expressions.integer(argument, name + " bound"));
    Span span = call.span();
    Expr zero = new Expr.IntConst(0, DType.INDEX, span);
    Expr one = new Expr.IntConst(1, DType.INDEX, span);
    Bounds bounds =
        switch (args.size()) {
          case 1 -> new Bounds(zero, args.get(0), one);
          case 2 -> new Bounds(args.get(0), args.get(1), one);
          case 3 -> new Bounds(args.get(0), args.get(1), args.get(2));
          default ->
              throw Refusal.of(
                  name + " takes 1 to 3 bounds, got " + args.size(),
                  "(stop), (start, stop) or (start, stop, step)",
                  span);
        };
    OptionalLong step = constant(bounds.step());
    if (step.isPresent() && step.getAsLong() == 0) {
      throw Refusal.of(
          name + " step must not be zero", "pl.range(start, stop, 1)", bounds.step().span());
    }
    if (context.level() == Level.INCORE && step.isPresent() && step.getAsLong() < 0) {
      throw Refusal.of(
          "loops in device functions must have a positive step, got " + step.getAsLong(),
          "count up and compute the index from the end",
          bounds.step().span());
    }
    return bounds;
  }

  private OptionalLong constant(Expr expr) {
    return Extent.of(expr, context.symbols()).constant();
  }

  /** {@code pl.spmd(n)}: the same kernel n times, in any order. */
  private void blocks(io.ringmaster.worker.source.Stmt.For loop) {
    Call call = (Call) loop.iterable();
    AtArguments.ofSpmd(call, context.level());
    List<io.ringmaster.worker.source.Expr> count = new ArrayList<>(call.arguments());
    call.keywords().stream()
        .filter(keyword -> keyword.name().filter("core_num"::equals).isPresent())
        .forEach(keyword -> count.add(keyword.value()));
    if (count.size() != 1 || !(loop.target() instanceof Name variable)) {
      throw Refusal.of(
          "pl.spmd takes the number of blocks, and its loop one variable",
          "for i in pl.spmd(4):",
          loop.iterable().span());
    }
    var plain =
        new io.ringmaster.worker.source.Stmt.For(
            variable,
            new Call(call.function(), count, List.of(), call.span()),
            loop.body(),
            loop.orElse(),
            loop.isAsync(),
            loop.span());
    Expr.Var block = new Expr.Var(variable.id(), new Type.Scalar(DType.INDEX), variable.span());
    counted(plain, "pl.spmd", LoopKind.BLOCKS, _ -> statements.kernel(loop, call, block));
  }

  private void split(io.ringmaster.worker.source.Stmt.For loop) {
    Call call = (Call) loop.iterable();
    var lanes = lanes(loop);
    Optional<FunctionContext.Lane> around = context.lane();
    int count =
        call.arguments().size() == 1
            ? (int) constant(expressions.integer(call.arguments().getFirst(), "lanes")).orElse(0)
            : 0;
    if (count == 2 && loop.target() instanceof Name lane) {
      context.setLane(Optional.of(new FunctionContext.Lane(lane.id(), count, axis(call))));
    }
    counted(lanes, "pl.split_aiv", LoopKind.LANES);
    context.setLane(around);
  }

  /** The axis that a mode splits: rows, columns, or none. */
  private Optional<Integer> axis(Call call) {
    String mode =
        call.keywords().isEmpty()
            ? "pl.SplitMode.UP_DOWN"
            : expressions.resolver().path(call.keywords().getFirst().value()).orElse("");
    return switch (mode) {
      case "pl.SplitMode.UP_DOWN" -> Optional.of(0);
      case "pl.SplitMode.LEFT_RIGHT" -> Optional.of(1);
      case "pl.SplitMode.NONE" -> Optional.empty();
      default ->
          throw Refusal.of(
              "pl.split_aiv mode= is one of pl.SplitMode.UP_DOWN, LEFT_RIGHT, NONE",
              "mode=pl.SplitMode.UP_DOWN",
              call.keywords().getFirst().value().span());
    };
  }

  /** {@code pl.split_aiv(2, mode=...)}: the body once for each vector lane of the core. */
  private io.ringmaster.worker.source.Stmt.For lanes(io.ringmaster.worker.source.Stmt.For loop) {
    Call call = (Call) loop.iterable();
    if (context.level() != Level.INCORE) {
      throw Refusal.of(
          "pl.split_aiv stands in a function of level " + context.level(),
          "it splits a kernel: write it inside with pl.at(level=pl.Level.CORE_GROUP)",
          call.span());
    }
    for (Keyword keyword : call.keywords()) {
      if (keyword.name().filter("mode"::equals).isEmpty()) {
        throw unknownKeyword("pl.split_aiv", keyword);
      }
    }
    return new io.ringmaster.worker.source.Stmt.For(
        loop.target(),
        new Call(call.function(), call.arguments(), List.of(), call.span()),
        loop.body(),
        loop.orElse(),
        loop.isAsync(),
        loop.span());
  }

  private void counted(io.ringmaster.worker.source.Stmt.For loop, String name, LoopKind kind) {
    counted(loop, name, kind, statements::build);
  }

  private void counted(
      io.ringmaster.worker.source.Stmt.For loop,
      String name,
      LoopKind kind,
      Consumer<List<io.ringmaster.worker.source.Stmt>> reader) {
    Call call = (Call) loop.iterable();
    context.nameTemporariesAfter(StatementBuilder.plainName(loop.target()).orElse("bound"));
    SideBySide head = new SideBySide(context.messages());
    Optional<Bounds> read = head.read(() -> bounds(call, name));
    head.attempt(() -> requireKeywords(call, name));
    Optional<LoopCarry> carried =
        head.read(() -> LoopCarry.enter(loop, context, expressions, assignments));
    Optional<String> indexed = carried.flatMap(known -> head.read(() -> index(name, known)));
    head.requireAll();
    Bounds bounds = read.orElseThrow();
    LoopCarry carry = carried.orElseThrow();
    Name variable = carry.variable();
    String index = indexed.orElseThrow();
    NameScope names = context.names();
    Set<String> changed = AssignedNames.in(loop.body());
    names.forgetValues(changed);
    NameScope.State before = names.state();
    names.assign(
        variable.id(), index, new Type.Scalar(DType.INDEX), firstIndex(variable.id(), bounds));
    int breaksBefore = breaks;
    open.push(name);
    assignments.enterLoop(variable.id());
    names.aliases().enterLoop();
    context.openBlock();
    try {
      reader.accept(carry.body());
    } catch (Refusal refusal) {
      context.messages().add(refusal);
      context.leaveGap(loop);
      AssignedNames.in(loop.body()).forEach(names::poison);
    }
    carry.finishIteration();
    List<Stmt> body = context.closeBlock();
    refuseNewTypes(loop.span());
    assignments.leaveLoop(variable.id(), index);
    open.pop();
    after(before, surelyRuns(bounds) && breaks == breaksBefore, changed);
    context.emit(
        new Stmt.For(
            new Expr.Var(index, new Type.Scalar(DType.INDEX), variable.span()),
            bounds.start(),
            bounds.stop(),
            bounds.step(),
            kind,
            body,
            loop.span()));
  }

  /** The variable that counts a loop. */
  private String index(String loop, LoopCarry carry) {
    Name variable = carry.variable();
    if (!PLAIN.contains(loop)) {
      requireLoopVariable(variable);
      return variable.id();
    }
    String index = assignments.loopVariable(variable);
    requireName(variable);
    return index;
  }

  /** An iteration can't begin with another type than the one before it. */
  private void refuseNewTypes(Span span) {
    for (String name : context.names().aliases().leaveLoop()) {
      if (context.names().isInDoubt(name)) {
        continue;
      }
      context
          .messages()
          .error(
              "Cannot reassign '"
                  + name
                  + "' with a different type: the next iteration of the loop reads it as it was",
              "use another name in the loop",
              span);
    }
  }

  /** After a loop that runs at least once its names are there; otherwise only perhaps. */
  private void after(NameScope.State before, boolean runsWhole, Set<String> changed) {
    NameScope names = context.names();
    NameScope.State inside = names.state();
    NameScope.State reached = inside.reached();
    if (runsWhole) {
      names.restore(reached);
    } else {
      names.join(List.of(before, reached));
    }
    names.forgetValues(changed);
  }

  private boolean surelyRuns(Bounds bounds) {
    Extent length =
        Extent.of(bounds.stop(), context.symbols())
            .minus(Extent.of(bounds.start(), context.symbols()));
    OptionalLong step = constant(bounds.step());
    if (step.isEmpty()) {
      return false;
    }
    return step.getAsLong() > 0 ? length.alwaysPositive() : length.alwaysNegative();
  }

  /**
   * A loop variable that counts up starts with its smallest value. One of a loop that never runs
   * has none, so that nothing in its body is found out of bounds.
   */
  private Extent firstIndex(String name, Bounds bounds) {
    OptionalLong length =
        Extent.of(bounds.stop(), context.symbols())
            .minus(Extent.of(bounds.start(), context.symbols()))
            .constant();
    boolean up = constant(bounds.step()).orElse(-1) > 0 && length.orElse(1) > 0;
    OptionalLong start = Extent.of(bounds.start(), context.symbols()).atLowest();
    return context.names().fresh(name, up ? start : OptionalLong.empty());
  }

  private void requireLoopVariable(Name variable) {
    Optional<Type> type = context.names().firstType(variable.id());
    boolean index =
        type.isEmpty()
            || (type.get() instanceof Type.Scalar(DType dtype)
                && (dtype == DType.INDEX || dtype == DType.INT64));
    if (!index) {
      throw Refusal.of(
          "Cannot reassign '" + variable.id() + "' with a different type: a loop variable is INDEX",
          "use another name",
          variable.span());
    }
    requireName(variable);
  }

  private void requireName(Name variable) {
    if (variable.id().contains("__")) {
      throw Refusal.of(
          "'" + variable.id() + "' contains the reserved delimiter '__'",
          "rename the variable",
          variable.span());
    }
    if (assignments.countsLoop(variable.id())) {
      throw Refusal.of(
          "the loop variable '" + variable.id() + "' is already that of an enclosing loop",
          "use another name",
          variable.span());
    }
  }

  private void requireKeywords(Call call, String name) {
    SideBySide.each(
        context.messages(),
        call.keywords(),
        keyword -> {
          boolean known =
              switch (keyword.name().orElse("**")) {
                case LoopCarry.INIT_VALUES -> true;
                case "stage" -> name.equals("pl.pipeline");
                default -> false;
              };
          if (!known) {
            throw unknownKeyword(name, keyword);
          }
          return keyword;
        });
  }

  private static RuntimeException unknownKeyword(String name, Keyword keyword) {
    return Refusal.of(
        name + "() got an unexpected keyword argument '" + keyword.name().orElse("**") + "'",
        "bounds are given by position",
        keyword.span());
  }

  private void unrolled(io.ringmaster.worker.source.Stmt.For loop) {
    Call call = (Call) loop.iterable();
    if (!call.keywords().isEmpty()) {
      throw unknownKeyword("pl.unroll", call.keywords().getFirst());
    }
    if (!(loop.target() instanceof Name variable)) {
      throw Refusal.of(
          "pl.unroll takes one loop variable", "for i in pl.unroll(4):", loop.target().span());
    }
    requireLoopVariable(variable);
    Bounds bounds = bounds(call, "pl.unroll");
    long start = fixed(bounds.start());
    long stop = fixed(bounds.stop());
    long step = fixed(bounds.step());
    long count = step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
    if (count > options.maxUnrolled()) {
      throw Refusal.of(
          "pl.unroll of " + count + " iterations exceeds the limit of " + options.maxUnrolled(),
          "use pl.range",
          loop.iterable().span());
    }
    open.push("pl.unroll");
    assignments.enterLoop(variable.id());
    for (long i = 0; i < count; i++) {
      context.names().defineConstant(variable.id(), start + i * step);
      statements.build(loop.body());
    }
    context.names().remove(variable.id());
    assignments.leaveLoop(variable.id(), variable.id());
    open.pop();
  }

  private long fixed(Expr bound) {
    return constant(bound)
        .orElseThrow(
            () ->
                Refusal.of(
                    "pl.unroll bounds must be compile-time constants",
                    "use pl.range",
                    bound.span()));
  }

  void whileLoop(io.ringmaster.worker.source.Stmt.While loop) {
    SideBySide parts = new SideBySide(context.messages());
    parts.attempt(() -> refuseElse("while", loop.orElse(), loop.span()));
    context.nameTemporariesAfter("cond");
    NameScope names = context.names();
    Set<String> changed = AssignedNames.in(loop.body());
    names.forgetValues(changed);
    names.aliases().enterLoop();
    context.openBlock();
    Expr condition =
        parts
            .read(() -> statements.condition(loop.condition(), "while"))
            .orElseGet(
                () -> {
                  context.leaveGap(
                      new io.ringmaster.worker.source.Stmt.ExprStmt(loop.condition(), loop.span()));
                  return new Expr.BoolConst(true, loop.condition().span());
                });
    List<Stmt> evaluation = context.closeBlock();
    NameScope.State before = names.state();
    open.push("while");
    List<Stmt> inner = statements.block(loop.body());
    open.pop();
    refuseNewTypes(loop.span());
    names.join(List.of(before, names.state().reached()));
    names.forgetValues(changed);
    if (evaluation.isEmpty()) {
      context.emit(new Stmt.While(condition, inner, loop.span()));
      statements.build(loop.orElse());
      return;
    }
    // The condition contains operations, which must run again before every iteration.
    List<Stmt> body = new ArrayList<>(evaluation);
    Span span = loop.condition().span();
    body.add(new Stmt.If(condition, List.of(), List.of(new Stmt.Break(span)), span));
    body.addAll(inner);
    context.emit(new Stmt.While(new Expr.BoolConst(true, span), body, loop.span()));
    statements.build(loop.orElse());
  }
}
