package io.ringmaster.service.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import picocli.CommandLine.Option;

/** How a command talks to a service: which one, and for how long if it is busy. */
final class ClientOptions extends ServiceOptions {

  private static final long MOST_RETRY_SECONDS = 86_400;

  @Option(
      names = "--retry-for",
      paramLabel = "SECONDS",
      defaultValue = "120",
      description = {
        "how long to ask again while the service is too busy (429) or away for a moment (503), no",
        "sooner than its Retry-After says; default ${DEFAULT-VALUE}, 0 to give up at once"
      })
  private long retrySeconds;

  ServiceClient client() {
    if (retrySeconds < 0 || retrySeconds > MOST_RETRY_SECONDS) {
      throw usage(
          "--retry-for: " + retrySeconds + " isn't in 0.." + MOST_RETRY_SECONDS + " seconds");
    }
    PrintWriter errors = line().getErr();
    var retries =
        new Retries(
            Duration.ofSeconds(retrySeconds),
            notice -> {
              errors.println(notice);
              errors.flush();
            },
            InstantSource.system());
    return new ServiceClient(address(), token(), trust(), retries);
  }
}
