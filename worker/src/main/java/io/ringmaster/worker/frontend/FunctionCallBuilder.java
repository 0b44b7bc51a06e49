package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Nearest;
import io.ringmaster.worker.frontend.values.PythonArithmetic;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.ScalarTyping;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.Call;
import io.ringmaster.worker.source.Expr.Keyword;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** Calls of the program's own functions, {@code self.f(a, b, device=r)}. */
final class FunctionCallBuilder {

  private final FunctionContext context;
  private final ExpressionBuilder expressions;
  private final ProgramSignatures signatures;

  FunctionCallBuilder(
      FunctionContext context, ExpressionBuilder expressions, ProgramSignatures signatures) {
    this.context = context;
    this.expressions = expressions;
    this.signatures = signatures;
  }

  /** True for the functions of the program. */
  boolean knows(String name) {
    return signatures.find(name).isPresent();
  }

  Expr build(String name, Call call) {
    FunctionSignature callee =
        expressions.besideOperands(ExpressionBuilder.operands(call), () -> callee(name, call));
    boolean block = signatures.takesBlock(callee);
    SideBySide sides = new SideBySide(context.messages());
    List<Value> values =
        new ArrayList<>(
            sides.read(() -> expressions.evaluateAll(call.arguments())).orElse(List.of()));
    Optional<Expr> device = sides.read(() -> device(call)).flatMap(given -> given);
    if (sides.failed()) {
      context.expectAnyUse();
    }
    sides.requireAll();
    List<Span> spans = new ArrayList<>();
    call.arguments().forEach(argument -> spans.add(argument.span()));
    if (block) {
      values.add(new Value.Dsl(blockOf(name, call.span())));
      spans.add(call.span());
    }
    return build(callee, values, spans, device, call.span());
  }

  /** The function that is called, if the call has the form that it needs. */
  private FunctionSignature callee(String name, Call call) {
    Optional<FunctionSignature> found = signatures.find(name);
    if (found.isEmpty() && signatures.mayBeUnread(name)) {
      throw Refusal.silent();
    }
    if (found.isEmpty()) {
      throw Refusal.of(
          "Function '" + name + "' not defined in program",
          signatures.isUndecorated(name)
              ? "method '"
                  + name
                  + "' has no decorator: put @pl.function(type=pl.FunctionType."
                  + (context.level() == Level.HOST ? "Orchestration" : "InCore")
                  + ") above it"
              : Nearest.hint(name, signatures.names(), "define it with @pl.function in this class"),
          call.function().span());
    }
    FunctionSignature callee = found.get();
    if (signatures.isCurrent(callee)) {
      throw Refusal.of("Function '" + name + "' calls itself", "write a loop", call.span());
    }
    if (FunctionForm.beyondPositional(callee.definition().parameters()).isEmpty()) {
      requireKeywords(callee, call);
    }
    if (callee.broken()) {
      throw Refusal.silent();
    }
    requireLevel(callee, call.span());
    boolean block = signatures.takesBlock(callee);
    List<Param> written = callee.params().subList(0, callee.params().size() - (block ? 1 : 0));
    if (call.arguments().size() != written.size()) {
      context.expectAnyUse();
      throw Refusal.of(
          "Function '"
              + name
              + "' expects "
              + written.size()
              + " argument(s), got "
              + call.arguments().size(),
          "its parameters: " + String.join(", ", written.stream().map(Param::name).toList()),
          call.span());
    }
    return callee;
  }

  private Expr blockOf(String name, Span span) {
    return context
        .blockIndex()
        .orElseThrow(
            () ->
                Refusal.of(
                    "'"
                        + name
                        + "' asks pl.tile.get_block_idx() and is called outside of a pl.spmd block",
                    "with pl.spmd(n): around the call",
                    span));
  }

  /** A call with the values of its arguments, one for each parameter. */
  Expr build(
      FunctionSignature callee,
      List<Value> values,
      List<Span> spans,
      Optional<Expr> device,
      Span span) {
    DimBindings bindings = new DimBindings(context.symbols());
    List<Expr> arguments =
        SideBySide.each(
            context.messages(),
            IntStream.range(0, callee.params().size()).boxed().toList(),
            i -> argument(callee, callee.params().get(i), values.get(i), spans.get(i), bindings));
    requireDevice(callee, arguments, device, span);
    if (signatures.areResultsUnknown(callee.name())) {
      if (context.isStatement(span)) {
        return new Expr.Call(callee.name(), arguments, device, new Type.None(), span);
      }
      throw Refusal.silent();
    }
    Type type = resultType(callee, arguments, bindings, span);
    return new Expr.Call(callee.name(), arguments, device, type, span);
  }

