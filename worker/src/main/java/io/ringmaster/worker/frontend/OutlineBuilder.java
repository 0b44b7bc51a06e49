package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.Call;
import io.ringmaster.worker.source.Expr.Name;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Makes the block of a {@code with pl.at(...)} a function of its own and calls it: what the block
 * reads from outside becomes a parameter, the tensors it assigns become results.
 */
final class OutlineBuilder {

  /** Reads statements into the open block of a context. */
  @FunctionalInterface
  interface BodyReader {
    void read(FunctionContext context, List<io.ringmaster.worker.source.Stmt> body);
  }

  private final FunctionContext outer;
  private final Resolver resolver;
  private final ProgramSignatures signatures;
  private final BodyReader reader;
  private final BodyReader anywhere;
  private final Consumer<Function> sink;
  private final FunctionSignature around;

  OutlineBuilder(
      FunctionContext outer,
      Resolver resolver,
      ProgramSignatures signatures,
      FunctionSignature around,
      BodyReader reader,
      BodyReader anywhere,
      Consumer<Function> sink) {
    this.outer = outer;
    this.resolver = resolver;
    this.signatures = signatures;
    this.around = around;
    this.reader = reader;
    this.anywhere = anywhere;
    this.sink = sink;
  }

  void outline(io.ringmaster.worker.source.Stmt.With with) {
    var item = with.items().getFirst();
    SideBySide head = new SideBySide(outer.messages());
    Optional<AtArguments> arguments =
        head.read(() -> AtArguments.of((Call) item.context(), resolver, outer.level()));
    Optional<Name> task = head.read(() -> task(with)).flatMap(name -> name);
    if (arguments.isEmpty()) {
      readAnywhere(with.body());
    } else {
      outline(arguments.get(), with.body(), with, Optional.empty());
    }
    head.requireAll();
    task.ifPresent(this::defineTask);
  }

  /** Says what is wrong with a block of which nobody knows where it is to run. */
  void readAnywhere(List<io.ringmaster.worker.source.Stmt> body) {
    anywhere.read(outer, body);
  }

  /**
   * Makes {@code body} a function and calls it here.
   *
   * @param around the statement whose block it is
   * @param blockIndex the number of the block, in {@code pl.spmd}
   */
  void outline(
      AtArguments arguments,
      List<io.ringmaster.worker.source.Stmt> body,
      io.ringmaster.worker.source.Stmt around,
      Optional<Expr.Var> blockIndex) {
    String name = name(arguments);
    Set<String> reserved = new HashSet<>(outer.assignedNames());
    reserved.addAll(outer.names().names());
    FunctionContext inner =
        new FunctionContext(arguments.level(), name, outer.messages(), reserved, outer.form());
    inner.names().inherit(outer.names());
    blockIndex.ifPresent(inner::setBlockIndex);
    reader.read(inner, body);
    List<Stmt> built = inner.closeBlock();
    refuseReturns(built);
    if (around instanceof io.ringmaster.worker.source.Stmt.With with) {
      DeferredWaits.checkTask(with, built, this.around.definition().body(), outer.names());
    }
    Set<String> assigned = AssignedNames.in(body);
    List<Param> params = captures(built, around.span());
    Map<String, Expr.Var> results = results(inner, assigned, built, params, around);
    finish(arguments.level(), name, params, results, built, around.span());
    for (String local : assigned) {
      if (inner.names().findSource(local).filter(NameScope.Variable::poisoned).isPresent()) {
        outer.names().poison(local);
      } else if (!results.containsKey(local) && !handsTupleOn(inner, local, results)) {
        outer.names().remove(local);
      }
    }
  }

  /** Hands a name on that stands for several results; false if not all of them live on. */
  private boolean handsTupleOn(FunctionContext inner, String name, Map<String, Expr.Var> results) {
    List<String> parts = parts(inner, name);
    List<Type> types =
        parts.stream().map(results::get).filter(Objects::nonNull).map(Expr::type).toList();
    if (parts.isEmpty() || types.size() < parts.size()) {
      return false;
    }
    String variable = inner.names().current(name);
    List<String> known = outer.names().parts(variable, parts.size(), parts::get);
    outer
        .names()
        .assign(
            name,
            variable,
            new Type.Tuple(types),
            outer.names().fresh(variable, OptionalLong.empty()));
    return known.equals(parts);
  }

