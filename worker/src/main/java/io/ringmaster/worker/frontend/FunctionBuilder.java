package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.ops.OpTable;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Parameters.Parameter;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
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
    signatures.reading(signature);
    Map<String, Param> params = new LinkedHashMap<>();
    signature.params().forEach(param -> params.put(param.name(), param));
    Set<String> reserved = new HashSet<>(AssignedNames.in(signature.definition().body()));
    reserved.addAll(params.keySet());
    FunctionContext context =
        new FunctionContext(
            signature.level(), signature.name(), messages, reserved, prologue.form());
    for (Parameter parameter : signature.definition().parameters().positional()) {
      Param param = params.get(parameter.name());
      if (prologue.constants().get(parameter.name()) instanceof ClosureValue constant) {
        context.names().defineConstant(parameter.name(), constant);
      } else if (prologue.values().get(parameter.name()) instanceof Expr value) {
        context.emit(
            new io.ringmaster.worker.ir.Stmt.Assign(
                new Expr.Var(parameter.name(), value.type(), parameter.span()),
                value,
                parameter.span()));
        context
            .names()
            .define(parameter.name(), value.type(), context.quantity(parameter.name(), value));
      } else if (param == null || param.type() instanceof Type.None) {
        context.names().poison(parameter.name());
      } else {
        context.names().define(param.name(), param.type());
      }
    }
    AssignmentBuilder assignments =
        read(context, signature, params, signature.returns(), signature.definition().body());
    if (assignments.returned().isEmpty()) {
      prologue
          .output()
          .flatMap(name -> output(context, name, signature.span()))
          .ifPresent(context::emit);
    }
    List<Type> returns =
        signature
            .returns()
            .or(assignments::returned)
            .or(() -> prologue.output().map(params::get).map(output -> List.of(output.type())))
            .orElse(List.of());
    return new Function(
        signature.name(),
        signature.level(),
        signature.params(),
        returns,
        context.closeBlock(),
        signature.span());
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

  private AssignmentBuilder read(
      FunctionContext context,
      FunctionSignature signature,
      Map<String, Param> params,
      Optional<List<Type>> returns,
      List<Stmt> body) {
    ExpressionBuilder expressions = new ExpressionBuilder(context, closure, table, signatures, free);
    AnnotationReader annotations = new AnnotationReader(expressions.resolver(), expressions);
    AssignmentBuilder assignments =
        new AssignmentBuilder(context, expressions, annotations, params, returns, windowNames);
    OutlineBuilder outlines =
        new OutlineBuilder(
            context,
            expressions.resolver(),
            signatures,
            signature,
            (inner, block) -> read(inner, signature, Map.of(), Optional.empty(), block),
            outlined::add);
    new StatementBuilder(context, expressions, assignments, outlines, options).build(body);
    return assignments;
  }
}
