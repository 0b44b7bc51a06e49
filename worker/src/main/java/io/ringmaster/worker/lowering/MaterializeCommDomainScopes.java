package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Program.Domain;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds out which ranks share which windows: a window belongs to the ranks of all dispatches that
 * are given a view of it, and windows with the same ranks form a communication domain.
 */
public final class MaterializeCommDomainScopes implements Pass {

  @Override
  public Program apply(Program program, LoweringContext context) {
    List<Domain> domains = new ArrayList<>(program.domains());
    for (Function f : program.functions()) {
      if (f.level() == Function.Level.HOST) {
        WindowUse use = WindowUse.of(program, f, context);
        domains.addAll(domains(use, domains.size()));
      }
    }
    return new Program(program.name(), program.functions(), domains);
  }

  private static List<Domain> domains(WindowUse use, int named) {
    Map<DeviceSet, List<String>> bySet = new LinkedHashMap<>();
    use.buffers()
        .forEach(b -> bySet.computeIfAbsent(use.devices(b), _ -> new ArrayList<>()).add(b));
    List<Domain> out = new ArrayList<>();
    bySet.forEach(
        (devices, buffers) ->
            out.add(new Domain("comm_d" + (named + out.size()), devices.ranks(), buffers)));
    return out;
  }

  /** The domain that a buffer belongs to, once the pass ran. */
  static Domain domainOf(Program program, String buffer) {
    return program.domains().stream()
        .filter(d -> d.buffers().contains(buffer))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no domain holds buffer " + buffer));
  }

  static boolean isAllocation(Expr value) {
    return value instanceof Expr.Op op && op.code() == OpCode.ALLOC_WINDOW;
  }
}