  /** The variables of the elements of a name that stands for several values in the block. */
  private static List<String> parts(FunctionContext inner, String name) {
    return inner
        .names()
        .findSource(name)
        .filter(variable -> variable.surely() && variable.type() instanceof Type.Tuple)
        .map(_ -> inner.names().parts(inner.names().current(name)))
        .orElse(List.of());
  }

  /** The name behind {@code as}. */
  static Optional<Name> task(io.ringmaster.worker.source.Stmt.With with) {
    return with.items().getFirst().target().map(OutlineBuilder::taskName);
  }

  private static Name taskName(io.ringmaster.worker.source.Expr target) {
    if (target instanceof Name name) {
      return name;
    }
    throw Refusal.of("the `as` clause takes one name", "as tid", target.span());
  }

  void defineTask(Name task) {
    Expr.Var variable = new Expr.Var(task.id(), new Type.Scalar(DType.TASK_ID), task.span());
    outer.emit(
        new Stmt.Assign(variable, new Expr.IntConst(0, DType.TASK_ID, task.span()), task.span()));
    outer.names().define(task.id(), variable.type());
  }

  private String name(AtArguments arguments) {
    String kind = arguments.level() == Level.INCORE ? "incore" : "chip";
    String wanted = outer.functionName() + "_" + arguments.nameHint().orElse(kind);
    String name = wanted;
    for (int i = 1; signatures.find(name).isPresent(); i++) {
      name = wanted + "_" + i;
    }
    return name;
  }