  private void requireKeywords(FunctionSignature callee, Call call) {
    SideBySide.each(context.messages(), call.keywords(), keyword -> accepted(callee, keyword));
  }

  private Keyword accepted(FunctionSignature callee, Keyword keyword) {
    String keywordName = keyword.name().orElse("**");
    boolean device = keywordName.equals("device");
    if (device
        && context.level() == Level.HOST
        && callee.isOrchestrator()
        && signatures.isAbove(callee)) {
      return keyword;
    }
    String hint = "arguments are given by position";
    if (device && callee.isOrchestrator() && !signatures.isAbove(callee)) {
      hint = "move '" + callee.name() + "' above its caller: methods are read in order";
    } else if (device && context.level() == Level.HOST) {
      hint = "HOST dispatches Orchestration functions; call one that calls '" + callee.name() + "'";
    } else if (device) {
      hint = "only a HOST orchestrator chooses the device";
    }
    throw Refusal.of(
        "Function '" + callee.name() + "' does not accept keyword argument '" + keywordName + "'",
        hint,
        keyword.span());
  }

  private void requireLevel(FunctionSignature callee, Span span) {
    boolean allowed =
        switch (context.level()) {
          case HOST -> callee.level() == Level.ORCHESTRATION;
          case ORCHESTRATION, INCORE -> callee.level() == Level.INCORE;
        };
    if (!allowed) {
      throw wrongLevel(
          callee.name(),
          callee.level(),
          context.level() == Level.HOST
              ? "wrap the kernel in a @pl.function(type=pl.FunctionType.Orchestration) method and"
                  + " dispatch that"
              : "HOST calls Orchestration, Orchestration calls InCore",
          span);
    }
  }

  /** A callee whose level its caller can't call. */
  Refusal wrongLevel(String name, Level level, String hint, Span span) {
    return Refusal.of(
        "Function '"
            + name
            + "' is "
            + level
            + " and the caller is "
            + context.level()
            + ": can only call same level sub-worker or next level Orch",
        hint,
        span);
  }

  private Expr argument(
      FunctionSignature callee, Param param, Value value, Span span, DimBindings bindings) {
    if (param.type() instanceof Type.Scalar(DType dtype)) {
      Expr scalar = expressions.scalar(value, span);
      if (!(scalar.type() instanceof Type.Scalar)) {
        throw mismatch(callee, param, value, span, "");
      }
      return ScalarTyping.convert(scalar, dtype, span);
    }
    if (!(value instanceof Value.Dsl(Expr expr))) {
      throw mismatch(callee, param, value, span, "");
    }
    switch (param.type()) {
      case Type.Tensor wanted when expr.type() instanceof Type.Tensor given ->
          requireTensor(callee, param, wanted, given, span, bindings);
      case Type.Tile wanted when expr.type() instanceof Type.Tile given -> {
        if (!wanted.shape().equals(given.shape()) || wanted.dtype() != given.dtype()) {
          throw mismatch(callee, param, value, span, "");
        }
      }
      case Type.Context _ when expr.type() instanceof Type.Context -> {}
      case Type other -> throw mismatch(callee, param, value, span, "");
    }
    return expr;
  }

  private static RuntimeException mismatch(
      FunctionSignature callee, Param param, Value value, Span span, String hint) {
    return mismatch(callee.name(), param.name(), TypeText.of(param.type()), value, span, hint);
  }

  /** An argument of another kind than the parameter. */
  static Refusal mismatch(
      String callee, String param, String wanted, Value value, Span span, String hint) {
    String given =
        switch (value) {
          case Value.Dsl(Expr expr) -> TypeText.of(expr.type());
          case Value.Constant(ClosureValue constant) -> PythonArithmetic.typeName(constant);
          case Value.Items _ -> "several values";
        };
    boolean several = hint.isEmpty() && value instanceof Value.Items;
    return Refusal.of(
        "Function '" + callee + "': parameter '" + param + "' is " + wanted + ", got " + given,
        several
            ? "pass its elements one by one: r[0], r[1]"
            : hint.isEmpty() ? "pass what is declared, or change the annotation" : hint,
        span);
  }

