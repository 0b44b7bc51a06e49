package io.ringmaster.service.cli;

import io.ringmaster.worker.external.ExternalRunner;
import io.ringmaster.worker.external.SettingsFile;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How scripts are run on this host's cards: shared by every command that runs some. */
final class CardOptions {

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  @Option(
      names = "--cards",
      paramLabel = "FILE",
      description =
          "how scripts are run on this host's cards (platforms a2a3, a5); see docs/cards.md")
  private @Nullable Path settings;

  /** What runs scripts on cards; empty without the option. */
  Optional<ExternalRunner> runner() {
    if (settings == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(new ExternalRunner(SettingsFile.read(settings)));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          Objects.requireNonNull(spec, "set by picocli").commandLine(),
          "--cards: " + e.getMessage());
    }
  }
}
