package io.ringmaster.worker.engine;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Stmt;

/** Tells the functions that stand for a collective called from HOST. */
final class HostRegions {

  private HostRegions() {}

  static boolean in(Function function) {
    return function.body().stream()
        .anyMatch(
            statement ->
                statement instanceof Stmt.Region region
                    && region.collective().rail() == Stmt.Rail.HOST);
  }
}
