package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.ops.OpTable;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Turns a class decorated with {@code @pl.program} into a program of the IR. */
public final class ProgramBuilder {

  private final ClosureScope closure;
  private final Messages messages = new Messages();
  private final ProgramSignatures signatures = new ProgramSignatures();
  private final OpTable table = new OpTable();

  private ProgramBuilder(ClosureScope closure) {
    this.closure = closure;
  }

  /**
   * Reads a class.
   *
   * @param closure what its methods see outside: the frame in which the decorator ran
   * @throws io.ringmaster.worker.source.DiagnosticException with every error of the class
   */
  public static Built build(Stmt.ClassDef program, ClosureScope closure, FrontendOptions options) {
    return new ProgramBuilder(closure).read(program, options);
  }

  private Built read(Stmt.ClassDef program, FrontendOptions options) {
    readSignatures(program);
    FunctionBuilder builder = new FunctionBuilder(closure, table, signatures, messages, options);
    Map<String, Function> functions = new LinkedHashMap<>();
    for (FunctionSignature signature : signatures.all()) {
      Function function = builder.build(signature);
      builder.takeOutlined().forEach(part -> functions.put(part.name(), part));
      functions.put(function.name(), function);
      signatures.add(withReturns(signature, function));
      signatures.setEffects(function.name(), EffectAnalysis.of(function, signatures));
    }
    settleEffects(functions);
    List<Function> widened =
        functions.values().stream()
            .map(f -> EffectAnalysis.widened(f, signatures.effects(f.name()).orElseThrow()))
            .toList();
    if (!messages.hasErrors()) {
      ProgramRules.check(widened, signatures, messages);
    }
    messages.throwErrors();
    return new Built(new Program(program.name(), widened, List.of()), messages.warnings());
  }

  private static FunctionSignature withReturns(FunctionSignature signature, Function function) {
    return new FunctionSignature(
        signature.name(),
        signature.level(),
        signature.order(),
        signature.params(),
        Optional.of(function.returns()),
        signature.broken(),
        signature.definition(),
        signature.span());
  }

  /** Effects through callees that stand below their caller need another round. */
  private void settleEffects(Map<String, Function> functions) {
    boolean changed = true;
    for (int round = 0; changed && round <= functions.size(); round++) {
      changed = false;
      for (Function function : functions.values()) {
        Effects effects = EffectAnalysis.of(function, signatures);
        changed |= !signatures.effects(function.name()).equals(Optional.of(effects));
        signatures.setEffects(function.name(), effects);
      }
    }
  }

  private void readSignatures(Stmt.ClassDef program) {
    SignatureReader reader = new SignatureReader(closure, table, messages);
    DecoratorReader decorators = new DecoratorReader(new Resolver(closure, _ -> false));
    List<FunctionSignature> found = new ArrayList<>();
    boolean decorated = false;
    for (Stmt statement : program.body()) {
      if (!(statement instanceof Stmt.FunctionDef method)) {
        continue;
      }
      try {
        Optional<Level> level = decorators.read(method);
        if (level.isPresent()) {
          decorated = true;
          found.add(reader.read(method, level.get(), found.size()));
        }
      } catch (Refusal refusal) {
        decorated = true;
        messages.add(refusal);
      }
    }
    if (!decorated) {
      messages.add(
          Diagnostic.error(
              "class '" + program.name() + "' contains no @pl.function decorated methods",
              "decorate its kernels, e.g. @pl.function(type=pl.FunctionType.InCore)",
              program.nameSpan()));
    }
    for (FunctionSignature signature : found) {
      if (signatures.find(signature.name()).isPresent()) {
        messages.error(
            "function '" + signature.name() + "' is defined twice in this program",
            "rename one of them",
            signature.span());
      } else {
        signatures.add(signature);
      }
    }
  }
}
