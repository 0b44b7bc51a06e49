package io.ringmaster.service.config;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says in two lines what a locked database file means. */
final class DataFolderInUse extends AbstractFailureAnalyzer<SQLException> {

  /** H2's code for a file that another process has open. */
  private static final int ALREADY_OPEN = 90020;

  @Override
  protected @Nullable FailureAnalysis analyze(Throwable failure, SQLException cause) {
    if (cause.getErrorCode() != ALREADY_OPEN) {
      return null;
    }
    return new FailureAnalysis(
        "Another Ringmaster has the data folder open: " + cause.getMessage(),
        "Stop it, or give this one a folder of its own with RINGMASTER_DATA.",
        cause);
  }
}
