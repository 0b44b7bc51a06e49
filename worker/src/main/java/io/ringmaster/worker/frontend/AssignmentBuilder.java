package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.ScalarTyping;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.Call;
import io.ringmaster.worker.source.Expr.ListDisplay;
import io.ringmaster.worker.source.Expr.Name;
import io.ringmaster.worker.source.Expr.Subscript;
import io.ringmaster.worker.source.Expr.TupleDisplay;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Assignments of every form, and what a name may be assigned again. */
final class AssignmentBuilder {

  private final FunctionContext context;
  private final ExpressionBuilder expressions;
  private final AnnotationReader annotations;
  private final Map<String, Param> params;
  private final Returns returns;
  private final Set<String> windowNames;
  private final Set<String> loopVariables = new HashSet<>();
  private final Set<String> pastLoopVariables = new HashSet<>();

  /** Names that were assigned a value of another type: nobody knows which of the two is meant. */
  private final Set<String> otherTypes = new HashSet<>();

  /** {@code windowNames} collects the window buffers of the whole program. */
  AssignmentBuilder(
      FunctionContext context,
      ExpressionBuilder expressions,
      AnnotationReader annotations,
      Map<String, Param> params,
      Optional<List<Type>> declaredReturns,
      Set<String> windowNames) {
    this.context = context;
    this.expressions = expressions;
    this.annotations = annotations;
    this.params = params;
    this.returns = new Returns(context, declaredReturns);
    this.windowNames = windowNames;
  }

  Returns returns() {
    return returns;
  }

  void assign(io.ringmaster.worker.source.Stmt.Assign assign) {
    if (assign.targets().size() != 1) {
      new SideBySide(context.messages()).attempt(() -> expressions.evaluateWhole(assign.value()));
      throw Refusal.of(
          "Unsupported statement type: chained assignment",
          "assign one name after the other",
          assign.span());
    }
    var target = assign.targets().getFirst();
    switch (target) {
      case Name(String id, Span span) -> toName(id, span, assign.value(), assign.span());
      case TupleDisplay(var elements, _) -> toNames(elements, assign.value(), assign.span());
      case ListDisplay(var elements, _) -> toNames(elements, assign.value(), assign.span());
      case Subscript subscript -> {
        StatementBuilder.plainName(subscript.value()).ifPresent(context::nameTemporariesAfter);
        Expr operation = expressions.subscripts().write(subscript, assign.value(), assign.span());
        context.emit(new Stmt.Eval(operation, assign.span()));
      }
      case io.ringmaster.worker.source.Expr other -> {
        requireNoAllocation(assign.value(), other.span());
        new SideBySide(context.messages()).attempt(() -> expressions.evaluateWhole(assign.value()));
        throw Refusal.of(
            "Unsupported assignment target: " + PythonNames.of(other),
            "assign a name, names, or a subscript",
            other.span());
      }
    }
  }

  /**
   * The types that names would have had without the mistake in a statement that assigns them. In a
   * class a name keeps the type it has: a value of another one would have been refused for that.
   */
  Map<String, Type> meant(io.ringmaster.worker.source.Stmt statement, Refusal refusal) {
    List<io.ringmaster.worker.source.Expr> targets =
        switch (statement) {
          case io.ringmaster.worker.source.Stmt.Assign assign when assign.targets().size() == 1 ->
              assign.targets().getFirst() instanceof TupleDisplay(var elements, _)
                  ? elements
                  : assign.targets();
          case io.ringmaster.worker.source.Stmt.AnnotatedAssign assign -> List.of(assign.target());
          case io.ringmaster.worker.source.Stmt.AugmentedAssign assign -> List.of(assign.target());
          default -> List.of();
        };
    boolean same = statement instanceof io.ringmaster.worker.source.Stmt.AugmentedAssign;
    Map<String, Type> meant = new HashMap<>();
    for (io.ringmaster.worker.source.Expr target : targets) {
      if (target instanceof Name(String id, _)) {
        Optional<Type> type =
            targets.size() == 1 && refusal.meant().isPresent()
                ? refusal.meant()
                : same ? plain(id) : kept(id);
        type.filter(_ -> !otherTypes.contains(id)).ifPresent(known -> meant.put(id, known));
      }
    }
    return meant;
  }