  private void requireTensor(
      FunctionSignature callee,
      Param param,
      Type.Tensor wanted,
      Type.Tensor given,
      Span span,
      DimBindings bindings) {
    if (wanted.window() && !given.window()) {
      throw noWindow(callee.name(), param.name(), given, span);
    }
    if (wanted.dtype() != given.dtype()) {
      if (!given.window()) {
        throw mismatch(callee, param, new Value.Dsl(new Expr.Var("", given, span)), span, "");
      }
      warnOfReinterpretation(callee, param, wanted, given, span);
    }
    bindings.bind(callee.name(), wanted, given, span);
    if (bindings.isLarger(wanted, given)) {
      throw Refusal.of(
          "Function '"
              + callee.name()
              + "': parameter '"
              + param.name()
              + "' is "
              + TypeText.of(wanted)
              + ", which is larger than the argument "
              + TypeText.of(given),
          "the callee addresses the bytes with its own shape",
          span);
    }
    if (wanted.dtype() == given.dtype() && wanted.shape().size() != given.shape().size()) {
      warnOfReinterpretation(callee, param, wanted, given, span);
    }
  }

  /** A plain tensor where a window is needed. */
  static Refusal noWindow(String callee, String param, Type.Tensor given, Span span) {
    return Refusal.of(
        "Cannot determine the communication context of DistributedTensor '"
            + param
            + "' of function '"
            + callee
            + "': the argument is a plain "
            + TypeText.of(given),
        "pass a pld.window view",
        span);
  }

  private void warnOfReinterpretation(
      FunctionSignature callee, Param param, Type.Tensor wanted, Type.Tensor given, Span span) {
    context.warn(
        "Function '"
            + callee.name()
            + "' sees '"
            + param.name()
            + "' as "
            + TypeText.of(wanted)
            + " while the argument is "
            + TypeText.of(given),
        "the callee addresses the bytes with its own shape and dtype",
        span);
  }

  /** The value of {@code device=}, where it is given. */
  Optional<Expr> device(Call call) {
    return call.keywords().stream()
        .filter(keyword -> keyword.name().filter("device"::equals).isPresent())
        .findFirst()
        .map(
            keyword ->
                expressions.scalar(expressions.evaluate(keyword.value()), keyword.value().span()));
  }

  private void requireDevice(
      FunctionSignature callee, List<Expr> arguments, Optional<Expr> device, Span span) {
    boolean passesWindow =
        arguments.stream()
            .anyMatch(expr -> expr.type() instanceof Type.Tensor tensor && tensor.window());
    if (context.level() == Level.HOST && device.isEmpty() && passesWindow) {
      throw Refusal.of(
          "dispatch of '" + callee.name() + "' passes a window and needs device=",
          "a window lives on a rank: say which one, e.g. device=r",
          span);
    }
  }

  private Type resultType(
      FunctionSignature callee, List<Expr> arguments, DimBindings bindings, Span span) {
    List<Type> declared = callee.returns().orElse(List.of());
    Optional<Effects> effects = signatures.effects(callee.name());
    List<Integer> outputs =
        IntStream.range(0, callee.params().size())
            .filter(i -> callee.params().get(i).direction() != Direction.IN)
            .boxed()
            .toList();
    List<Type> results = new ArrayList<>();
    for (int i = 0; i < declared.size(); i++) {
      results.add(result(declared.get(i), source(i, effects, outputs), arguments, bindings, span));
    }
    return switch (results.size()) {
      case 0 -> new Type.None();
      case 1 -> results.getFirst();
      default -> new Type.Tuple(results);
    };
  }

  /** The argument whose storage the i-th result is. */
  private static Optional<Integer> source(int i, Optional<Effects> effects, List<Integer> outputs) {
    if (effects.isPresent() && i < effects.get().results().size()) {
      Set<Integer> sources = effects.get().results().get(i);
      return sources.size() == 1 ? sources.stream().findFirst() : Optional.empty();
    }
    return i < outputs.size() ? Optional.of(outputs.get(i)) : Optional.empty();
  }

  private static Type result(
      Type declared,
      Optional<Integer> source,
      List<Expr> arguments,
      DimBindings bindings,
      Span span) {
    if (declared instanceof Type.Tensor tensor) {
      if (source.isPresent()
          && arguments.get(source.get()).type() instanceof Type.Tensor argument
          && argument.shape().size() == tensor.shape().size()
          && argument.dtype() == tensor.dtype()) {
        return argument;
      }
      return new Type.Tensor(
          tensor.shape().stream().map(extent -> bindings.substitute(extent, span)).toList(),
          tensor.dtype(),
          tensor.window(),
          tensor.valid().stream().allMatch(FunctionContext::isOfDims)
              ? tensor.valid().stream().map(extent -> bindings.substitute(extent, span)).toList()
              : List.of());
    }
    return declared;
  }
}