  private static void refuseReturns(List<Stmt> body) {
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.Return(_, Span span) ->
            throw Refusal.of(
                "a return can't stand inside a with pl.at block",
                "assign the tensor, and return it after the block",
                span);
        case Stmt.For loop -> refuseReturns(loop.body());
        case Stmt.While loop -> refuseReturns(loop.body());
        case Stmt.If branch -> {
          refuseReturns(branch.thenBody());
          refuseReturns(branch.elseBody());
        }
        case Stmt.Region region -> refuseReturns(region.body());
        case Stmt.Assign _, Stmt.AssignTuple _, Stmt.Eval _, Stmt.Break _, Stmt.Continue _ -> {}
      }
    }
  }

  /**
   * Variables of the outer function that the block reads, those in the types of others included.
   */
  private List<Param> captures(List<Stmt> body, Span span) {
    Map<String, Type> found = new LinkedHashMap<>();
    IrWalk.expressions(body, expr -> capture(expr, found));
    List<Param> params = new ArrayList<>();
    found.forEach((name, type) -> params.add(new Param(name, type, Direction.IN, span)));
    return params;
  }

  private void capture(Expr expr, Map<String, Type> found) {
    if (expr instanceof Expr.Var variable && !found.containsKey(variable.name())) {
      outer.names().aliases().read(variable.name());
      outer
          .names()
          .find(variable.name())
          .filter(known -> !known.poisoned())
          .ifPresent(
              known -> {
                found.put(variable.name(), known.type());
                captureExtents(known.type(), found);
              });
    }
    IrWalk.children(expr).forEach(child -> capture(child, found));
  }

  private void captureExtents(Type type, Map<String, Type> found) {
    switch (type) {
      case Type.Tensor tensor -> {
        tensor.shape().forEach(extent -> capture(extent, found));
        tensor.valid().forEach(extent -> capture(extent, found));
      }
      case Type.Tile tile -> tile.valid().forEach(extent -> capture(extent, found));
      case Type.None _,
          Type.Scalar _,
          Type.Array _,
          Type.Buffer _,
          Type.Context _,
          Type.Tuple _ -> {}
    }
  }

  /**
   * The tensors that the block assigned and that live on: views of what it was given, and what it
   * computed for others to read.
   */
  private Map<String, Expr.Var> results(
      FunctionContext inner,
      Set<String> assigned,
      List<Stmt> body,
      List<Param> params,
      io.ringmaster.worker.source.Stmt block) {
    Span span = block.span();
    Set<String> readLater = ReadNames.outside(around.definition().body(), block);
    Function draft = new Function("", inner.level(), params, List.of(), body, span);
    Storage storage = new Storage(draft, signatures);
    Set<String> given = new HashSet<>(params.stream().map(Param::name).toList());
    Map<String, Expr.Var> results = new LinkedHashMap<>();
    List<String> names = new ArrayList<>();
    for (String name : assigned) {
      if (readLater.contains(name) || outer.names().findSource(name).isPresent()) {
        names.add(name);
        names.addAll(parts(inner, name));
      }
    }
    for (String name : names) {
      Optional<Expr.Var> result =
          inner
              .names()
              .findSource(name)
              .filter(NameScope.Variable::surely)
              .map(variable -> new Expr.Var(inner.names().current(name), variable.type(), span))
              .flatMap(
                  variable -> {
                    Set<String> roots = storage.of(variable);
                    boolean made = roots.stream().noneMatch(given::contains);
                    if (isView(roots, given)) {
                      return Optional.of(variable);
                    }
                    return made && inner.level() == Level.INCORE
                        ? outside(variable)
                        : Optional.empty();
                  });
      result.ifPresent(variable -> results.put(name, variable));
    }
    return results;
  }

  private static boolean isView(Set<String> roots, Set<String> given) {
    return !roots.isEmpty() && given.containsAll(roots);
  }

  /** A tensor that the block made, if its shape makes sense outside. */
  private Optional<Expr.Var> outside(Expr.Var variable) {
    if (!(variable.type() instanceof Type.Tensor tensor) || tensor.window()) {
      return Optional.empty();
    }
    List<Expr> shape =
        tensor.shape().stream().flatMap(extent -> outer.fixed(extent).stream()).toList();
    return shape.size() == tensor.shape().size()
        ? Optional.of(
            new Expr.Var(
                variable.name(), new Type.Tensor(shape, tensor.dtype(), false), variable.span()))
        : Optional.empty();
  }

  private void finish(
      Level level,
      String name,
      List<Param> params,
      Map<String, Expr.Var> named,
      List<Stmt> body,
      Span span) {
    List<Expr.Var> results = List.copyOf(named.values());
    List<Stmt> whole = new ArrayList<>(body);
    if (!results.isEmpty()) {
      whole.add(new Stmt.Return(List.<Expr>copyOf(results), span));
    }
    List<Type> types = results.stream().map(Expr.Var::type).toList();
    Function function = new Function(name, level, params, types, whole, span);
    signatures.add(
        new FunctionSignature(
            name, level, -1, params, Optional.of(types), false, around.definition(), span));
    signatures.setEffects(name, EffectAnalysis.of(function, signatures));
    sink.accept(function);
    List<Expr> arguments =
        params.stream().<Expr>map(p -> new Expr.Var(p.name(), p.type(), span)).toList();
    boolean window =
        params.stream().anyMatch(p -> p.type() instanceof Type.Tensor tensor && tensor.window());
    if (level == Level.ORCHESTRATION && window) {
      throw Refusal.of(
          "a with pl.at(level=pl.Level.CHIP) block can't use windows: it has no device=",
          "write it as an Orchestration function and dispatch that with device=r",
          span);
    }
    emit(new Expr.Call(name, arguments, Optional.empty(), type(types), span), results, span);
    named.forEach(
        (source, result) ->
            outer
                .names()
                .assign(
                    source,
                    result.name(),
                    result.type(),
                    outer.names().fresh(result.name(), OptionalLong.empty())));
  }

  private static Type type(List<Type> types) {
    return switch (types.size()) {
      case 0 -> new Type.None();
      case 1 -> types.getFirst();
      default -> new Type.Tuple(types);
    };
  }

  private void emit(Expr.Call call, List<Expr.Var> results, Span span) {
    switch (results.size()) {
      case 0 -> outer.emit(new Stmt.Eval(call, span));
      case 1 -> outer.emit(new Stmt.Assign(results.getFirst(), call, span));
      default -> outer.emit(new Stmt.AssignTuple(results, call, span));
    }
  }
}