  private Optional<Type> kept(String name) {
    return context.form().jit() || pastLoopVariables.contains(name)
        ? Optional.empty()
        : plain(name);
  }

  /** The type of a name that stands for one value. */
  private Optional<Type> plain(String name) {
    return context
        .names()
        .findSource(name)
        .filter(known -> !known.poisoned() && known.constant().isEmpty())
        .map(NameScope.Variable::type)
        .filter(type -> !(type instanceof Type.Tuple) && !(type instanceof Type.None));
  }

  private void toName(
      String name, Span nameSpan, io.ringmaster.worker.source.Expr valueExpr, Span span) {
    context.nameTemporariesAfter(name);
    if (isYield(valueExpr)) {
      throw Refusal.of(
          "pl.yield_ must be the last statement of a loop with init_values or of an if branch",
          "assign the value itself",
          valueExpr.span());
    }
    Value value = expressions.evaluateWhole(valueExpr);
    if (!fold(name, nameSpan, valueExpr, value)) {
      bind(name, nameSpan, whole(value, valueExpr.span()), span);
    }
  }

  /**
   * A free function's {@code n = t.shape[0]}, {@code d = t.dtype} and {@code N = pl.dynamic("N")}
   * are no statements of the program: the name stands for what is known now.
   */
  private boolean fold(
      String name, Span nameSpan, io.ringmaster.worker.source.Expr valueExpr, Value value) {
    if (!context.form().folds(name) || !isMetadata(valueExpr)) {
      return false;
    }
    Optional<ClosureValue> known = known(value);
    known.ifPresent(
        constant -> {
          requireName(name, nameSpan);
          context.names().defineConstant(name, constant);
        });
    return known.isPresent();
  }

  private boolean isMetadata(io.ringmaster.worker.source.Expr value) {
    return switch (value) {
      case io.ringmaster.worker.source.Expr.Attribute(_, String name, _, _) ->
          name.equals("shape") || name.equals("dtype");
      case Subscript(var of, _, _) -> isMetadata(of);
      case Call call ->
          expressions.resolver().path(call.function()).filter("pl.dynamic"::equals).isPresent();
      case io.ringmaster.worker.source.Expr other -> false;
    };
  }

  private static Optional<ClosureValue> known(Value value) {
    return switch (value) {
      case Value.Constant(ClosureValue constant) -> Optional.of(constant);
      case Value.Dsl(Expr.Dim(String dim, _)) -> Optional.of(new ClosureValue.DynamicDim(dim));
      case Value.Dsl _ -> Optional.empty();
      case Value.Items(var elements) -> {
        List<ClosureValue> constants =
            elements.stream().flatMap(element -> known(element).stream()).toList();
        yield constants.size() == elements.size()
            ? Optional.of(new ClosureValue.Sequence(constants))
            : Optional.empty();
      }
    };
  }

  private Expr value(io.ringmaster.worker.source.Expr valueExpr) {
    return whole(expressions.evaluateWhole(valueExpr), valueExpr.span());
  }

  /** A value as one expression: the elements of a tuple or list as the expression of a tuple. */
  private Expr whole(Value value, Span span) {
    Optional<List<Value>> elements = value.sequence();
    return elements.isPresent()
        ? new Expr.TupleExpr(
            elements.get().stream().map(element -> expressions.scalar(element, span)).toList(),
            span)
        : expressions.scalar(value, span);
  }

  boolean isYield(io.ringmaster.worker.source.Expr value) {
    return value instanceof Call call
        && expressions.resolver().path(call.function()).filter("pl.yield_"::equals).isPresent();
  }

  /** Assigns a value to a name after checking that the name may have it. */
  void bind(String name, Span nameSpan, Expr value, Span span) {
    requireName(name, nameSpan);
    if (value.type() instanceof Type.None) {
      throw Refusal.of(
          "there is no result to assign to '" + name + "'",
          "write the call as a statement of its own",
          span);
    }
    requireAllocationName(name, value, span);
    requireParameterUse(name, value, span);
    Target target = target(name, value, nameSpan);
    Expr accepted = target.value();
    Type type = accepted.type();
    if (type instanceof Type.Tuple tuple) {
      bindTuple(name, nameSpan, target.variable(), accepted, tuple, span);
      return;
    }
    Extent quantity = context.quantity(name, accepted);
    context.emit(new Stmt.Assign(new Expr.Var(target.variable(), type, nameSpan), accepted, span));
    context.names().assign(name, target.variable(), type, quantity);
  }

