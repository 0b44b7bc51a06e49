package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.JitCallees.Given;
import io.ringmaster.worker.frontend.JitHeader.AnyParam;
import io.ringmaster.worker.frontend.JitHeader.ExactParam;
import io.ringmaster.worker.frontend.JitHeader.Parameter;
import io.ringmaster.worker.frontend.JitHeader.ScalarParam;
import io.ringmaster.worker.frontend.JitHeader.TensorParam;
import io.ringmaster.worker.frontend.values.Nearest;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.ScalarTyping;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.Call;
import io.ringmaster.worker.source.Expr.Keyword;
import io.ringmaster.worker.source.Expr.Name;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** Calls of free functions, {@code f(a, b, out=y, device=r)}, from one another and from classes. */
final class JitCallBuilder {

  /** Python's own functions have their own advice. */
  private static final Set<String> PYTHON = Set.of("min", "max", "range", "len", "print", "abs");

  private final FunctionContext context;
  private final Resolver resolver;
  private final ExpressionBuilder expressions;
  private final FunctionCallBuilder functions;
  private final JitCallees callees;

  JitCallBuilder(
      FunctionContext context,
      Resolver resolver,
      ExpressionBuilder expressions,
      FunctionCallBuilder functions,
      JitCallees callees) {
    this.context = context;
    this.resolver = resolver;
    this.expressions = expressions;
    this.functions = functions;
    this.callees = callees;
  }

  /** The call of an inline method; empty when there is none of that name. */
  Optional<Value> method(String name, Call call) {
    return callees.method(name).flatMap(callees::header).map(header -> build(header, call));
  }

  /** The call; empty when the name is that of something else. */
  Optional<Value> build(Name name, Call call) {
    Optional<ClosureValue> outside = resolver.resolve(name);
    if (outside.isPresent() && outside.get() instanceof ClosureValue.Kernel kernel) {
      JitHeader header =
          callees
              .header(kernel)
              .orElseThrow(
                  () ->
                      Refusal.of(
                          "Unsupported function call: '" + name.id() + "' is no JIT function",
                          "decorate it with @pl.jit.incore, @pl.jit or @pl.jit.inline",
                          name.span()));
      return Optional.of(build(header, call));
    }
    if (!context.form().jit()) {
      return Optional.empty();
    }
    if (outside.isPresent() && outside.get() instanceof ClosureValue.Unsupported(String type)) {
      throw Refusal.of(
          "Unsupported function call: '" + name.id() + "' is a " + type + " of the driver",
          "decorate it with @pl.jit.incore or @pl.jit.inline, or call it in the driver",
          name.span());
    }
    if (outside.isEmpty() && !PYTHON.contains(name.id())) {
      throw Refusal.of(
          "Function '" + name.id() + "' not defined in program",
          "a JIT function calls functions of the module or of the function around it that are"
              + " decorated with @pl.jit, @pl.jit.incore or @pl.jit.inline",
          name.span());
    }
    return Optional.empty();
  }

  /** An argument: a value and the place of its text. */
  private record Argument(Value value, Span span) {}

