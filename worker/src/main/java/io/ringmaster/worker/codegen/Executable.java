package io.ringmaster.worker.codegen;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Program;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A lowered program, compiled. Holds no run's state, so any number of runs may share it. */
public final class Executable {

  private final Program program;
  private final Map<String, CompiledFunction> functions;
  private final boolean signalsGrow;

  private Executable(Program program, Map<String, CompiledFunction> functions) {
    this.program = program;
    this.functions = functions;
    this.signalsGrow = GrowingSignals.in(program);
  }

  /** Compiles every function of a lowered program. */
  public static Executable of(Program program) {
    Map<String, CompiledFunction> functions = new LinkedHashMap<>();
    Map<String, FunctionCompiler> compilers = new LinkedHashMap<>();
    for (Function function : program.functions()) {
      var registers = new Registers();
      var expressions = new ExprCompiler(registers, function.level() == Function.Level.HOST);
      var binding = ParameterBinding.of(function, registers, expressions);
      functions.put(function.name(), new CompiledFunction(function, binding));
      compilers.put(
          function.name(), new FunctionCompiler(function, functions, registers, expressions));
    }
    compilers.forEach((name, compiler) -> compiler.compileInto(compiler.callee(name)));
    return new Executable(program, functions);
  }

  /**
   * True when the order in which ranks notify and look at cells can't be seen in values or times.
   */
  public boolean signalsGrow() {
    return signalsGrow;
  }

  public Program program() {
    return program;
  }

  public Optional<CompiledFunction> function(String name) {
    return Optional.ofNullable(functions.get(name));
  }

  /** The HOST function that starts the program: the one that no other HOST function calls. */
  public CompiledFunction entry() {
    for (CompiledFunction function : functions.values()) {
      if (function.source().level() == Function.Level.HOST && !isCalled(function.name())) {
        return function;
      }
    }
    throw new IllegalArgumentException(
        "program '" + program.name() + "' has no HOST function to start with");
  }

  private boolean isCalled(String name) {
    return program.functions().stream()
        .filter(function -> function.level() == Function.Level.HOST)
        .anyMatch(function -> Calls.in(function).contains(name));
  }
}
