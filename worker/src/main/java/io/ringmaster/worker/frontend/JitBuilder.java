package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.JitCallees.Given;
import io.ringmaster.worker.frontend.JitHeader.Parameter;
import io.ringmaster.worker.frontend.JitHeader.ScalarParam;
import io.ringmaster.worker.frontend.JitHeader.TensorParam;
import io.ringmaster.worker.frontend.values.PythonArithmetic;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.ScalarTyping;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Turns a free function decorated with {@code @pl.jit.host} or {@code @pl.jit}, and everything it
 * calls, into a program of the IR. The shapes come from the samples the driver gives.
 */
public final class JitBuilder {

  private final ProgramAssembly program;
  private final JitCallees callees;

  private JitBuilder(FrontendOptions options) {
    this.program = new ProgramAssembly(options);
    this.callees = new JitCallees(program);
  }

  /**
   * Reads a function and its callees.
   *
   * @param arguments one for each parameter
   * @throws io.ringmaster.worker.source.DiagnosticException with every error found
   */
  public static Jitted build(
      ClosureValue.Kernel entry, List<JitArgument> arguments, FrontendOptions options) {
    JitBuilder builder = new JitBuilder(options);
    try {
      return builder.read(entry, arguments);
    } catch (Refusal refusal) {
      builder.program.messages().add(refusal);
      builder.program.messages().throwErrors();
      throw refusal;
    }
  }

  /**
   * What is wrong with a function that nobody has called, whatever it is called with: names,
   * operations, the form of its calls. What depends on shapes is left to the call.
   */
  public static List<Diagnostic> withoutCall(ClosureValue.Kernel function) {
    JitBuilder builder = new JitBuilder(FrontendOptions.DEFAULTS);
    try {
      builder.callees.header(function).ifPresent(builder.callees::readWithoutCall);
      builder.program.messages().throwErrors();
    } catch (Refusal refusal) {
      return refusal.diagnostic().stream().toList();
    } catch (DiagnosticException refused) {
      return refused.diagnostics();
    }
    return List.of();
  }

  private Jitted read(ClosureValue.Kernel kernel, List<JitArgument> arguments) {
    Span nameSpan = kernel.definition().nameSpan();
    JitHeader header =
        callees
            .header(kernel)
            .orElseThrow(
                () ->
                    Refusal.of(
                        "'" + kernel.definition().name() + "' isn't JIT",
                        "decorate it with @pl.jit, @pl.jit.host or @pl.jit.incore",
                        nameSpan));
    if (header.role() == JitRole.INCORE || header.role() == JitRole.INLINE) {
      throw Refusal.of(
          "'"
              + header.name()
              + "' is "
              + header.role().decorator()
              + ": the driver compiles and calls @pl.jit.host and @pl.jit functions",
          "call it from a @pl.jit function",
          nameSpan);
    }
    List<Given> given = new ArrayList<>();
    for (int i = 0; i < header.params().size(); i++) {
      try {
        given.add(given(header, header.params().get(i), arguments.get(i)));
      } catch (Refusal refusal) {
        program.messages().add(refusal);
      }
    }
    program.messages().throwErrors();
    FunctionSignature entry =
        callees.reading(header, given, header.role().level(Level.HOST), false, nameSpan);
    List<Integer> results = program.results(entry);
    if (header.role() != JitRole.HOST && !program.hasGaps()) {
      program.addHost(entry, callees.freshName(entry.name() + "_host"));
    }
    return new Jitted(program.finish(header.name()), results);
  }

  private Given given(JitHeader header, Parameter param, JitArgument argument) {
    return switch (param.declared()) {
      case TensorParam declared -> new Given.Runtime(tensor(header, param, declared, argument));
      case ScalarParam(DType dtype) -> number(param, dtype, argument);
      case JitHeader.ExactParam(Type type, _) -> throw notFromDriver(param, type);
      case JitHeader.AnyParam _ -> throw Refusal.silent();
    };
  }

