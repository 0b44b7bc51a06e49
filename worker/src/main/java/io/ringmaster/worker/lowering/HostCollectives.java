package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;

/** What collectives called from HOST have in common. */
final class HostCollectives {

  private HostCollectives() {}

  /** Blocks that a call asks for: {@code core_num}, or 1. */
  static long lanes(Expr.Op op) {
    return op.attributes().get("core_num") instanceof Attribute.Int n ? n.value() : 1;
  }
}
