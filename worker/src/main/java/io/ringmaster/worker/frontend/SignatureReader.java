package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.ops.OpTable;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Parameters.Parameter;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the parameters and result types of a decorated method. */
final class SignatureReader {

  private final ClosureScope closure;
  private final OpTable table;
  private final Messages messages;

  SignatureReader(ClosureScope closure, OpTable table, Messages messages) {
    this.closure = closure;
    this.table = table;
    this.messages = messages;
  }

  FunctionSignature read(Stmt.FunctionDef method, Level level, int order) {
    FunctionContext context = new FunctionContext(Level.HOST, method.name(), messages, Set.of());
    ExpressionBuilder expressions =
        new ExpressionBuilder(context, closure, table, new ProgramSignatures());
    AnnotationReader annotations = new AnnotationReader(expressions);
    boolean broken = FunctionForm.refuse(method, "a function of a program", false, messages);
    List<Param> params = new ArrayList<>();
    Set<String> dims = new HashSet<>();
    List<Parameter> declared = method.parameters().positional();
    for (int i = 0; i < declared.size(); i++) {
      Parameter parameter = declared.get(i);
      if (i == 0 && parameter.name().equals("self")) {
        continue;
      }
      try {
        params.add(param(parameter, annotations, dims));
      } catch (Refusal refusal) {
        messages.add(refusal);
        params.add(new Param(parameter.name(), new Type.None(), Direction.IN, parameter.span()));
        broken = true;
      }
    }
    Optional<List<Type>> returns = Optional.empty();
    if (method.returns().isPresent()) {
      try {
        returns = Optional.of(annotations.results(method.returns().get()));
      } catch (Refusal refusal) {
        messages.add(refusal);
        broken = true;
      }
    }
    return new FunctionSignature(
        method.name(), level, order, params, returns, broken, method, method.nameSpan());
  }

  private static Param param(Parameter parameter, AnnotationReader annotations, Set<String> dims) {
    if (parameter.annotation().isEmpty()) {
      throw Refusal.of(
          "Parameter '" + parameter.name() + "' missing type annotation",
          "e.g. " + parameter.name() + ": pl.Tensor[[1, 64], pl.FP32]",
          parameter.span());
    }
    if (parameter.name().contains("__")) {
      throw Refusal.of(
          "'" + parameter.name() + "' contains the reserved delimiter '__'",
          "rename the parameter",
          parameter.span());
    }
    AnnotationReader.Annotated annotated = annotations.parameter(parameter.annotation().get());
    if (annotated.type() instanceof Type.Scalar && dims.contains(parameter.name())) {
      throw Refusal.of(
          "scalar parameter '" + parameter.name() + "' shadows the dynamic symbol of that name",
          "rename one of them",
          parameter.span());
    }
    if (annotated.type() instanceof Type.Tensor tensor) {
      tensor.shape().forEach(extent -> DimRules.collect(extent, dims));
    }
    return new Param(parameter.name(), annotated.type(), annotated.direction(), parameter.span());
  }
}
