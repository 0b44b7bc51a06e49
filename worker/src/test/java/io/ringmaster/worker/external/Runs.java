package io.ringmaster.worker.external;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Settings and requests for tests, in which scripts are shell scripts. */
public final class Runs {

  public static final ExternalSettings.Limits SHORT =
      new ExternalSettings.Limits(
          Duration.ofSeconds(1),
          Duration.ofSeconds(60),
          Duration.ofSeconds(1),
          Duration.ofSeconds(3),
          Duration.ofSeconds(10));

  private Runs() {}

  public static ExternalSettings settings(Path folder, String... command) {
    return new ExternalSettings(
        List.of("a2a3"),
        List.of(command),
        List.of(),
        List.of("PATH"),
        Map.of(),
        folder,
        SHORT,
        100_000,
        false);
  }

  /** Runs shell scripts. */
  public static ExternalSettings shell(Path folder) {
    return settings(folder, "/bin/sh", "{script}", "{devices}");
  }

  static ExternalRunner.Request request(String script) {
    return new ExternalRunner.Request(
        "job.sh", script, "a2a3", List.of(4, 5), List.of("--mode", "a b"), Duration.ofSeconds(30));
  }

  static ExternalRunner.Request request(String script, Duration limit) {
    return new ExternalRunner.Request("job.sh", script, "a2a3", List.of(4, 5), List.of(), limit);
  }
}
