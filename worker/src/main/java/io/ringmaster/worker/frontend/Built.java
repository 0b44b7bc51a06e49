package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.source.Diagnostic;
import java.util.List;

/** A program that passed every rule, and what was odd about it. */
public record Built(Program program, List<Diagnostic> warnings) {
  public Built {
    warnings = List.copyOf(warnings);
  }
}
