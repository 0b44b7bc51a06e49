package io.ringmaster.worker.script;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.script.value.KernelFrontend;
import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs snippets; kernels are Java functions named after the program class. */
public final class Scripts {

  /** Lines that most snippets with tensors start with. */
  public static final String PRELUDE =
      """
      import torch
      import pypto.language as pl
      from pypto import ir
      from pypto.ir import DistributedConfig

      @pl.program
      class Copy:
          def host(self, x, y):
              pass

      def run(program, *tensors):
          ir.compile(program, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=[0, 1]))(*tensors)

      """;

  /** What a kernel does with its arguments. */
  public interface Kernel {
    void run(List<HostTensor> arguments);
  }

  private Scripts() {}

  public static ScriptResult run(String text, String... arguments) {
    return run(text, ScriptLimits.DEFAULT, Scripts::copy, arguments);
  }

  public static ScriptResult run(
      String text, ScriptLimits limits, Kernel kernel, String... arguments) {
    List<String> argv = new ArrayList<>(List.of("script.py"));
    argv.addAll(List.of(arguments));
    return new ScriptRunner(frontend())
        .run(
            PythonParser.parse(SourceFile.of("script.py", text)), argv, runtime(kernel), limits, 7);
  }

  /** What the snippet prints; the test fails when it doesn't run to its end. */
  public static String output(String text, String... arguments) {
    ScriptResult result = run(text, arguments);
    if (result.outcome() != ScriptResult.Outcome.FINISHED) {
      throw new AssertionError(
          result.outcome() + ": " + result.message() + "\n" + result.exception() + result.log());
    }
    return result.log().stripTrailing();
  }

  /** Parameters called x are inputs, all others outputs; every one is [2, 4] of FP32. */
  private static KernelFrontend frontend() {
    return (definition, scope) -> {
      List<Function.Param> params = new ArrayList<>();
      List<Type> returns = new ArrayList<>();
      Type type = new Type.Tensor(List.of(extent(2), extent(4)), DType.FP32, false);
      for (Stmt statement : definition.body()) {
        if (statement instanceof Stmt.FunctionDef host) {
          host.parameters().positional().stream()
              .skip(1)
              .forEach(
                  p ->
                      params.add(
                          new Function.Param(
                              p.name(),
                              type,
                              p.name().startsWith("x") ? Direction.IN : Direction.OUT,
                              Span.NONE)));
          host.returns().ifPresent(r -> returns.add(type));
        }
      }
      Function host =
          new Function("host", Level.HOST, params, returns, List.of(), definition.span());
      return new KernelFrontend.Result(
          new Program(definition.name(), List.of(host), List.of()), List.of());
    };
  }

  private static Expr extent(long value) {
    return new Expr.IntConst(value, DType.INDEX, Span.NONE);
  }

  private static KernelRuntime runtime(Kernel kernel) {
    return (program, platform, devices, where) ->
        new KernelRuntime.Compiled() {
          @Override
          public KernelRuntime.Compiled keepingWindows() {
            return this;
          }

          @Override
          public int ranks() {
            return 1;
          }

          @Override
          public Function entry() {
            return program.functions().getFirst();
          }

          @Override
          public void run(List<HostTensor> arguments, Span at) {
            kernel.run(arguments);
          }
        };
  }

  /** y = x, all of it. */
  public static void copy(List<HostTensor> arguments) {
    HostTensor y = arguments.get(1);
    promise(y);
    rows(arguments.get(0), y, 0, 1, 2, 3, 4, 5, 6, 7);
  }

  static void promise(HostTensor output) {
    output.buffer().promised().add(0, output.elements() * output.dtype().bytes());
  }

  /** Copies row {@code from[i]} of the first tensor to row i of the second; -1 leaves a row out. */
  static void rows(HostTensor x, HostTensor y, int... from) {
    long bytes = y.elements() / y.shape()[0] * y.dtype().bytes();
    int count = (int) Math.min(y.shape()[0], from.length);
    for (int row : Arrays.copyOf(from, count)) {
      if (row >= x.shape()[0]) {
        return;
      }
    }
    for (int row = 0; row < count; row++) {
      if (from[row] >= 0) {
        y.buffer()
            .segment()
            .asSlice(row * bytes, bytes)
            .copyFrom(x.buffer().segment().asSlice(from[row] * bytes, bytes));
        y.buffer().written().add(row * bytes, (row + 1) * bytes);
      }
    }
  }
}