  /** A name that stands for several values: each has a variable of its own. */
  private void bindTuple(
      String name, Span nameSpan, String variable, Expr value, Type.Tuple tuple, Span span) {
    if (tuple.elements().isEmpty()) {
      throw Refusal.of("'" + name + "' gets an empty list", "a kernel has no use for it", span);
    }
    List<Extent> quantities = new ArrayList<>();
    for (int i = 0; i < tuple.elements().size(); i++) {
      quantities.add(
          value instanceof Expr.TupleExpr(var elements, _)
              ? context.quantity(name, elements.get(i))
              : context.names().fresh(name, java.util.OptionalLong.empty()));
    }
    List<String> parts =
        context
            .names()
            .parts(variable, tuple.elements().size(), i -> context.freshName(variable + "_" + i));
    List<Expr.Var> variables = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      Type type = tuple.elements().get(i);
      variables.add(new Expr.Var(parts.get(i), type, nameSpan));
      context.names().define(parts.get(i), type, quantities.get(i));
    }
    context.emit(new Stmt.AssignTuple(variables, value, span));
    context
        .names()
        .assign(name, variable, tuple, context.names().fresh(name, java.util.OptionalLong.empty()));
  }

  private void requireName(String name, Span span) {
    if (name.contains("__")) {
      throw Refusal.of(
          "'" + name + "' contains the reserved delimiter '__'", "rename the variable", span);
    }
    if (name.equals("self")) {
      throw Refusal.of("'self' can't be assigned", "use another name", span);
    }
    if (loopVariables.contains(name)) {
      throw Refusal.of(
          "the loop variable '" + name + "' can't be assigned in its loop",
          "use another name",
          span);
    }
  }

  private void requireAllocationName(String name, Expr value, Span span) {
    if (value instanceof Expr.Op op && op.code() == OpCode.ALLOC_WINDOW && !windowNames.add(name)) {
      throw Refusal.of(
          "alloc_window_buffer: name '" + name + "' is already declared in this program",
          "the variable names the buffer: choose another",
          span);
    }
  }

  private void requireParameterUse(String name, Expr value, Span span) {
    Param param = params.get(name);
    boolean creates =
        value instanceof Expr.Op op
            && (op.code() == OpCode.CREATE_TENSOR || op.code() == OpCode.FULL_TENSOR);
    if (param != null && param.direction() != Direction.IN && creates) {
      throw Refusal.of(
          "'"
              + name
              + "' is an Out parameter and cannot be reassigned via tensor.create. Use the"
              + " parameter directly as the output target instead.",
          "store into '" + name + "'",
          span);
    }
  }

  /** The variable that a name is assigned to, and the value with that variable's type. */
  private record Target(String variable, Expr value) {}

  private Target target(String name, Expr value, Span span) {
    NameScope names = context.names();
    String current = names.current(name);
    Optional<Expr> accepted = accept(current, value);
    if (accepted.isPresent()) {
      return new Target(current, accepted.get());
    }
    if (!context.form().jit() && !pastLoopVariables.contains(current)) {
      otherTypes.add(name);
      throw Refusal.of(
          "Cannot reassign '"
              + name
              + "' with a different type: it is "
              + TypeText.of(names.firstType(current).orElseThrow())
              + ", the new value "
              + TypeText.of(value.type()),
          otherType(names.firstType(current).orElseThrow(), value.type()),
          span);
    }
    String variable = otherVariable(name, value);
    return new Target(variable, accept(variable, value).orElseThrow());
  }

  private String otherVariable(String name, Expr value) {
    String variable = name;
    for (int i = 2; !isFree(name, variable) || accept(variable, value).isEmpty(); i++) {
      variable = name + "_" + i;
    }
    return variable;
  }

  /**
   * The variable that counts a loop. A name may count a loop and hold something else before or
   * behind it: these are two variables.
   */
  String loopVariable(Name name) {
    Expr indexed = new Expr.Var(name.id(), new Type.Scalar(DType.INDEX), name.span());
    return accept(name.id(), indexed).isPresent() ? name.id() : otherVariable(name.id(), indexed);
  }

  /**
   * A number mostly changes its type through a literal, which is INDEX where nothing else is said.
   */
  private static String otherType(Type before, Type after) {
    return before instanceof Type.Scalar(DType kept) && after instanceof Type.Scalar
        ? "write literals as pl.const(1, pl." + kept + "), or use another name"
        : "use another name";
  }

  /** True when no other name of the source stands for the variable. */
  private boolean isFree(String name, String variable) {
    return context.names().aliases().everyOf(name).contains(variable)
        || (!context.assignedNames().contains(variable)
            && context.names().find(variable).isEmpty());
  }

  /** The value with the type the variable has; empty when it can't have it. */
  private Optional<Expr> accept(String variable, Expr value) {
    Optional<Type> first = context.names().firstType(variable);
    if (first.isEmpty()) {
      return Optional.of(value);
    }
    Type before = first.get();
    Type after = value.type();
    if (before instanceof Type.Scalar(DType a) && after instanceof Type.Scalar(DType b)) {
      if (a == b || (isIndex(a) && isIndex(b))) {
        return Optional.of(value);
      }
      boolean literal = value instanceof Expr.IntConst || value instanceof Expr.FloatConst;
      return literal && (a.isInteger() || a.isFloat()) && (a.isFloat() || b.isInteger())
          ? Optional.of(ScalarTyping.convert(value, a, value.span()))
          : Optional.empty();
    }
    return TypeRules.compatible(before, after, context.symbols())
        ? Optional.of(value)
        : Optional.empty();
  }

  private static boolean isIndex(DType dtype) {
    return dtype == DType.INDEX || dtype == DType.INT64;
  }

  private void toNames(
      List<io.ringmaster.worker.source.Expr> targets,
      io.ringmaster.worker.source.Expr valueExpr,
      Span span) {
    requireNoAllocation(valueExpr, span);
    if (targets.isEmpty()) {
      throw Refusal.of(
          "an assignment needs a name on its left", "write the call as a statement", span);
    }
    List<Name> names = new ArrayList<>();
    for (io.ringmaster.worker.source.Expr target : targets) {
      if (!(target instanceof Name name)) {
        new SideBySide(context.messages()).attempt(() -> expressions.evaluateWhole(valueExpr));
        throw Refusal.of(
            "tuple assignment takes plain names only", "unpack into names first", target.span());
      }
      requireName(name.id(), name.span());
      names.add(name);
    }
    context.nameTemporariesAfter(names.getFirst().id());
    if (isYield(valueExpr)) {
      throw Refusal.of(
          "pl.yield_ must be the last statement of a loop with init_values or of an if branch",
          "assign the value itself",
          valueExpr.span());
    }
    if (isMetadata(valueExpr) && names.stream().allMatch(n -> context.form().folds(n.id()))) {
      Optional<ClosureValue> shape = known(expressions.evaluateWhole(valueExpr));
      if (shape.isPresent() && shape.get() instanceof ClosureValue.Sequence(var extents)) {
        foldAll(names, extents, span);
        return;
      }
    }
    Expr value = value(valueExpr);
    if (!(value.type() instanceof Type.Tuple(var types))) {
      throw Refusal.of(
          "cannot unpack " + TypeText.of(value.type()) + " into " + names.size() + " name(s)",
          "only several results of a call, or a list of values, can be unpacked",
          valueExpr.span());
    }
    bindAll(names, types, value, span);
  }

  private void foldAll(List<Name> names, List<ClosureValue> extents, Span span) {
    requireCount(names, extents.size(), span);
    for (int i = 0; i < names.size(); i++) {
      context.names().defineConstant(names.get(i).id(), extents.get(i));
    }
  }

  private static void requireCount(List<Name> names, int values, Span span) {
    if (names.size() != values) {
      throw Refusal.of(
          "cannot unpack " + values + " value(s) into " + names.size() + " name(s)",
          "write one name for each value",
          span);
    }
  }

  /** Assigns several values at once. */
  void bindAll(List<Name> names, List<Type> types, Expr value, Span span) {
    requireCount(names, types.size(), span);
    boolean display = value instanceof Expr.TupleExpr;
    List<Target> targets = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      Name name = names.get(i);
      Expr element =
          value instanceof Expr.TupleExpr(var elements, _)
              ? elements.get(i)
              : new Expr.Var(name.id(), types.get(i), name.span());
      requireName(name.id(), name.span());
      targets.add(target(name.id(), element, name.span()));
    }
    Expr stored =
        display ? new Expr.TupleExpr(targets.stream().map(Target::value).toList(), span) : value;
    List<Extent> quantities = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      quantities.add(
          display
              ? context.quantity(names.get(i).id(), targets.get(i).value())
              : context.names().fresh(names.get(i).id(), java.util.OptionalLong.empty()));
    }
    List<Expr.Var> variables = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      Name name = names.get(i);
      Target target = targets.get(i);
      Type type = target.value().type();
      variables.add(new Expr.Var(target.variable(), type, name.span()));
      context.names().assign(name.id(), target.variable(), type, quantities.get(i));
    }
    context.emit(new Stmt.AssignTuple(variables, stored, span));
  }

  void annotated(io.ringmaster.worker.source.Stmt.AnnotatedAssign assign) {
    if (!(assign.target() instanceof Name(String name, Span nameSpan))) {
      assign
          .value()
          .ifPresent(
              value ->
                  new SideBySide(context.messages())
                      .attempt(() -> expressions.evaluateWhole(value)));
      throw Refusal.of(
          "annotated assignment takes a plain name",
          "leave the annotation away",
          assign.target().span());
    }
    if (assign.value().isEmpty()) {
      throw Refusal.of(
          "'" + name + "' is annotated but gets no value",
          "leave the line away: a name gets its type with its first value",
          assign.span());
    }
    context.nameTemporariesAfter(name);
    var written = assign.value().get();
    SideBySide sides = new SideBySide(context.messages());
    Optional<Type> annotated = sides.read(() -> annotations.type(assign.annotation()));
    Optional<Expr> read = sides.read(() -> value(written));
    sides.requireAll();
    Type wanted = annotated.orElseThrow();
    Expr value = read.orElseThrow();
    if (wanted instanceof Type.Scalar(DType dtype)
        && (value instanceof Expr.IntConst || value instanceof Expr.FloatConst)) {
      value = ScalarTyping.convert(value, dtype, value.span());
    }
    Optional<String> difference = TypeRules.difference(wanted, value.type(), context.symbols());
    if (difference.isPresent()) {
      throw Refusal.of(
          "annotation of '"
              + name
              + "' doesn't match its value: "
              + difference.get()
              + " mismatch, annotated "
              + TypeText.of(wanted)
              + ", got "
              + TypeText.of(value.type()),
          "correct or remove the annotation",
          assign.annotation().span());
    }
    bind(name, nameSpan, value, assign.span());
  }

  private void requireNoAllocation(io.ringmaster.worker.source.Expr value, Span span) {
    boolean allocates =
        value instanceof Call call
            && expressions
                .resolver()
                .path(call.function())
                .filter(path -> path.endsWith("alloc_window_buffer"))
                .isPresent();
    if (allocates) {
      throw Refusal.of(
          "pld.alloc_window_buffer must be assigned to a single variable name",
          "the variable names the buffer",
          span);
    }
  }

  /** Marks the name that counts a loop for the time its body is read. */
  void enterLoop(String name) {
    loopVariables.add(name);
  }

  /**
   * Ends that time. Behind the loop the name may hold something else.
   *
   * @param variable what the name stood for in the loop
   */
  void leaveLoop(String name, String variable) {
    loopVariables.remove(name);
    pastLoopVariables.add(name);
    pastLoopVariables.add(variable);
  }

  /** True while the body of a loop that the name counts is being read. */
  boolean countsLoop(String name) {
    return loopVariables.contains(name);
  }
}