  private static Refusal notFromDriver(Parameter param, Type type) {
    return Refusal.of(
        "parameter '"
            + param.name()
            + "' is a "
            + io.ringmaster.worker.frontend.values.TypeText.kind(type)
            + ", which a driver can't pass",
        "a driver passes tensors and numbers",
        param.span());
  }

  private Type tensor(
      JitHeader header, Parameter param, TensorParam declared, JitArgument argument) {
    if (declared.window()) {
      throw Refusal.of(
          "parameter '" + param.name() + "' is a DistributedTensor, which a driver can't pass",
          "windows are made by a @pl.jit.host function: pld.alloc_window_buffer, pld.window",
          param.span());
    }
    return switch (argument) {
      case JitArgument.Sample(var shape, DType dtype) -> {
        List<Expr> extents = new ArrayList<>();
        shape.forEach(extent -> extents.add(new Expr.IntConst(extent, DType.INDEX, param.span())));
        FunctionContext driver =
            new FunctionContext(Level.HOST, header.name(), program.messages(), Set.of());
        yield callees.type(
            header, param, new Type.Tensor(extents, dtype, false), driver, param.span());
      }
      case JitArgument.Missing _ -> {
        if (declared.dtype().isEmpty()) {
          throw Refusal.of(
              "cannot infer parameter '"
                  + param.name()
                  + "': bare 'pl.Tensor' annotation with no shape and no sample tensor",
              "pass a sample for it, or annotate it, e.g. pl.Tensor[[1, 64], pl.FP32]",
              param.span());
        }
        yield new Type.Tensor(declared.shape(), declared.dtype().get(), false);
      }
      case JitArgument.Number(ClosureValue value) ->
          throw Refusal.of(
              "parameter '"
                  + param.name()
                  + "' is a Tensor, the driver gives it "
                  + PythonArithmetic.typeName(value),
              "pass a torch tensor",
              param.span());
    };
  }

  private static Given number(Parameter param, DType dtype, JitArgument argument) {
    Optional<ClosureValue> value =
        argument instanceof JitArgument.Number(ClosureValue given)
            ? Optional.of(given)
            : param.defaultValue();
    if (argument instanceof JitArgument.Sample || value.isEmpty()) {
      throw Refusal.of(
          "scalar parameter '"
              + param.name()
              + "' "
              + (value.isEmpty() ? "has no value" : "is given a tensor"),
          "pass a number for it",
          param.span());
    }
    Expr literal =
        switch (value.get()) {
          case ClosureValue.Int(long number) ->
              new Expr.IntConst(number, DType.INDEX, param.span());
          case ClosureValue.Float(double number) ->
              new Expr.FloatConst(number, DType.FP32, param.span());
          case ClosureValue.Bool(boolean truth) -> new Expr.BoolConst(truth, param.span());
          case ClosureValue other ->
              throw Refusal.of(
                  "scalar parameter '"
                      + param.name()
                      + "' is given "
                      + PythonArithmetic.typeName(other),
                  "pass a number for it",
                  param.span());
        };
    return new Given.Known(
        value.get(), Optional.of(ScalarTyping.convert(literal, dtype, param.span())));
  }

  /** What a driver has to know about a parameter before it can match arguments. */
  public record DriverParameter(String name, boolean output, boolean scalar, boolean optional) {}

  /**
   * The parameters of a free function.
   *
   * @throws io.ringmaster.worker.source.DiagnosticException when its signature breaks a rule
   */
  public static List<DriverParameter> parameters(ClosureValue.Kernel kernel) {
    JitBuilder builder = new JitBuilder(FrontendOptions.DEFAULTS);
    Optional<JitHeader> header = builder.callees.header(kernel);
    builder.program.messages().throwErrors();
    return header.stream()
        .flatMap(known -> known.params().stream())
        .map(
            param ->
                new DriverParameter(
                    param.name(),
                    param.declared().direction() == Direction.OUT,
                    param.declared() instanceof ScalarParam,
                    param.defaultValue().isPresent()))
        .toList();
  }
}
