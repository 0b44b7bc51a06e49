package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.source.Span;

/** Which functions may contain an operation. */
enum Place {
  /** Computing with tiles or tensors. */
  KERNEL,
  /** Reading, writing and reshaping tensors, which device functions of both levels can do. */
  DEVICE,
  /** Slicing, assembling and creating tensors. */
  ANYWHERE,
  /** Communication by one rank. */
  COMMUNICATION,
  /** The built-in collectives. */
  COLLECTIVE,
  /** The context of a window. */
  CONTEXT,
  /** Allocating windows, asking for the number of ranks. */
  HOST;

  /**
   * Refuses an operation that stands at the wrong level.
   *
   * @param printed the operation as a kernel spells it
   * @param family its name without the module, for messages about code generation
   */
  void require(String printed, String family, Level level, String function, Span span) {
    switch (level) {
      case INCORE -> {
        if (this == HOST) {
          throw hostOnly(printed, span);
        }
      }
      case ORCHESTRATION -> requireOrchestration(printed, family, span);
      case HOST -> requireHost(printed, family, function, span);
    }
  }

  private void requireOrchestration(String printed, String family, Span span) {
    switch (this) {
      case DEVICE, ANYWHERE -> {}
      case HOST -> throw hostOnly(printed, span);
      case KERNEL ->
          throw Refusal.of(
              "Misplaced tensor op '"
                  + family
                  + "' in Orchestration function (should be inside InCore block)",
              "move it into an InCore kernel, or into a with pl.at(level=pl.Level.CORE_GROUP): block",
              span);
      case COMMUNICATION, COLLECTIVE, CONTEXT ->
          throw Refusal.of(
              printed + " can only be called in an InCore function, not in an Orchestration one",
              "move it into the InCore kernel that this function calls",
              span);
    }
  }

  private void requireHost(String printed, String family, String function, Span span) {
    switch (this) {
      case ANYWHERE, COLLECTIVE, CONTEXT, HOST -> {}
      case KERNEL, DEVICE ->
          throw Refusal.of(
              "DistributedCodegen does not support op '"
                  + family
                  + "' in function '"
                  + function
                  + "'",
              "HOST code slices, assembles and dispatches; compute in an InCore kernel",
              span);
      case COMMUNICATION ->
          throw Refusal.of(
              printed + " can only be called in an InCore function, not in a HOST orchestrator",
              "move it into the InCore kernel",
              span);
    }
  }

  private static Refusal hostOnly(String printed, Span span) {
    return Refusal.of(
        printed
            + "() can only be called in HOST orchestration context (not inside InCore / SPMD"
            + " scopes)",
        printed.endsWith("world_size")
            ? "in a kernel the number of ranks is pld.nranks(pld.get_comm_ctx(window))"
            : "allocate in the HOST orchestrator and pass a pld.window view to the kernel",
        span);
  }
}