  private Value build(JitHeader header, Call call) {
    if (header.broken()
        && !FunctionForm.beyondPositional(header.definition().parameters()).isEmpty()) {
      // Nobody knows how it was meant to be called.
      callees.readBroken(header);
      expressions.evaluateAll(ExpressionBuilder.operands(call));
      throw Refusal.silent();
    }
    if (header.broken()) {
      callees.readBroken(header);
    }
    SideBySide sides = new SideBySide(context.messages());
    sides.attempt(() -> requireLevel(header, call.span()));
    Optional<List<Argument>> read = sides.read(() -> arguments(header, call));
    Optional<Expr> device = sides.read(() -> device(header, call)).flatMap(given -> given);
    if (sides.failed()) {
      context.expectAnyUse();
    }
    sides.requireAll();
    List<Argument> arguments = read.orElseThrow();
    if (header.broken()) {
      throw Refusal.silent();
    }
    if (header.role() == JitRole.INLINE && context.level() == Level.HOST) {
      List<Value> given = arguments.stream().map(Argument::value).toList();
      return new HostInlining(context, callees).inline(header, given, call.span());
    }
    List<Given> given =
        SideBySide.each(
            context.messages(),
            IntStream.range(0, arguments.size()).boxed().toList(),
            i -> given(header, header.params().get(i), arguments.get(i)));
    List<Value> values = new ArrayList<>();
    List<Span> spans = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      if (given.get(i) instanceof Given.Runtime) {
        values.add(arguments.get(i).value());
        spans.add(arguments.get(i).span());
      }
    }
    boolean blocks = context.blockIndex().isPresent() && BlockIndexUse.in(header);
    FunctionSignature callee =
        callees.reading(header, given, header.role().level(context.level()), blocks, call.span());
    if (blocks) {
      values.add(new Value.Dsl(context.blockIndex().orElseThrow()));
      spans.add(call.span());
    }
    Expr built = functions.build(callee, values, spans, device, call.span());
    if (callee.broken()) {
      throw Refusal.silent();
    }
    return new Value.Dsl(built);
  }

  private void requireLevel(JitHeader header, Span span) {
    Level level = header.role().level(context.level());
    boolean allowed =
        switch (context.level()) {
          case HOST -> header.role() != JitRole.HOST && header.role() != JitRole.INCORE;
          case ORCHESTRATION -> header.role() != JitRole.HOST;
          case INCORE -> header.role() == JitRole.INCORE || header.role() == JitRole.INLINE;
        };
    if (allowed) {
      return;
    }
    String hint =
        switch (header.role()) {
          case HOST -> "a @pl.jit.host function is what the driver compiles and calls";
          case CHIP, OPAQUE -> "@pl.jit.host calls @pl.jit, @pl.jit calls @pl.jit.incore";
          case INCORE -> "call it from a @pl.jit function and dispatch that";
          case INLINE -> "call it from a @pl.jit or @pl.jit.incore function";
        };
    throw functions.wrongLevel(header.name(), level, hint, span);
  }

  /** Where the call runs, if it says so; {@code device} may also be a parameter like any other. */
  private Optional<Expr> device(JitHeader header, Call call) {
    return header.params().stream().anyMatch(param -> param.name().equals("device"))
        ? Optional.empty()
        : functions.device(call);
  }

  /** One argument for each parameter, in the order of the parameters. */
  private List<Argument> arguments(JitHeader header, Call call) {
    List<Parameter> params = header.params();
    int positional = call.arguments().size();
    SideBySide sides = new SideBySide(context.messages());
    Map<String, io.ringmaster.worker.source.Expr> named = new HashMap<>();
    for (Keyword keyword : call.keywords()) {
      if (!isDevice(header, keyword)) {
        sides.attempt(() -> requireParameter(header, keyword, positional));
        named.put(keyword.name().orElse("**"), keyword.value());
      }
    }
    boolean counted = !sides.failed();
    IdentityHashMap<io.ringmaster.worker.source.Expr, Value> values = new IdentityHashMap<>();
    List<io.ringmaster.worker.source.Expr> operands = new ArrayList<>(call.arguments());
    operands.addAll(named.values());
    operands.forEach(
        operand ->
            sides
                .read(() -> expressions.evaluate(operand))
                .ifPresent(value -> values.put(operand, value)));
    if (counted && (positional > params.size() || missing(params, positional, named))) {
      sides.attempt(
          () -> {
            throw wrongCount(header, positional + named.size(), call.span());
          });
    }
    sides.requireAll();
    List<Argument> arguments = new ArrayList<>();
    for (int i = 0; i < params.size(); i++) {
      io.ringmaster.worker.source.Expr written =
          i < positional ? call.arguments().get(i) : named.get(params.get(i).name());
      arguments.add(
          written == null
              ? new Argument(
                  new Value.Constant(params.get(i).defaultValue().orElseThrow()), call.span())
              : new Argument(Objects.requireNonNull(values.get(written)), written.span()));
    }
    return arguments;
  }

  private static boolean missing(
      List<Parameter> params, int positional, Map<String, io.ringmaster.worker.source.Expr> named) {
    return params.stream()
        .skip(positional)
        .anyMatch(param -> !named.containsKey(param.name()) && param.defaultValue().isEmpty());
  }

  private static Refusal wrongCount(JitHeader header, int given, Span span) {
    List<Parameter> params = header.params();
    return Refusal.of(
        (header.role() == JitRole.INLINE ? "Inline function '" : "Function '")
            + header.name()
            + "' expects "
            + params.size()
            + " argument(s), got "
            + given,
        "its parameters: " + String.join(", ", params.stream().map(Parameter::name).toList()),
        span);
  }

  private boolean isDevice(JitHeader header, Keyword keyword) {
    boolean dispatched = header.role() == JitRole.CHIP || header.role() == JitRole.OPAQUE;
    return isDeviceOf(header, keyword) && context.level() == Level.HOST && dispatched;
  }

  private static boolean isDeviceOf(JitHeader header, Keyword keyword) {
    return keyword.name().filter("device"::equals).isPresent()
        && header.params().stream().noneMatch(param -> param.name().equals("device"));
  }

  private static void requireParameter(JitHeader header, Keyword keyword, int positional) {
    List<String> params = header.params().stream().map(Parameter::name).toList();
    String name = keyword.name().orElse("**");
    int at = params.indexOf(name);
    if (at < 0) {
      throw Refusal.of(
          "Function '" + header.name() + "' does not accept keyword argument '" + name + "'",
          isDeviceOf(header, keyword)
              ? "only a dispatch from @pl.jit.host chooses the device"
              : Nearest.hint(name, params, "its parameters: " + String.join(", ", params)),
          keyword.span());
    }
    if (at < positional) {
      throw Refusal.of(
          "Function '" + header.name() + "' got multiple values for argument '" + name + "'",
          "give it once",
          keyword.value().span());
    }
  }

  private Given given(JitHeader header, Parameter param, Argument argument) {
    boolean inline = header.role() == JitRole.INLINE;
    return switch (param.declared()) {
      case TensorParam declared -> {
        if (argument.value() instanceof Value.Dsl(Expr expr)
            && expr.type() instanceof Type.Tensor) {
          yield runtime(header, param, expr.type(), argument.span());
        }
        throw mismatch(header, param, declared.window() ? "DistributedTensor" : "Tensor", argument);
      }
      case ScalarParam(var dtype) -> {
        Expr scalar = expressions.scalar(argument.value(), argument.span());
        if (!(scalar.type() instanceof Type.Scalar)) {
          throw mismatch(header, param, "Scalar " + dtype, argument);
        }
        yield inline && argument.value() instanceof Value.Constant(ClosureValue constant)
            ? new Given.Known(
                constant, Optional.of(ScalarTyping.convert(scalar, dtype, argument.span())))
            : new Given.Runtime(new Type.Scalar(dtype));
      }
      case ExactParam(Type type, _) -> new Given.Runtime(type);
      case AnyParam _ ->
          switch (argument.value()) {
            case Value.Constant(ClosureValue constant) ->
                new Given.Known(constant, Optional.empty());
            case Value.Dsl(Expr expr) -> runtime(header, param, expr.type(), argument.span());
            case Value.Items _ -> throw mismatch(header, param, "one value", argument);
          };
    };
  }

  private Given runtime(JitHeader header, Parameter param, Type argument, Span span) {
    return new Given.Runtime(callees.type(header, param, argument, context, span));
  }

  private static Refusal mismatch(
      JitHeader header, Parameter param, String wanted, Argument argument) {
    return FunctionCallBuilder.mismatch(
        header.name(), param.name(), wanted, argument.value(), argument.span(), "");
  }
}
