package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.ops.OpTable;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Parameters.Parameter;
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
  private final Set<String> windowNames = new HashSet<>();
  private final List<Function> outlined = new ArrayList<>();

  FunctionBuilder(
      ClosureScope closure,
      OpTable table,
      ProgramSignatures signatures,
      Messages messages,
      FrontendOptions options) {
    this.closure = closure;
    this.table = table;
    this.signatures = signatures;
    this.messages = messages;
    this.options = options;
  }

  Function build(FunctionSignature signature) {
    signatures.reading(signature);
    Map<String, Param> params = new LinkedHashMap<>();
    signature.params().forEach(param -> params.put(param.name(), param));
    Set<String> reserved = new HashSet<>(AssignedNames.in(signature.definition().body()));
    reserved.addAll(params.keySet());
    FunctionContext context =
        new FunctionContext(signature.level(), signature.name(), messages, reserved);
    for (Parameter parameter : signature.definition().parameters().positional()) {
      Param param = params.get(parameter.name());
      if (param == null || param.type() instanceof Type.None) {
        context.names().poison(parameter.name());
      } else {
        context.names().define(param.name(), param.type());
      }
    }
    AssignmentBuilder assignments =
        read(context, signature, params, signature.returns(), signature.definition().body());
    List<Type> returns = signature.returns().or(assignments::returned).orElse(List.of());
    return new Function(
        signature.name(),
        signature.level(),
        signature.params(),
        returns,
        context.closeBlock(),
        signature.span());
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
    ExpressionBuilder expressions = new ExpressionBuilder(context, closure, table, signatures);
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
