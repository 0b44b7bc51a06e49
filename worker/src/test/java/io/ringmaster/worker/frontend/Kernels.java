package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Module;
import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.source.Stmt;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Builds the last class of a source text for tests, or, where there is no class, the last free
 * function with what its annotations say. Of the module level it understands imports and
 * assignments of literals, of {@code pl.dynamic("N")} and of paths such as {@code pl.FP32}.
 */
final class Kernels {

  static final String IMPORTS =
      "import pypto.language as pl\nimport pypto.language.distributed as pld\n";

  private Kernels() {}

  static Built build(String text) {
    Module module = PythonParser.parse(SourceFile.of("kernel.py", text));
    Map<String, ClosureValue> globals = new HashMap<>();
    Optional<Stmt.ClassDef> program = Optional.empty();
    Optional<ClosureValue.Kernel> entry = Optional.empty();
    ClosureScope scope = name -> Optional.ofNullable(globals.get(name));
    for (Stmt statement : module.body()) {
      switch (statement) {
        case Stmt.Import(var names, _) ->
            names.forEach(
                alias ->
                    globals.put(
                        alias.asName().orElse(alias.name()), new ClosureValue.Path(alias.name())));
        case Stmt.ImportFrom(String from, var names, _, _) ->
            names.forEach(
                alias ->
                    globals.put(
                        alias.asName().orElse(alias.name()),
                        new ClosureValue.Path(from + "." + alias.name())));
        case Stmt.Assign(var targets, Expr value, _)
            when targets.getFirst() instanceof Expr.Name n ->
            globals.put(n.id(), value(value, globals));
        case Stmt.ClassDef found -> program = Optional.of(found);
        case Stmt.FunctionDef free -> {
          JitDecorators.check(free, scope);
          entry = Optional.of(new ClosureValue.Kernel(free, scope));
          globals.put(free.name(), entry.get());
        }
        case Stmt other -> throw new IllegalArgumentException("module level: " + other);
      }
    }
    return program.isPresent()
        ? ProgramBuilder.build(program.get(), scope, FrontendOptions.DEFAULTS)
        : annotated(entry.orElseThrow());
  }

  private static Built annotated(ClosureValue.Kernel entry) {
    List<JitArgument> nothing =
        Collections.nCopies(JitBuilder.parameters(entry).size(), new JitArgument.Missing());
    return JitBuilder.build(entry, nothing, FrontendOptions.DEFAULTS).built();
  }

  private static ClosureValue value(Expr value, Map<String, ClosureValue> globals) {
    return switch (value) {
      case Expr.IntLiteral(var number, _) -> new ClosureValue.Int(number.longValueExact());
      case Expr.FloatLiteral(double number, _) -> new ClosureValue.Float(number);
      case Expr.BoolLiteral(boolean truth, _) -> new ClosureValue.Bool(truth);
      case Expr.StringLiteral(String text, _) -> new ClosureValue.Text(text);
      case Expr.ListDisplay(var elements, _) ->
          new ClosureValue.Sequence(elements.stream().map(e -> value(e, globals)).toList());
      case Expr.Name(String id, _) -> Optional.ofNullable(globals.get(id)).orElseThrow();
      case Expr.Attribute(Expr base, String name, _, _) ->
          new ClosureValue.Path(
              ((ClosureValue.Path) value(base, globals)).qualifiedName() + "." + name);
      case Expr.Call(_, var arguments, _, _)
          when arguments.getFirst() instanceof Expr.StringLiteral(String dim, _) ->
          new ClosureValue.DynamicDim(dim);
      case Expr.SetDisplay _ -> new ClosureValue.Unsupported("set");
      case Expr other -> throw new IllegalArgumentException("value: " + other);
    };
  }

  static Function function(Built built, String name) {
    return built.program().function(name).orElseThrow();
  }

  /** The messages of the warnings. */
  static List<String> warnings(Built built) {
    return built.warnings().stream().map(io.ringmaster.worker.source.Diagnostic::message).toList();
  }
}
