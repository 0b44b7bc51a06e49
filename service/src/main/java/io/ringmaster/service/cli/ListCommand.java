package io.ringmaster.service.cli;

import io.ringmaster.api.client.model.Job;
import io.ringmaster.api.client.model.State;
import io.ringmaster.api.client.model.Verdict;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ringmaster list}: the newest jobs of a service. */
@Command(description = "Lists jobs, newest first.", mixinStandardHelpOptions = true)
final class ListCommand implements Callable<Integer> {

  private static final int MOST = 200;

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ClientOptions service = new ClientOptions();

  @Option(names = "--state", paramLabel = "STATE", description = "QUEUED, RUNNING or FINISHED")
  private @Nullable String state;

  @Option(names = "--verdict", paramLabel = "VERDICT", description = "such as RACE")
  private @Nullable String verdict;

  @Option(
      names = {"-p", "--platform"},
      paramLabel = "PLATFORM",
      description = "such as a2a3sim")
  private @Nullable String platform;

  @Option(
      names = "--pool",
      paramLabel = "POOL",
      description = "with a run that asks for this pool, or was given devices of it")
  private @Nullable String pool;

  @Option(names = "--name", paramLabel = "NAME", description = "exactly this name")
  private @Nullable String name;

  @Option(
      names = "--label",
      paramLabel = "KEY=VALUE",
      description = "with this label; may be repeated")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--most",
      paramLabel = "N",
      defaultValue = "20",
      description = "how many at most, up to 200; default ${DEFAULT-VALUE}")
  private int most;

  @Option(names = "--json", description = "print them as the service has them, as JSON")
  private boolean json;

  @Override
  public Integer call() {
    var line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    var command = line.getCommandSpec();
    if (most < 1 || most > MOST) {
      throw new ParameterException(line, "--most: " + most + " isn't in 1.." + MOST);
    }
    var jobs =
        service
            .client()
            .list(
                state == null ? null : Choice.of(State.values(), state, "--state", command),
                verdict == null ? null : Choice.of(Verdict.values(), verdict, "--verdict", command),
                platform,
                pool,
                name,
                labels.entrySet().stream()
                    .map(label -> label.getKey() + ":" + label.getValue())
                    .toList(),
                most);
    var out = line.getOut();
    if (json) {
      out.println(ServiceClient.json(jobs));
    } else {
      out.print(table(jobs.getJobs()));
    }
    out.flush();
    return ExitCodes.PASSED;
  }

  private static String table(List<Job> jobs) {
    var table = new Table("job", "name", "platform", "runs", "state", "verdict", "created");
    for (Job job : jobs) {
      table.row(
          job.getId(),
          job.getName(),
          job.getPlatform(),
          job.getRuns().size(),
          job.getState(),
          job.getVerdict() == null ? "-" : job.getVerdict(),
          job.getCreatedAt().truncatedTo(ChronoUnit.SECONDS));
    }
    return table.render();
  }
}
