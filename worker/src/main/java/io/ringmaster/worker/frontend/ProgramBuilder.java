package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.Parameters;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.source.SyntaxChildren;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Turns a class decorated with {@code @pl.program} into a program of the IR. */
public final class ProgramBuilder {

  private final ClosureScope closure;
  private final ProgramAssembly program;
  private final JitCallees callees;
  private final Set<String> subWorkers = new HashSet<>();
  private final List<FunctionSignature> refused = new ArrayList<>();

  private ProgramBuilder(ClosureScope closure, FrontendOptions options) {
    this.closure = closure;
    this.program = new ProgramAssembly(options);
    this.callees = new JitCallees(program);
  }

  /**
   * Reads a class.
   *
   * @param closure what its methods see outside: the frame in which the decorator ran
   * @throws io.ringmaster.worker.source.DiagnosticException with every error of the class
   */
  public static Built build(Stmt.ClassDef program, ClosureScope closure, FrontendOptions options) {
    return new ProgramBuilder(closure, options).read(program);
  }

  private Built read(Stmt.ClassDef definition) {
    readSignatures(definition);
    FunctionBuilder reader = program.reader(closure, Optional.of(callees));
    for (FunctionSignature signature : program.signatures().all()) {
      if (subWorkers.contains(signature.name())) {
        program.addSubWorker(signature);
      } else {
        ParameterOrder.check(signature, program.messages());
        program.add(reader, signature, prologue(signature));
      }
    }
    refused.forEach(reader::readAnywhere);
    if (!program.hasGaps()) {
      try {
        addHostsIfMissing();
      } catch (Refusal refusal) {
        program.messages().add(refusal);
      }
    }
    return program.finish(definition.name());
  }

  /** A program for one chip needs no host function of its own: its chip functions are called. */
  private void addHostsIfMissing() {
    List<FunctionSignature> all = List.copyOf(program.signatures().all());
    List<FunctionSignature> chips =
        all.stream()
            .filter(f -> f.level() == Level.ORCHESTRATION && !subWorkers.contains(f.name()))
            .toList();
    if (all.stream().anyMatch(f -> f.level() == Level.HOST) || chips.isEmpty()) {
      return;
    }
    for (FunctionSignature chip : chips) {
      program.addHost(chip, chip.name() + "_host");
    }
  }

  private Prologue prologue(FunctionSignature signature) {
    Prologue plain = Prologue.NONE;
    return program.signatures().takesBlock(signature)
        ? new Prologue(
            plain.form(),
            plain.constants(),
            plain.values(),
            plain.output(),
            Optional.of(signature.params().getLast()))
        : plain;
  }

  private static Stmt.FunctionDef withoutSelf(Stmt.FunctionDef method) {
    Parameters all = method.parameters();
    List<Parameters.Parameter> positional = all.positional();
    boolean self = !positional.isEmpty() && positional.getFirst().name().equals("self");
    Parameters rest =
        self
            ? new Parameters(
                positional.subList(1, positional.size()),
                0,
                all.varArgs(),
                all.keywordOnly(),
                all.keywordArgs())
            : all;
    return new Stmt.FunctionDef(
        method.name(),
        rest,
        method.body(),
        method.decorators(),
        method.returns(),
        method.isAsync(),
        method.nameSpan(),
        method.span());
  }

  /** Kernels that ask for the number of their block are given it in a parameter of their own. */
  private List<FunctionSignature> withBlocks(List<FunctionSignature> found) {
    Set<String> asking = new HashSet<>();
    boolean more = true;
    while (more) {
      more = false;
      for (FunctionSignature one : found) {
        more |=
            one.level() == Level.INCORE
                && !asking.contains(one.name())
                && BlockIndexUse.in(one.definition(), closure, asking)
                && asking.add(one.name());
      }
    }
    List<FunctionSignature> all = new ArrayList<>();
    for (FunctionSignature one : found) {
      if (!asking.contains(one.name())) {
        all.add(one);
        continue;
      }
      List<Param> params = new ArrayList<>(one.params());
      params.add(BlockIndexUse.param(one.definition()));
      program.signatures().setTakesBlock(one.name());
      all.add(
          new FunctionSignature(
              one.name(),
              one.level(),
              one.order(),
              params,
              one.returns(),
              one.broken(),
              one.definition(),
              one.span()));
    }
    return all;
  }

