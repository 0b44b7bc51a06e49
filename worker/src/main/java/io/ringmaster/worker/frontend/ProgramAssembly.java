package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.ops.OpTable;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Draft;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The functions of one program while they are read, and the rules they must keep together. */
final class ProgramAssembly {

  private final FrontendOptions options;
  private final Messages messages = new Messages();
  private final ProgramSignatures signatures = new ProgramSignatures();
  private final OpTable table = OpTable.STANDARD;
  private final Set<String> windowNames = new HashSet<>();
  private final Map<String, Function> functions = new LinkedHashMap<>();
  private final Set<String> broken = new HashSet<>();

  ProgramAssembly(FrontendOptions options) {
    this.options = options;
  }

  Messages messages() {
    return messages;
  }

  ProgramSignatures signatures() {
    return signatures;
  }

  OpTable table() {
    return table;
  }

  /** Reads bodies that see {@code closure} and call {@code free} functions by their bare names. */
  FunctionBuilder reader(ClosureScope closure, Optional<JitCallees> free) {
    return new FunctionBuilder(closure, table, signatures, messages, options, windowNames, free);
  }

  /** Reads a function; what it turned out to return is in the result. */
  FunctionSignature add(FunctionBuilder reader, FunctionSignature signature, Prologue prologue) {
    signatures.add(signature);
    int failures = messages.failures();
    Function function = reader.build(signature, prologue);
    boolean whole = messages.failures() == failures;
    List<Function> made = new ArrayList<>(reader.takeOutlined());
    made.add(function);
    for (Function one : made) {
      functions.put(one.name(), one);
      if (!whole) {
        broken.add(one.name());
      }
    }
    if (!whole && (signature.returns().isEmpty() || Gap.inReturns(function.body()))) {
      signatures.setResultsUnknown(signature.name());
    }
    FunctionSignature finished = withReturns(signature, function);
    signatures.add(finished);
    signatures.setEffects(function.name(), EffectAnalysis.of(function, signatures));
    return finished;
  }

  /** Adds a HOST sub-worker: what it does to its tensors is what its parameters declare. */
  void addSubWorker(FunctionSignature signature) {
    Function function =
        new Function(
            signature.name(),
            signature.level(),
            signature.params(),
            List.of(),
            List.of(),
            signature.span());
    functions.put(function.name(), function);
    signatures.setEffects(function.name(), EffectAnalysis.of(function, signatures));
  }

  /** Adds a HOST function that calls a chip function on the first device, for drivers to call. */
  void addHost(FunctionSignature chip, String name) {
    Span span = chip.span();
    List<Integer> results = results(chip);
    List<Type> returned = chip.returns().orElse(List.of());
    if (results.size() != returned.size()) {
      throw Refusal.of(
          "'" + chip.name() + "' returns a tensor that is none of its parameters",
          "give the function a pl.Out parameter for it, and store there",
          span);
    }
    List<Param> params = chip.params();
    List<Expr> arguments =
        params.stream().<Expr>map(p -> new Expr.Var(p.name(), p.type(), p.span())).toList();
    Type type =
        switch (returned.size()) {
          case 0 -> new Type.None();
          case 1 -> returned.getFirst();
          default -> new Type.Tuple(returned);
        };
    var device = Optional.<Expr>of(new Expr.IntConst(0, DType.INDEX, span));
    Expr call = new Expr.Call(chip.name(), arguments, device, type, span);
    List<Type> types = results.stream().map(i -> params.get(i).type()).toList();
    Function host =
        new Function(name, Level.HOST, params, types, List.of(new Stmt.Eval(call, span)), span);
    functions.put(name, host);
    signatures.add(
        new FunctionSignature(
            name, Level.HOST, 0, params, Optional.of(types), false, chip.definition(), span));
    signatures.setEffects(name, EffectAnalysis.of(host, signatures));
  }

  /** The parameters whose storage the results are; what isn't one can't be handed out. */
  List<Integer> results(FunctionSignature chip) {
    return signatures.effects(chip.name()).stream()
        .flatMap(effects -> effects.results().stream())
        .flatMap(sources -> sources.stream().limit(1))
        .toList();
  }

  /**
   * The whole program.
   *
   * @throws RefusedProgram with every error found
   */
  Built finish(String name) {
    settleEffects();
    List<Function> widened =
        functions.values().stream()
            .map(f -> EffectAnalysis.widened(f, signatures.effects(f.name()).orElseThrow()))
            .toList();
    Set<String> sound = sound(widened);
    ProgramRules.check(widened, sound, signatures, messages);
    Program program = new Program(name, widened, List.of());
    refuseUnexplained();
    messages.throwErrors(new Draft(program, broken, sound));
    return new Built(program, messages.warnings());
  }

  /** True when something about the program was refused or couldn't be read. */
  boolean hasGaps() {
    return messages.hasErrors() || !broken.isEmpty() || signatures.hasUnread();
  }

  /** A program with a gap is refused even where nobody said why: it must never run. */
  private void refuseUnexplained() {
    if (messages.hasErrors()) {
      return;
    }
    if (signatures.hasUnread()) {
      // The parser has said why.
      throw new DiagnosticException(List.of());
    }
    for (String name : broken) {
      messages.error(
          "function '" + name + "' has a statement that can't be read",
          "leave out one statement after the other to find it",
          Objects.requireNonNull(functions.get(name)).span());
    }
  }

  /**
   * The functions that use no result of a function with a gap, because nobody knows whose storage
   * that is.
   */
  private Set<String> sound(List<Function> all) {
    Set<String> unknown = new HashSet<>(broken);
    Set<String> unsound = new HashSet<>();
    boolean more = true;
    while (more) {
      more = false;
      for (Function function : all) {
        more |= uses(function, unknown) && unsound.add(function.name());
      }
      unknown.addAll(unsound);
    }
    return all.stream()
        .map(Function::name)
        .filter(name -> !unsound.contains(name))
        .collect(Collectors.toSet());
  }

  private static boolean uses(Function function, Set<String> unsound) {
    Set<String> used = new HashSet<>();
    IrWalk.expressions(
        function.body(),
        expr -> {
          if (expr instanceof Expr.Call call && !(call.type() instanceof Type.None)) {
            used.add(call.function());
          }
        });
    return !Collections.disjoint(used, unsound);
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
  private void settleEffects() {
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
}
