package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.ops.OpTable;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Parameters.Parameter;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads the body of one function whose signature is known. */
final class FunctionBuilder {

  private final ClosureScope closure;
  private final OpTable table;
  private final ProgramSignatures signatures;
  private final Messages messages;
  private final FrontendOptions options;
  private final Set<String> windowNames;
  private final Optional<JitCallees> free;
  private final List<Function> outlined = new ArrayList<>();

  /**
   * Reads functions that see {@code closure}.
   *
   * @param windowNames the window buffers of the whole program, added to
   * @param free the functions that bare names call
   */
  FunctionBuilder(
      ClosureScope closure,
      OpTable table,
      ProgramSignatures signatures,
      Messages messages,
      FrontendOptions options,
      Set<String> windowNames,
      Optional<JitCallees> free) {
    this.closure = closure;
    this.table = table;
    this.signatures = signatures;
    this.messages = messages;
    this.options = options;
    this.windowNames = windowNames;
    this.free = free;
  }

  Function build(FunctionSignature signature, Prologue prologue) {
    int before = signatures.reading(signature);
    Map<String, Param> params = new LinkedHashMap<>();
    signature.params().forEach(param -> params.put(param.name(), param));
    FunctionContext context =
        new FunctionContext(
            signature.level(), signature.name(), messages, reserved(signature), prologue.form());
    for (Parameter parameter : signature.definition().parameters().positional()) {
      if (!known(context, parameter, prologue)) {
        define(context, parameter, Optional.ofNullable(params.get(parameter.name())));
      }
    }
    FunctionForm.beyondPositional(signature.definition().parameters())
        .forEach(parameter -> context.names().poison(parameter.name()));
    prologue
        .blockIndex()
        .ifPresent(
            param -> {
              context.names().define(param.name(), param.type());
              context.setBlockIndex(new Expr.Var(param.name(), param.type(), param.span()));
            });
    AssignmentBuilder assignments =
        read(context, signature, params, signature.returns(), signature.definition().body());
    if (assignments.returns().first().isEmpty()) {
      prologue
          .output()
          .flatMap(name -> output(context, name, signature.span()))
          .ifPresent(context::emit);
    }
    List<Type> returns =
        signature
            .returns()
            .or(() -> assignments.returns().first())
            .or(() -> prologue.output().map(params::get).map(output -> List.of(output.type())))
            .orElse(List.of());
    signatures.readingAgain(before);
    Function built =
        new Function(
            signature.name(),
            signature.level(),
            signature.params(),
            returns,
            context.closeBlock(),
            signature.span());
    DeferredWaits.checkKernel(built, messages);
    return built;
  }

  /** The names that a function's source assigns somewhere. */
  private static Set<String> reserved(FunctionSignature signature) {
    Set<String> reserved = new HashSet<>(AssignedNames.in(signature.definition().body()));
    signature.definition().parameters().positional().forEach(p -> reserved.add(p.name()));
    return reserved;
  }

  /** Says what is wrong with the body of a function of which nobody knows where it runs. */
  void readAnywhere(FunctionSignature signature) {
    int before = signatures.reading(signature);
    FunctionContext context =
        new FunctionContext(
            signature.level(),
            signature.name(),
            messages,
            reserved(signature),
            Prologue.NONE.form());
    signature
        .params()
        .forEach(
            param -> {
              if (param.type() instanceof Type.None) {
                context.names().poison(param.name());
              } else {
                context.names().define(param.name(), param.type());
              }
            });
    FunctionForm.beyondPositional(signature.definition().parameters())
        .forEach(parameter -> context.names().poison(parameter.name()));
    if (signature.definition().parameters().positional().stream()
        .anyMatch(parameter -> parameter.name().equals("self"))) {
      context.names().poison("self");
    }
    readAnywhere(context, signature, signature.definition().body());
    signatures.readingAgain(before);
  }