  /**
   * A method under an {@code if} or a loop isn't one of the program, which has to be said.
   *
   * @return those that were meant to be
   */
  private List<Stmt.FunctionDef> refuseMethodsIn(Stmt statement, DecoratorReader decorators) {
    List<Stmt.FunctionDef> methods = new ArrayList<>();
    for (Stmt inner : SyntaxChildren.statementsOf(statement)) {
      if (inner instanceof Stmt.FunctionDef method) {
        try {
          if (decorators.isInline(method) || decorators.read(method).isPresent()) {
            methods.add(method);
            program
                .messages()
                .error(
                    "method '"
                        + method.name()
                        + "' stands under another statement of the class, where it isn't read",
                    "put it directly into the class; to choose between two, define two classes",
                    method.nameSpan());
          }
        } catch (Refusal refusal) {
          methods.add(method);
          program.messages().add(refusal);
        }
      } else {
        methods.addAll(refuseMethodsIn(inner, decorators));
      }
    }
    return methods;
  }

  /** A function that is known by its name alone: what calls it says nothing more. */
  private void addRefused(Stmt.FunctionDef method, int order, SignatureReader reader) {
    program.signatures().addUnread(Set.of(method.name()));
    refused.add(reader.read(method, Level.INCORE, order));
  }

  private void readSignatures(Stmt.ClassDef definition) {
    Messages messages = program.messages();
    ProgramSignatures signatures = program.signatures();
    SignatureReader reader = new SignatureReader(closure, program.table(), messages);
    DecoratorReader decorators = new DecoratorReader(new Resolver(closure, _ -> false));
    List<FunctionSignature> found = new ArrayList<>();
    boolean decorated = false;
    int order = 0;
    if (!closure.unknown().isEmpty()) {
      signatures.addUnread(closure.unknown());
    }
    for (Stmt statement : definition.body()) {
      if (statement instanceof Stmt.Unread unread) {
        decorated = true;
        signatures.addUnread(unread.words());
      }
      if (!(statement instanceof Stmt.FunctionDef method)) {
        for (Stmt.FunctionDef inner : refuseMethodsIn(statement, decorators)) {
          decorated = true;
          if (decorators.isInline(inner)) {
            signatures.addUnread(Set.of(inner.name()));
          } else {
            addRefused(inner, order++, reader);
          }
        }
        continue;
      }
      try {
        if (decorators.isInline(method)) {
          decorated = true;
          callees.addMethod(new ClosureValue.Kernel(withoutSelf(method), closure));
          continue;
        }
        Optional<Level> level = decorators.read(method);
        if (level.isPresent()) {
          decorated = true;
          if (decorators.isSubWorker(method)) {
            subWorkers.add(method.name());
          }
          found.add(reader.read(method, level.get(), order++));
        } else {
          decorators.refuseOthers(method);
          signatures.addUndecorated(method.name());
        }
      } catch (Refusal refusal) {
        decorated = true;
        messages.add(refusal);
        addRefused(method, order++, reader);
      }
    }
    if (!decorated) {
      messages.add(
          Diagnostic.error(
              "class '" + definition.name() + "' contains no @pl.function decorated methods",
              "decorate its kernels, e.g. @pl.function(type=pl.FunctionType.InCore)",
              definition.nameSpan()));
    }
    for (FunctionSignature signature : withBlocks(found)) {
      Optional<FunctionSignature> first = signatures.find(signature.name());
      if (first.isPresent()) {
        signatures.add(first.get().asBroken());
        refused.add(signature);
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
