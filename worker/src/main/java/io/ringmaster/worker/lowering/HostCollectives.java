package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.source.Span;
import java.util.List;

/** What collectives called from HOST have in common. */
final class HostCollectives {

  private HostCollectives() {}

  /** Blocks that a call asks for: {@code core_num}, or 1. */
  static long lanes(Expr.Op op) {
    return op.attributes().get("core_num") instanceof Attribute.Int n ? n.value() : 1;
  }

  /** Operand names in order, as users know them. */
  static List<String> roles(OpCode code) {
    return switch (code) {
      case BARRIER -> List.of("signal");
      case BROADCAST, ALLREDUCE, REDUCE_SCATTER -> List.of("target", "signal");
      case ALLGATHER, ALL_TO_ALL -> List.of("input", "target", "signal");
      case ALL_TO_ALL_V -> List.of("input", "target", "signal", "send_counts", "recv_counts");
      default -> throw new IllegalArgumentException(code + " isn't a collective");
    };
  }

  /** Where the operand of a role is written; the whole call where that isn't known. */
  static Span place(Expr.Op op, String role) {
    boolean local = op.code() == OpCode.ALLGATHER && role.equals("input");
    return op.place(local ? "local_data" : role);
  }

  /** True for an operand that the device function only reads. */
  static boolean isRead(String role) {
    return role.equals("input") || role.equals("send_counts");
  }
}