  /** Reads statements that stand in another function's body; {@code signature} is theirs. */
  void readInto(FunctionContext context, FunctionSignature signature, List<Stmt> body) {
    read(context, signature, Map.of(), Optional.empty(), body);
  }

  /** Defines a parameter that has one value in this reading; false when it hasn't. */
  private static boolean known(FunctionContext context, Parameter parameter, Prologue prologue) {
    String name = parameter.name();
    ClosureValue constant = prologue.constants().get(name);
    if (constant != null) {
      context.names().defineConstant(name, constant);
      return true;
    }
    Expr value = prologue.values().get(name);
    if (value != null) {
      Expr.Var variable = new Expr.Var(name, value.type(), parameter.span());
      context.emit(new io.ringmaster.worker.ir.Stmt.Assign(variable, value, parameter.span()));
      context.names().define(name, value.type(), context.quantity(name, value));
    }
    return value != null;
  }

  private static void define(FunctionContext context, Parameter parameter, Optional<Param> param) {
    Optional<Type> type = param.map(Param::type).filter(t -> !(t instanceof Type.None));
    if (type.isPresent()) {
      context.names().define(parameter.name(), type.get());
    } else {
      context.names().poison(parameter.name());
    }
  }

  /** The closing {@code return} that a free function with an output may leave away. */
  private static Optional<io.ringmaster.worker.ir.Stmt> output(
      FunctionContext context, String name, Span span) {
    return context
        .names()
        .find(name)
        .filter(variable -> variable.type() instanceof Type.Tensor)
        .map(
            variable ->
                new io.ringmaster.worker.ir.Stmt.Return(
                    List.of(new Expr.Var(name, variable.type(), span)), span));
  }

  /** The functions that blocks of the last function became; empties the list. */
  List<Function> takeOutlined() {
    List<Function> taken = List.copyOf(outlined);
    outlined.clear();
    return taken;
  }

  /**
   * Says what is wrong with statements at whatever level they run; nothing is made of them. Inside
   * of such statements the level of the reading stands for all.
   */
  void readAnywhere(FunctionContext around, FunctionSignature signature, List<Stmt> body) {
    List<Level> levels = messages.isTryingOut() ? List.of(around.level()) : List.of(Level.values());
    messages.common(
        levels.stream()
            .<Runnable>map(level -> () -> tryOut(level, around, signature, body))
            .toList());
  }

  private void tryOut(
      Level level, FunctionContext around, FunctionSignature signature, List<Stmt> body) {
    FunctionContext inner =
        new FunctionContext(
            level, around.functionName(), messages, around.assignedNames(), around.form());
    inner.names().inherit(around.names());
    inner.setBlockIndex(new Expr.Var("block", new Type.Scalar(DType.INDEX), Span.NONE));
    inner.setLane(
        Optional.of(new FunctionContext.Lane("", FunctionContext.Lane.UNKNOWN, Optional.of(0))));
    FunctionBuilder apart =
        new FunctionBuilder(
            closure, table, signatures, messages, options, new HashSet<>(windowNames), free);
    apart.read(inner, signature, Map.of(), Optional.empty(), body);
  }

  private AssignmentBuilder read(
      FunctionContext context,
      FunctionSignature signature,
      Map<String, Param> params,
      Optional<List<Type>> returns,
      List<Stmt> body) {
    ExpressionBuilder expressions =
        new ExpressionBuilder(context, closure, table, signatures, free);
    AnnotationReader annotations = new AnnotationReader(expressions);
    AssignmentBuilder assignments =
        new AssignmentBuilder(context, expressions, annotations, params, returns, windowNames);
    OutlineBuilder outlines =
        new OutlineBuilder(
            context,
            expressions.resolver(),
            signatures,
            signature,
            (inner, block) -> read(inner, signature, Map.of(), Optional.empty(), block),
            (outer, block) -> readAnywhere(outer, signature, block),
            outlined::add);
    new StatementBuilder(context, expressions, assignments, outlines, options).build(body);
    return assignments;
  }
}
