package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.JitHeader.AnyParam;
import io.ringmaster.worker.frontend.JitHeader.Declared;
import io.ringmaster.worker.frontend.JitHeader.ExactParam;
import io.ringmaster.worker.frontend.JitHeader.ScalarParam;
import io.ringmaster.worker.frontend.JitHeader.TensorParam;
import io.ringmaster.worker.frontend.ops.OpTable;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Parameters.Parameter;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the decorator and the parameters of a free function. */
final class JitHeaderReader {

  private final OpTable table;
  private final Messages messages;

  JitHeaderReader(OpTable table, Messages messages) {
    this.table = table;
    this.messages = messages;
  }

  /** The header; empty when the function has no decorator of the JIT form. */
  Optional<JitHeader> read(ClosureValue.Kernel kernel, int number) {
    Stmt.FunctionDef definition = kernel.definition();
    Resolver resolver = new Resolver(kernel.scope(), _ -> false);
    return JitDecorators.role(definition, resolver)
        .or(() -> role(new DecoratorReader(resolver), definition))
        .map(known -> read(kernel, known, number));
  }

  /** A free {@code @pl.function} is as good as the decorator of its level. */
  private static Optional<JitRole> role(DecoratorReader decorators, Stmt.FunctionDef definition) {
    if (decorators.isInline(definition)) {
      return Optional.of(JitRole.INLINE);
    }
    return decorators
        .read(definition)
        .map(
            level ->
                switch (level) {
                  case HOST -> JitRole.HOST;
                  case ORCHESTRATION -> JitRole.CHIP;
                  case INCORE -> JitRole.INCORE;
                });
  }

  private JitHeader read(ClosureValue.Kernel kernel, JitRole role, int number) {
    Stmt.FunctionDef definition = kernel.definition();
    FunctionContext context =
        new FunctionContext(Level.HOST, definition.name(), messages, Set.of());
    ExpressionBuilder expressions =
        new ExpressionBuilder(context, kernel.scope(), table, new ProgramSignatures());
    AnnotationReader annotations = new AnnotationReader(expressions);
    boolean broken = FunctionForm.refuse(definition, "a JIT function", true, messages);
    List<JitHeader.Parameter> params = new ArrayList<>();
    for (Parameter parameter : definition.parameters().positional()) {
      Declared declared = new AnyParam();
      Optional<ClosureValue> otherwise = Optional.empty();
      try {
        declared = declared(parameter, role, annotations, expressions.resolver());
        otherwise = parameter.defaultValue().map(value -> constant(value, expressions));
      } catch (Refusal refusal) {
        messages.add(refusal);
        broken = true;
      }
      params.add(new JitHeader.Parameter(parameter.name(), declared, otherwise, parameter.span()));
    }
    return new JitHeader(number, role, definition, kernel.scope(), params, broken);
  }

  private static ClosureValue constant(Expr value, ExpressionBuilder expressions) {
    if (expressions.evaluate(value) instanceof Value.Constant(ClosureValue constant)) {
      return constant;
    }
    throw Refusal.of(
        "a default value must be a constant", "give the value in each call", value.span());
  }

  private static Declared declared(
      Parameter parameter, JitRole role, AnnotationReader annotations, Resolver resolver) {
    if (parameter.name().contains("__")) {
      throw Refusal.of(
          "'" + parameter.name() + "' contains the reserved delimiter '__'",
          "rename the parameter",
          parameter.span());
    }
    if (parameter.annotation().isEmpty()) {
      if (role == JitRole.INLINE) {
        return new AnyParam();
      }
      throw Refusal.of(
          "Parameter '" + parameter.name() + "' missing type annotation",
          "e.g. " + parameter.name() + ": pl.Tensor[[1, 64], pl.FP32]",
          parameter.span());
    }
    Expr annotation = parameter.annotation().get();
    Optional<TensorParam> bare = bare(annotation, resolver);
    if (bare.isPresent()) {
      return bare.get();
    }
    AnnotationReader.Annotated annotated = annotations.parameter(annotation);
    return switch (annotated.type()) {
      case Type.Tensor(var shape, var dtype, boolean window, _) ->
          new TensorParam(
              window, annotated.direction(), shape, Optional.of(dtype), annotation.span());
      case Type.Scalar(var dtype) -> new ScalarParam(dtype);
      case Type other -> new ExactParam(other, annotated.direction());
    };
  }

  /** {@code pl.Tensor}, {@code pld.DistributedTensor}, {@code pl.Out[pl.Tensor]}... */
  private static Optional<TensorParam> bare(Expr annotation, Resolver resolver) {
    if (annotation instanceof Expr.Subscript(Expr value, Expr index, _)) {
      return switch (resolver.path(value).orElse("")) {
        case "pl.Out" -> bare(index, Direction.OUT, resolver);
        case "pl.InOut" -> bare(index, Direction.INOUT, resolver);
        default -> Optional.empty();
      };
    }
    return bare(annotation, Direction.IN, resolver);
  }

  private static Optional<TensorParam> bare(Expr type, Direction direction, Resolver resolver) {
    return switch (resolver.path(type).orElse("")) {
      case "pl.Tensor" ->
          Optional.of(new TensorParam(false, direction, List.of(), Optional.empty(), type.span()));
      case "pld.DistributedTensor" ->
          Optional.of(new TensorParam(true, direction, List.of(), Optional.empty(), type.span()));
      default -> Optional.empty();
    };
  }
}
