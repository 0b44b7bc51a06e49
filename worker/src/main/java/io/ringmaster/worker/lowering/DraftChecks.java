package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Draft;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Traversal;
import io.ringmaster.worker.source.Diagnostic;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules of the passes, held against a program that was refused for other reasons, so that all
 * that is wrong with it is said at once: those about single statements everywhere, those about a
 * whole HOST function where nothing of it is missing.
 */
public final class DraftChecks {

  /** What looks at the functions of a device, each for itself. */
  private static final List<Pass> OF_DEVICE_FUNCTIONS =
      List.of(new ConvertTensorToTileOps(), new LowerCompositeOps(), new CheckVecCapacity());

  private static final List<Pass> OF_HOST =
      List.of(
          new SynthesizeAllReduceSignals(),
          new MaterializeCommDomainScopes(),
          new LowerHostTensorCollectives());

  private DraftChecks() {}

  /** Every rule that is broken whatever the parts are that couldn't be read; in no order. */
  public static List<Diagnostic> mistakes(Draft draft, Platform platform) {
    LoweringContext context = LoweringContext.of(platform);
    Program program = draft.program();
    List<Function> folded = program.functions().stream().map(Simplify::folded).toList();
    Program wanted =
        new Program(
            program.name(), Simplify.reachable(folded, entries(draft, folded)), program.domains());
    Program current = wanted;
    for (Pass pass : OF_DEVICE_FUNCTIONS) {
      current = pass.apply(current, context);
    }
    for (Function function : wanted.functions()) {
      if (function.level() == Level.HOST) {
        host(wanted, function, draft, context);
      }
    }
    return context.mistakes().all();
  }

  private static void host(Program program, Function host, Draft draft, LoweringContext context) {
    if (!draft.isWhole(host)) {
      SynthesizeAllReduceSignals.refuseMisplaced(host, context.mistakes());
      collectives(host, context);
      return;
    }
    Program current = withHost(program, host);
    for (Pass pass : OF_HOST) {
      current = pass.apply(current, context);
    }
  }

  /**
   * What is wrong with calls by themselves; a part that is missing may say more of their windows.
   */
  private static void collectives(Function host, LoweringContext context) {
    HostValues values = new HostValues(context.worldSize());
    Traversal.statements(
        host.body(),
        stmt -> {
          for (Expr value : Traversal.values(stmt)) {
            if (LowerCompositeOps.isCollective(value)) {
              context
                  .mistakes()
                  .attempt(() -> HostChecks.alone((Expr.Op) value, values, context.platform()));
            }
          }
          values.accept(stmt);
        });
  }

  private static Program withHost(Program program, Function host) {
    return new Program(
        program.name(),
        program.functions().stream()
            .filter(f -> f.level() != Level.HOST || f.name().equals(host.name()))
            .toList(),
        program.domains());
  }

  /**
   * HOST functions, and where a call may be missing also what nobody calls in what there is. What
   * only the branches call that a factory decided against is left alone.
   */
  private static List<Function> entries(Draft draft, List<Function> folded) {
    boolean mayLackCalls =
        folded.stream()
            .anyMatch(f -> f.level() != Level.INCORE && draft.withGaps().contains(f.name()));
    Set<String> called = new HashSet<>();
    draft.program().functions().forEach(f -> called.addAll(Simplify.callees(f)));
    boolean hasHost = folded.stream().anyMatch(f -> f.level() == Level.HOST);
    return folded.stream()
        .filter(
            f ->
                f.level() == Level.HOST || !hasHost || (mayLackCalls && !called.contains(f.name())))
        .toList();
  }
}
